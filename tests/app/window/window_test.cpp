// SPDX-License-Identifier: GPL-3.0-or-later
// The real window, driven by mouse and keyboard: open, run, pause, step, break, re-plan, save, reopen, compare; every
// action is reachable; bad files end nothing; both languages are complete.
#include <QApplication>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QScreen>
#include <QSettings>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTableView>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTranslator>
#include <QXmlStreamReader>

#include <arenascope/planner/csv.h>
#include <arenascope/planner/planner.h>

#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <random>

#include <views/occupancy/occupancy_view.h>
#include <QDir>
#include <QDropEvent>
#include <QMimeData>

#include "app/window/bars/summary_bar.h"
#include "app/window/document/autosave.h"
#include "app/window/events/key_guard.h"
#include "app/window/language/language.h"
#include "app/window/main_window.h"
#include "app/window/start/recent_thumbnails.h"
#include "sample_session.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class WindowTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-test"); }

  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void without_a_document_the_welcome_page_is_shown() {
    auto* page = window_->findChild<QWidget*>("welcome");
    QVERIFY(page != nullptr && page->isVisible());
    QStringList lines;
    for (const QPushButton* button : page->findChildren<QPushButton*>()) lines << button->text();
    QVERIFY(lines.contains("squeezenet"));
    QVERIFY(lines.size() > 8);  // lessons as well
    for (QPushButton* button : page->findChildren<QPushButton*>())
      if (button->text() == u"squeezenet") {
        button->click();
        break;
      }
    QTRY_VERIFY_WITH_TIMEOUT(doc().spec() == u"zoo:squeezenet" && doc().axis()->steps() > 0, kPatience);
    QVERIFY(page->isHidden());
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
    // The summary line.
    auto* headline = window_->findChild<SummaryBar*>("headline");
    QTRY_VERIFY2(headline->text().contains(u"arena 6.0\u00a0MiB, at the lower bound"), qPrintable(headline->text()));
    QVERIFY(headline->findChild<QLabel*>()->width() > 200);  // and it is visible
    // After closing, the page is shown again with the recent file.
    window_->shell().actions->find("file.close")->trigger();
    QTRY_VERIFY(page->isVisible());
    lines.clear();
    for (const QPushButton* button : page->findChildren<QPushButton*>()) lines << button->text();
    QVERIFY(lines.contains("zoo:squeezenet"));
  }

  // Recent files have a thumbnail, and no others are stored.
  void recent_files_have_thumbnails() {
    open("zoo:squeezenet");
    const QString path = RecentThumbnails::path_of("zoo:squeezenet"), stray = RecentThumbnails::path_of("zoo:long_ago");
    QTRY_VERIFY_WITH_TIMEOUT(!plot_view(PanelId::Arena)->plot()->visibleRegion().isEmpty(), kPatience);
    QFile::remove(path);
    QVERIFY(QDir().mkpath(QFileInfo(stray).path()));
    QVERIFY(QImage(RecentThumbnails::kSize, QImage::Format_RGB32).save(stray));
    window_->shell().actions->find("file.close")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(path), kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(stray), kPatience);
    const QImage kept = RecentThumbnails::read("zoo:squeezenet");
    QCOMPARE(kept.size(), RecentThumbnails::kSize);
    QSet<QRgb> colours;
    for (int x = 0; x < kept.width(); ++x) colours << kept.pixel(x, kept.height() - 3);
    QVERIFY(colours.size() > 2);  // blocks of an arena, not an empty page
    make_window();
    remember_recent_file("zoo:squeezenet");
    window_ = std::make_unique<MainWindow>();
    window_->show();
    const auto* page = window_->findChild<QWidget*>("welcome");
    const auto picture = [&] {
      for (const QPushButton* button : page->findChildren<QPushButton*>())
        if (button->toolTip() == u"zoo:squeezenet" && !button->icon().isNull())
          return button->icon().pixmap(button->iconSize(), 1.0).toImage();
      return QImage();
    };
    QTRY_VERIFY_WITH_TIMEOUT(!picture().isNull() && picture().pixelColor(20, 20).alpha() == 255, kPatience);
  }

  void bottom_panels_are_grouped() {
    const auto seen = [&] {
      std::set<PanelId> ids;
      for (const PanelDescriptor& kind : panel_kinds())
        if (kind.group != PanelGroup::None && !panels().dock(kind.id)->isHidden()) ids.insert(kind.id);
      return ids;
    };
    QVERIFY(seen().contains(PanelId::Nodes) && seen().contains(PanelId::Objects) && !seen().contains(PanelId::Blocks));
    panels().show(PanelId::Findings);
    QVERIFY(panels().arrangement().group() == PanelGroup::Memory);
    QVERIFY(seen().contains(PanelId::Blocks) && seen().contains(PanelId::Findings) && !seen().contains(PanelId::Nodes));
    panels().show_group(PanelGroup::Time);
    QVERIFY(seen().contains(PanelId::Barriers) && !seen().contains(PanelId::Findings));
    panels().show_group(PanelGroup::Memory);
    QTRY_VERIFY(!panels().dock(PanelId::Findings)->visibleRegion().isEmpty());  // the last visible one
  }

  // View > Panels: a panel of another group shows its group; a closed one stays closed.
  void panels_are_opened_and_closed_in_their_groups() {
    doc().show_session(test::sample_session(), "sample");
    panels().show_group(PanelGroup::Model);
    QAction* barriers = panels().dock(PanelId::Barriers)->toggleViewAction();
    QVERIFY(!barriers->isChecked());
    barriers->trigger();
    QTRY_VERIFY(!panels().dock(PanelId::Barriers)->visibleRegion().isEmpty());
    const PanelGroup group = panels().arrangement().group();
    QVERIFY(group != PanelGroup::Model);
    panels().show_group(PanelGroup::Model);
    panels().show_group(group);
    QTRY_VERIFY(!panels().dock(PanelId::Barriers)->visibleRegion().isEmpty());
    barriers->trigger();
    QVERIFY(panels().dock(PanelId::Barriers)->isHidden());
    panels().show_group(PanelGroup::Model);
    panels().show_group(group);
    QVERIFY(panels().dock(PanelId::Barriers)->isHidden());
    panels().show(PanelId::Barriers);
    QTRY_VERIFY(!panels().dock(PanelId::Barriers)->visibleRegion().isEmpty());
  }

  void a_model_runs_and_every_view_shows_it() {
    open("zoo:mul_mat");
    QTRY_VERIFY(panels().table(PanelId::Nodes)->model()->rowCount() > 0);
    QCOMPARE(panels().table(PanelId::Nodes)->model()->rowCount(),
             static_cast<int>(doc().source()->graph()->nodes.size()));
    QTRY_VERIFY_WITH_TIMEOUT(panels().widgets().graph->canvas()->scene().ready(), kPatience);
    QVERIFY(panels().widgets().inspector->text().contains("lower bound"));
    QVERIFY(window_->windowTitle().contains("mul_mat"));
    QVERIFY(doc().messages()->texts().isEmpty());
    QCOMPARE(recent_files().value(0), QString("zoo:mul_mat"));
  }

  void run_pause_step_and_stop_by_keys() {
    open("zoo:squeezenet");
    RunController* controller = doc().runner();
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(controller->state() == RunState::Running, kPatience);
    const auto runs_before = controller->session()->snapshot()->runs.size();
    QTRY_VERIFY_WITH_TIMEOUT(controller->session()->snapshot()->runs.size() > runs_before + 2, kPatience);
    QTest::keyClick(window_.get(), Qt::Key_F6);
    QTRY_VERIFY_WITH_TIMEOUT(controller->state() == RunState::Paused, kPatience);
    const Step at = doc().axis()->current();
    QTest::keyClick(window_.get(), Qt::Key_F10);
    QTRY_VERIFY_WITH_TIMEOUT(controller->state() == RunState::Paused && doc().axis()->current() != at, kPatience);
    const auto* chosen = doc().selection()->current().get<NodeSelection>();
    QVERIFY(chosen != nullptr);  // paused before this node
    QTest::keyClick(window_.get(), Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(controller->state() == RunState::Ready, kPatience);
    QCOMPARE(controller->session()->snapshot()->lost, int64_t{0});
  }

  void a_breakpoint_on_an_op_pauses_there() {
    open("zoo:squeezenet");
    doc().debugger()->set_breakpoints({Breakpoint{Breakpoint::Kind::Op, "MAX_POOL", 0, true}});
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused, kPatience);
    const auto* chosen = doc().selection()->current().get<NodeSelection>();
    QVERIFY(chosen != nullptr);
    QCOMPARE(doc().source()->graph()->nodes[chosen->tensor.index()].op, std::string("MAX_POOL"));
    QVERIFY(!doc().messages()->texts().isEmpty());
    // To the next breakpoint, and then without any.
    const auto first = chosen->tensor;
    QTest::keyClick(window_.get(), Qt::Key_F5);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Paused &&
                                 doc().selection()->current().get<NodeSelection>() != nullptr &&
                                 doc().selection()->current().get<NodeSelection>()->tensor != first,
                             kPatience);
    doc().debugger()->set_breakpoints({});
    QTest::keyClick(window_.get(), Qt::Key_F5, Qt::ShiftModifier);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
  }

  void f9_sets_and_removes_a_breakpoint() {
    open("zoo:mul_mat");
    QTest::keyClick(window_.get(), Qt::Key_F9);
    QVERIFY(doc().debugger()->breakpoints().empty());
    QCOMPARE(doc().messages()->texts().size(), 1);  // a message instead of a dialog
    doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(0)));
    QTest::keyClick(window_.get(), Qt::Key_F9);
    QCOMPARE(doc().debugger()->breakpoints().size(), size_t{1});
    QTest::keyClick(window_.get(), Qt::Key_F9);
    QVERIFY(doc().debugger()->breakpoints().empty());
  }

  void breakpoints_match() {
    trace::GraphInfo g = test::sample_graph({});
    QCOMPARE(nodes_to_break(g, {Breakpoint{Breakpoint::Kind::Node, "conv1", 0, true}}).size(), size_t{1});
    QVERIFY(nodes_to_break(g, {Breakpoint{Breakpoint::Kind::Node, "conv1", 0, false}}).empty());
    const auto in_b3 = std::count_if(g.nodes.begin(), g.nodes.end(),
                                     [](const trace::TensorInfo& n) { return n.name.starts_with("b3."); });
    QCOMPARE(static_cast<long>(nodes_to_break(g, {Breakpoint{Breakpoint::Kind::Name, "b3.*", 0, true}}).size()),
             static_cast<long>(in_b3));
    QVERIFY(!nodes_to_break(g, {Breakpoint{Breakpoint::Kind::Op, "relu", 0, true}}).empty());
    QVERIFY(nodes_to_break(g, {Breakpoint{Breakpoint::Kind::Bytes, {}, INT64_MAX, true}}).empty());
    // A fused node stops at breakpoints of its parts.
    trace::GraphInfo fused = g;
    fused.nodes[2].op = "CONV+ADD+RELU";
    fused.nodes[2].parts = {{"CONV", 0, "inner"}, {"ADD", 0, "plus"}, {"RELU", 0, "last, and more"}};
    for (const char* op : {"conv", "add", "relu", "conv+add+relu"})
      QVERIFY2(nodes_to_break(fused, {Breakpoint{Breakpoint::Kind::Op, op, 0, true}}).contains(NodeId(2)), op);
    QVERIFY(!nodes_to_break(fused, {Breakpoint{Breakpoint::Kind::Op, "mul", 0, true}}).contains(NodeId(2)));
    QCOMPARE(nodes_to_break(fused, {Breakpoint{Breakpoint::Kind::Node, "plus", 0, true}}), std::set<NodeId>{NodeId(2)});
    QCOMPARE(nodes_to_break(fused, {Breakpoint{Breakpoint::Kind::Name, "inn*", 0, true}}), std::set<NodeId>{NodeId(2)});
    QCOMPARE(nodes_to_break(fused, {Breakpoint{Breakpoint::Kind::Node, "last, and more", 0, true}}),
             std::set<NodeId>{NodeId(2)});
    for (const Breakpoint& b :
         {Breakpoint{Breakpoint::Kind::Name, "a/*=b", 0, false}, Breakpoint{Breakpoint::Kind::Bytes, {}, 77, true},
          Breakpoint{Breakpoint::Kind::NaN, {}, 0, true}})
      QVERIFY(Breakpoint::from_setting(b.to_setting()) == b);
    for (const char* bad : {"", "=", "op=", "bytes>=x", "colour=red"}) QVERIFY(!Breakpoint::from_setting(bad));
  }

  void replanning_uses_another_plan() {
    open("zoo:squeezenet");
    Preferences p = window_->shell().preferences;
    p.run.planner = "none";
    window_->apply_preferences(p);
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->plan() != nullptr && doc().source()->plan()->planner == "none", kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
    const Bytes none = doc().source()->plan()->arena_bytes;
    p.run.planner = "greedy-by-size";
    window_->apply_preferences(p);
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->plan()->planner == "greedy-by-size", kPatience);
    QVERIFY(doc().source()->plan()->arena_bytes < none);
  }

  void a_recording_matches_its_run_and_can_be_compared() {
    open("zoo:mul_mat");
    const QString path = folder_.filePath("run.arenascope");
    window_->shell().ask_file = [&](bool save, const QString&, const QString&) { return save ? path : path; };
    const auto nodes = doc().source()->graph()->nodes.size();
    const auto arena = doc().source()->plan()->arena_bytes;
    const auto runs = doc().source()->snapshot()->runs.size();
    window_->shell().actions->find("file.save_recording")->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(!doc().jobs().saver->busy(), kPatience);
    QVERIFY(QFile::exists(path));
    QVERIFY(doc().messages()->texts().last().contains(path));
    window_->open(path);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Recording, kPatience);
    QCOMPARE(doc().source()->graph()->nodes.size(), nodes);
    QCOMPARE(doc().source()->plan()->arena_bytes, arena);
    QCOMPARE(doc().source()->snapshot()->runs.size(), runs);
    QVERIFY(!doc().runner()->has_model());
    window_->compare_with(path);
    QTRY_COMPARE(panels().table(PanelId::Compare)->model()->rowCount(), static_cast<int>(nodes));
  }

  void each_file_has_a_tab_and_keeps_its_view_state() {
    open("zoo:mul_mat");
    QVERIFY(!window_->tabs()->bar()->isVisible());  // a single document needs no tabs
    open("zoo:lstm");
    QCOMPARE(window_->documents()->size(), size_t{2});
    QVERIFY(window_->tabs()->bar()->isVisible());
    QCOMPARE(window_->tabs()->bar()->currentIndex(), 1);
    const auto steps = doc().axis()->steps();
    doc().axis()->frame_steps(Step(3), Step(9));
    doc().axis()->set_current(Step(5));
    doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(4)));
    const AxisRange range = doc().axis()->range();
    const Selection selected = doc().selection()->current();
    QTest::keyClick(window_.get(), Qt::Key_PageUp, Qt::ControlModifier);
    QCOMPARE(window_->tabs()->bar()->currentIndex(), 0);
    QVERIFY(window_->windowTitle().contains("mul_mat"));
    QVERIFY(doc().selection()->current().empty());
    QTest::mouseClick(window_->tabs()->bar(), Qt::LeftButton, {}, window_->tabs()->bar()->tabRect(1).center());
    QCOMPARE(doc().axis()->steps(), steps);
    QCOMPARE(doc().axis()->range(), range);
    QVERIFY(doc().selection()->current() == selected);
    // A run of a hidden document does not continue.
    QTest::keyClick(window_.get(), Qt::Key_F5);
    RunController* lstm = doc().runner();
    QTRY_VERIFY_WITH_TIMEOUT(lstm->state() == RunState::Running, kPatience);
    window_->documents()->show(0);
    QTRY_VERIFY_WITH_TIMEOUT(lstm->state() == RunState::Paused, kPatience);
    QTest::keyClick(window_.get(), Qt::Key_W, Qt::ControlModifier);
    QCOMPARE(window_->documents()->size(), size_t{1});
    QCOMPARE(doc().runner(), lstm);
    QCOMPARE(doc().runner()->state(), RunState::Paused);
    QTest::keyClick(window_.get(), Qt::Key_W, Qt::ControlModifier);  // closing the last one leaves no document open
    QCOMPARE(window_->documents()->size(), size_t{1});
    QCOMPARE(doc().runner()->state(), RunState::Empty);
    QCOMPARE(doc().axis()->steps(), 0);
  }

  void dropped_files_are_opened_each_in_a_tab() {
    QList<QUrl> urls;
    for (const char* name : {"one", "two", "three"}) {
      const QString path = folder_.filePath(QStringLiteral("%1.arenascope").arg(QString::fromLatin1(name)));
      QVERIFY(trace::save_recording(*test::sample_session()->snapshot(), path.toStdString()).ok());
      urls << QUrl::fromLocalFile(path);
    }
    urls.insert(1, QUrl::fromLocalFile(folder_.filePath("nothing.arenascope")));  // reported, and the others are opened
    QMimeData data;
    data.setUrls(urls);
    QDragEnterEvent enter({400, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window_.get(), &enter);
    QVERIFY(enter.isAccepted());
    QDropEvent drop({400, 300}, Qt::CopyAction, &data, Qt::LeftButton, {});
    QApplication::sendEvent(window_.get(), &drop);
    QTRY_COMPARE_WITH_TIMEOUT(window_->documents()->size(), size_t{3}, kPatience);
    QStringList titles;
    for (int i = 0; i < 3; ++i) titles << window_->tabs()->bar()->tabText(i);
    QVERIFY2(
        titles.join(u' ').contains("one") && titles.join(u' ').contains("two") && titles.join(u' ').contains("three"),
        qPrintable(titles.join(u' ')));
  }

  void messages_overlay_the_views_and_move_nothing() {
    QTest::qWait(50);
    const QWidget* arena = plot_view(PanelId::Arena);
    const QRect before(arena->mapTo(window_.get(), QPoint()), arena->size());
    for (int i = 0; i < 4; ++i) {
      doc().messages()->post(MessageKind::Error, QStringLiteral("Message number %1 with a few words.").arg(i));
      QTRY_VERIFY(window_->message_bar()->isVisible() && window_->message_bar()->width() > window_->width() / 2);
      // Messages cover scrollable rows, never the headers of views.
      QVERIFY(!window_->message_bar()->geometry().intersects(before));
      QTest::qWait(20);
      QCOMPARE(QRect(arena->mapTo(window_.get(), QPoint()), arena->size()), before);
      QTest::mouseClick(window_->message_bar()->findChild<QToolButton*>(), Qt::LeftButton);
      QTRY_VERIFY(!window_->message_bar()->isVisible());
      QVERIFY(doc().messages()->texts().isEmpty());
      QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    QCOMPARE(QRect(arena->mapTo(window_.get(), QPoint()), arena->size()), before);
  }

  // On each panel, where there is something and in its empty corner; the Menu key does the same.
  void the_right_mouse_button_opens_a_menu_on_each_panel() {
    open("zoo:squeezenet");
    for (const PanelDescriptor& kind : panel_kinds()) {
      const PanelId id = kind.id;
      QDockWidget* dock = panels().dock(id);
      panels().show(id);
      dock->show();
      dock->raise();
      QCoreApplication::processEvents();
      QWidget* drawn = panels().parts(id).drawn;  // hidden behind a placeholder if it has no content
      QWidget* widget = drawn != nullptr && drawn->isVisible() ? drawn : dock->widget();
      const auto is_on_top = [&](const QPoint& place) {
        QWidget* at = window_->childAt(widget->mapTo(window_.get(), place));
        return at != nullptr && (at == widget || widget->isAncestorOf(at));
      };
      QVERIFY2(QTest::qWaitFor([&] { return is_on_top(widget->rect().center()); }, kPatience), name_of(id));
      QCoreApplication::processEvents();
      const QPoint places[] = {widget->rect().center(), {widget->width() / 3, widget->height() * 2 / 3}};
      for (const QPoint& place : places) {
        if (!is_on_top(place)) continue;
        QTest::mouseClick(window_->windowHandle(), Qt::RightButton, {}, widget->mapTo(window_.get(), place));
        auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
        QVERIFY2(menu != nullptr && !menu->actions().isEmpty(), name_of(id));
        menu->close();
        QCoreApplication::processEvents();
        QVERIFY2(QApplication::activePopupWidget() == nullptr, name_of(id));
      }
      dock->hide();  // makes space for the next one
    }
  }

  void space_presses_the_button_that_has_the_focus() {
    doc().show_session(test::sample_session(), "sample");
    auto* by_time = window_->shell().playback->findChildren<QToolButton*>().last();
    by_time->setFocusPolicy(Qt::StrongFocus);
    by_time->setFocus();
    QVERIFY(by_time->hasFocus());
    QSignalSpy clicked(by_time, &QAbstractButton::clicked);
    QTest::keyClick(by_time, Qt::Key_Space);
    QCOMPARE(clicked.count(), 1);
    QVERIFY(!doc().debugger()->playing());
    // Arrow keys move through table rows instead of steps.
    QTableView* rows = panels().table(PanelId::Nodes)->table_view();
    panels().dock(PanelId::Nodes)->raise();
    rows->setFocus();
    rows->setCurrentIndex(rows->model()->index(1, 0));
    doc().axis()->set_current(Step(7));
    QVERIFY(wants_key(rows, Qt::Key_Home) && !wants_key(rows, Qt::Key_F5) &&
            !wants_key(plot_view(PanelId::Arena), Qt::Key_Space));
    plot_view(PanelId::Arena)->setFocus();
    QTest::keyClick(plot_view(PanelId::Arena), Qt::Key_Right);
    QCOMPARE(doc().axis()->current(), Step(8));
    QTest::keyClick(plot_view(PanelId::Arena), Qt::Key_Space);
    QVERIFY(doc().debugger()->playing());
    QTest::keyClick(plot_view(PanelId::Arena), Qt::Key_Space);
    QVERIFY(!doc().debugger()->playing());
  }

  // Plots had a key map of their own: other steps, another F, and an End without effect.
  void keys_do_the_same_wherever_the_focus_is() {
    doc().show_session(test::sample_session(), "sample");
    const auto restores_focus = [&](QWidget* focus, Qt::Key key) {
      doc().axis()->set_mode(AxisMode::Step);
      doc().axis()->frame_steps(Step(4), Step(20));
      doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(11)));
      doc().axis()->set_current(Step(7));
      focus->setFocus();
      QTest::keyClick(focus, key);
      const AxisRange range = doc().axis()->range();
      return QStringLiteral("%1 %2 %3 %4")
          .arg(range.lo)
          .arg(range.hi)
          .arg(doc().axis()->current().value)
          .arg(static_cast<int>(doc().axis()->mode()));
    };
    QSet<QString> all;
    for (const Qt::Key key : {Qt::Key_A, Qt::Key_D, Qt::Key_W, Qt::Key_S, Qt::Key_F, Qt::Key_T, Qt::Key_P, Qt::Key_Home,
                              Qt::Key_End, Qt::Key_Left, Qt::Key_Right}) {
      const QString expected = restores_focus(plot_view(PanelId::Arena), key);
      all << expected;
      for (const PanelId id : {PanelId::Occupancy, PanelId::Timeline, PanelId::Lifetimes}) {
        panels().raise(id);
        QCOMPARE(restores_focus(plot_view(id), key), expected);
      }
      if (key != Qt::Key_W && key != Qt::Key_S && key != Qt::Key_Home)  // these zoom the graph itself
        QCOMPARE(restores_focus(panels().widgets().graph->canvas(), key), expected);
    }
    QVERIFY(all.size() >= 9);
  }

  // Each tab stop, in every panel group, is visibly different with focus.
  void every_tab_stop_is_visible() {
    doc().show_session(test::sample_session(), "sample");
    QSet<QWidget*> seen;
    for (const PanelGroup group : {PanelGroup::Model, PanelGroup::Memory, PanelGroup::Time, PanelGroup::Debug}) {
      panels().show_group(group);
      QTest::qWait(50);
      plot_view(PanelId::Arena)->setFocus();
      for (int i = 0; i < 120; ++i) {
        const QWidget* before = QApplication::focusWidget();
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
        QWidget* now = QApplication::focusWidget();
        QVERIFY(now != nullptr);
        if (now == before) break;
        if (seen.contains(now) || now->window() != window_.get()) continue;
        seen << now;
        QCoreApplication::processEvents();
        const QRect around = QRect(now->mapTo(window_.get(), QPoint()), now->size()).adjusted(-4, -4, 4, 4);
        const QImage with = window_->grab(around).toImage();
        now->clearFocus();
        QCoreApplication::processEvents();
        const QImage without = window_->grab(around).toImage();
        now->setFocus(Qt::TabFocusReason);
        const QString name =
            QStringLiteral("%1 %2 %3")
                .arg(QString::fromLatin1(now->metaObject()->className()), now->objectName(), now->accessibleName());
        QVERIFY2(with != without, qPrintable(name));
      }
    }
    QVERIFY2(seen.size() > 10, qPrintable(QString::number(seen.size())));
  }

  // Actions that need a document are disabled; only few are always enabled.
  void without_a_document_only_few_actions_are_enabled() {
    static const QRegularExpression always(
        QStringLiteral("^([a-z]+|file\\.(open|open_plan|zoo|attach|quit)|edit\\.preferences|help\\..*|lesson\\..*|"
                       "teach\\.(play|large|collect)|"
                       "view\\.(theme|titles|layout.*))$"));
    QStringList usable;
    for (const auto& entry : window_->shell().actions->all())
      if (entry.action->isEnabled() && !always.match(QString::fromLatin1(entry.id)).hasMatch())
        usable << QString::fromLatin1(entry.id);
    QVERIFY2(usable.isEmpty(), qPrintable(usable.join(u' ')));
  }

  // A looping recording is limited by the preferences: the oldest runs are discarded, the newest kept, with a
  // message.
  void a_live_recording_keeps_its_newest_runs_within_the_bound() {
    Preferences preferences = window_->shell().preferences;
    preferences.run.recording_limit_mib = 4;
    window_->apply_preferences(preferences);
    open("zoo:squeezenet");
    const auto session = doc().runner()->session();
    doc().runner()->run();
    const auto on_disk = [] {
      return QDir(autosave_folder())
          .entryInfoList({QStringLiteral("%1-*.arenascope").arg(QCoreApplication::applicationPid())}, QDir::Files);
    };
    QTRY_VERIFY_WITH_TIMEOUT(doc().source()->snapshot()->forgotten > 0 && on_disk().size() == 2, kPatience);
    doc().runner()->stop();
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
    doc().source()->refresh();
    // Two files on disk, the older one at least half full, within the limit.
    qint64 written = 0;
    for (const QFileInfo& file : on_disk()) written += file.size();
    QVERIFY2(written > (2 << 20) && written <= (5 << 20), qPrintable(QString::number(written)));
    const trace::Snapshot& s = *doc().source()->snapshot();
    QCOMPARE(doc().runner()->session(), session);  // the selection is kept
    QVERIFY2(s.bytes <= (size_t{24} << 20), qPrintable(QString::number(s.bytes)));
    QVERIFY(s.runs.size() > 20);
    QVERIFY(s.runs[0].evicted && !s.runs.back().evicted);
    QVERIFY(doc().source()->run().valid() && doc().axis()->steps() > 0);
    QVERIFY2(doc().messages()->texts().join(u' ').contains(u"4\u00a0MiB"),
             qPrintable(doc().messages()->texts().join(u' ')));
    QCOMPARE(doc().messages()->all().front().action, QString("edit.preferences"));
  }

  void the_selected_row_stays_the_selected_tensor() {
    doc().show_session(test::sample_session(), "sample");
    TablePanel* table = panels().table(PanelId::Nodes);
    panels().dock(PanelId::Nodes)->raise();
    QTRY_VERIFY(table->model()->rowCount() > 20);
    doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(11)));
    const QString name = QString::fromStdString(doc().source()->graph()->nodes[11].name);
    const auto row_selected = [&] {
      const auto rows = table->table_view()->selectionModel()->selectedRows();
      QStringList cells;
      for (const QModelIndex& row : rows)
        for (int c = 0; c < table->model()->columnCount(); ++c)
          cells << table->model()->index(row.row(), c).data().toString();
      return rows.size() == 1 && cells.contains(name);
    };
    QTRY_VERIFY(row_selected());
    for (int column = 0; column < table->model()->columnCount(); ++column)
      for (const Qt::SortOrder order : {Qt::AscendingOrder, Qt::DescendingOrder}) {
        table->table_view()->sortByColumn(column, order);
        QVERIFY2(row_selected(), qPrintable(QString::number(column)));
      }
    auto* filter = table->findChild<QLineEdit*>();
    filter->setText(name.left(2));
    QVERIFY(row_selected());
    filter->clear();
    QVERIFY(row_selected());
  }

  void coming_to_a_table_by_tab_selects_nothing() {
    doc().show_session(test::sample_session(), "sample");
    TablePanel* table = panels().table(PanelId::Nodes);
    panels().dock(PanelId::Nodes)->raise();
    QTRY_VERIFY(table->model()->rowCount() > 20);
    table->table_view()->setFocus(Qt::TabFocusReason);
    QTest::qWait(30);
    QVERIFY(doc().selection()->current().empty());
    QTest::keyClick(table->table_view(), Qt::Key_Down);
    QVERIFY(!doc().selection()->current().empty());
  }

  // With reduced motion panels do not glide and indeterminate bars do not move.
  void reduced_motion_is_honoured() {
    auto* bar = window_->findChild<QWidget*>("job")->findChild<QProgressBar*>();
    auto* cancel = window_->findChild<QToolButton*>("cancel_job");
    for (const bool motion : {true, false}) {
      QApplication::setEffectEnabled(Qt::UI_General, motion);
      window_->shell().actions->find("view.layout_default")->trigger();
      QCOMPARE(window_->isAnimated(), motion);
      Task reading(&doc().jobs().tasks);
      const TaskRun run = reading.begin("Reading something…");
      QTRY_VERIFY_WITH_TIMEOUT(cancel->isVisible(), kPatience);
      QCOMPARE(bar->isVisible(), motion);
      run.progress(0.5);
      QTRY_VERIFY_WITH_TIMEOUT(bar->isVisible() && bar->maximum() > 0, kPatience);
    }
    QApplication::setEffectEnabled(Qt::UI_General, true);
  }

  void the_window_fits_the_screen() {
    const QSize room = QGuiApplication::primaryScreen()->availableSize();
    MainWindow fresh;
    QVERIFY(fresh.width() <= room.width() && fresh.height() <= room.height());
  }

  void the_playhead_is_at_the_peak_after_opening() {
    open("zoo:squeezenet");
    QTRY_COMPARE(doc().axis()->current(), Step(window_->shell().playback->slider()->peak_step()));
    const auto* occupancy = static_cast<OccupancyView*>(plot_view(PanelId::Occupancy));
    QTRY_VERIFY(occupancy->picture() && occupancy->picture()->peak > 0);
    QTRY_COMPARE(occupancy->picture()->peak_step, doc().axis()->current());
    // The playhead follows a run and returns to its step when it has ended.
    const Step peak = doc().axis()->current();
    for (const Step stood : {peak, Step(peak.value + 5)}) {
      doc().axis()->set_current(stood);
      bool followed = false;
      const auto following = connect(doc().axis(), &SharedAxis::current_changed, this,
                                     [&] { followed |= doc().axis()->current() != stood; });
      QTest::keyClick(window_.get(), Qt::Key_F5);
      QTRY_VERIFY_WITH_TIMEOUT(followed, kPatience);
      disconnect(following);
      QTest::keyClick(window_.get(), Qt::Key_F5, Qt::ShiftModifier);
      QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
      QTRY_COMPARE(doc().axis()->current(), stood);
      QTest::qWait(400);
      QCOMPARE(doc().axis()->current(), stood);
    }
  }

  void breadcrumbs_lead_back_out() {
    open("zoo:squeezenet");
    Breadcrumbs* path = panels().widgets().breadcrumbs;
    QTRY_COMPARE(path->crumbs().size(), size_t{1});
    const trace::GraphInfo& graph = *doc().source()->graph();
    QCOMPARE(path->crumbs()[0].text, QString::fromStdString(graph.model));
    const NodeId node(20);
    doc().selection()->select(Selection::node(doc().source()->graph_id(), node));
    QCOMPARE(path->crumbs().size(), size_t{3});
    QCOMPARE(path->crumbs()[1].text, QString::fromStdString(graph.nodes[20].layer));
    QVERIFY(path->crumbs()[2].text.contains(QString::fromStdString(graph.nodes[20].name)));
    // By keyboard: Tab goes to the next link, Return follows it.
    window_->activateWindow();
    path->setFocus();
    QTest::keyClick(path, Qt::Key_Tab);
    if (path->selectedText() == path->crumbs()[0].text) QTest::keyClick(path, Qt::Key_Tab);
    QTest::keyClick(path, Qt::Key_Return);
    const auto* layer = doc().selection()->current().get<LayerSelection>();
    QVERIFY(layer != nullptr);
    const auto range = steps_of(*layer, doc().source()->plan());
    QVERIFY(range);
    for (int32_t s = range->first.value; s < range->last.value; ++s) {
      const NodeId at = doc().source()->plan()->order[static_cast<size_t>(s)];
      QCOMPARE(graph.nodes[at.index()].layer, graph.nodes[20].layer);
    }
    QVERIFY(doc().axis()->range() != doc().axis()->limits());
    QCOMPARE(path->crumbs().size(), size_t{2});
    path->follow(0);
    QVERIFY(doc().selection()->current().empty());
    QCOMPARE(doc().axis()->range(), doc().axis()->limits());
    // There is a way out of every zoom.
    doc().axis()->frame_steps(Step(3), Step(9));
    QTRY_COMPARE(path->crumbs().size(), size_t{2});
    path->follow(0);
    QCOMPARE(doc().axis()->range(), doc().axis()->limits());
  }

  // minimalloc's CSV: two buffers overlap in time exactly if the file says so, for any planner.
  void intervals_of_another_tool_are_opened_by_their_content() {
    const QString path = folder_.filePath("some.data");
    QFile file(path);
    QVERIFY(file.open(QIODevice::WriteOnly));
    std::mt19937 random(7);
    QByteArray text("id,lower,upper,size\n");
    for (int i = 0; i < 300; ++i) {
      const int lower = static_cast<int>(random() % 90) * 11, length = 1 + static_cast<int>(random() % 500);
      text +=
          QStringLiteral("buffer%1,%2,%3,%4\n").arg(i).arg(lower).arg(lower + length).arg(1 + random() % 4096).toUtf8();
    }
    file.write(text);
    file.close();
    window_->open(path);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Recording, kPatience);
    const auto problem = planner::read_csv(std::string_view(text.constData(), static_cast<size_t>(text.size())));
    QVERIFY(problem.ok());
    const trace::PlanInfo& plan = *doc().source()->plan();
    QCOMPARE(plan.slices.size(), problem->size());
    QVERIFY(plan.arena_bytes >= plan.lower_bound_bytes && plan.lower_bound_bytes > 0);
    std::map<std::string, const trace::SliceInfo*> slice_of;
    for (const trace::SliceInfo& s : plan.slices) slice_of[doc().source()->graph()->nodes[s.tensor.index()].name] = &s;
    for (size_t i = 0; i < problem->size(); ++i)
      for (size_t k = 0; k < i; ++k) {
        const auto &a = problem->intervals[i], &b = problem->intervals[k];
        const auto *x = slice_of[problem->ids[i]], *y = slice_of[problem->ids[k]];
        QCOMPARE(x->first < y->last && y->first < x->last, a.lower < b.upper && b.lower < a.upper);
      }
    QVERIFY(plot_view(PanelId::Arena)->isVisible());
    // If the file has offsets, they are the plan.
    const auto answer = planner::find_planner("greedy-by-size")->plan(*problem, {});
    QVERIFY(answer.ok());
    const QString placed = folder_.filePath("placed.csv");
    QFile other(placed);
    QVERIFY(other.open(QIODevice::WriteOnly));
    other.write(QByteArray::fromStdString(planner::write_csv(*problem, &*answer)));
    other.close();
    window_->open(placed);
    QTRY_COMPARE_WITH_TIMEOUT(window_->documents()->size(), size_t{2}, kPatience);
    QCOMPARE(doc().source()->plan()->planner, std::string("given"));
    QCOMPARE(doc().source()->plan()->arena_bytes, answer->arena_bytes);
  }

  void bad_files_are_reported_and_documents_stay_open() {
    open("zoo:mul_mat");
    const auto session = doc().source()->session();
    const QString empty = folder_.filePath("empty.onnx"), garbage = folder_.filePath("garbage.onnx");
    QFile(empty).open(QIODevice::WriteOnly);
    QFile file(garbage);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write(QByteArray(5000, '\x5a'));
    file.close();
    for (const QString& bad :
         {QString("/no/such/model.onnx"), empty, garbage, QString("zoo:no_such_network"), folder_.path()}) {
      doc().messages()->clear();
      window_->open(bad);
      QTRY_VERIFY_WITH_TIMEOUT(!doc().messages()->texts().isEmpty(), kPatience);
      QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->state() == RunState::Ready, kPatience);
      QCOMPARE(doc().source()->session(), session);
      QVERIFY(QApplication::activeModalWidget() == nullptr);
    }
    doc().messages()->clear();
    window_->compare_with("/no/such/recording");
    QTRY_COMPARE_WITH_TIMEOUT(doc().messages()->texts().size(), 1, kPatience);
  }

  void the_playhead_walks_by_keys_and_mouse() {
    doc().show_session(test::sample_session(), "sample");
    const int steps = doc().axis()->steps();
    QVERIFY(steps > 10);
    QTest::keyClick(window_.get(), Qt::Key_Left, Qt::ControlModifier);
    QCOMPARE(doc().axis()->current(), Step(0));
    QTest::keyClick(window_.get(), Qt::Key_Right);
    QTest::keyClick(window_.get(), Qt::Key_Right);
    QCOMPARE(doc().axis()->current(), Step(2));
    QTest::keyClick(window_.get(), Qt::Key_Left);
    QCOMPARE(doc().axis()->current(), Step(1));
    StepSlider* slider = window_->shell().playback->slider();
    QTest::mouseClick(slider, Qt::LeftButton, {}, QPoint(slider->width() / 2, slider->height() / 2));
    QVERIFY(std::abs(doc().axis()->current().value - steps / 2) <= 1);
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ShiftModifier);
    QCOMPARE(doc().axis()->current().value, slider->peak_step());
    QVERIFY(window_->shell().playback->step_text().contains(QString::number(steps)));
    const AxisMode mode = doc().axis()->mode();
    QTest::keyClick(window_.get(), Qt::Key_T);
    QVERIFY(doc().axis()->mode() != mode);
    const double length = doc().axis()->range().length();
    QTest::keyClick(window_.get(), Qt::Key_W);
    QVERIFY(doc().axis()->range().length() < length);
    QTest::keyClick(window_.get(), Qt::Key_Space);
    const Step at = doc().axis()->current();
    QTRY_VERIFY(doc().axis()->current() != at);
    QTest::keyClick(window_.get(), Qt::Key_Space);
  }

  void one_selection_and_its_history() {
    doc().show_session(test::sample_session(), "sample");
    const trace::GraphId graph = doc().source()->graph_id();
    for (int i : {1, 4, 9}) doc().selection()->select(Selection::node(graph, NodeId(i)));
    QVERIFY(
        panels().widgets().inspector->text().contains(QString::fromStdString(doc().source()->graph()->nodes[9].name)));
    QTest::keyClick(window_.get(), Qt::Key_Left, Qt::AltModifier);
    QCOMPARE(doc().selection()->current(), Selection::node(graph, NodeId(4)));
    QTest::keyClick(window_.get(), Qt::Key_Right, Qt::AltModifier);
    QCOMPARE(doc().selection()->current(), Selection::node(graph, NodeId(9)));
    QTest::keyClick(window_.get(), Qt::Key_G);
    QVERIFY(doc().selection()->current() != Selection::node(graph, NodeId(9)));
    QTest::keyClick(window_.get(), Qt::Key_Escape);
    QVERIFY(doc().selection()->current().empty());
  }

  void every_action_is_named_once_and_found() {
    QSet<QString> ids, keys;
    for (const auto& entry : window_->shell().actions->all()) {
      QVERIFY2(!ids.contains(entry.id), entry.id);
      ids.insert(entry.id);
      QVERIFY2(!entry.action->text().isEmpty() && !entry.action->toolTip().isEmpty(), entry.id);
      for (const QKeySequence& key : entry.action->shortcuts()) {
        QVERIFY2(!keys.contains(key.toString()), entry.id);
        keys.insert(key.toString());
      }
    }
    QTest::keyClick(window_.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    CommandPalette* palette = window_->shell().palette;
    QVERIFY(palette->isVisible());
    QCOMPARE(palette->shown(), static_cast<int>(window_->shell().actions->all().size()));
    auto* line = palette->findChild<QLineEdit*>();
    QTest::keyClicks(line, "layout memory");
    QVERIFY(palette->shown() >= 1 && palette->shown() < 10);
    QTest::keyClick(line, Qt::Key_Return);
    QVERIFY(!palette->isVisible());
    QVERIFY(!panels().dock(PanelId::Graph)->isVisible());
    QVERIFY(panels().dock(PanelId::Arena)->isVisible());
    window_->shell().actions->find("help.keys")->trigger();
    auto* list = window_->findChild<QDialog*>("keys")->findChild<QTableWidget*>();
    QVERIFY(list != nullptr);
    QCOMPARE(list->rowCount(), static_cast<int>(window_->shell().actions->all().size()));
  }

  void letters_typed_in_a_filter_are_not_shortcuts() {
    doc().show_session(test::sample_session(), "sample");
    auto* filter = panels().table(PanelId::Nodes)->findChild<QLineEdit*>();
    filter->setFocus();
    const Step before = doc().axis()->current();
    QTest::keyClicks(filter, "gust padf");
    QCOMPARE(filter->text(), QString("gust padf"));
    QCOMPARE(doc().axis()->current(), before);
  }

  void fit_scores_prefer_word_starts() {
    QCOMPARE(fit_score("xyz", "Run a Node"), 0);
    QVERIFY(fit_score("run", "Run") > fit_score("run", "Reset unused nodes"));
    QVERIFY(fit_score("sn", "Step Node") > fit_score("sn", "basin"));
  }

  void chinese_is_complete_and_live() {
    for (const char* name : {"zh_CN", "en"}) {
      QFile file(QStringLiteral(ARENASCOPE_SOURCE_DIR "/translations/arenascope_%1.ts").arg(name));
      QVERIFY(file.open(QIODevice::ReadOnly));
      const QByteArray text = file.readAll();
      QVERIFY(!text.contains("type=\"unfinished\""));
      QVERIFY(!text.contains("<translation></translation>") && !text.contains("<translation />"));
    }
    Preferences p = window_->shell().preferences;
    p.language = "zh_CN";
    window_->apply_preferences(p);
    QTRY_COMPARE(panels().dock(PanelId::Graph)->windowTitle(), QString("计算图"));
    QVERIFY(window_->shell().actions->find("run.run")->text().contains("运行"));
    for (const auto& entry : window_->shell().actions->all())
      QVERIFY2(entry.action->text() != QString::fromUtf8(entry.text), entry.id);
    p.language = "en";
    window_->apply_preferences(p);
    QTRY_COMPARE(panels().dock(PanelId::Graph)->windowTitle(), QString("Graph"));
  }

  void layouts_are_saved() {
    window_->shell().layouts->apply("memory");
    QVERIFY(!panels().dock(PanelId::Graph)->isVisible());
    window_->close();
    window_ = std::make_unique<MainWindow>();
    window_->show();
    QVERIFY(!panels().dock(PanelId::Graph)->isVisible());
    window_->shell().actions->find("view.layout_default")->trigger();
    QVERIFY(panels().dock(PanelId::Graph)->isVisible());
  }

  void dark_and_light() {
    Preferences p = window_->shell().preferences;
    p.theme = ThemeMode::Dark;
    window_->apply_preferences(p);
    QVERIFY(window_->theme()->dark());
    QTRY_VERIFY(window_->palette().window().color().lightness() < 100);
    p.theme = ThemeMode::Light;
    window_->apply_preferences(p);
    QTRY_VERIFY(window_->palette().window().color().lightness() > 150);
  }
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
