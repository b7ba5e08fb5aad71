// SPDX-License-Identifier: GPL-3.0-or-later
// Tests of the lesson panel alone: pages with live figures, questions answered by mouse and keyboard, saved progress.
#include <arenascope/lesson/stage.h>
#include <views/common/format.h>
#include <views/common/settings.h>
#include <views/common/theme.h>
#include <views/lesson/answer_log.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>
#include <views/lesson/order_board.h>

#include <QDir>
#include <QFile>
#include <QLabel>
#include <QRadioButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace arenascope;
using namespace arenascope::views;

namespace {

const char* kBuffers = "graph:\n  A 1024\n  B 2048 <- A\n  C 1024 <- B\n  D 512 <- B, C\n  E 4096 <- D\n  out 0 <- E\n";

lesson::Lesson made(const char* id, const QString& steps) {
  auto lesson = lesson::parse(std::string(id) + ".md", "title: Lesson\nsummary: S\nsee also: a.cpp\n" +
                                                           std::string(kBuffers) + steps.toStdString());
  if (!lesson) qFatal("%s", lesson.error().message.c_str());
  return *lesson;
}

}  // namespace

class LessonTest : public QObject {
  Q_OBJECT

  // Replaces the window's lesson player: performs the current step without a window.
  static void play(LessonPanel& panel) {
    lesson::Stage stage(*panel.open_lesson());
    QVERIFY(stage.act({"graph", {}, 0}).ok());
    auto scene = stage.scene();
    QVERIFY(scene.ok());
    lesson::evaluate_all(*scene, *panel.current());
    panel.set_scene(*scene);
  }

  void show(LessonPanel& panel, const QString& steps, const char* id = "x") {
    panel.set_lessons({made(id, steps)});
    panel.resize(420, 640);
    panel.show();
    QVERIFY(QTest::qWaitForWindowExposed(&panel));
    panel.restart(QString::fromLatin1(id));
    play(panel);
  }

  QTemporaryDir folder_;

 private Q_SLOTS:
  void initTestCase() {
    QCoreApplication::setOrganizationName("arenascope");
    QCoreApplication::setApplicationName("lesson-test");
    QSettings::setDefaultFormat(QSettings::IniFormat);
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
  }
  void init() { Settings::clear(); }

  void the_course_exists_in_both_languages() {
    for (const QString& id : lessons())
      for (const char* language : {"en", "zh_CN"}) {
        QFile file(QStringLiteral(ARENASCOPE_SOURCE_DIR "/resources/lessons/%1.%2.md").arg(id, language));
        QVERIFY2(file.exists(), qPrintable(file.fileName()));
        const auto lesson = load_lesson(file.fileName(), {});
        QVERIFY2(lesson.ok(), lesson.ok() ? "" : lesson.error().message.c_str());
      }
    // There are no unused files.
    const QStringList files = QDir(QStringLiteral(ARENASCOPE_SOURCE_DIR "/resources/lessons")).entryList({"*.md"});
    QCOMPARE(files.size(), 2 * lessons().size());
    QVERIFY(!load_lesson("/nowhere/x.md", {}).ok());
  }

  void the_list_of_lessons_continues_the_course() {
    const std::vector<lesson::Lesson> all{made("a", "## One\n! graph\n"), made("b", "## One\n! graph\n"),
                                          made("c", "## One\n! graph\n")};
    LessonProgress progress(false);
    QCOMPARE(next_lesson(all, progress), &all[0]);
    QCOMPARE(next_lesson_title(all, progress), QString("Start: Lesson"));
    progress.finish("a");
    QCOMPARE(next_lesson(all, progress), &all[1]);
    progress.set_step("c", 1);  // was begun
    QCOMPARE(next_lesson(all, progress), &all[2]);
    QCOMPARE(next_lesson_title(all, progress), QString("Continue: Lesson"));
    QVERIFY(list_page(all, progress).contains("1 of 3 lessons finished"));
    QVERIFY(list_page(all, progress).contains("<a href='lesson:c'><b>Continue: Lesson"));
    for (const char* id : {"b", "c"}) progress.finish(id);
    QVERIFY(next_lesson(all, progress) == nullptr);
    QVERIFY(!list_page(all, progress).contains("Continue"));
  }

