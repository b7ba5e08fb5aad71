// SPDX-License-Identifier: GPL-3.0-or-later
// The view of a document does not appear in other tabs, and is restored with the session of the window after a quit or a
// crash.
#include <QJsonArray>
#include <QLineEdit>
#include <QTest>

#include <views/arena/arena_view.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/timeline/timeline_view.h>

#include "app/window/panels/search_panel.h"
#include "app/window/window_session.h"
#include "sample_session.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class SessionTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  QString recording(const char* name) {
    const QString path = folder_.filePath(QString::fromLatin1(name));
    return trace::save_recording(*test::sample_session()->snapshot(), path.toStdString()).ok() ? path : QString();
  }
  template <class View>
  View& plot(const char* id) {
    return *panels().find<View>(id);
  }
  TablePanel::ViewState nodes() { return panels().table("nodes")->view_state(); }
  // Every choice of the views differs from its default.
  void choose() {
    plot<OccupancyView>("occupancy").set_scope(OccupancyScope::Kinds);
    plot<OccupancyView>("occupancy").set_show_plan_outline(true);
    plot<ArenaView>("arena").set_colour(ArenaColour::Age);
    plot<ArenaView>("arena").set_shown(ArenaMode::Spaces, {SpaceChoice::Of::All});
    plot<LifetimesView>("lifetimes").set_show_plan_outline(true);
    plot<TimelineView>("timeline").pin_row("worker 1", true);
    panels().table("nodes")->findChild<QLineEdit*>()->setText("relu");
    panels().table("nodes")->table_view()->sortByColumn(2, Qt::DescendingOrder);
    panels().find<SearchPanel>("search")->field()->setText("conv");
  }
  bool is_chosen() {
    return plot<OccupancyView>("occupancy").view_state() == OccupancyView::ViewState{OccupancyScope::Kinds, true} &&
           plot<ArenaView>("arena").view_state() ==
               ArenaView::ViewState{ArenaMode::Spaces, {SpaceChoice::Of::All}, false, ArenaColour::Age} &&
           plot<LifetimesView>("lifetimes").view_state().plan_outline &&
           plot<TimelineView>("timeline").view_state().pinned == std::set<std::string>{"worker 1"} &&
           nodes() == TablePanel::ViewState{"relu", 2, Qt::DescendingOrder} &&
           panels().find<SearchPanel>("search")->field()->text() == u"conv";
  }
  bool is_default() {
    return plot<OccupancyView>("occupancy").view_state() == OccupancyView::ViewState() &&
           plot<ArenaView>("arena").view_state() == ArenaView::ViewState() &&
           plot<LifetimesView>("lifetimes").view_state() == LifetimesView::ViewState() &&
           plot<TimelineView>("timeline").view_state() == TimelineView::ViewState() && nodes().filter.isEmpty() &&
           panels().find<SearchPanel>("search")->field()->text().isEmpty();
  }
  // As after a restart of the program: only the settings remain.
  void next_window() {
    window_.reset();
    window_ = std::make_unique<MainWindow>();
    window_->resize(1600, 900);
    window_->show();
  }

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-session-test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void choices_do_not_appear_in_other_tabs() {
    open(recording("a.arenascope"));
    choose();
    QVERIFY(is_chosen());
    open(recording("b.arenascope"));
    QVERIFY(is_default());
    window_->documents()->show(0);
    QVERIFY(is_chosen());
    window_->documents()->show(1);
    QVERIFY(is_default());
  }

  void a_state_survives_storage() {
    QCOMPARE(ViewState::from_json(QJsonObject()), ViewState());
    ViewState state;
    state.axis = AxisMode::Time;
    state.range = AxisRange{12.5, 1e9};
    state.graph = {{1, 5}, GraphColour::Column, 3, "conv", 0.75, {12, -4}};
    state.flame = {trace::FlameWeight::NodeWait, false, true, {"main", "idle/x"}, "a"};
    state.occupancy = {OccupancyScope::CallSites, true};
    state.arena = {ArenaMode::Spaces, {SpaceChoice::Of::Allocator, 4'000'000'000}, true, ArenaColour::Time};
    state.lifetimes = {ArenaMode::Arena, {SpaceChoice::Of::All}, true};
    state.timeline.pinned = {"worker 0", "x"};
    state.tables["nodes"] = {"relu", 4, Qt::DescendingOrder};
    state.search = "/a.b/";
    state.mark = TimeRangeSelection{5, 4'000'000'000'000};
    state.selected = NodeSelection{trace::GraphId(1), trace::TensorRef::leaf(LeafId(7))};
    QCOMPARE(ViewState::from_json(state.to_json()), state);
    // Values out of range have their defaults.
    QJsonObject damaged = state.to_json();
    damaged["axis"] = 77;
    damaged["range"] = QJsonArray{5, 1};
    damaged["arena"] = QJsonObject{{"mode", -3}, {"colour", 99}};
    const ViewState read = ViewState::from_json(damaged);
    QCOMPARE(read.axis, AxisMode::Step);
    QVERIFY(!read.range);
    QCOMPARE(read.arena, ArenaView::ViewState());
  }

  void documents_and_their_views_are_restored() {
    const QString a = recording("a.arenascope"), b = recording("b.arenascope");
    open(a);
    open(b);
    window_->shell().session->begin();
    choose();
    doc().axis()->set_mode(AxisMode::Time);
    const AxisRange all = doc().axis()->range();
    const AxisRange zoomed{all.lo + all.length() * 0.25, all.lo + all.length() * 0.5};
    doc().axis()->set_range(zoomed);
    doc().selection()->select(Selection::node(doc().source()->graph_id(), NodeId(9)));
    window_->documents()->show(0);
    window_->shell().session->save();
    next_window();
    window_->shell().session->restore();
    QTRY_COMPARE_WITH_TIMEOUT(window_->documents()->size(), size_t{2}, kPatience);
    QTRY_VERIFY_WITH_TIMEOUT(window_->documents()->opening() == nullptr, kPatience);
    QCOMPARE(doc().spec(), a);
    QVERIFY(is_default());
    window_->documents()->show(1);
    QCOMPARE(doc().spec(), b);
    QTRY_VERIFY_WITH_TIMEOUT(is_chosen(), kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(doc().axis()->mode(), AxisMode::Time, kPatience);
    QTRY_COMPARE_WITH_TIMEOUT(doc().axis()->range(), zoomed, kPatience);
    QCOMPARE(doc().selection()->current(), Selection::node(doc().source()->graph_id(), NodeId(9)));
  }

  // A missing file is reported and not opened again; the others are restored.
  void a_file_that_is_gone_is_left_out() {
    const QString a = recording("gone.arenascope"), b = recording("b.arenascope");
    open(a);
    open(b);
    window_->shell().session->begin();
    window_->shell().session->save();
    QVERIFY(QFile::remove(a));
    next_window();
    window_->shell().session->restore();
    QTRY_COMPARE_WITH_TIMEOUT(doc().spec(), b, kPatience);
    QCOMPARE(window_->documents()->size(), size_t{1});
    window_->shell().session->begin();
    window_->shell().session->save();
    QVERIFY(!Settings::value("session/documents").toString().contains("gone"));
    QVERIFY(Settings::value("session/documents").toString().contains("b.arenascope"));
  }

  // A second program neither opens the documents of the first one nor replaces its session.
  void a_running_program_keeps_its_session() {
    const QString a = recording("a.arenascope");
    open(a);
    window_->shell().session->begin();
    window_->shell().session->save();
    const QVariant stored = Settings::value("session/documents");
    Settings::set("session/process", 1);  // init
    next_window();
    window_->shell().session->restore();
    window_->shell().session->begin();
    window_->shell().session->save();
    QVERIFY(window_->documents()->opening() == nullptr && doc().empty());
    QCOMPARE(Settings::value("session/documents"), stored);
  }
};

QTEST_MAIN(SessionTest)
#include "session_test.moc"
