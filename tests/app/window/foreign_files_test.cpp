// SPDX-License-Identifier: GPL-3.0-or-later
// Files of other programs in the window: only panels with content are in sight, the layout follows the kind of the
// document and keeps the user's changes, and toolbars show only what works.
#include <views/arena/arena_view.h>
#include <views/flame/flame_view.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/timeline/timeline_view.h>
#include <QFile>
#include <QSettings>
#include <QTest>

#include "app/window/bars/status_widget.h"
#include "app/window/bars/summary_bar.h"
#include "app/window/panels/search_panel.h"
#include "tests/engine/trace/pickled.h"
#include "tests/engine/trace/sample_executorch.h"
#include "tests/engine/trace/sample_traces.h"
#include "window_fixture.h"

using namespace arenascope;
using namespace arenascope::app;
using namespace arenascope::views;

class ForeignFilesTest : public QObject, protected WindowFixture {
  Q_OBJECT

 private:
  QString write(const QString& name, const std::string& bytes) {
    const QString path = folder_.filePath(name);
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write %s", qPrintable(path));
    file.write(bytes.data(), static_cast<qint64>(bytes.size()));
    return path;
  }
  QString trace_file() { return write("spans.json", kSpans); }
  QString snapshot_file() { return write("snapshot.pickle", test::snapshot_pickle()); }
  QString moment_file() { return write("moment.pickle", test::snapshot_without_history(false)); }
  QString buffers_file() { return write("buffers.csv", "id,lower,upper,size\na,0,4,64\nb,2,6,32\nc,5,8,64\n"); }
  QStringList all_files() {
    return {trace_file(),
            write("profile.json", kProfile),
            snapshot_file(),
            moment_file(),
            buffers_file(),
            write("onnxruntime.json", test::kOnnxRuntimeProfile),
            write("chrome.json", test::kChromeJson),
            write("perfetto.pftrace", test::perfetto_trace()),
            write("iree.json", test::iree_export()),
            write("program.pte", test::executorch_program())};
  }
  void open_file(const QString& path) {
    window_->open(path);
    QTRY_VERIFY_WITH_TIMEOUT(doc().runner()->spec() == path && doc().source()->session() &&
                                 doc().content_model()->current().open && window_->documents()->opening() == nullptr,
                             kPatience);
  }
  bool is_open(PanelId panel) const { return !panels().dock(panel)->isHidden(); }
  std::vector<PanelId> open_panels() const {
    std::vector<PanelId> open;
    for (const PanelDescriptor& kind : panel_kinds())
      if (is_open(kind.id)) open.push_back(kind.id);
    return open;
  }
  // False while it is being prepared.
  template <class View>
  const auto* picture_of(PanelId panel) {
    auto* view = static_cast<View*>(plot_view(panel));
    view->prepare_now();
    return view->picture().get();
  }
  // True if a view draws anything or its table has rows, whatever has_content() states.
  bool is_filled(PanelId id) {
    if (id == PanelId::Graph) return doc().source()->graph() != nullptr && !doc().source()->graph()->nodes.empty();
    if (id == PanelId::Occupancy) {
      const auto* o = picture_of<OccupancyView>(PanelId::Occupancy);
      return o != nullptr && (!o->kinds.empty() || !o->planned.empty() || !o->live.empty());
    }
    if (id == PanelId::Arena) {
      const auto* a = picture_of<ArenaView>(PanelId::Arena);
      return a != nullptr && (!a->bodies->empty() || !a->outlines->empty());
    }
    if (id == PanelId::Lifetimes) {
      const auto* l = picture_of<LifetimesView>(PanelId::Lifetimes);
      return l != nullptr && (!l->rows.empty() || !l->spans->empty());
    }
    if (id == PanelId::Timeline) {
      const auto* t = picture_of<TimelineView>(PanelId::Timeline);
      return t != nullptr && !t->rows.empty();
    }
    if (id == PanelId::Holes || id == PanelId::Moves) return true;  // or the table states that there are none
    TablePanel* table = panels().table(id);
    if (table == nullptr) return true;  // a form or a text
    table->refresh();
    return table->model()->table() != nullptr && table->model()->table()->rows > 0;
  }

