// SPDX-License-Identifier: GPL-3.0-or-later
// Panels Text and Training: a model writes and learns in the window.
#include <QProgressBar>
#include <QSet>
#include <QTest>
#include <QToolButton>

#include "app/common/train_options.h"
#include "app/window/document/job.h"
#include "app/window/document/learning.h"
#include "app/window/document/writing.h"
#include "app/window/option_editor.h"
#include "app/window/panels/text_panel.h"
#include "app/window/panels/training_panel.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;

class LearningTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  template <class Panel>
  Panel* shown(const char* id) {
    window_->shell().show_panel(id);
    return qobject_cast<Panel*>(panels().parts(QString::fromLatin1(id)).widget);
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-learning-test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void nothing_is_written_without_a_model() {
    auto* panel = shown<TextPanel>("text");
    QVERIFY(panel != nullptr);
    QVERIFY(!panel->write_button()->isEnabled());
    panel->write();
    QVERIFY(!doc().writing()->busy());
    QVERIFY(!shown<TrainingPanel>("training")->train_button()->isEnabled());
  }

  void tokens_come_and_can_be_chosen() {
    open("zoo:nano_gpt");
    auto* panel = shown<TextPanel>("text");
    panel->prompt()->setText(QStringLiteral("2 0 1 1 0 2"));
    panel->number()->setValue(3);
    panel->write_button()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().writing()->busy(), kPatience);
    QVERIFY2(doc().writing()->problem().isEmpty(), qPrintable(doc().writing()->problem()));
    QCOMPARE(doc().writing()->tokens().size(), size_t{9});
    QCOMPARE(panel->text()->toPlainText().trimmed().split(u' ').size(), 9);
    QVERIFY(panel->text()->toPlainText().startsWith(QStringLiteral("2 0 1 1 0 2 ")));
    const WrittenToken& seventh = doc().writing()->tokens()[6];
    QVERIFY(!seventh.given);
    QCOMPARE(seventh.position, int64_t{6});
    QCOMPARE(seventh.row, int64_t{6});
    QCOMPARE(seventh.best.size(), size_t{3});
    QCOMPARE(seventh.best[0].id, seventh.id);  // greedy
    double sum = 0;
    for (const auto& candidate : seventh.best) sum += candidate.probability;
    QVERIFY(std::abs(sum - 1) < 1e-6);
    // The run that a token was computed in is what every view shows then.
    panel->choose(7);
    QCOMPARE(panel->candidates()->rowCount(), 3);
    QVERIFY(doc().writing()->tokens()[7].run.valid());
    QCOMPARE(doc().source()->run(), doc().writing()->tokens()[7].run);
    panel->choose(0);
    QCOMPARE(panel->candidates()->rowCount(), 0);
    QCOMPARE(doc().source()->run(), doc().writing()->tokens()[0].run);
    QVERIFY(doc().source()->graph() != nullptr);
    QVERIFY(doc().writing()->prefill_rate() > 0);
    QVERIFY(doc().writing()->decode_rate() > 0);
    QCOMPARE(panel->to_csv().count(u'\n'), 10);
    // Two more fit into what the model sees; a third one does not, and is said.
    QVERIFY(panel->go_on_button()->isEnabled());
    panel->number()->setValue(10);
    panel->go_on_button()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().writing()->busy(), kPatience);
    QCOMPARE(doc().writing()->tokens().size(), size_t{12});
    QVERIFY(!doc().writing()->problem().isEmpty());
    QVERIFY(panel->status()->text().contains(doc().writing()->problem()));
    QVERIFY(!panel->go_on_button()->isEnabled());
  }

  void a_model_that_writes_nothing_says_so() {
    open("zoo:mul_mat");
    auto* panel = shown<TextPanel>("text");
    panel->prompt()->setText(QStringLiteral("1"));
    panel->write();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().writing()->busy(), kPatience);
    QVERIFY(doc().writing()->problem().contains(QStringLiteral("no language model")));
  }

  void training_is_drawn_and_can_be_stopped() {
    open("zoo:nano_gpt");
    auto* panel = shown<TrainingPanel>("training");
    panel->data()->setText(QStringLiteral("sort:1"));
    set_option_editor(panel->editor("batch"), "64");
    set_option_editor(panel->editor("epochs"), "1000");
    set_option_editor(panel->editor("loss"), "squared-error");
    set_option_editor(panel->editor("weight-decay-of"), "*.bias=0");
    panel->train_button()->click();
    QTRY_VERIFY_WITH_TIMEOUT(doc().learning()->steps().size() > 20, kPatience);
    QVERIFY(panel->stop_button()->isEnabled());
    // It is a job as others are: how far it is, and an end.
    QTRY_VERIFY_WITH_TIMEOUT(doc().learning()->share() > 0, kPatience);
    auto* bar = window_->findChild<QWidget*>("job")->findChild<QProgressBar*>();
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatience);
    QVERIFY(job_of(*window_->documents())->text.contains(u"epoch"));
    window_->findChild<QToolButton*>("cancel_job")->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().learning()->busy(), kPatience);
    const auto& steps = doc().learning()->steps();
    QVERIFY(steps.back().loss < steps.front().loss);
    QVERIFY(doc().learning()->parameters().size() > 30);
    QCOMPARE(steps.back().norms.size(), static_cast<size_t>(doc().learning()->parameters().size()));
    LearningPlot* plot = panel->plot();
    const LearningPlot::Spot end = plot->spot_at({plot->width() - 10, plot->height() - 9});
    QCOMPARE(end.step, static_cast<int>(steps.size()) - 1);
    QCOMPARE(end.parameter, static_cast<int>(doc().learning()->parameters().size()) - 1);
    QVERIFY(!plot->grab().isNull());
    QCOMPARE(panel->to_csv().count(u'\n'), static_cast<qsizetype>(steps.size()) + 1);
    panel->data()->setText(QStringLiteral("sort:x"));
    panel->train();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().learning()->busy(), kPatience);
    QVERIFY(panel->status()->text().contains(QStringLiteral("sort:SEED")));
  }

  // The table is that of the command line: what is said of it there holds here.
  void every_option_of_training_has_an_editor() {
    open("zoo:nano_gpt");
    auto* panel = shown<TrainingPanel>("training");
    const TrainChoices usual;
    QSet<QString> ids, titles;
    for (const TrainOption& option : train_options()) {
      ids.insert(option.id);
      titles.insert(option.title);
      TrainChoices choices;
      QVERIFY2(option.set(choices, option.text(usual)).ok(), option.id);
      QCOMPARE(option.text(choices), option.text(usual));
      QVERIFY2(panel->editor(option.id) != nullptr, option.id);
      QCOMPARE(text_of_option_editor(panel->editor(option.id)).toStdString(), option.text(usual));
      QCOMPARE(option.choices != nullptr, option.type == OptionType::Choice);
      if (option.choices)
        for (const std::string& choice : option.choices()) {
          QVERIFY2(option.set(choices, choice).ok(), choice.c_str());
          QCOMPARE(option.text(choices), choice);
        }
      QVERIFY2(!option.set(choices, "no such thing").ok(), option.id);
    }
    QCOMPARE(static_cast<size_t>(ids.size()), train_options().size());
    QCOMPARE(static_cast<size_t>(titles.size()), train_options().size());
    QVERIFY(!panel->editor("loss")->isVisible());
    panel->more_button()->click();
    QVERIFY(panel->editor("loss")->isVisible());
    panel->data()->setText(QStringLiteral("sort:1"));
    set_option_editor(panel->editor("clip"), "-1");
    panel->train();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().learning()->busy(), kPatience);
    QVERIFY(panel->status()->text().contains(QStringLiteral("--clip")));
  }

  void the_frontier_is_a_slider() {
    open("zoo:mnist_cnn");
    auto* panel = shown<TrainingPanel>("training");
    QVERIFY(!panel->slider()->isEnabled());
    panel->frontier_button()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().learning()->busy(), kPatience);
    const auto& frontier = doc().learning()->frontier();
    QVERIFY(frontier.size() > 1);
    QVERIFY(panel->slider()->isEnabled());
    QCOMPARE(panel->capacity(), Bytes{0});
    panel->slider()->setValue(1);
    QCOMPARE(panel->capacity(), frontier[1].arena);
    QVERIFY(frontier[1].arena < frontier[0].arena);
    QVERIFY(frontier[1].extra_work > 0);
  }
};

QTEST_MAIN(LearningTest)
#include "learning_test.moc"
