// SPDX-License-Identifier: GPL-3.0-or-later
// The Text and Training panels: generation and training in the window.
#include <views/common/format.h>

#include <QHelpEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QProgressBar>
#include <QSet>
#include <QTest>
#include <QToolButton>
#include <QToolTip>
#include <cmath>
#include <optional>

#include "app/common/train_options.h"
#include "app/window/document/generation_job.h"
#include "app/window/document/training_job.h"
#include "app/window/panels/frontier_plot.h"
#include "app/window/panels/text_panel.h"
#include "app/window/panels/training_panel.h"
#include "app/window/panels/training_plot.h"
#include "app/window/settings/option_editor.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;

namespace {

bool alike(const QColor& a, const QColor& b, int most = 12) {
  return std::abs(a.red() - b.red()) <= most && std::abs(a.green() - b.green()) <= most &&
         std::abs(a.blue() - b.blue()) <= most;
}

// The middle of the pixels of a colour in a column of the image, in rows [top, bottom); nullopt: none.
std::optional<double> row_of(const QImage& image, int x, int top, int bottom, const QColor& colour) {
  double sum = 0;
  int count = 0;
  for (int y = top; y < bottom; ++y)
    if (alike(image.pixelColor(x, y), colour)) sum += y, ++count;
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

// The centre of a disc filled with the colour.
std::optional<QPointF> disc_in(const QImage& image, const QColor& colour, int radius) {
  QPointF sum;
  int count = 0;
  for (int y = radius; y + radius < image.height(); ++y)
    for (int x = radius; x + radius < image.width(); ++x) {
      bool filled = true;
      for (int dy = -radius; dy <= radius && filled; ++dy)
        for (int dx = -radius; dx <= radius && filled; ++dx)
          filled = dx * dx + dy * dy > radius * radius || alike(image.pixelColor(x + dx, y + dy), colour);
      if (filled) sum += QPointF(x, y), ++count;
    }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

}  // namespace

class TrainingTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  template <class Panel>
  Panel* shown(PanelId id) {
    window_->shell().show_panel(id);
    return qobject_cast<Panel*>(panels().parts(id).widget);
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-learning-test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void no_text_is_generated_without_a_model() {
    auto* panel = shown<TextPanel>(PanelId::Text);
    QVERIFY(panel != nullptr);
    QVERIFY(!panel->generate_button()->isEnabled());
    panel->write();
    QVERIFY(!doc().jobs().generation.busy());
    QVERIFY(!shown<TrainingPanel>(PanelId::Training)->train_button()->isEnabled());
  }

  void tokens_are_generated_and_can_be_selected() {
    open("zoo:nano_gpt");
    auto* panel = shown<TextPanel>(PanelId::Text);
    panel->prompt()->setText(QStringLiteral("2 0 1 1 0 2"));
    panel->number()->setValue(3);
    panel->generate_button()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().generation.busy(), kPatience);
    QVERIFY2(doc().jobs().generation.problem().isEmpty(), qPrintable(doc().jobs().generation.problem()));
    QCOMPARE(doc().jobs().generation.tokens().size(), size_t{9});
    QCOMPARE(panel->text()->toPlainText().trimmed().split(u' ').size(), 9);
    QVERIFY(panel->text()->toPlainText().startsWith(QStringLiteral("2 0 1 1 0 2 ")));
    const GeneratedToken& seventh = doc().jobs().generation.tokens()[6];
    QVERIFY(!seventh.given);
    QCOMPARE(seventh.position, int64_t{6});
    QCOMPARE(seventh.row, int64_t{6});
    QCOMPARE(seventh.best.size(), size_t{3});
    QCOMPARE(seventh.best[0].id, seventh.id);  // greedy
    double sum = 0;
    for (const auto& candidate : seventh.best) sum += candidate.probability;
    QVERIFY(std::abs(sum - 1) < 1e-6);
    // All views show the run that computed a selected token.
    panel->choose(7);
    QCOMPARE(panel->candidates()->rowCount(), 3);
    QVERIFY(doc().jobs().generation.tokens()[7].run.valid());
    QCOMPARE(doc().source()->run(), doc().jobs().generation.tokens()[7].run);
    panel->choose(0);
    QCOMPARE(panel->candidates()->rowCount(), 0);
    QCOMPARE(doc().source()->run(), doc().jobs().generation.tokens()[0].run);
    QVERIFY(doc().source()->graph() != nullptr);
    QVERIFY(doc().jobs().generation.prefill_rate() > 0);
    QVERIFY(doc().jobs().generation.decode_rate() > 0);
    QCOMPARE(panel->to_csv().count(u'\n'), 10);
    // Two more tokens fit into the context; a third one is an error.
    QVERIFY(panel->continue_button()->isEnabled());
    panel->number()->setValue(10);
    panel->continue_button()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().generation.busy(), kPatience);
    QCOMPARE(doc().jobs().generation.tokens().size(), size_t{12});
    QVERIFY(!doc().jobs().generation.problem().isEmpty());
    QVERIFY(panel->status()->text().contains(doc().jobs().generation.problem()));
    QVERIFY(!panel->continue_button()->isEnabled());
  }