  inline static const std::string kSpans = R"({"traceEvents":[
    {"ph":"X","pid":1,"tid":1,"ts":1,"dur":5,"name":"outer"},{"ph":"X","pid":1,"tid":2,"ts":2,"dur":3,"name":"b"}]})";
  inline static const std::string kProfile = R"({"traceEvents":[
    {"ph":"X","cat":"cpu_op","pid":1,"tid":1,"ts":1,"dur":50,"name":"aten::mm","args":{}},
    {"ph":"i","s":"t","pid":1,"tid":1,"ts":10,"name":"[memory]",
     "args":{"Device Type":1,"Device Id":0,"Addr":4096,"Bytes":1024,"Total Allocated":1024,"Total Reserved":2048}},
    {"ph":"i","s":"t","pid":1,"tid":1,"ts":30,"name":"[memory]",
     "args":{"Device Type":1,"Device Id":0,"Addr":4096,"Bytes":-1024,"Total Allocated":0,"Total Reserved":2048}}]})";

 private Q_SLOTS:
  void initTestCase() { set_up("arenascope-foreign-files-test"); }
  void init() { make_window(); }
  void cleanup() { window_.reset(); }

  void every_panel_has_a_need() {
    for (const PanelDescriptor& kind : panel_kinds()) {
      QVERIFY2(has_content(kind.id, DocumentContent{}), name_of(kind.id));
      QVERIFY2(panel_named(name_of(kind.id)) == kind.id, name_of(kind.id));
    }
    QVERIFY(!panel_named("unknown"));
  }

  void no_panel_without_content_is_in_sight() {
    for (const QString& file : all_files()) {
      open_file(file);
      QVERIFY2(open_panels().size() > 1, qPrintable(file));
      for (const PanelGroup group : {PanelGroup::Model, PanelGroup::Memory, PanelGroup::Time, PanelGroup::Debug}) {
        if (!panels().arrangement().has_panels(group)) continue;
        panels().show_group(group);
        for (const PanelId id : open_panels())
          QVERIFY2(is_filled(id), qPrintable(file + QStringLiteral(": ") + QLatin1String(name_of(id))));
      }
    }
  }

  // Otherwise a panel with content would be missing.
  void panels_that_are_not_shown_are_empty() {
    for (const QString& file : all_files()) {
      open_file(file);
      for (const PanelId id : {PanelId::Graph, PanelId::Occupancy, PanelId::Arena, PanelId::Timeline, PanelId::Nodes,
                               PanelId::Blocks, PanelId::Allocators, PanelId::Pools, PanelId::Planners,
                               PanelId::Barriers, PanelId::Counters, PanelId::Problems, PanelId::Objects}) {
        if (has_content(id, doc().content_model()->current())) continue;
        const bool known =
            (id == PanelId::Graph && doc().content_model()->current().plan) ||  // a list of buffers
            (id == PanelId::Nodes && doc().content_model()->current().plan) ||
            (id == PanelId::Occupancy && !doc().content_model()->current().history);  // of a single moment
        QVERIFY2(known || !is_filled(id), qPrintable(file + QStringLiteral(": ") + QLatin1String(name_of(id))));
      }
    }
  }

  // Allocations of PyTorch are all of one kind.
  void memory_is_grouped_by_call_site() {
    open_file(snapshot_file());
    const Bytes peak = static_cast<Bytes>(doc().source()->snapshot()->all_active.highest(0, INT64_MAX)->value);
    const auto* picture = picture_of<OccupancyView>(PanelId::Occupancy);
    QCOMPARE(picture->scope, OccupancyScope::CallSites);
    Bytes sum = 0;
    QStringList layers;
    for (const auto& layer : picture->kinds) {
      sum += layer.at_peak;
      layers << QString::fromStdString(layer.call_site);
    }
    QCOMPARE(sum, peak);
    QVERIFY(layers.contains("empty empty.py:2000"));
    QVERIFY(panels().is_in_sight(PanelId::CallSites));
    TablePanel* table = panels().table(PanelId::CallSites);
    table->refresh();
    QStringList sites;
    double at_peak = 0;
    for (size_t r = 0; r < table->model()->table()->rows; ++r) {
      sites << table->model()->table()->columns[0].text(r);
      at_peak += table->model()->table()->columns[1].number(r);
    }
    QCOMPARE(static_cast<Bytes>(at_peak), peak);
    QVERIFY(sites.contains("empty empty.py:2000"));
  }

  void the_timeline_of_a_trace_has_the_whole_width() {
    open_file(trace_file());
    QTRY_VERIFY(panels().is_in_sight(PanelId::Timeline));
    QVERIFY(panels().dock(PanelId::Timeline)->width() > window_->width() * 95 / 100);
    QVERIFY(panels().dock(PanelId::Timeline)->height() > window_->height() * 45 / 100);
    QVERIFY(!is_open(PanelId::Graph) && !is_open(PanelId::Nodes) && !is_open(PanelId::Arena) &&
            !is_open(PanelId::Occupancy));
  }

  void a_flame_graph_is_shown_for_spans_and_stacks() {
    open_file(trace_file());
    QTRY_VERIFY(panels().is_in_sight(PanelId::Flame));
    auto* view = panels().widgets().flame;
    view->prepare_now();
    QVERIFY(view->weight() == trace::FlameWeight::SpanTime);
    QCOMPARE(view->canvas()->data()->tree.root().total, 8000.0);
    open_file(snapshot_file());
    panels().show(PanelId::Flame);
    view->prepare_now();
    QVERIFY(view->weight() == trace::FlameWeight::LiveAtPeak);
    QCOMPARE(view->canvas()->data()->tree.root().total,
             doc().source()->snapshot()->all_active.highest(0, INT64_MAX)->value);
    window_->documents()->show(0);
    QTRY_VERIFY(view->weight() == trace::FlameWeight::SpanTime);
    // Its table is shown on request.
    panels().show(PanelId::Flame);
    TablePanel* table = panels().table(PanelId::Flame);
    QVERIFY(table->isHidden());
    window_->shell().actions->find("view.table")->trigger();
    QVERIFY(!table->isHidden());
    table->refresh();
    QCOMPARE(table->model()->rowCount(), 4);  // two threads with a span each
  }

  void everything_is_searched() {
    open_file(snapshot_file());
    auto* search = panels().widgets().search;
    QVERIFY(!is_open(PanelId::Search));
    panels().show(PanelId::Flame);
    window_->shell().actions->find("edit.find")->trigger();
    QVERIFY(panels().is_in_sight(PanelId::Search));
    QTRY_VERIFY(search->field()->hasFocus());
    QTest::keyClicks(search->field(), "empty.py bytes>0");
    QTest::keyClick(search->field(), Qt::Key_Return);
    QTRY_VERIFY(search->table()->model()->rowCount() > 0);
    QTRY_VERIFY(!doc().selection()->current().empty());
    QCOMPARE(doc().selection()->current(), search->table()->model()->selection_of(0));
    search->field()->setText("no such name");
    QTRY_VERIFY(search->note()->text().isEmpty() && search->table()->model()->rowCount() == 0);
    search->field()->setText("bytes>x");
    QTRY_VERIFY(search->note()->text().contains("is not a size"));
    // The text belongs to the document.
    open_file(trace_file());
    QVERIFY(search->field()->text().isEmpty());
    window_->shell().actions->find("edit.find")->trigger();
    search->field()->setText("outer");
    QTRY_COMPARE(search->table()->model()->rowCount(), 1);
    window_->documents()->show(0);
    QCOMPARE(search->field()->text(), QString("bytes>x"));
    window_->shell().actions->find("edit.find")->trigger();
    QTest::keyClick(search->field(), Qt::Key_Escape);
    QVERIFY(!is_open(PanelId::Search));
    QTRY_VERIFY(panels().is_in_sight(PanelId::Flame));  // which the search had covered
  }

  void the_playback_bar_shows_only_what_works() {
    PlaybackBar* bar = window_->shell().playback;
    open_file(trace_file());
    QVERIFY(bar->isHidden());
    open_file(snapshot_file());
    QVERIFY(bar->isHidden());
    open_file(buffers_file());
    QVERIFY(!bar->isHidden());
    QVERIFY(!bar->planner_box()->isHidden());
    open("zoo:mul_mat_add_relu");
    QVERIFY(!bar->isHidden() && !bar->slider()->isHidden() && !bar->planner_box()->isHidden());
    QVERIFY(bar->y() > window_->tabs()->y());  // below the tabs
    open_file(write("onnxruntime.json", test::kOnnxRuntimeProfile));
    QVERIFY(!bar->isHidden() && !bar->slider()->isHidden());
  }

  void only_groups_that_can_be_chosen_have_a_button() {
    auto* bar = window_->findChild<SummaryBar*>();
    const auto seen = [bar] {
      QStringList texts;
      for (QToolButton* button : bar->findChildren<QToolButton*>())
        if (button->isVisible() && !button->text().isEmpty()) texts << button->text();
      return texts;
    };
    open_file(snapshot_file());
    QTRY_COMPARE(panels().arrangement().group(), PanelGroup::Memory);
    QVERIFY(!panels().arrangement().has_panels(PanelGroup::Model));
    QVERIFY(!seen().contains("Model") && !seen().contains("Time"));
    QVERIFY(seen().size() != 1);  // there is nothing to choose
    open("zoo:mul_mat_add_relu");
    QTRY_VERIFY(seen().contains("Model") && seen().contains("Memory") && seen().contains("Debug"));
  }

  // Not by the back end of the preferences.
  void the_device_is_named_as_in_the_trace() {
    auto* status = window_->findChild<StatusWidget*>();
    const auto text = [status] {
      QStringList texts;
      for (const QLabel* label : status->findChildren<QLabel*>())
        if (label->isVisible()) texts << label->text();
      return texts.join(u'\n');
    };
    open_file(snapshot_file());
    QVERIFY2(text().contains("CUDA:0"), qPrintable(text()));
    open_file(trace_file());
    QVERIFY2(!text().contains("cpu"), qPrintable(text()));
    QVERIFY2(!text().contains("lost"), qPrintable(text()));
    open("zoo:mul_mat_add_relu");
    QVERIFY2(text().contains("cpu"), qPrintable(text()));
  }

  void each_kind_keeps_its_layout_when_tabs_are_switched() {
    open("zoo:mul_mat_add_relu");
    QVERIFY(is_open(PanelId::Graph) && is_open(PanelId::Arena));
    panels().set_open(PanelId::Graph, false);
    open_file(snapshot_file());
    QCOMPARE(window_->shell().layouts->kind(), LayoutKind::Memory);
    QVERIFY(is_open(PanelId::Occupancy));
    panels().dock(PanelId::Occupancy)->close();  // its button
    QVERIFY(!is_open(PanelId::Occupancy));
    window_->documents()->show(0);
    QCOMPARE(window_->shell().layouts->kind(), LayoutKind::Model);
    QVERIFY(is_open(PanelId::Occupancy) && is_open(PanelId::Arena) && !is_open(PanelId::Graph));
    window_->documents()->show(1);
    QVERIFY(!is_open(PanelId::Occupancy) && is_open(PanelId::Arena));
    // Another file of the kind, and the next start.
    open_file(moment_file());
    QVERIFY(!is_open(PanelId::Occupancy));
    window_->close();
    window_ = std::make_unique<MainWindow>();
    window_->show();
    open_file(snapshot_file());
    QVERIFY(!is_open(PanelId::Occupancy) && is_open(PanelId::Arena));
    open("zoo:mul_mat_add_relu");
    QVERIFY(is_open(PanelId::Occupancy) && is_open(PanelId::Arena) && !is_open(PanelId::Graph));
    window_->documents()->show(0);
    window_->shell().actions->find("view.layout_reset")->trigger();
    QVERIFY(is_open(PanelId::Occupancy));
  }

  void panels_of_the_other_kind_do_not_change_the_undo_history() {
    open_file(trace_file());
    window_->shell().undo->flush();
    open("zoo:mul_mat_add_relu");
    window_->documents()->show(0);
    window_->shell().undo->flush();
    QVERIFY(!window_->shell().undo->can_go(-1));
    QVERIFY(!is_open(PanelId::Graph));
    panels().dock(PanelId::Inspector)->toggleViewAction()->trigger();
    QVERIFY(!is_open(PanelId::Inspector));
    window_->shell().undo->flush();
    window_->shell().undo->go(-1);
    QVERIFY(is_open(PanelId::Inspector) && !is_open(PanelId::Graph));
    window_->shell().undo->go(1);
    QVERIFY(!is_open(PanelId::Inspector));
  }

  // It stays open and gives the reason in one sentence.
  void a_panel_opened_from_the_menu_stays_open() {
    open_file(trace_file());
    for (const PanelId id : {PanelId::Graph, PanelId::Arena, PanelId::Occupancy, PanelId::Nodes, PanelId::Planners}) {
      panels().dock(id)->toggleViewAction()->trigger();
      QVERIFY2(is_open(id), name_of(id));
    }
    QVERIFY(is_open(PanelId::Graph) && is_open(PanelId::Arena));
    open_file(snapshot_file());
    window_->documents()->show(0);
    QVERIFY(is_open(PanelId::Graph) && is_open(PanelId::Arena) && is_open(PanelId::Occupancy));
    panels().show(PanelId::Nodes);
    QTRY_COMPARE(panels().table(PanelId::Nodes)->findChild<QTableView*>()->findChild<QLabel*>()->text(),
                 QString("This file contains no graph."));
  }

  void panels_come_with_the_content_of_a_run() {
    open("zoo:mul_mat_add_relu");
    QVERIFY(!is_open(PanelId::Compare));
    window_->compare_with(recording_of_another_run());
    QTRY_VERIFY_WITH_TIMEOUT(is_open(PanelId::Compare), kPatience);
    doc().compare_with(nullptr);
    QTRY_VERIFY(!is_open(PanelId::Compare));
  }

 private:
  QString recording_of_another_run() {
    const QString path = folder_.filePath("run.arenascope");
    if (!trace::save_recording(*doc().source()->snapshot(), path.toStdString()).ok()) qFatal("cannot save");
    return path;
  }
};

QTEST_MAIN(ForeignFilesTest)
#include "foreign_files_test.moc"
