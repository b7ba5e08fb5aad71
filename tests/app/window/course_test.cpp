// SPDX-License-Identifier: GPL-3.0-or-later
// The course in the real window: every step of every lesson is played by keyboard and mouse, every question is
// answered wrongly and correctly, every claim is checked. Languages, themes, user settings and screen scale
// (QT_SCALE_FACTOR, one process each) vary so that all pairs of values are covered.
#include <arenascope/lesson/question.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/run/backends.h>

#include <QDockWidget>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>
#include <set>

#include "lesson_fixture.h"
#include "lesson_input.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

namespace {

// A covering array: for each two columns each pair of values occurs in a row. Every lesson is played in every row.
struct Way {
  int scale;  // percent
  const char* language;
  ThemeMode theme;
  bool fuse;
  const char* planner;
  int threads;
  const char* order;
  const char* strategy;
};
constexpr Way kWays[] = {{100, "en", ThemeMode::Light, false, "search", 0, "depth-first", "planned"},
                         {150, "zh_CN", ThemeMode::Dark, true, "search", 0, "breadth-first", "planned"},
                         {150, "zh_CN", ThemeMode::Dark, false, "none", 0, "depth-first", "eager"},
                         {100, "zh_CN", ThemeMode::Light, true, "search", 1, "depth-first", "eager"},
                         {100, "en", ThemeMode::Dark, false, "none", 1, "breadth-first", "planned"},
                         {150, "en", ThemeMode::Light, true, "none", 1, "breadth-first", "eager"}};

int scale_here() { return qRound(100 * qEnvironmentVariable("QT_SCALE_FACTOR", QStringLiteral("1")).toDouble()); }

bool has_device(const lesson::Lesson& l) {
  for (const BackendStatus& status : list_backends())
    if (status.backend == l.settings.backend && status.missing.empty()) return true;
  return false;
}

}  // namespace

class CourseTest : public QObject, protected LessonFixture {
  Q_OBJECT

  // First wrongly, then correctly.
  void answer(const lesson::Question& q, const lesson::Scene& scene, const LessonHands& hands) {
    const auto right = lesson::solution(scene, q);
    QVERIFY2(right.ok(), right.ok() ? "" : right.error().message.c_str());
    lesson::Answer wrong = *right;
    if (q.kind == lesson::QuestionKind::Choice) {
      for (const lesson::Option& option : q.options)
        if (option.value != right->text) wrong.text = option.value;
    } else if (q.kind == lesson::QuestionKind::Number) {
      wrong.text = right->text == "1" ? "2" : "1";
    } else if (q.kind == lesson::QuestionKind::Order) {
      std::reverse(wrong.names.begin(), wrong.names.end());
    } else if (q.kind == lesson::QuestionKind::Place) {
      wrong.placed.pop_back();
    } else {
      wrong = {};
      for (const trace::TensorInfo& node : scene.graph->nodes) {
        if (!wrong.text.empty()) continue;
        const auto met = lesson::evaluate(scene, "has_barrier(" + node.name + ")");
        if (q.kind == lesson::QuestionKind::Barrier && (!met || met->text != "yes")) continue;
        const auto judged = lesson::judge(scene, q, {node.name, {}, {}});
        if (judged && !judged->right) wrong.text = node.name;
      }
    }
    QVERIFY2(!wrong.text.empty() || !wrong.names.empty() || !wrong.placed.empty(), qPrintable(where()));
    QVERIFY2(hands.give(q, wrong), qPrintable(where()));
    QVERIFY2(!box()->answered().right && box()->answered().wrong == 1 && !box()->feedback().isEmpty(),
             qPrintable(where()));
    for (size_t i = 0; i < q.hints.size(); ++i) hands.press(box()->hint_button());
    QVERIFY2(hands.give(q, *right), qPrintable(where()));
    QVERIFY2(box()->answered().right, qPrintable(where()));
  }

  // Panels are hidden by the lesson exactly while a question is open.
  void check_hidden() {
    const lesson::LessonStep* step = panel()->current();
    const bool open = step && step->question && !box()->answered().done();
    for (const std::string& name : panel()->open_lesson()->hidden_panels) {
      const PanelId id = panel_named(name).value();
      QVERIFY2(panels().is_hidden_by_lesson(id) == open, qPrintable(where()));
      auto* sign = panels().dock(id)->findChild<QLabel*>("panel_placeholder", Qt::FindDirectChildrenOnly);
      QVERIFY2(!open || (sign != nullptr && !sign->text().isEmpty()), qPrintable(where()));
      QVERIFY2(panels().parts(id).widget->isHidden() == open, qPrintable(where()));
      QVERIFY(!open || !window_->shell().output->csv_maker(id));
    }
  }