  void the_reason_to_wait_is_stated_until_the_values_are_there() {
    LessonPanel panel;
    show(panel, "## One\n! graph\n! expect nodes 6\n{nodes} nodes.\n");
    QLabel* waiting = panel.widgets().waiting;
    waiting->setText("The model is running…");
    waiting->show();
    play(panel);
    QVERIFY(!waiting->isVisible());
    waiting->show();
    panel.go_to(0);  // another step has not waited
    QVERIFY(!waiting->isVisible());
  }

  void figures_in_the_text_are_live() {
    LessonPanel panel;
    show(panel, "## One\n! expect peak 4608\nThe peak is {peak}, {=peak}.\n");
    QVERIFY2(panel.widgets().text->toPlainText().contains("The peak is 4608 B, 4608."),
             qPrintable(panel.widgets().text->toPlainText()));
    QVERIFY(panel.widgets().question->isHidden());
  }

  void navigation_reaches_the_summary() {
    LessonPanel panel;
    QSignalSpy entered(&panel, &LessonPanel::entered);
    show(panel, "## One\nText.\n## Two\n! ask number peak\n! right Yes.\nHow much?\n");
    QVERIFY(!panel.widgets().back->isEnabled());
    QTest::mouseClick(panel.widgets().next, Qt::LeftButton);
    play(panel);
    QCOMPARE(panel.step(), 1);
    QTest::keyClicks(panel.widgets().question->number(), "4608");
    QTest::keyClick(panel.widgets().question->number(), Qt::Key_Return);
    QTest::mouseClick(panel.widgets().next, Qt::LeftButton);
    QVERIFY2(panel.widgets().text->toPlainText().contains("Two: correct at the first attempt"),
             qPrintable(panel.widgets().text->toPlainText()));
    QVERIFY(panel.widgets().text->toPlainText().contains("a.cpp"));
    QTest::mouseClick(panel.widgets().back, Qt::LeftButton);
    play(panel);
    QCOMPARE(panel.step(), 1);
    QVERIFY(panel.widgets().question->answered().right);
    QCOMPARE(entered.count(), 3);
    // A new panel resumes at the same step.
    LessonPanel later;
    later.set_lessons({made("x", "## One\nText.\n## Two\n! ask number peak\n! right Yes.\nHow much?\n")});
    later.begin("x");
    QCOMPARE(later.step(), 1);
    QVERIFY(later.progress().finished("x"));
  }

  void a_lesson_is_finished_when_its_questions_are_answered() {
    LessonPanel panel;
    show(panel, "## One\nText.\n## Two\n! ask number peak\n! right Yes.\nHow much?\n## Three\nText.\n");
    panel.go_to(3);
    QVERIFY(!panel.progress().finished("x"));
    panel.go_to(1);
    QVERIFY2(panel.widgets().chooser->currentText().contains("step 2 of 3"),
             qPrintable(panel.widgets().chooser->currentText()));
    play(panel);
    panel.widgets().question->reveal();
    panel.go_to(3);
    QVERIFY(panel.progress().finished("x"));
    QVERIFY2(panel.widgets().chooser->currentText().endsWith(u'✓'), qPrintable(panel.widgets().chooser->currentText()));
  }

  void a_wrong_number_is_answered_with_its_consequences() {
    LessonPanel panel;
    show(panel,
         "## One\n! ask number peak\n! wrong without_reuse Memory is never reused.\n! hint First.\n! hint Second.\n! "
         "right "
         "Yes.\nHow much?\n");
    QuestionBox* q = panel.widgets().question;
    QTest::keyClicks(q->number(), "4000");
    QTest::mouseClick(q->answer_button(), Qt::LeftButton);
    QVERIFY2(q->feedback().contains("E, D") && q->feedback().contains("step 5"), qPrintable(q->feedback()));
    q->number()->clear();
    QTest::keyClicks(q->number(), "8704");
    QTest::keyClick(q->number(), Qt::Key_Return);
    QVERIFY(q->feedback().contains("Memory is never reused."));
    QTest::mouseClick(q->hint_button(), Qt::LeftButton);
    QTest::mouseClick(q->hint_button(), Qt::LeftButton);
    QVERIFY(!q->hint_button()->isEnabled());
    QSignalSpy solved(&panel, &LessonPanel::solved);
    QTest::mouseClick(q->reveal_button(), Qt::LeftButton);
    QVERIFY2(q->feedback().contains("4608"), qPrintable(q->feedback()));
    QCOMPARE(solved.count(), 1);
    QCOMPARE(panel.progress().answered("x", 0).wrong, 2);
    QVERIFY(panel.progress().answered("x", 0).revealed);
  }