  void a_model_without_text_generation_reports_it() {
    open("zoo:mul_mat");
    auto* panel = shown<TextPanel>(PanelId::Text);
    panel->prompt()->setText(QStringLiteral("1"));
    panel->write();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().generation.busy(), kPatience);
    QVERIFY(doc().jobs().generation.problem().contains(QStringLiteral("not a generative language model")));
  }

  void training_is_drawn_and_can_be_stopped() {
    open("zoo:nano_gpt");
    auto* panel = shown<TrainingPanel>(PanelId::Training);
    panel->data()->setText(QStringLiteral("sort:1"));
    set_option_editor(panel->editor("batch"), "64");
    set_option_editor(panel->editor("epochs"), "1000");
    set_option_editor(panel->editor("loss"), "squared-error");
    set_option_editor(panel->editor("weight-decay-of"), "*.bias=0");
    panel->train_button()->click();
    QTRY_VERIFY_WITH_TIMEOUT(doc().jobs().training.steps().size() > 20, kPatience);
    QVERIFY(panel->stop_button()->isEnabled());
    // It is a job with progress and cancellation.
    QTRY_VERIFY_WITH_TIMEOUT(doc().jobs().training.share() > 0, kPatience);
    auto* bar = window_->findChild<QWidget*>("job")->findChild<QProgressBar*>();
    QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible(), kPatience);
    QVERIFY(window_->documents()->tasks().front()->title().contains(u"epoch"));
    window_->findChild<QToolButton*>("cancel_job")->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().training.busy(), kPatience);
    const auto& steps = doc().jobs().training.steps();
    QVERIFY(steps.back().loss < steps.front().loss);
    QVERIFY(doc().jobs().training.parameters().size() > 30);
    QCOMPARE(steps.back().norms.size(), static_cast<size_t>(doc().jobs().training.parameters().size()));
    TrainingPlot* plot = panel->plot();
    const TrainingPlot::Spot end = plot->spot_at({plot->width() - 10, plot->height() - 9});
    QCOMPARE(end.step, static_cast<int>(steps.size()) - 1);
    QVERIFY(end.parameter >=
            static_cast<int>(doc().jobs().training.parameters().size()) - 2);  // rows may be less than a pixel high
    QVERIFY(!plot->grab().isNull());
    QCOMPARE(panel->to_csv().count(u'\n'), static_cast<qsizetype>(steps.size()) + 1);
    panel->data()->setText(QStringLiteral("sort:x"));
    panel->train();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().training.busy(), kPatience);
    QVERIFY(panel->status()->text().contains(QStringLiteral("sort:SEED")));
  }

  // Curves, tool tips and saved tables of a training match those of the command line.
  void curves_match_the_command_line() {
    open("zoo:nano_gpt");
    auto* panel = shown<TrainingPanel>(PanelId::Training);
    panel->data()->setText(QStringLiteral("sort:1"));
    set_option_editor(panel->editor("batch"), "256");
    set_option_editor(panel->editor("epochs"), "2");
    panel->train_button()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().training.busy() && doc().jobs().training.steps().size() > 8, kPatience);
    QProcess cli;
    cli.start(ARENASCOPE_CLI,
              {"train", "zoo:nano_gpt", "--data", "sort:1", "--batch", "256", "--epochs", "2", "--json"});
    QVERIFY(cli.waitForFinished(kPatience) && cli.exitCode() == 0);
    const QJsonObject report = QJsonDocument::fromJson(cli.readAllStandardOutput()).object();
    const QJsonArray losses = report["loss"].toArray(), accuracies = report["accuracy"].toArray();
    const auto count = static_cast<int>(losses.size());
    QCOMPARE(static_cast<int>(doc().jobs().training.steps().size()), count);
    QCOMPARE(static_cast<int>(accuracies.size()), count);
    double most = 0;
    for (const QJsonValue& loss : losses) most = std::max(most, loss.toDouble());
    TrainingPlot* plot = panel->plot();
    plot->resize(640, 320);
    const QImage image = plot->grab().toImage();
    const views::ThemeColours& colours = window_->shell().theme->colours();
    // The frame of the curves: its left and right sides are the columns with most of the axis colour.
    int left = -1, right = -1, top = -1, bottom = -1;
    for (int x = 0; x < image.width(); ++x) {
      int first = -1, last = -1, axis = 0;
      for (int y = 0; y < image.height(); ++y)
        if (alike(image.pixelColor(x, y), colours.axis, 2)) axis += 1, last = y, first = first < 0 ? y : first;
      if (axis < image.height() / 3) continue;
      if (left < 0) left = x, top = first, bottom = last;
      right = x;
    }
    QVERIFY(left >= 0 && right > left + 200 && bottom > top + 60);
    int rows = 0;
    for (int i = 0; i < count; ++i) {
      const double at = left + (i + 0.5) / count * (right - left), loss = losses[i].toDouble();
      const auto row = row_of(image, static_cast<int>(std::lround(at)), top + 1, bottom, colours[views::Role::Work]);
      const double expected = bottom - loss / most * (bottom - top);
      if (!row || expected < top + 4) continue;  // below the text, or on the frame
      ++rows;
      QVERIFY2(std::abs(*row - expected) <= 3,
               qPrintable(QStringLiteral("step %1: %2, not %3").arg(i).arg(*row).arg(expected)));
    }
    QVERIFY(rows > count / 2);
    for (const int i : {0, count / 2, count - 1}) {
      const QPoint place(left + static_cast<int>((i + 0.5) / count * (right - left)), (top + bottom) / 2);
      QHelpEvent help(QEvent::ToolTip, place, plot->mapToGlobal(place));
      QCoreApplication::sendEvent(plot, &help);
      const auto text = QStringLiteral("Step %1: loss %2, accuracy %3 %")
                            .arg(i + 1)
                            .arg(losses[i].toDouble(), 0, 'g', 4)
                            .arg(100 * accuracies[i].toDouble(), 0, 'f', 1);
      QCOMPARE(QToolTip::text(), text);
      if (i == count - 1) QCOMPARE(plot->summary(), text);
    }
    const QStringList lines = panel->to_csv().split(u'\n');
    for (int i = 0; i < count; ++i)
      QVERIFY(std::abs(lines[i + 1].section(u',', 1, 1).toDouble() - losses[i].toDouble()) < 1e-5);
  }

  // The table matches that of the command line.
  void every_option_of_training_has_an_editor() {
    open("zoo:nano_gpt");
    auto* panel = shown<TrainingPanel>(PanelId::Training);
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
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().training.busy(), kPatience);
    QVERIFY(panel->status()->text().contains(QStringLiteral("clip: ")));
  }

  void the_frontier_is_a_slider() {
    open("zoo:mnist_cnn");
    auto* panel = shown<TrainingPanel>(PanelId::Training);
    QVERIFY(!panel->slider()->isEnabled());
    panel->frontier_button()->click();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().training.busy(), kPatience);
    const auto& frontier = doc().jobs().training.frontier();
    QVERIFY(frontier.size() > 1);
    QVERIFY(panel->slider()->isEnabled());
    QCOMPARE(panel->capacity(), Bytes{0});
    panel->slider()->setValue(1);
    QCOMPARE(panel->capacity(), frontier[1].arena);
    QVERIFY(frontier[1].arena < frontier[0].arena);
    QVERIFY(frontier[1].extra_work > 0);
    // Points are drawn in proportion to bytes and operations. (tests/engine/schedule/what_if_test.cpp checks that
    // they are plans with these values.)
    FrontierPlot* plot = panel->frontier_plot();
    plot->resize(560, 260);
    const auto dot = [&](size_t i) {
      plot->set_chosen(static_cast<int>(i));
      return disc_in(plot->grab().toImage(), window_->shell().theme->colours()[views::Role::Work], 4);
    };
    const auto first = dot(0), last = dot(frontier.size() - 1);
    QVERIFY(first && last);
    constexpr double kLeft = 8;  // left edge of the axis
    for (size_t i = 1; i < frontier.size(); ++i) {
      const auto at = dot(i);
      QVERIFY(at);
      const double bytes = static_cast<double>(frontier[i].arena) / static_cast<double>(frontier[0].arena);
      QVERIFY(std::abs(at->x() - kLeft - bytes * (first->x() - kLeft)) <= 2);
      const double work = frontier[i].extra_work / frontier.back().extra_work;
      QVERIFY(std::abs(first->y() - at->y() - work * (first->y() - last->y())) <= 2);
      panel->slider()->setValue(static_cast<int>(i));
      const QString text = FrontierPlot::text_of(frontier[i]);
      QVERIFY(text.contains(views::format_bytes(frontier[i].arena)));
      QVERIFY(text.contains(QString::number(100 * frontier[i].extra_work, 'f', 1)));
    }
  }
};

QTEST_MAIN(TrainingTest)
#include "training_test.moc"
