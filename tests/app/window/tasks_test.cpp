// SPDX-License-Identifier: GPL-3.0-or-later
// Ten tasks of new users (docs/dev/usability-tasks.md), each performed with the mouse only and with the keyboard only, using
// visible text. Mouse presses and key strokes are counted. With ARENASCOPE_PACE=1 they are performed at human speed
// and timed, as reported in docs/dev/usability-tasks.md.
#include <QAction>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QTabBar>
#include <QTableView>
#include <QTest>
#include <QToolButton>
#include <QWheelEvent>

#include <views/findings/findings_view.h>
#include <views/inspector/inspector_view.h>
#include <views/planners/replan_panel.h>

#include <algorithm>
#include <cstdio>

#include "app/window/bars/summary_bar.h"
#include "sample_session.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class TasksTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  enum Input { Mouse, Keys };
  int strokes_ = 0, thoughts_ = 0;
  QElapsedTimer clock_;

  // --- input

  // Human speed by the keystroke-level model (Card, Moran and Newell, "The Psychology of Human-Computer Interaction",
  // 1983): pointing 1.1 s, a press 0.2 s, a key stroke of an average typist 0.28 s, homing 0.4 s, mental preparation
  // 1.35 s once per task and per four strokes or two presses.
  static void pace(int ms) {
    static const bool paced = qEnvironmentVariableIntValue("ARENASCOPE_PACE") > 0;
    if (paced) QTest::qWait(ms);
  }
  void stroke(Input input) {
    if (strokes_ == 0) pace(400);
    ++strokes_;
    pace(input == Mouse ? 1300 : 280);
    if (strokes_ % (input == Mouse ? 2 : 4) == 0 && thoughts_++ < 4) pace(1350);
  }
  void click(QWidget* widget, const QPoint& at, Qt::KeyboardModifiers modifiers = {}) {
    stroke(Mouse);
    QTest::mouseClick(widget, Qt::LeftButton, modifiers, at);
    QCoreApplication::processEvents();
  }
  void click(QWidget* widget) { click(widget, widget->rect().center()); }
  void key(int key, Qt::KeyboardModifiers modifiers = {}) {
    stroke(Keys);
    QWidget* focus = QApplication::focusWidget();
    if (QWidget* popup = QApplication::activePopupWidget(); popup != nullptr)
      focus = popup->focusWidget() != nullptr ? popup->focusWidget() : popup;
    QTest::keyClick(focus != nullptr ? focus : window_.get(), static_cast<Qt::Key>(key), modifiers);
    QCoreApplication::processEvents();
  }
  void type(const QString& text) {
    for (int i = 0; i < text.size(); ++i) stroke(Keys);
    QWidget* popup = QApplication::activePopupWidget();
    QTest::keyClicks(
        popup != nullptr && popup->focusWidget() != nullptr ? popup->focusWidget() : QApplication::focusWidget(), text);
    QCoreApplication::processEvents();
  }
  // Scrolls a table until a cell is visible.
  static void wheel_to(QTableView* table, const QModelIndex& index) {
    QWidget* viewport = table->viewport();
    for (int notch = 0; notch < 400; ++notch) {
      const QRect cell = table->visualRect(index);
      const int right = cell.left() + 24 - viewport->width(), down = cell.bottom() - viewport->height();
      const QPoint turn(right > 0 ? -120 : cell.left() < 0 ? 120 : 0, down > 0 ? -120 : cell.top() < 0 ? 120 : 0);
      if (turn.isNull()) return;
      const QPointF at = viewport->rect().center();
      QWheelEvent event(at, viewport->mapToGlobal(at), {}, turn, Qt::NoButton, Qt::NoModifier, Qt::NoScrollPhase,
                        false);
      QApplication::sendEvent(viewport, &event);
      pace(40);
    }
  }
  // Visible text: without mnemonics, shortcuts and units.
  static QString plain(QString text) { return text.remove(u'&').section(u'\t', 0, 0); }
  static QAction* titled(const QList<QAction*>& actions, const QString& text) {
    for (QAction* action : actions)
      if (plain(action->text()) == text) return action;
    return nullptr;
  }
  // Chooses a menu entry by its text.
  void choose(const QString& menu, const QString& entry) {
    QMenuBar* bar = window_->menuBar();
    QAction* title = titled(bar->actions(), menu);
    QVERIFY2(title != nullptr, qPrintable(menu));
    click(bar, bar->actionGeometry(title).center());
    QAction* action = titled(title->menu()->actions(), entry);
    QVERIFY2(action != nullptr && action->isEnabled(), qPrintable(entry));
    click(title->menu(), title->menu()->actionGeometry(action).center());
  }
  // The palette finds every action by some of its letters.
  void palette(const QString& letters) {
    key(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    type(letters);
    key(Qt::Key_Return);
  }
  void show_panel(PanelId id, Input input) {
    if (input == Keys) return palette(panels().dock(id)->windowTitle().toLower());
    if (panels().dock(id)->visibleRegion().isEmpty()) {
      auto* headline = window_->findChild<SummaryBar*>("headline");
      const PanelGroup group = panel_kind(id).group;
      if (panels().arrangement().group() != group)
        for (QToolButton* button : headline->findChildren<QToolButton*>())
          if (button->text() == title_of(group)) click(button);
      for (QTabBar* tabs : window_->findChildren<QTabBar*>())
        for (int i = 0; i < tabs->count(); ++i)
          if (tabs->isVisible() && tabs->tabText(i) == panels().dock(id)->windowTitle()) {
            click(tabs, tabs->tabRect(i).center());
            break;
          }
    }
    QTRY_VERIFY(!panels().dock(id)->visibleRegion().isEmpty());
  }
  static QString title_of(PanelGroup group) {
    return group == PanelGroup::Model    ? QStringLiteral("Model")
           : group == PanelGroup::Memory ? QStringLiteral("Memory")
           : group == PanelGroup::Time   ? QStringLiteral("Time")
                                         : QStringLiteral("Debug");
  }
  static int column(const QTableView* table, const QString& title) {
    for (int c = 0; c < table->model()->columnCount(); ++c)
      if (plain(table->model()->headerData(c, Qt::Horizontal).toString()) == title) return c;
    return -1;
  }
  // Sorts by a column, largest first.
  void sort(PanelId id, const QString& title, Input input) {
    QTableView* table = panels().table(id)->table_view();
    QTRY_VERIFY(table->model()->rowCount() > 0);
    const int c = column(table, title);
    QVERIFY2(c >= 0, qPrintable(title));
    QHeaderView* header = table->horizontalHeader();
    for (int i = 0;
         i < 3 && (header->sortIndicatorSection() != c || header->sortIndicatorOrder() != Qt::DescendingOrder); ++i) {
      if (input == Mouse) {
        wheel_to(table, table->model()->index(0, c));
        click(header->viewport(), QPoint(header->sectionViewportPosition(c) + 12, header->height() / 2));
        continue;
      }
      QVERIFY(table->hasFocus());  // a raised panel has the focus
      for (int guard = 0; table->currentIndex().column() != c && guard < 40; ++guard)
        key(table->currentIndex().column() < c ? Qt::Key_Right : Qt::Key_Left);
      key(Qt::Key_S, Qt::ControlModifier | Qt::ShiftModifier);
    }
    QCOMPARE(header->sortIndicatorSection(), c);
  }
  QString cell(PanelId id, int row, const QString& title) {
    QTableView* table = panels().table(id)->table_view();
    return table->model()->index(row, column(table, title)).data().toString();
  }
  QString inspector() { return panels().widgets().inspector->text(); }

  void begin() {
    strokes_ = thoughts_ = 0;
    clock_.start();
    pace(1350);
  }
  void done(const char* task, Input input, int most) {
    std::printf("%-44s %-6s %3d of at most %3d, clocked %5.2f s\n", task, input == Mouse ? "mouse" : "keys", strokes_,
                most, static_cast<double>(clock_.elapsed()) / 1e3);
    std::fflush(stdout);
    QVERIFY2(strokes_ <= most, task);
  }
  void both() {
    QTest::addColumn<int>("input");
    QTest::newRow("mouse") << static_cast<int>(Mouse);
    QTest::newRow("keys") << static_cast<int>(Keys);
  }
  Input input() {
    QFETCH(int, input);
    return static_cast<Input>(input);
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-tasks-test"); }
  void init() {
    make_window();
    window_->activateWindow();
  }
  void cleanup() { window_.reset(); }

  void t01_which_tensors_are_at_the_peak_data() { both(); }
  void t01_which_tensors_are_at_the_peak() {
    doc().show_session(test::sample_session(), "sample");
    auto* findings = panels().widgets().findings;
    const Input by = input();
    begin();
    by == Mouse ? choose("Memory", "Find Savings") : key(Qt::Key_L, Qt::ControlModifier);
    QTRY_VERIFY_WITH_TIMEOUT(findings->model()->rowCount() > 0, kPatience);
    QStringList read;
    for (int r = 0; r < findings->model()->rowCount(); ++r)
      for (int c = 0; c < findings->model()->columnCount(); ++c)
        read << findings->model()->index(r, c).data().toString();
    const QStringList peak = read.filter("At the peak, step");
    QVERIFY2(!peak.isEmpty(), qPrintable(read.join(u'|')));
    QVERIFY2(peak.front().contains("tensor"), qPrintable(peak.front()));
    done("which tensors are at the peak?", by, by == Mouse ? 2 : 1);
  }

  void t02_how_far_is_the_plan_from_the_bound_data() { both(); }
  void t02_how_far_is_the_plan_from_the_bound() {
    doc().show_session(test::sample_session(), "sample");
    begin();
    const QString headline = window_->findChild<SummaryBar*>("headline")->text();
    QVERIFY2(headline.contains("arena") && headline.contains("bound"), qPrintable(headline));
    done("how far is the plan from the bound?", input(), 0);
  }

  void t03_which_node_takes_longest_data() { both(); }
  void t03_which_node_takes_longest() {
    doc().show_session(test::sample_session(), "sample");
    const Input by = input();
    begin();
    show_panel(PanelId::Nodes, by);
    sort(PanelId::Nodes, "Mean time", by);
    const auto stats = doc().source()->snapshot()->stats(doc().source()->graph_id());
    size_t longest = 0;
    for (size_t i = 0; i < stats.size(); ++i)
      if (stats[i].mean > stats[longest].mean) longest = i;
    QTRY_COMPARE(cell(PanelId::Nodes, 0, "Name"), QString::fromStdString(doc().source()->graph()->nodes[longest].name));
    done("which node takes longest?", by, by == Mouse ? 2 : 18);
  }

  void t04_which_thread_do_the_others_wait_for_data() { both(); }
  void t04_which_thread_do_the_others_wait_for() {
    doc().show_session(test::sample_session(), "sample");
    const Input by = input();
    begin();
    show_panel(PanelId::Barriers, by);
    sort(PanelId::Barriers, "Waited", by);
    QTRY_VERIFY2(cell(PanelId::Barriers, 0, "Last arriver").size() > 2,
                 qPrintable(cell(PanelId::Barriers, 0, "Last arriver")));
    done("which thread do the others wait for?", by, by == Mouse ? 4 : 18);
  }

  void t05_where_is_a_tensor_and_which_nodes_use_it_data() { both(); }
  void t05_where_is_a_tensor_and_which_nodes_use_it() {
    doc().show_session(test::sample_session(), "sample");
    const Input by = input();
    const QString name = QString::fromStdString(doc().source()->graph()->nodes[20].name);
    begin();
    if (by == Keys) {
      key(Qt::Key_F, Qt::ControlModifier);
      type(name);
      key(Qt::Key_Return);
    } else {
      // In the table.
      show_panel(PanelId::Nodes, by);
      QTableView* table = panels().table(PanelId::Nodes)->table_view();
      QTRY_VERIFY(table->model()->rowCount() > 20);
      for (int r = 0; r < table->model()->rowCount(); ++r)
        if (cell(PanelId::Nodes, r, "Name") == name) {
          wheel_to(table, table->model()->index(r, 1));
          click(table->viewport(), table->visualRect(table->model()->index(r, 1)).center());
          break;
        }
    }
    QTRY_VERIFY2(inspector().contains(name), qPrintable(inspector()));
    QVERIFY2(inspector().contains("Users (") && inspector().contains("Location in the arena"), qPrintable(inspector()));
    done("where is a tensor, and which nodes use it?", by, by == Mouse ? 1 : 2 + static_cast<int>(name.size()));
  }

  void t06_does_it_fit_under_data() { both(); }
  void t06_does_it_fit_under() {
    doc().show_session(test::sample_session(), "sample");
    const Input by = input();
    auto* panel = panels().widgets().replan;
    begin();
    by == Mouse ? choose("Memory", "Fit Under…") : key(Qt::Key_U, Qt::ControlModifier);
    // A number can only be typed; the mouse drags the limit line in the occupancy view.
    if (by == Keys) {
      key(Qt::Key_A, Qt::ControlModifier);
      type("64 MiB");
      key(Qt::Key_Return);
      key(Qt::Key_R, Qt::ControlModifier);
    } else {
      click(panel->findChild<QToolButton*>("plan"));
    }
    QTRY_VERIFY2_WITH_TIMEOUT(panel->message().contains("fit"), qPrintable(panel->message()), kPatience);
    done("does it fit under so many bytes?", by, by == Mouse ? 3 : 10);
  }

  void t07_what_is_not_finite_data() { both(); }
  void t07_what_is_not_finite() {
    const auto session = test::sample_session();
    session->describe(trace::Problem{trace::Severity::Warning, "The result of relu3 holds NaN.", 0, trace::RunId(0),
                                     NodeId(9), trace::ProblemKind::NotFinite});
    doc().show_session(session, "sample");
    const Input by = input();
    begin();
    show_panel(PanelId::Problems, by);
    QTableView* table = panels().table(PanelId::Problems)->table_view();
    QTRY_VERIFY(table->model()->rowCount() > 0);
    QStringList read;
    for (int c = 0; c < table->model()->columnCount(); ++c) read << table->model()->index(0, c).data().toString();
    QVERIFY2(read.join(u' ').contains("NaN"), qPrintable(read.join(u'|')));
    if (by == Mouse) {
      click(table->viewport(), table->visualRect(table->model()->index(0, 1)).center());
    } else {
      QVERIFY(table->hasFocus());
      key(Qt::Key_Return);
    }
    QTRY_VERIFY2(inspector().contains(QString::fromStdString(doc().source()->graph()->nodes[9].name)),
                 qPrintable(inspector()));
    done("where is the NaN?", by, by == Mouse ? 3 : 11);
  }

  void t08_why_is_b_slower_data() { both(); }
  void t08_why_is_b_slower() {
    const QString a = folder_.filePath("a.arenascope"), b = folder_.filePath("b.arenascope");
    QVERIFY(trace::save_recording(*test::sample_session()->snapshot(), a.toStdString()).ok());
    test::SampleOptions one;
    one.threads = 1;
    QVERIFY(trace::save_recording(*test::sample_session(one)->snapshot(), b.toStdString()).ok());
    open(a);
    window_->shell().ask_file = [&](bool, const QString&, const QString&) { return b; };
    const Input by = input();
    begin();
    by == Mouse ? choose("Compare", "Compare with File…") : palette("compare with file");
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->comparison() != nullptr, kPatience);
    sort(PanelId::Compare, "B − A", by);
    QTRY_VERIFY(!cell(PanelId::Compare, 0, "Node").isEmpty());
    QVERIFY2(cell(PanelId::Compare, 0, "B − A").startsWith(u'+'), qPrintable(cell(PanelId::Compare, 0, "B − A")));
    done("why is run B slower?", by, by == Mouse ? 4 : 28);
  }

  void t09_which_ops_take_the_time_of_a_range_data() { both(); }
  void t09_which_ops_take_the_time_of_a_range() {
    doc().show_session(test::sample_session(), "sample");
    PlotView* plot = plot_view(PanelId::Arena);
    const Input by = input();
    begin();
    if (by == Mouse) {
      const QRect area = plot->plot()->axisRect()->rect();
      const QPoint from(area.left() + area.width() / 4, area.center().y()), to(area.center());
      stroke(Mouse);
      QTest::mousePress(plot->plot(), Qt::LeftButton, Qt::ShiftModifier, from);
      QTest::mouseMove(plot->plot(), to);
      QTest::mouseRelease(plot->plot(), Qt::LeftButton, Qt::ShiftModifier, to);
    } else {
      QVERIFY(plot->hasFocus());  // initial focus of the window
      key(Qt::Key_BracketLeft);   // from this step
      for (int i = 0; i < 8; ++i) key(Qt::Key_Right);
      key(Qt::Key_BracketRight);  // to this step
    }
    QTRY_VERIFY2(inspector().contains("By op") && inspector().contains("mean per run"), qPrintable(inspector()));
    done("which ops take the time of a range of steps?", by, by == Mouse ? 1 : 10);
  }

  void t10_step_through_a_model_data() { both(); }
  void t10_step_through_a_model() {
    open("zoo:mul_mat");
    const Input by = input();
    begin();
    if (by == Mouse)
      choose("Run", "Step a Node");
    else
      key(Qt::Key_F10);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused, kPatience);
    QTRY_VERIFY2(window_->windowTitle().contains("paused before"), qPrintable(window_->windowTitle()));
    done("step through a model", by, by == Mouse ? 2 : 1);
    by == Mouse ? choose("Run", "Stop") : key(Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
  }
};

QTEST_MAIN(TasksTest)
#include "tasks_test.moc"
