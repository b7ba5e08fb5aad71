// SPDX-License-Identifier: GPL-3.0-or-later
// The course in the real window: every step of every lesson is played with keys and mouse, every question answered wrongly
// and rightly, every claim asserted; languages, themes and the user's own settings change on the way, pairwise.
#include <arenascope/lesson/question.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/run/backends.h>

#include <QAbstractButton>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>

#include "app/window/lesson_guide.h"
#include "app/window/lesson_handout.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

namespace {

// One row of a pairwise plan: each two of language, theme, fusion, planner and threads meet once in these four.
struct Way {
  const char* language;
  ThemeMode theme;
  bool fuse;
  const char* planner;
  int threads;
};
constexpr Way kWays[] = {{"en", ThemeMode::Light, false, "search", 0},
                         {"zh_CN", ThemeMode::Dark, true, "search", 1},
                         {"en", ThemeMode::Dark, true, "none", 0},
                         {"zh_CN", ThemeMode::Light, false, "none", 1}};

bool has_device(const lesson::Lesson& l) {
  for (const BackendStatus& status : list_backends())
    if (status.backend == l.settings.backend && status.missing.empty()) return true;
  return false;
}

}  // namespace

class LessonsTest : public QObject, protected WindowFixture {
  Q_OBJECT

  LessonPanel* panel() { return panels().find<LessonPanel>("lesson"); }
  QuestionBox* box() { return panel()->question(); }
  QString where() {
    return QStringLiteral("%1, step %2: %3 %4")
        .arg(text_of(panel()->open_lesson()->id))
        .arg(panel()->step() + 1)
        .arg(panel()->problem(), box()->said());
  }

  void click(QWidget* button) { QTest::mouseClick(button, Qt::LeftButton); }

  void select(const std::string& name) {
    const trace::GraphInfo* graph = doc().source()->graph();
    doc().selection()->clear();
    for (size_t i = 0; graph && i < graph->nodes.size(); ++i)
      if (graph->nodes[i].name == name) doc().selection()->select(Selection::node(graph->id, NodeId(i)));
    for (size_t i = 0; graph && i < graph->leafs.size(); ++i)
      if (graph->leafs[i].name == name)
        doc().selection()->select(NodeSelection{graph->id, trace::TensorRef::leaf(LeafId(i))});
  }

  void give(const lesson::Question& q, const lesson::Answer& answer) {
    switch (q.kind) {
      case lesson::QuestionKind::Choice:
        for (size_t i = 0; i < q.options.size(); ++i)
          if (q.options[i].value == answer.text) {
            auto* button = qobject_cast<QAbstractButton*>(box()->option(i));
            QTest::keyClick(button, Qt::Key_Space);
          }
        return click(box()->answer_button());
      case lesson::QuestionKind::Number:
        box()->number()->clear();
        QTest::keyClicks(box()->number(), text_of(answer.text));
        QTest::keyClick(box()->number(), Qt::Key_Return);
        return;
      case lesson::QuestionKind::Order: {
        QListWidget* list = box()->order();
        for (int i = 0; i < static_cast<int>(answer.names.size()); ++i) {
          int from = i;
          while (from < list->count() && list->item(from)->text() != text_of(answer.names[static_cast<size_t>(i)]))
            ++from;
          list->setCurrentRow(from);
          for (; from > i; --from) QTest::keyClick(list, Qt::Key_Up, Qt::ControlModifier);
        }
        return click(box()->answer_button());
      }
      case lesson::QuestionKind::Place:
        for (const lesson::Placed& p : answer.placed)
          for (size_t i = 0; i < box()->board()->pieces().size(); ++i) {
            if (box()->board()->pieces()[i].name != p.name) continue;
            PlaceBoard* board = box()->board();
            const QPoint to = board->point_of(i, p.offset);
            QTest::mousePress(board, Qt::LeftButton, {}, board->rect_of(i).center());
            QTest::mouseMove(board, to);
            QTest::mouseRelease(board, Qt::LeftButton, {}, to);
          }
        return click(box()->answer_button());
      default: select(answer.names.empty() ? answer.text : answer.names.front());
    }
  }

  // Wrongly at first where there is a wrong answer to be had, then rightly.
  void answer(const lesson::Question& q, const lesson::Scene& scene) {
    const auto right = lesson::solution(scene, q);
    QVERIFY2(right.ok(), right.ok() ? "" : right.error().message.c_str());
    lesson::Answer wrong = *right;
    if (q.kind == lesson::QuestionKind::Choice) {
      for (const lesson::Option& option : q.options)
        if (option.value != right->text) wrong.text = option.value;
    } else if (q.kind == lesson::QuestionKind::Number) {
      wrong.text = "1";
    } else if (q.kind == lesson::QuestionKind::Order) {
      std::reverse(wrong.names.begin(), wrong.names.end());
    } else if (q.kind == lesson::QuestionKind::Place) {
      wrong.placed.pop_back();
    } else {
      wrong = {};
      for (const trace::TensorInfo& node : scene.graph->nodes)
        if (auto judged = lesson::judge(scene, q, {node.name, {}, {}}); judged && !judged->right)
          wrong.text = node.name;
    }
    const bool has_wrong = !wrong.text.empty() || !wrong.names.empty() || !wrong.placed.empty();
    if (has_wrong && !(q.kind == lesson::QuestionKind::Number && right->text == "1")) {
      give(q, wrong);
      QVERIFY2(!box()->answered().right && box()->answered().wrong > 0 && !box()->said().isEmpty(),
               qPrintable(where()));
    }
    for (size_t i = 0; i < q.hints.size(); ++i) click(box()->hint_button());
    give(q, *right);
    QVERIFY2(box()->answered().right, qPrintable(where()));
  }