  // The panels of the step are visible, as large as they can be, and no others.
  void check_stage() {
    std::vector<PanelId> shown;
    for (const std::string& name : lesson::panels_of(*panel()->open_lesson(), static_cast<size_t>(panel()->step())))
      shown.push_back(panel_named(name).value());
    QVERIFY2(!shown.empty(), qPrintable(where()));
    const PanelId first = shown.front();
    std::erase_if(shown, [&](PanelId id) { return panels().is_hidden_by_lesson(id); });
    if (shown.empty()) shown = {first};
    int height = 0;
    for (const PanelDescriptor& kind : panel_kinds()) {
      const bool expected = std::ranges::find(shown, kind.id) != shown.end();
      const QDockWidget* dock = panels().dock(kind.id);
      QVERIFY2(dock->isHidden() != (expected || kind.id == PanelId::Lesson), qPrintable(where() + name_of(kind.id)));
      if (!expected) continue;
      height += dock->height();
      QVERIFY2(dock->width() > window_->width() / 2, qPrintable(where() + name_of(kind.id)));
    }
    QVERIFY2(height > window_->height() * 6 / 10, qPrintable(where() + QString::number(height)));
  }

  void check_step(int width) {
    QVERIFY2(panel()->widgets().problem->text().isEmpty(), qPrintable(where()));
    check_stage();
    QVERIFY2(!panel()->widgets().text->toPlainText().contains(u'…'),
             qPrintable(panel()->widgets().text->toPlainText()));  // all values are available
    QVERIFY2(panel()->width() == width,
             qPrintable(where() + QStringLiteral("%1 wide, not %2").arg(panel()->width()).arg(width)));
    QVERIFY2(panel()->widgets().text->horizontalScrollBar()->maximum() == 0, qPrintable(where()));
    check_hidden();
  }

  void play(const QString& id, bool mouse) {
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    const LessonHands hands(*window_, *panel(), mouse);
    window_->shell().actions->find(QStringLiteral("lesson.") + id)->trigger();
    const int steps = static_cast<int>(panel()->open_lesson()->steps.size());
    int width = 0;
    for (int i = 0; i < steps; ++i) {
      QTRY_VERIFY2_WITH_TIMEOUT(!done.isEmpty() && !window_->lesson_player()->busy(), qPrintable(where()), kPatience);
      if (i == 0) width = panel()->width();
      const lesson::LessonStep step = *panel()->current();
      check_step(width);
      if (QTest::currentTestFailed()) return;
      done.clear();
      if (step.question) {
        answer(*step.question, panel()->scene(), hands);
        if (QTest::currentTestFailed()) return;
        QTRY_VERIFY2_WITH_TIMEOUT(!done.isEmpty(), qPrintable(where()), kPatience);  // actions of the question
        QVERIFY2(panel()->widgets().problem->text().isEmpty(), qPrintable(where()));
        check_hidden();
        done.clear();
      }
      QTest::keyClick(window_.get(), Qt::Key_PageDown);
    }
    QCOMPARE(panel()->step(), steps);
    QCOMPARE(panel()->width(), width);
    QVERIFY(panel()->progress().finished(id));
    check_hidden();
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-course-test"); }
  void cleanup() { window_.reset(); }

  void all_pairs_of_settings_are_covered() {
    std::set<std::pair<QString, QString>> met;
    for (const Way& w : kWays) {
      const QStringList values{QStringLiteral("scale %1").arg(w.scale),
                               w.language,
                               w.theme == ThemeMode::Dark ? "dark" : "light",
                               w.fuse ? "fused" : "unfused",
                               w.planner,
                               QStringLiteral("threads %1").arg(w.threads),
                               w.order,
                               w.strategy};
      for (int i = 0; i < values.size(); ++i)
        for (int k = 0; k < i; ++k) met.insert({values[k], values[i]});
    }
    QCOMPARE(met.size(), size_t{8 * 7 / 2 * 4});  // of eight columns with two values each
  }

  void every_lesson_holds_data() {
    QTest::addColumn<QString>("id");
    QTest::addColumn<int>("way");
    for (int way = 0; way < static_cast<int>(std::size(kWays)); ++way)
      for (const QString& id : lessons())
        if (kWays[way].scale == scale_here())
          QTest::newRow(qPrintable(QStringLiteral("%1 %2").arg(id).arg(way))) << id << way;
  }
  void every_lesson_holds() {
    QFETCH(QString, id);
    QFETCH(int, way);
    const auto lesson = load_lesson(id, "en");
    QVERIFY2(lesson.ok(), lesson.ok() ? "" : lesson.error().message.c_str());
    if (!has_device(*lesson)) QSKIP(qPrintable("no device for the backend " + text_of(lesson->settings.backend)));
    make_window();
    const Way& w = kWays[way];
    QCOMPARE(qRound(100 * window_->devicePixelRatioF()), w.scale);
    Preferences p = window_->shell().preferences;
    p.language = QString::fromLatin1(w.language);
    p.run.fuse = w.fuse;
    p.run.planner = QString::fromLatin1(w.planner);
    p.run.threads = w.threads;
    p.run.order = QString::fromLatin1(w.order);
    p.run.strategy = QString::fromLatin1(w.strategy);
    window_->apply_preferences(p);
    window_->theme()->set_mode(w.theme);
    play(id, way % 2 == 0);
    QVERIFY(window_->shell().preferences.run == p.run);  // the user's settings are unchanged
  }
};

QTEST_MAIN(CourseTest)
#include "course_test.moc"
