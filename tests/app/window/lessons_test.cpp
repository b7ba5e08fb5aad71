// SPDX-License-Identifier: GPL-3.0-or-later
// Lessons in the real window besides the course (course_test.cpp): settings, navigation, lesson files, presenter
// keys, handouts.
#include <arenascope/base/step_number.h>
#include <arenascope/lesson/stage.h>
#include <views/bytes/byte_lens_view.h>
#include <views/tables/table.h>

#include <QComboBox>
#include <QDir>
#include <QDockWidget>
#include <QFile>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTest>
#include <QTextDocument>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/window/bars/summary_bar.h"
#include "app/window/document/run_option_settings.h"
#include "app/window/lessons/lesson_handout.h"
#include "app/window/lessons/lesson_names.h"
#include "app/window/lessons/page/lesson_page.h"
#include "app/window/panels/training_panel.h"
#include "lesson_fixture.h"
#include "tests/engine/lesson/audited_scene.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

namespace {

// An expression of audited facts, evaluated from left to right; nullopt if one of them is not audited.
std::optional<double> audited_value(const lesson::Scene& scene, const audit::Auditor& auditor,
                                    const QString& expression) {
  double sum = 0;
  QChar sign = u'+';
  for (const QString& word : expression.split(u' ', Qt::SkipEmptyParts)) {
    if (word.size() == 1 && QStringLiteral("+-*/").contains(word)) {
      sign = word[0];
      continue;
    }
    bool whole = false;
    double value = word.toInt(&whole);
    if (!whole) {
      std::vector<std::string> given;
      for (const QString& one :
           word.section(u'(', 1).chopped(word.contains(u'(') ? 1 : 0).split(u',', Qt::SkipEmptyParts))
        given.push_back(one.toStdString());
      const auto against = lesson::audit_metric(scene, word.section(u'(', 0, 0).toStdString(), given);
      if (!against || !against->exempt.empty()) return std::nullopt;
      const auto figure = auditor.ask(against->figure);
      value = figure ? figure->value : 0;  // 0 if no event defines it
      if (figure && figure->unit == audit::Unit::Step)
        value = static_cast<double>(step_number(static_cast<int64_t>(value)));
    }
    sum = sign == u'+' ? sum + value : sign == u'-' ? sum - value : sign == u'*' ? sum * value : sum / value;
  }
  return sum;
}

QString plain_text(const QString& markdown) {
  QTextDocument page;
  page.setMarkdown(markdown);
  return page.toPlainText().simplified();
}

// A text of the lesson with the values of the auditor; counts them.
QString audited_text(const std::string& text, const lesson::Scene& scene, const audit::Auditor& auditor, int& held) {
  QString out;
  for (const lesson::TextPart& part : lesson::parts_of(text)) {
    const auto known = scene.known.find(part.text);
    if (!part.figure || known == scene.known.end()) {
      out += part.figure ? QStringLiteral("?") : QString::fromStdString(part.text);
      continue;
    }
    lesson::Value value = known->second;
    const auto number = audited_value(scene, auditor, QString::fromStdString(part.text));
    if (value.kind == lesson::Value::Kind::Number && number) value.number = *number, ++held;
    out += QString::fromStdString(lesson::shown(value, part.bare));
  }
  return plain_text(out);
}

// The texts and replies of a lesson's page, one per line.
QString texts_of_page(const std::string& page) {
  const std::string begin = R"(<script id="data" type="application/json">)";
  const size_t from = page.find(begin) + begin.size();
  const auto data = nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
  QStringList texts;
  const auto add = [&](const nlohmann::json& text) {
    texts << plain_text(QString::fromStdString(text.get<std::string>()));
  };
  for (const auto& step : data["texts"][0]["steps"]) {
    add(step["text"]);
    if (!step.contains("question")) continue;
    add(step["question"]["right"]);
    for (const auto& reply : step["question"]["replies"])
      if (reply.is_object() && reply.contains("option")) add(reply["option"]);
  }
  return texts.join(u'\n');
}

}  // namespace

class LessonsTest : public QObject, protected LessonFixture {
  Q_OBJECT

  // Plays a step of a lesson of the course.
  void enter(const char* lesson, int step) {
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    window_->shell().actions->find(QStringLiteral("lesson.") + QString::fromLatin1(lesson))->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!done.isEmpty(), kPatience);
    done.clear();
    panel()->go_to(step);
    QTRY_VERIFY_WITH_TIMEOUT(!done.isEmpty() && !window_->lesson_player()->busy(), kPatience);
    QVERIFY2(panel()->widgets().problem->text().isEmpty(), qPrintable(where()));
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-lessons-test"); }
  void cleanup() { window_.reset(); }