  void one_option_is_chosen() {
    LessonPanel panel;
    show(panel,
         "## One\n! ask choice planned_tensors\n! option 9 Many | There are not so many tensors.\n! option 5 One "
         "each\n! right "
         "Yes.\nHow many?\n");
    QuestionBox* q = panel.widgets().question;
    QTest::mouseClick(q->answer_button(), Qt::LeftButton);
    QCOMPARE(q->answered().wrong, 0);  // nothing was selected
    QTest::mouseClick(q->option(0), Qt::LeftButton, {}, QPoint(8, q->option(0)->height() / 2));
    QTest::mouseClick(q->answer_button(), Qt::LeftButton);
    QVERIFY(q->feedback().contains("not so many"));
    QTest::keyClick(q->option(1), Qt::Key_Space);
    QTest::mouseClick(q->answer_button(), Qt::LeftButton);
    QVERIFY(q->answered().right);
  }

  void a_click_in_the_window_answers() {
    LessonPanel panel;
    show(panel, "## One\n! ask node at_peak\n! right Yes.\nWho?\n## Two\n! ask block block(A)\n! right Yes.\nWhich?\n");
    QuestionBox* q = panel.widgets().question;
    QVERIFY(!q->answer_button()->isEnabled());
    q->offer("E", {});  // looking at a tensor does not answer
    q->offer("B", {});
    QVERIFY(!q->answered().done() && q->answered().wrong == 0);
    QTest::mouseClick(q->answer_button(), Qt::LeftButton);
    QVERIFY2(q->feedback().contains("B") && q->feedback().contains("from step 2 to step 4"), qPrintable(q->feedback()));
    QCOMPARE(q->answered().wrong, 1);
    q->offer("E", {});
    QTest::mouseClick(q->answer_button(), Qt::LeftButton);
    QVERIFY(q->answered().right);
    panel.go_to(panel.step() + 1);
    play(panel);
    q->offer("", {"A"});
    QTest::mouseClick(q->answer_button(), Qt::LeftButton);
    QVERIFY(q->answered().right);
  }

  void tensors_are_placed_by_dragging() {
    LessonPanel panel;
    show(panel, "## One\n! ask place bound of A B C D E\n! right Yes.\nPlace them.\n");
    PlacementBoard* board = panel.widgets().question->board();
    const auto drag = [&](size_t piece, Bytes offset) {
      const QPoint from = board->rect_of(piece).center(), to = board->point_of(piece, offset);
      QTest::mousePress(board, Qt::LeftButton, {}, from);
      QTest::mouseMove(board, (from + to) / 2);
      QTest::mouseMove(board, to);
      QTest::mouseRelease(board, Qt::LeftButton, {}, to);
    };
    drag(0, 2048);
    QVERIFY2(panel.widgets().question->feedback().contains("fits"), qPrintable(panel.widgets().question->feedback()));
    drag(1, 1024);  // into A
    QVERIFY2(panel.widgets().question->feedback().contains("overlaps A"),
             qPrintable(panel.widgets().question->feedback()));
    drag(1, 0);
    QVERIFY2(panel.widgets().question->feedback().contains("fits"), qPrintable(panel.widgets().question->feedback()));
    drag(2, 2048);
    drag(3, 4096);
    QTest::mouseClick(panel.widgets().question->answer_button(), Qt::LeftButton);
    QVERIFY2(panel.widgets().question->feedback().contains("E"),
             qPrintable(panel.widgets().question->feedback()));  // not placed yet
    drag(4, 0);
    QTest::mouseClick(panel.widgets().question->answer_button(), Qt::LeftButton);
    QVERIFY2(panel.widgets().question->answered().right, qPrintable(panel.widgets().question->feedback()));
  }