  void play(const QString& id) {
    QSignalSpy done(window_->lesson_guide(), &LessonGuide::done);
    window_->shell().actions->find(QStringLiteral("lesson.") + id)->trigger();
    const int steps = static_cast<int>(panel()->open_lesson()->steps.size());
    for (int i = 0; i < steps; ++i) {
      QTRY_VERIFY2_WITH_TIMEOUT(!done.isEmpty() && !window_->lesson_guide()->busy(), qPrintable(where()), kPatience);
      QVERIFY2(panel()->problem().isEmpty(), qPrintable(where()));
      const lesson::LessonStep step = *panel()->current();
      for (const lesson::Action& action : step.actions)
        if (action.verb == "show")
          QVERIFY2(panels().dock(text_of(action.arguments[0]))->isVisible(), qPrintable(where()));
      QVERIFY2(!panel()->text().contains(u'…'), qPrintable(panel()->text()));  // every figure is there
      done.clear();
      if (step.question) {
        answer(*step.question, panel()->scene());
        QTRY_VERIFY2_WITH_TIMEOUT(!done.isEmpty(), qPrintable(where()), kPatience);  // what the question does then
        QVERIFY2(panel()->problem().isEmpty(), qPrintable(where()));
        done.clear();
      }
      QTest::keyClick(window_.get(), Qt::Key_PageDown);
    }
    QCOMPARE(panel()->step(), steps);
    QVERIFY(panel()->progress().finished(id));
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-lessons-test"); }
  void cleanup() { window_.reset(); }

  void every_lesson_holds_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("way");
    int way = 0;
    for (const QString& id : lessons()) QTest::newRow(qPrintable(id)) << id << way++ % 4;
  }
  void every_lesson_holds() {
    QFETCH(QString, id);
    QFETCH(int, way);
    const auto lesson = load_lesson(id, "en");
    QVERIFY2(lesson.ok(), lesson.ok() ? "" : lesson.error().message.c_str());
    if (!has_device(*lesson)) QSKIP(qPrintable("no device for the backend " + text_of(lesson->settings.backend)));
    make_window();
    const Way& w = kWays[way];
    Preferences p = window_->shell().preferences;
    p.language = QString::fromLatin1(w.language);
    p.run.fuse = w.fuse;
    p.run.planner = QString::fromLatin1(w.planner);
    p.run.threads = w.threads;
    window_->apply_preferences(p);
    window_->theme()->set_mode(w.theme);
    play(id);
    QVERIFY(window_->shell().preferences.run == p.run);  // the user's own settings are as they were
  }

  void back_and_again() {
    make_window();
    QSignalSpy done(window_->lesson_guide(), &LessonGuide::done);
    window_->shell().actions->find("lesson.barriers")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    panel()->go_to(4);  // a run that is left paused
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 2, kPatience);
    QCOMPARE(doc().runner()->state(), RunState::Paused);
    panel()->go_to(0);  // and what is shown next is of a whole one
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 3, kPatience);
    QVERIFY2(panel()->problem().isEmpty(), qPrintable(where()));
    QCOMPARE(doc().runner()->state(), RunState::Ready);
  }

  void a_teachers_file_is_played_and_what_is_wrong_is_said_with_its_line() {
    make_window();
    const QString path = folder_.filePath("own.md");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "title: Own\ngraph:\n  a 64\n  b 64 <- a\n## One\n! graph\n! select nobody\n! expect peak 999\nThe peak is "
        "{peak}.\n");
    file.close();
    QSignalSpy done(window_->lesson_guide(), &LessonGuide::done);
    QVERIFY(window_->lesson_guide()->play(path).ok());
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    QVERIFY2(panel()->problem().contains("own.md:"), qPrintable(panel()->problem()));
    QVERIFY(!window_->lesson_guide()->play("/nowhere.md").ok());
  }

  void a_draft_of_what_is_open_is_a_lesson() {
    make_window();
    open("zoo:mul_mat");
    const auto text = window_->lesson_guide()->draft();
    QVERIFY(text.ok());
    const auto lesson = lesson::parse("draft.md", *text);
    QVERIFY2(lesson.ok(), lesson.ok() ? "" : lesson.error().message.c_str());
    QVERIFY(lesson::check(*lesson).empty());
  }

  void a_lesson_becomes_a_handout() {
    make_window();
    QSignalSpy done(window_->lesson_guide(), &LessonGuide::done);
    window_->shell().actions->find("lesson.two_level")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    for (const char* name : {"handout.html", "handout.pdf"}) {
      const auto written = write_handout(window_->shell(), folder_.filePath(QString::fromLatin1(name)));
      QVERIFY2(written.ok(), written.ok() ? "" : written.error().message.c_str());
    }
    QFile html(folder_.filePath("handout.html"));
    QVERIFY(html.open(QIODevice::ReadOnly));
    const QByteArray text = html.readAll();
    QCOMPARE(text.count("data:image/png"), 5);
    QVERIFY(text.contains("8704"));
    QFile pdf(folder_.filePath("handout.pdf"));
    QVERIFY(pdf.open(QIODevice::ReadOnly) && pdf.read(5) == "%PDF-");
  }
};

QTEST_MAIN(LessonsTest)
#include "lessons_test.moc"