  void the_start_page_continues_the_course() {
    make_window();
    auto* page = window_->findChild<QWidget*>("welcome");
    // The newest: those of earlier contents of the page are deleted later.
    const auto next = [&] { return page->findChildren<QPushButton*>("next_lesson").constLast(); };
    QVERIFY(page->isVisible());
    QCOMPARE(next()->text(), QString("Start: A tensor and its bytes"));
    enter("arena", 2);
    panel()->begin({});
    while (!doc().empty()) window_->shell().documents->close(window_->shell().documents->index());
    QTRY_VERIFY(page->isVisible());
    QCOMPARE(next()->text(), QString("Continue: Lifetimes and the arena"));
    next()->click();
    QCOMPARE(panel()->open_lesson()->id, std::string("arena"));
    QCOMPARE(panel()->step(), 2);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->lesson_player()->busy(), kPatience);
  }

  // A block that is taken from the system and released again: one reservation, two changes of the reserved memory.
  void reservations_are_distinct_from_changes() {
    make_window();
    window_->open("program:kept_alive");
    QTRY_VERIFY_WITH_TIMEOUT(doc().spec() == u"program:kept_alive" && doc().source()->snapshot()->event_count > 0,
                             kPatience);
    const TablePtr table = allocators_table(TableInput::of(*doc().source()));
    QCOMPARE(table->rows, size_t{1});
    QVERIFY(std::ranges::find(table->columns, QString("Reservations"), &Column::title) == table->columns.end());
    const auto column = std::ranges::find(table->columns, QString("Reserved changes"), &Column::title);
    QVERIFY(column != table->columns.end());
    QCOMPARE(column->text(0), QString("2"));
  }

  void kinds_of_one_device_are_called_by_their_kind() {
    make_window();
    window_->open("program:leak");
    QTRY_VERIFY_WITH_TIMEOUT(doc().spec() == u"program:leak" && doc().source()->snapshot()->event_count > 0, kPatience);
    const QString headline = headline_of(*doc().source()->snapshot(), nullptr, {});
    for (const char* kind : {"Default", "Persistent", "Workspace"})
      QVERIFY2(headline.contains(QLatin1String(kind)), qPrintable(headline));
  }

  // The picture shows what the text states: the recomputed tensor is not alive in between.
  void an_improved_plan_is_shown() {
    make_window();
    enter("recompute", 1);
    const Bytes before = doc().source()->plan()->arena_bytes;
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    box()->reveal();
    QTRY_VERIFY_WITH_TIMEOUT(!done.isEmpty(), kPatience);
    QVERIFY(doc().source()->plan()->arena_bytes < before);
    QVERIFY(std::ranges::count_if(doc().source()->plan()->slices, [&](const trace::SliceInfo& slice) {
              return doc().source()->graph()->nodes[slice.tensor.index()].name == "skip";
            }) >= 2);
  }

  void saved_options_of_a_model_do_not_apply_to_lessons() {
    make_window();
    // The user runs squeezenet without memory reuse; a lesson runs it with other settings in its own tab.
    const QString spec = QStringLiteral("zoo:squeezenet");
    remember_run(spec, {{"memory", "none"}, {"threads", "1"}});
    open(spec);
    const RunSettings own = doc().runner()->settings();
    const auto threads_of = [&] { return doc().source()->snapshot()->runs[0].info.threads; };
    QCOMPARE(threads_of(), 1);
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    window_->shell().actions->find("lesson.graph")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    panel()->go_to(5);
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 2, kPatience);
    QVERIFY2(panel()->widgets().problem->text().isEmpty(), qPrintable(where()));
    QCOMPARE(doc().spec(), spec);
    QCOMPARE(threads_of(), panel()->open_lesson()->settings.threads);
    QVERIFY(doc().runner()->settings().from_lesson);
    // The user's tab and saved options are unchanged.
    bool found = false;
    for (size_t i = 0; i < window_->shell().documents->size(); ++i) {
      Document& each = (*window_->shell().documents)[i];
      if (each.spec() != spec || each.runner()->settings().from_lesson) continue;
      found = true;
      QVERIFY(each.runner()->settings() == own);
    }
    QVERIFY(found);
    QCOMPARE(remembered_run(spec).at("threads"), std::string("1"));
  }

  void a_revisited_step_does_not_depend_on_later_ones() {
    make_window();
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    for (const char* id : {"arena", "two_level", "barriers", "allocators"}) {
      done.clear();
      window_->shell().actions->find(QStringLiteral("lesson.") + QString::fromLatin1(id))->trigger();
      QTRY_VERIFY_WITH_TIMEOUT(!done.isEmpty(), kPatience);
      const int steps = static_cast<int>(panel()->open_lesson()->steps.size());
      for (int step = steps; step-- > 0;) {
        done.clear();
        panel()->go_to(step);
        QTRY_VERIFY_WITH_TIMEOUT(!done.isEmpty(), kPatience);
        QVERIFY2(panel()->widgets().problem->text().isEmpty(), qPrintable(where()));
      }
    }
  }

  void a_recording_next_to_the_lesson_is_found() {
    make_window();
    open_recording();
    QFile file(folder_.filePath("beside.md"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "title: Next\n## One\n! open squeezenet.arenascope\n! show graph\n! expect nodes 64\n! ask number leafs\n! "
        "right "
        "Yes.\nIt has {nodes} nodes.\n");
    file.close();
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    QVERIFY(window_->lesson_player()->play(file.fileName()).ok());
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    QVERIFY2(panel()->widgets().problem->text().isEmpty(), qPrintable(panel()->widgets().problem->text()));
    const auto lesson = load_lesson(file.fileName(), {});
    QVERIFY(lesson.ok());
    for (const Error& error : lesson::check(*lesson)) QFAIL(error.message.c_str());
  }

  void a_lesson_hides_no_panels_of_the_users_documents() {
    make_window();
    open(QStringLiteral("zoo:mul_mat"));
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    window_->shell().actions->find("lesson.faults")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    QVERIFY(panels().is_hidden_by_lesson(PanelId::Findings));
    window_->shell().documents->show_next(1);
    QVERIFY(!doc().runner()->settings().from_lesson);
    QVERIFY(!panels().is_hidden_by_lesson(PanelId::Findings));
    window_->shell().documents->show_next(1);
    QVERIFY(panels().is_hidden_by_lesson(PanelId::Findings));
    panel()->begin({});  // list of lessons
    QVERIFY(!panels().is_hidden_by_lesson(PanelId::Findings));
  }

  void the_frontier_of_a_lesson_is_drawn() {
    make_window();
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    window_->shell().actions->find("lesson.recompute")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    panel()->go_to(4);
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 2, kPatience);
    QVERIFY2(panel()->widgets().problem->text().isEmpty(), qPrintable(where()));
    auto* training = panels().widgets().training;
    FrontierPlot* plot = training->frontier_plot();
    QTRY_VERIFY(plot->isVisible());
    const auto last = static_cast<int>(doc().jobs().training.frontier().size()) - 1;
    QVERIFY(last >= 2);
    QTest::mouseClick(plot, Qt::LeftButton, {}, plot->position_of(last).toPoint());
    QCOMPARE(training->slider()->value(), last);
    QCOMPARE(training->capacity(), doc().jobs().training.frontier().back().arena);
    QCOMPARE(static_cast<double>(training->capacity()), panel()->scene().known.at("frontier_end").number);
  }

  void going_back_and_forward() {
    make_window();
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    window_->shell().actions->find("lesson.barriers")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    panel()->go_to(5);  // leaves a paused run
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 2, kPatience);
    QCOMPARE(doc().runner()->state(), RunState::Paused);
    panel()->go_to(0);  // must show a complete run
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 3, kPatience);
    QVERIFY2(panel()->widgets().problem->text().isEmpty(), qPrintable(where()));
    QCOMPARE(doc().runner()->state(), RunState::Ready);
  }

  void a_lesson_file_is_played_and_errors_have_their_line() {
    make_window();
    const QString path = folder_.filePath("own.md");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "title: Own\ngraph:\n  a 64\n  b 64 <- a\n## One\n! graph\n! select missing\n! expect peak 999\nThe peak is "
        "{peak}.\n");
    file.close();
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    QVERIFY(window_->lesson_player()->play(path).ok());
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    QVERIFY2(panel()->widgets().problem->text().contains("own.md:"), qPrintable(panel()->widgets().problem->text()));
    QVERIFY(!window_->lesson_player()->play("/nowhere.md").ok());
  }

  void names_in_lessons_exist_in_the_window() {
    for (const QString& id : lessons())
      for (const char* language : {"en", "zh_CN"}) {
        const auto lesson = load_lesson(id, language);
        QVERIFY2(lesson.ok(), lesson.ok() ? "" : lesson.error().message.c_str());
        for (const Error& wrong : wrong_names(*lesson)) QFAIL(wrong.message.c_str());
      }
    const auto lesson = lesson::parse("x.md",
                                      "title: T\nhide: headline, inspectr\nneeds: arrena, arena\n## A\n! show node\n"
                                      "! ask number nodes\n! right Yes.\n! then show arena nodez\nHow many?\n");
    QVERIFY(lesson.ok());
    std::string all;
    for (const Error& wrong : wrong_names(*lesson)) all += wrong.message + "\n";
    for (const char* said : {"x.md:1: unknown panel 'inspectr'", "'arrena'", "x.md:5: unknown panel 'node'",
                             "x.md:8: unknown panel 'nodez'"})
      QVERIFY2(all.find(said) != std::string::npos, all.c_str());
    QCOMPARE(std::count(all.begin(), all.end(), '\n'), 4);
  }

  void the_summary_bar_can_be_hidden() {
    make_window();
    const QString path = folder_.filePath("hide.md");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(
        "title: Hide\nhide: headline\ngraph:\n  a 64\n  b 64 <- a\n## One\n! graph\n! ask number peak\n! right Yes.\n"
        "How much?\n");
    file.close();
    auto* headline = window_->findChild<SummaryBar*>();
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    QVERIFY(window_->lesson_player()->play(path).ok());
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    QVERIFY(headline->text().isEmpty());
    box()->number()->setText(QStringLiteral("128"));
    box()->answer();
    QVERIFY(box()->answered().right);
    QVERIFY(headline->text().contains(QStringLiteral("128")));
  }

  void the_users_panels_come_back_after_a_lesson() {
    make_window();
    open(QStringLiteral("zoo:mul_mat"));
    window_->shell().layouts->apply(QStringLiteral("time"));
    const auto visible = [&] {
      std::set<PanelId> ids;
      for (const PanelDescriptor& kind : panel_kinds())
        if (!panels().dock(kind.id)->isHidden()) ids.insert(kind.id);
      return ids;
    };
    const std::set<PanelId> before = visible();
    const auto front = panels().front();
    QVERIFY(before.size() > 4);
    enter("objects", 0);
    QVERIFY(visible() == (std::set{PanelId::Lesson, PanelId::Objects}));
    panel()->begin({});
    QCOMPARE(window_->shell().layouts->current(), QStringLiteral("time"));
    QVERIFY(panels().front() == front);
    // The document of the lesson may have content for more panels.
    const std::set<PanelId> after = visible();
    for (const PanelId id : before) QVERIFY2(after.contains(id), name_of(id));
  }

  // Its question used to enlarge the window beyond the screen.
  void a_question_does_not_enlarge_the_window() {
    make_window();
    const QSize small(1366, 768);
    window_->resize(small);
    for (const auto& [lesson, step] : {std::pair{"tensor", 2}, {"arena", 2}, {"graph", 1}, {"cache", 1}}) {
      enter(lesson, step);
      QVERIFY(box()->isVisible());
      QCOMPARE(window_->size(), small);
      QVERIFY2(window_->minimumSizeHint().height() <= small.height(), lesson);
    }
  }

  void page_down_belongs_to_the_lesson() {
    make_window();
    enter("two_level", 0);
    QWidget* table = panels().table(PanelId::Nodes)->table_view();
    panels().raise(PanelId::Nodes);
    int step = 0;
    for (QWidget* focus : std::initializer_list<QWidget*>{panel()->widgets().text, panel()->widgets().chooser, table}) {
      focus->setFocus();
      QTest::keyClick(focus, Qt::Key_PageDown);
      QCOMPARE(panel()->open_lesson()->id, std::string("two_level"));
      QCOMPARE(panel()->step(), ++step);
    }
    QTest::keyClick(panel()->widgets().text, Qt::Key_PageUp);
    QCOMPARE(panel()->step(), step - 1);
  }

  // A run of milliseconds used to be a line in an axis that reached to the current time.
  void the_timeline_of_a_step_covers_the_run() {
    make_window();
    enter("mul_mat", 2);
    QTest::qWait(300);  // resident memory is still sampled
    doc().source()->refresh();
    const auto& runs = doc().source()->snapshot()->runs;
    const AxisRange range = doc().axis()->range();
    const double begin = doc().axis()->frame().x_of_time(runs.back().info.begin),
                 end = doc().axis()->frame().x_of_time(runs.back().until());
    QVERIFY2(range.lo <= begin && range.hi >= end && range.length() < (end - begin) * 1.2,
             qPrintable(QStringLiteral("%1 to %2 for %3 to %4").arg(range.lo).arg(range.hi).arg(begin).arg(end)));
  }

  void a_name_in_the_text_selects_its_tensor() {
    make_window();
    enter("two_level", 0);
    QVERIFY(doc().selection()->current().empty());
    Q_EMIT panel()->widgets().text->highlighted(QUrl("tensor:B"));
    QVERIFY(!doc().selection()->hovered().empty());
    Q_EMIT panel()->widgets().text->highlighted(QUrl());
    QVERIFY(doc().selection()->hovered().empty());
    QVERIFY2(panel()->widgets().text->toHtml().contains("href=\"tensor:B\""),
             qPrintable(panel()->widgets().text->toHtml()));
    Q_EMIT panel()->widgets().text->anchorClicked(QUrl("tensor:B"));
    const trace::TensorRef chosen = tensor_of(doc().selection()->current(), *doc().source()->snapshot());
    const trace::TensorInfo* tensor = doc().source()->snapshot()->tensor(doc().source()->graph_id(), chosen);
    QVERIFY(tensor != nullptr);
    QCOMPARE(tensor->name, std::string("B"));
  }

  void a_tensor_of_a_picture_lights_up_its_name_in_the_text() {
    make_window();
    enter("two_level", 0);
    QTextBrowser* text = panel()->widgets().text;
    QVERIFY(text->extraSelections().isEmpty());
    doc().selection()->hover(Selection::node(doc().source()->graph_id(), NodeId(1)));
    QCOMPARE(text->extraSelections().size(), 1);
    QCOMPARE(text->extraSelections().first().cursor.selectedText(), QStringLiteral("B"));
    doc().selection()->hover({});
    QVERIFY(text->extraSelections().isEmpty());
  }

  void panels_with_the_answer_are_hidden_until_it_is_given() {
    make_window();
    enter("arena", 1);  // asks for the peak
    auto* headline = window_->findChild<SummaryBar*>();
    QVERIFY(panels().is_hidden_by_lesson(PanelId::Occupancy) && panels().is_hidden_by_lesson(PanelId::Inspector));
    QVERIFY(!panels().is_hidden_by_lesson(PanelId::Lifetimes));
    QVERIFY(headline->text().isEmpty());
    QTest::keyClicks(box()->number(), QStringLiteral("4608"));
    QTest::keyClick(box()->number(), Qt::Key_Return);
    QVERIFY(box()->answered().right);
    QVERIFY(!panels().is_hidden_by_lesson(PanelId::Occupancy) && !panels().is_hidden_by_lesson(PanelId::Inspector));
    QVERIFY(!headline->text().isEmpty());
    enter("cache", 2);  // asks for the number of runs
    QVERIFY(doc().source()->snapshot()->runs.size() > 1);
    QVERIFY(window_->shell().playback->run_text().isEmpty());
    box()->reveal();
    QVERIFY(!window_->shell().playback->run_text().isEmpty());
    enter("objects", 1);  // is to be read from the panel
    QVERIFY(!panels().is_hidden_by_lesson(PanelId::Objects));
  }

  // The learner's sizes change the panel, not the text.
  void the_byte_lens_of_a_step_can_be_changed() {
    make_window();
    enter("objects", 3);
    auto* lens = panels().widgets().bytes;
    QVERIFY(!panels().dock(PanelId::Bytes)->isHidden());
    QCOMPARE(lens->field("pool")->text(), QStringLiteral("1024"));
    QCOMPARE(lens->frames().size(), panel()->scene().lens->size());
    const QString text = panel()->widgets().text->toPlainText();
    QSignalSpy changed(lens, &ByteLensView::frames_changed);
    lens->field("pool")->setText(QStringLiteral("4096"));
    Q_EMIT lens->field("pool")->editingFinished();
    QTRY_VERIFY_WITH_TIMEOUT(!changed.isEmpty(), kPatience);
    QVERIFY(lens->frames().back().event != lesson::LensEvent::Full);
    QCOMPARE(panel()->widgets().text->toPlainText(), text);
    // Going on and back shows the lesson's experiment again.
    panel()->go_to(4);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->lesson_player()->busy(), kPatience);
    panel()->go_to(3);
    QTRY_VERIFY_WITH_TIMEOUT(!window_->lesson_player()->busy(), kPatience);
    QCOMPARE(lens->field("pool")->text(), QStringLiteral("1024"));
  }

  void a_lesson_of_the_course_is_exported_in_all_languages() {
    make_window();
    enter("two_level", 0);
    const QString path = folder_.filePath("two_level.html");
    window_->shell().ask_file = [&](bool, const QString&, const QString&) { return path; };
    window_->shell().actions->find("teach.export")->trigger();
    QFile page(path);
    QVERIFY(page.open(QIODevice::ReadOnly));
    const QByteArray html = page.readAll();
    QVERIFY(html.contains("Reuse in two levels") && html.contains("两级复用"));
    QCOMPARE(panel()->open_lesson()->title, std::string("Reuse in two levels"));
  }

  void answers_are_collected_until_the_command_is_chosen_again() {
    make_window();
    const QString path = folder_.filePath("answers.csv");
    window_->shell().ask_file_to_append = [&](const QString&, const QString&) { return path; };
    QAction* collect = window_->shell().actions->find("teach.collect");
    collect->trigger();
    QVERIFY(collect->isChecked());
    enter("arena", 1);
    box()->reveal();
    QFile table(path);
    QTRY_VERIFY(table.size() > 0);
    QVERIFY(table.open(QIODevice::ReadOnly));
    QTRY_VERIFY((table.seek(0), table.readAll().contains(",arena,2,Predict the peak,revealed,0,0")));
    collect->trigger();
    QVERIFY(!collect->isChecked());
    QVERIFY(window_->lesson_player()->answers_file().isEmpty());
  }

  void the_tool_bar_names_the_plan_of_the_step() {
    make_window();
    for (const auto& [step, planner] : {std::pair{1, "max-block"}, {3, "binary-block"}, {5, "none"}}) {
      enter("two_level", step);
      QString shown;
      for (const QComboBox* box : window_->shell().playback->findChildren<QComboBox*>())
        if (box->accessibleName() == u"Planner") shown = box->currentText();
      QCOMPARE(shown, QString::fromLatin1(planner));
      QCOMPARE(doc().source()->plan()->planner, std::string(planner));
    }
  }

  // Keyboard navigation passes other rows, so only Enter answers.
  void keyboard_answers_need_enter() {
    make_window();
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    window_->shell().actions->find("lesson.faults")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    panel()->go_to(3);
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 2, kPatience);
    QTableView* rows = panels().table(PanelId::Nodes)->table_view();
    rows->setFocus();
    rows->setCurrentIndex(rows->model()->index(0, 0));
    const int wrong = box()->answered().wrong;
    QTest::keyClick(rows, Qt::Key_Down);
    QVERIFY(!box()->answered().right);
    QCOMPARE(box()->answered().wrong, wrong);
    QVERIFY(!box()->feedback().isEmpty());
    QTest::keyClick(rows, Qt::Key_Return);
    QTRY_VERIFY(box()->answered().right || box()->answered().wrong == wrong + 1);
  }

  void own_lessons_follow_the_course() {
    QDir().mkpath(own_lessons_folder());
    QFile file(own_lessons_folder() + QStringLiteral("/mine.md"));
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("title: Mine\ngraph:\n  a 64\n## One\n! graph\n! ask number nodes\n! right Yes.\nHow many?\n");
    file.close();
    make_window();
    QCOMPARE(panel()->lessons().size(), static_cast<size_t>(lessons().size()) + 1);
    QVERIFY(panel()->widgets().chooser->itemText(panel()->widgets().chooser->count() - 1).contains("Mine"));
    QVERIFY(file.remove());
  }

  void presenting_needs_one_key() {
    make_window();
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    window_->shell().actions->find("teach.large")->trigger();
    window_->shell().actions->find("lesson.arena")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    for (int step = 1; step < 4; ++step) {
      auto* pointer = window_->findChild<QFrame*>("lesson_pointer");
      QVERIFY(pointer != nullptr && pointer->isVisible());
      std::optional<PanelId> spoken_of;  // the panel raised by the last "show"
      for (const lesson::Action& action :
           lesson::entering(*panel()->open_lesson(), static_cast<size_t>(panel()->step())))
        if (action.verb == "show") spoken_of = panel_named(action.arguments[0]);
      const QDockWidget* dock = panels().dock(spoken_of.value());
      QCOMPARE(pointer->geometry(), QRect(dock->mapTo(window_.get(), QPoint(0, 0)), dock->size()));
      QTest::keyClick(window_.get(), Qt::Key_PageDown);
      QCOMPARE(panel()->step(), step);
      QTRY_COMPARE_WITH_TIMEOUT(done.count(), step + 1, kPatience);
    }
    window_->shell().actions->find("teach.large")->trigger();
    QVERIFY(window_->findChild<QFrame*>("lesson_pointer")->isHidden());
  }

  void a_step_is_drawn_as_a_picture() {
    make_window();
    window_->shell().actions->find("lesson.two_level")->trigger();
    const QString path = folder_.filePath("step.png");
    const auto written = write_lesson_picture(window_->shell(), 7, path);
    QVERIFY2(written.ok(), written.ok() ? "" : written.error().message.c_str());
    QCOMPARE(panel()->step(), 6);
    QVERIFY(QImage(path).width() >= 1600);
    QVERIFY(!write_lesson_picture(window_->shell(), 10, path).ok());
    QVERIFY(!write_lesson_picture(window_->shell(), 1, folder_.filePath("nowhere/step.png")).ok());
  }

  void a_draft_of_the_current_document_is_a_lesson() {
    make_window();
    open("zoo:mul_mat");
    const auto text = window_->lesson_player()->draft();
    QVERIFY(text.ok());
    const auto lesson = lesson::parse("draft.md", *text);
    QVERIFY2(lesson.ok(), lesson.ok() ? "" : lesson.error().message.c_str());
    QVERIFY(lesson::check(*lesson).empty());
  }

  void a_lesson_becomes_a_handout() {
    make_window();
    QSignalSpy done(window_->lesson_player(), &LessonPlayer::done);
    window_->shell().actions->find("lesson.two_level")->trigger();
    QTRY_COMPARE_WITH_TIMEOUT(done.count(), 1, kPatience);
    const auto written = write_handout(window_->shell(), folder_.filePath("handout.pdf"));
    QVERIFY2(written.ok(), written.ok() ? "" : written.error().message.c_str());
    QFile pdf(folder_.filePath("handout.pdf"));
    QVERIFY(pdf.open(QIODevice::ReadOnly) && pdf.read(5) == "%PDF-");
  }

  // The web page of a lesson, its options and replies contain the values that the auditor computes from what was shown.
  void a_page_contains_audited_values_data() {
    QTest::addColumn<QString>("lesson");
    QTest::newRow("plans") << "two_level";
    QTest::newRow("runs") << "barriers";
  }
  void a_page_contains_audited_values() {
    QFETCH(QString, lesson);
    const auto loaded = load_lesson(lesson, "en");
    QVERIFY(loaded.ok());
    const auto played = play_lesson(*loaded);
    QVERIFY2(played.ok(), played.ok() ? "" : played.error().message.c_str());
    QStringList expected;
    int held = 0;
    for (size_t i = 0; i < played->size(); ++i) {
      lesson::Scene scene = (*played)[i].before.scene;
      const auto auditor = test::audited(scene);
      if (!auditor) continue;
      const auto add = [&](const std::string& text) { expected << audited_text(text, scene, *auditor, held); };
      const lesson::LessonStep& step = loaded->steps[i];
      add(step.text);
      if (!step.question) continue;
      for (const lesson::Option& option : step.question->options) add(option.text);
      add(step.question->right);
    }
    const auto page = lesson_page({{"en", *loaded}}, *played);
    QVERIFY2(page.ok(), page.ok() ? "" : page.error().message.c_str());
    const QString text = texts_of_page(*page);
    QVERIFY(static_cast<size_t>(expected.size()) >= loaded->steps.size());
    QVERIFY2(held >= 5, qPrintable(QString::number(held)));
    for (const QString& one : expected) QVERIFY2(text.contains(one), qPrintable(one + "\nis not in\n" + text));
    QVERIFY(!text.contains(QChar(0x2026)));  // no missing value
  }
};

QTEST_MAIN(LessonsTest)
#include "lessons_test.moc"