  // The bytes that are enough are marked, and the tensors that are not placed name theirs in any size of type.
  void the_board_marks_the_goal() {
    LessonPanel panel;
    show(panel, "## One\n! ask place bound of A B C D E\n! right Yes.\nPlace them.\n");
    PlacementBoard* board = panel.widgets().question->board();
    board->place(4, 0);
    const QRect e = board->rect_of(4);
    const double pixels_per_byte = e.height() / 4096.0;
    const int goal = e.bottom() - qRound(4608 * pixels_per_byte);
    QVERIFY2(goal > 0, qPrintable(QString::number(goal)));
    QVERIFY2(e.height() > board->height() / 2, qPrintable(QString::number(e.height())));  // not scaled to 8704 bytes
    const QImage drawn = board->grab().toImage();
    int marked = 0;
    for (int x = e.left(); x < e.right(); ++x)
      for (int y = goal - 2; y <= goal + 2; ++y)
        if (drawn.pixelColor(x, y) == ThemeColours::of(board->palette()).selection_outer) {
          ++marked;
          break;
        }
    QVERIFY2(marked > e.width() / 4, qPrintable(QString::number(marked)));
    QTest::mouseClick(panel.widgets().large, Qt::LeftButton);
    QVERIFY(board->rect_of(0).width() > board->fontMetrics().horizontalAdvance("A 1 KiB"));
  }

  void the_board_is_drawn_in_the_theme_of_the_window() {
    LessonPanel panel;
    show(panel, "## One\n! ask place bound of D E\n! right Yes.\nPlace them.\n");
    PlacementBoard* board = panel.widgets().question->board();
    Theme theme;
    for (const ThemeMode mode : {ThemeMode::Light, ThemeMode::Dark, ThemeMode::Contrast}) {
      theme.set_mode(mode);
      board->setPalette(theme.palette());
      const QImage drawn = board->grab().toImage();
      QCOMPARE(drawn.pixelColor(1, 1), theme.colours().background);
      QCOMPARE(drawn.pixelColor(board->width() - 12, 10), theme.colours().panel);  // nothing is placed there
    }
  }

  // The run is played up to the step at which one tensor overwrites the other.
  void a_collision_is_played_out() {
    LessonPanel panel;
    show(panel, "## One\n! ask place bound of A B C D E\n! right Yes.\nPlace them.\n");
    PlacementBoard* board = panel.widgets().question->board();
    board->place(0, 0);
    QVERIFY(board->collision_rect().isEmpty());
    board->place(1, 512);  // A and B are both needed at step 1
    QTRY_VERIFY(!board->collision_rect().isEmpty());
    const QRectF lost = board->collision_rect();
    QVERIFY(QRectF(board->rect_of(0)).adjusted(-1, -1, 1, 1).contains(lost));
    QVERIFY(QRectF(board->rect_of(1)).adjusted(-1, -1, 1, 1).contains(lost));
    QCOMPARE(board->grab().toImage().pixelColor((lost.center() + QPointF(1, 0)).toPoint()).alpha(), 255);
    board->place(1, 1024);
    QVERIFY(board->collision_rect().isEmpty());
  }

  // A rule is compared with the planners; a malformed one is explained.
  void a_rule_is_typed_and_compared() {
    LessonPanel panel;
    show(panel, "## One\n! ask rule bound\n! right Yes.\nWrite it.\n");
    QuestionBox* box = panel.widgets().question;
    box->number()->setText(QStringLiteral("sort wide"));
    QTest::mouseClick(box->answer_button(), Qt::LeftButton);
    QVERIFY2(box->feedback().contains(QStringLiteral("position 6")), qPrintable(box->feedback()));
    box->number()->setText(QStringLiteral("sort first"));
    QTest::mouseClick(box->answer_button(), Qt::LeftButton);
    QVERIFY2(box->feedback().contains(QStringLiteral("is enough")), qPrintable(box->feedback()));
    QTRY_VERIFY2(box->feedback().contains(QStringLiteral("| two-level | %1 |").arg(format_bytes(4608))),
                 qPrintable(box->feedback()));
    box->number()->setText(QStringLiteral("sort -size; fit tightest"));
    QTest::keyClick(box->number(), Qt::Key_Return);
    QVERIFY2(box->answered().right, qPrintable(box->feedback()));
    QCOMPARE(box->answered().wrong, 2);
  }

  // Answers about a generated graph are judged by the engine, and do not count.
  void a_question_is_practised_on_generated_graphs() {
    LessonPanel panel;
    show(panel, "## One\n! ask place bound of A B C D E\n! hint A hint.\n! right Yes.\nPlace them.\n");
    QuestionBox* box = panel.widgets().question;
    QVERIFY(box->practise_button()->isHidden());
    QTest::mouseClick(box->reveal_button(), Qt::LeftButton);
    QVERIFY(box->answered().revealed);
    QVERIFY(!box->practise_button()->isHidden());
    const Answered before = panel.progress().answered(QStringLiteral("x"), 0);
    QSignalSpy counted(box, &QuestionBox::changed);
    for (int round = 0; round < 3; ++round) {
      QTest::mouseClick(box->practise_button(), Qt::LeftButton);
      QTRY_VERIFY(!box->answered().done());
      QVERIFY(!box->task().graph.empty());
      QVERIFY(box->board()->hasFocus());
      const auto solution = lesson::solution(box->task().scene, box->task().question);
      QVERIFY(solution.ok());
      for (const lesson::Placed& placed : solution->placed)
        for (size_t i = 0; i < box->board()->pieces().size(); ++i)
          if (box->board()->pieces()[i].name == placed.name) box->board()->place(i, placed.offset);
      QTest::mouseClick(box->answer_button(), Qt::LeftButton);
      QVERIFY2(box->answered().right, qPrintable(box->feedback()));
    }
    QCOMPARE(counted.size(), 0);
    QCOMPARE(panel.progress().answered(QStringLiteral("x"), 0), before);
    // A question about one tensor of the lesson has no such task.
    show(panel, "## One\n! ask number bytes(A)\n! right Yes.\nHow many?\n");
    QTest::mouseClick(box->reveal_button(), Qt::LeftButton);
    QVERIFY(box->practise_button()->isHidden());
  }

  void answers_of_a_class_are_appended_to_a_table() {
    const QString path = folder_.filePath(QStringLiteral("answers.csv"));
    const lesson::Lesson lesson = made("x", "## One, or two\n! ask number peak\n! right Yes.\nHow many?\n");
    QVERIFY(append_answer(path, QStringLiteral("ada"), lesson, 0, {2, 1, true, false}).ok());
    QVERIFY(append_answer(path, QStringLiteral("bo"), lesson, 0, {0, 0, false, true}).ok());
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QStringList rows = QString::fromUtf8(file.readAll()).split(u'\n', Qt::SkipEmptyParts);
    QCOMPARE(rows.size(), 3);
    QCOMPARE(rows[0], QStringLiteral("time,learner,lesson,step,title,result,wrong answers,hints"));
    QVERIFY2(rows[1].endsWith(QStringLiteral(",ada,x,1,\"One, or two\",right,2,1")), qPrintable(rows[1]));
    QVERIFY2(rows[2].endsWith(QStringLiteral(",bo,x,1,\"One, or two\",revealed,0,0")), qPrintable(rows[2]));
    const auto nowhere = append_answer(QStringLiteral("/nowhere/answers.csv"), {}, lesson, 0, {});
    QVERIFY(!nowhere.ok());
    QVERIFY(nowhere.error().message.find("/nowhere/answers.csv") != std::string::npos);
  }

  void tensors_are_placed_by_keys() {
    LessonPanel panel;
    show(panel, "## One\n! ask place bound of D E\n! right Yes.\nPlace them.\n");
    PlacementBoard* board = panel.widgets().question->board();
    board->setFocus();
    QTest::keyClick(board, Qt::Key_Home);
    QCOMPARE(board->placed()[0].offset, Bytes{0});
    QTest::keyClick(board, Qt::Key_Tab);
    QCOMPARE(board->chosen(), size_t{1});
    QTest::keyClick(board, Qt::Key_Home);
    QVERIFY(panel.widgets().question->feedback().contains("overlaps"));
    QTest::keyClick(board, Qt::Key_Up);
    QCOMPARE(board->placed()[1].offset, Bytes{512});
    QTest::mouseClick(panel.widgets().question->answer_button(), Qt::LeftButton);
    QVERIFY2(panel.widgets().question->answered().right, qPrintable(panel.widgets().question->feedback()));
  }

  void nodes_are_sorted_by_keys() {
    LessonPanel panel;
    show(panel, "## One\n! ask order node_names of B A C D E out\n! right Yes.\nOrder.\n");
    QListWidget* list = panel.widgets().question->order();
    QTest::mouseClick(panel.widgets().question->answer_button(), Qt::LeftButton);
    QVERIFY2(
        panel.widgets().question->feedback().contains("B") && panel.widgets().question->feedback().contains("before"),
        qPrintable(panel.widgets().question->feedback()));
    list->setCurrentRow(0);
    QTest::keyClick(list, Qt::Key_Down, Qt::ControlModifier);
    QCOMPARE(list->item(0)->text(), QString("A"));
    QTest::mouseClick(panel.widgets().question->answer_button(), Qt::LeftButton);
    QVERIFY2(panel.widgets().question->answered().right, qPrintable(panel.widgets().question->feedback()));
  }

  void a_wrong_order_is_played_out() {
    LessonPanel panel;
    show(panel, "## One\n! ask order node_names of A B D C E out\n! right Yes.\nOrder.\n");
    QuestionBox* box = panel.widgets().question;
    auto* board = box->findChild<OrderBoard*>();
    QVERIFY(!board->isVisibleTo(box));
    box->answer();
    QVERIFY(board->isVisibleTo(box));
    QCOMPARE(board->order().node, std::string("D"));
    QCOMPARE(board->order().missing, std::string("C"));
    QTRY_VERIFY(!board->playing());
    QVERIFY(!board->failure().isEmpty());
    QVERIFY(board->bar(false, 0).right() <= board->failure().left());
    box->order()->setCurrentRow(2);
    QTest::keyClick(box->order(), Qt::Key_Down, Qt::ControlModifier);
    box->answer();
    QVERIFY(box->answered().right);
    QVERIFY(!board->isVisibleTo(box));
  }

  // The bars of both runs have one scale, and the better one does not show its nodes.
  void a_worse_order_is_drawn_beside_a_better_one() {
    OrderBoard board;
    board.resize(400, 160);
    lesson::PlayedOrder order;
    order.given = {{"x", "left", "right"}, {10, 40, 80}};
    order.better = {{"x", "right", "left"}, {10, 50, 40}};
    order.limit = 50;
    board.play(order);
    QTRY_VERIFY(!board.playing());
    QVERIFY(board.failure().isEmpty());
    QCOMPARE(qRound(board.bar(false, 0).height()), qRound(board.bar(true, 0).height()));
    QVERIFY(board.bar(false, 2).height() > board.bar(true, 1).height() * 1.5);
    QVERIFY(board.bar(false, 2).right() < board.bar(true, 0).left());
    QVERIFY(board.bar(true, 2).right() <= board.width());
    board.clear();
    QVERIFY(board.bar(false, 0).isEmpty());
  }

  void nodes_are_sorted_by_dragging() {
    LessonPanel panel;
    show(panel, "## One\n! ask order node_names of C A B D E out\n! right Yes.\nOrder.\n");
    OrderList* list = panel.widgets().question->order();
    const auto middle = [&](int row) { return list->visualItemRect(list->item(row)).center(); };
    QTest::mousePress(list->viewport(), Qt::LeftButton, {}, middle(0));
    QTest::mouseMove(list->viewport(), middle(1));
    QCOMPARE(list->item(1)->text(), QString("C"));  // updated immediately
    QTest::mouseMove(list->viewport(), middle(2) + QPoint(0, 1000));
    QCOMPARE(list->item(5)->text(), QString("C"));
    QTest::mouseMove(list->viewport(), middle(2));
    QTest::mouseRelease(list->viewport(), Qt::LeftButton, {}, middle(2));
    QTest::mouseMove(list->viewport(), middle(4));  // released: it stays
    QTest::mouseClick(panel.widgets().question->answer_button(), Qt::LeftButton);
    QVERIFY2(panel.widgets().question->answered().right, qPrintable(panel.widgets().question->feedback()));
  }

  void a_long_option_wraps_and_is_chosen_anywhere_on_its_row() {
    LessonPanel panel;
    show(panel, "## One\n! ask choice planned_tensors\n! option 5 One\n! option 9 No | No.\n! right Yes.\nHow many?\n");
    const int before = panel.minimumSizeHint().width();
    show(panel, "## One\n! ask choice planned_tensors\n! option 5 " + QString("**Many** words, again. ").repeated(12) +
                    "\n! option 9 No | No.\n! right Yes.\nHow many?\n");
    QCOMPARE(panel.minimumSizeHint().width(), before);
    QWidget* line = panel.widgets().question->option(0)->parentWidget();
    QTRY_VERIFY2(line->height() > 3 * panel.fontMetrics().height(), qPrintable(QString::number(line->height())));
    QVERIFY(panel.widgets().question->option(0)->accessibleName().startsWith("Many words"));
    QTest::mouseClick(line, Qt::LeftButton, {}, QPoint(line->width() / 2, line->height() - 4));
    QVERIFY(panel.widgets().question->option(0)->isChecked());
  }

  // A digit typed in the list of lessons used to select a lesson.
  void a_typed_number_is_the_answer_wherever_the_focus_is() {
    LessonPanel panel;
    const QString steps = "## One\n! ask number peak\n! right Yes.\nHow much?\n";
    show(panel, steps);
    panel.set_lessons({made("x", steps), made("y", steps), made("z", steps)});
    panel.begin("x");
    play(panel);
    QTRY_COMPARE(QApplication::focusWidget(), panel.widgets().question->number());
    panel.widgets().chooser->setFocus();
    QTest::keyClicks(panel.widgets().chooser, "460");
    QCOMPARE(text_of(panel.open_lesson()->id), QString("x"));
    panel.widgets().text->setFocus();
    QTest::keyClicks(panel.widgets().text, "8");
    QCOMPARE(panel.widgets().question->number()->text(), QString("4608"));
    QTest::keyClick(panel.widgets().question->number(), Qt::Key_Return);
    QVERIFY(panel.widgets().question->answered().right);
    QCOMPARE(QApplication::focusWidget(), panel.widgets().next);
    QTest::keyClicks(panel.widgets().chooser, "2");
    QCOMPARE(text_of(panel.open_lesson()->id), QString("x"));
  }

  // Long questions scroll; they neither enlarge the window nor squeeze the options.
  void a_long_question_scrolls() {
    LessonPanel panel;
    show(panel, "## One\nText.\n");
    const int height = panel.minimumSizeHint().height();
    show(panel, "## One\n! ask choice planned_tensors\n! option 9 " + QString("Many words. ").repeated(30) +
                    "| No.\n! option 5 One\n! option 8 " + QString("More words. ").repeated(30) + "| No.\n! hint " +
                    QString("A long hint. ").repeated(30) + "\n! right " + QString("A long reply. ").repeated(30) +
                    "\n" + QString("A long text. ").repeated(60) + "\n");
    panel.resize(420, 400);
    QuestionBox* q = panel.widgets().question;
    QTest::mouseClick(q->hint_button(), Qt::LeftButton);
    QTest::mouseClick(q->option(1), Qt::LeftButton);
    QTest::mouseClick(q->answer_button(), Qt::LeftButton);
    QVERIFY(q->answered().right);
    QCOMPARE(panel.minimumSizeHint().height(), height);
    QCOMPARE(panel.height(), 400);
    for (size_t i = 0; i < 3; ++i) {
      const QWidget* line = q->option(i)->parentWidget();
      QTRY_VERIFY2(
          line->height() >= line->heightForWidth(line->width()),
          qPrintable(
              QStringLiteral("%1: %2 of %3").arg(i).arg(line->height()).arg(line->heightForWidth(line->width()))));
    }
    const auto end = [&] {
      return q->feedback_label()->mapTo(panel.widgets().page->viewport(), QPoint(0, q->feedback_label()->height())).y();
    };
    QTRY_VERIFY2(end() <= panel.widgets().page->viewport()->height(), qPrintable(QString::number(end())));
  }

  void the_last_hint_does_not_move_the_focus_to_the_answer() {
    LessonPanel panel;
    show(panel, "## One\n! ask number peak\n! hint One.\n! right Yes.\nHow much?\n");
    panel.widgets().question->hint_button()->setFocus();
    QTest::keyClick(panel.widgets().question->hint_button(), Qt::Key_Space);
    QVERIFY(!panel.widgets().question->hint_button()->isEnabled());
    QVERIFY(QApplication::focusWidget() != panel.widgets().question->reveal_button());
    QVERIFY(QApplication::focusWidget() != panel.widgets().large);
  }

  void large_type_is_larger() {
    LessonPanel panel;
    show(panel, "## One\nText.\n");
    const double before = panel.widgets().text->font().pointSizeF();
    QTest::mouseClick(panel.widgets().large, Qt::LeftButton);
    QVERIFY(panel.widgets().text->font().pointSizeF() > before * 1.5);
    QTest::mouseClick(panel.widgets().large, Qt::LeftButton);
    QCOMPARE(panel.widgets().text->font().pointSizeF(), before);
  }
};

QTEST_MAIN(LessonTest)
#include "lesson_test.moc"
