// SPDX-License-Identifier: GPL-3.0-or-later
// Which views there are, in which docks, and the named arrangements of them.
#include <views/arena/arena_view.h>
#include <views/findings/findings_view.h>
#include <views/lesson/lesson_panel.h>
#include <views/lifetimes/lifetimes_view.h>
#include <views/occupancy/occupancy_view.h>
#include <views/planners/replan_panel.h>
#include <views/timeline/timeline_view.h>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>

#include "main_window.h"

namespace arenascope::app {

using namespace views;

QDockWidget* MainWindow::add_dock(const char* id, const char* title, QWidget* widget) {
  auto* dock = new QDockWidget(this);
  dock->setObjectName(QString::fromLatin1(id));
  dock->setWidget(widget);
  docks_[QString::fromLatin1(id)] = dock;
  dock_titles_[QString::fromLatin1(id)] = title;
  return dock;
}

void MainWindow::add_table(const char* id, const char* title, TablePanel::Maker maker) {
  auto* panel = new TablePanel(QString::fromLatin1(id) + QStringLiteral("_table"), std::move(maker), &source_,
                               &selection_, &axis_, this);
  tables_[QString::fromLatin1(id)] = panel;
  connect(panel, &TablePanel::activated, this, &MainWindow::frame_selection);
  if (qstrcmp(id, "planners") == 0) {
    auto* both = new QSplitter(Qt::Horizontal, this);  // what to plan with, and all that was planned
    auto* replan = new ReplanPanel(&theme_, both);
    both->addWidget(replan);
    both->addWidget(panel);
    both->setStretchFactor(0, 2);
    both->setStretchFactor(1, 3);
    both->setChildrenCollapsible(false);
    add_dock(id, title, both);
    return;
  }
  if (qstrcmp(id, "objects") != 0) {
    add_dock(id, title, panel);
    return;
  }
  auto* both = new QSplitter(Qt::Horizontal, this);  // the bytes, and the table that tells the same
  both->addWidget(objects_);
  both->addWidget(panel);
  both->setStretchFactor(0, 3);
  both->setStretchFactor(1, 2);
  both->setChildrenCollapsible(false);
  add_dock(id, title, both);
}

void MainWindow::make_docks() {
  setDockNestingEnabled(true);
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  const ViewContext context{&source_, &selection_, &axis_, &theme_};

  graph_ = new GraphView(&source_, &selection_, &axis_, &theme_, this);
  add_dock("graph", QT_TRANSLATE_NOOP("Docks", "Graph"), graph_);
  connect(graph_, &GraphView::context_menu_wanted, this, [this](const Selection& what, const QPoint& at) {
    if (!what.empty()) selection_.select(what);
    panel_menu(QStringLiteral("graph"), at);
  });
  inspector_ = new InspectorView(&source_, &selection_, &theme_, this);
  values_ = new TensorView(&theme_, this);
  breadcrumbs_ = new Breadcrumbs(&source_, &selection_, &axis_, &theme_, this);
  inspector_->add_above(breadcrumbs_);
  inspector_->add_below(values_);
  add_dock("inspector", QT_TRANSLATE_NOOP("Docks", "Inspector"), inspector_);
  auto plot = [&](const char* id, const char* title, PlotView* view, TablePanel::Maker maker) {
    plots_[QString::fromLatin1(id)] = view;
    connect(view, &PlotView::activated, this, [this](const Selection&) { frame_selection(); });
    view->setContextMenuPolicy(Qt::CustomContextMenu);
    const QString name = QString::fromLatin1(id);
    connect(view, &QWidget::customContextMenuRequested, this,
            [this, view, name](const QPoint& at) { panel_menu(name, view->mapToGlobal(at)); });
    auto* table = new TablePanel(name + QStringLiteral("_table"), maker, &source_, &selection_, &axis_, this);
    tables_[name] = table;
    auto* both = new QSplitter(Qt::Horizontal, this);  // the view, and when asked for the table that tells the same
    both->addWidget(view);
    both->addWidget(table);
    both->setChildrenCollapsible(false);
    both->setStretchFactor(0, 3);
    both->setStretchFactor(1, 2);
    table->hide();
    add_dock(id, title, both);
  };
  plot("occupancy", QT_TRANSLATE_NOOP("Docks", "Occupancy"), new OccupancyView(context, this), occupancy_table);
  plot("arena", QT_TRANSLATE_NOOP("Docks", "Arena Map"), new ArenaView(context, this), arena_table);
  plot("lifetimes", QT_TRANSLATE_NOOP("Docks", "Lifetimes"), new LifetimesView(context, this), lifetimes_table);
  plot("timeline", QT_TRANSLATE_NOOP("Docks", "Timeline"), new TimelineView(context, this), timeline_table);
  objects_ = new ObjectsView(&source_, &selection_, &theme_, this);
  add_table("nodes", QT_TRANSLATE_NOOP("Docks", "Nodes"), nodes_table);
  add_table("blocks", QT_TRANSLATE_NOOP("Docks", "Blocks"), blocks_table);
  add_table("objects", QT_TRANSLATE_NOOP("Docks", "Objects"), objects_table);
  add_table("barriers", QT_TRANSLATE_NOOP("Docks", "Barriers"), barriers_table);
  add_table("allocators", QT_TRANSLATE_NOOP("Docks", "Allocators"), allocators_table);
  add_table("pools", QT_TRANSLATE_NOOP("Docks", "Pools"), pools_table);
  add_table("tuning", QT_TRANSLATE_NOOP("Docks", "Tuning"), tuning_table);
  add_table("planners", QT_TRANSLATE_NOOP("Docks", "Planners"), planners_table);
  add_table("holes", QT_TRANSLATE_NOOP("Docks", "Holes"), holes_table);
  findings_ = new FindingsView(&source_, &selection_, &axis_, this);
  add_dock("findings", QT_TRANSLATE_NOOP("Docks", "Findings"), findings_);
  lesson_ = new LessonPanel(this);
  add_dock("lesson", QT_TRANSLATE_NOOP("Docks", "Lesson"), lesson_);
  add_table("compare", QT_TRANSLATE_NOOP("Docks", "Compare"), compare_table);
  add_table("problems", QT_TRANSLATE_NOOP("Docks", "Problems"), problems_table);
  break_panel_ = new BreakpointPanel(this);
  add_dock("breakpoints", QT_TRANSLATE_NOOP("Docks", "Breakpoints"), break_panel_);
  connect(break_panel_, &BreakpointPanel::changed, this, &MainWindow::set_breakpoints);
  connect(break_panel_, &BreakpointPanel::activated, this, &MainWindow::show_breakpoint);
  connect(tables_["planners"], &TablePanel::activated, this, &MainWindow::show_plan_of_row);

  setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
  setCorner(Qt::BottomRightCorner, Qt::BottomDockWidgetArea);
  show_title_bars(false);
  apply_layout(QStringLiteral("default"));
}

// The drawn views name themselves and tabs name the tables: their title bars are only needed to move them about.
void MainWindow::show_title_bars(bool on) {
  for (QDockWidget* dock : std::as_const(docks_)) {
    if (dock == docks_["graph"] || dock == docks_["inspector"] || dock == docks_["lesson"]) continue;
    QWidget* old = dock->titleBarWidget();
    QWidget* none = on ? nullptr : new QWidget(dock);
    if (none != nullptr) none->setFixedHeight(1);
    dock->setTitleBarWidget(none);
    delete old;
  }
}

void MainWindow::apply_layout(const QString& name) {
  for (QDockWidget* dock : std::as_const(docks_)) {
    removeDockWidget(dock);
    dock->setFloating(false);
  }
  QDockWidget *graph = docks_["graph"], *inspector = docks_["inspector"], *occupancy = docks_["occupancy"],
              *arena = docks_["arena"], *lifetimes = docks_["lifetimes"], *timeline = docks_["timeline"];
  addDockWidget(Qt::TopDockWidgetArea, graph);
  splitDockWidget(graph, occupancy, Qt::Horizontal);
  splitDockWidget(graph, docks_["lesson"], Qt::Vertical);
  splitDockWidget(occupancy, inspector, Qt::Horizontal);
  splitDockWidget(occupancy, arena, Qt::Vertical);
  splitDockWidget(arena, timeline, Qt::Vertical);
  tabifyDockWidget(arena, lifetimes);
  const QStringList bottom{"nodes",    "blocks", "objects",  "barriers", "allocators",  "pools",   "tuning",
                           "planners", "holes",  "findings", "compare",  "breakpoints", "problems"};
  addDockWidget(Qt::BottomDockWidgetArea, docks_["nodes"]);
  for (qsizetype i = 1; i < bottom.size(); ++i) tabifyDockWidget(docks_[bottom[i - 1]], docks_[bottom[i]]);

  const bool memory = name == u"memory", time = name == u"time", only_graph = name == u"graph",
             lesson = name == u"lesson";
  for (QDockWidget* dock : std::as_const(docks_)) dock->show();
  graph->setVisible(!memory && !time);
  docks_["lesson"]->setVisible(lesson);
  occupancy->setVisible(!only_graph);
  arena->setVisible(!only_graph && !time);
  lifetimes->setVisible(!only_graph && !time);
  timeline->setVisible(!only_graph && !memory);
  for (const QString& id : bottom) docks_[id]->setVisible(!only_graph || id == u"nodes");
  const int w = std::max(width(), 900), h = std::max(height(), 600);
  if (only_graph) {
    resizeDocks({graph, inspector}, {w * 7 / 10, w * 3 / 10}, Qt::Horizontal);
    resizeDocks({graph, docks_["nodes"]}, {h * 8 / 10, h * 2 / 10}, Qt::Vertical);
  } else {
    const int side = std::min(lesson ? 420 : 360, w / 4), right = std::min(320, w / 4);
    if (graph->isVisibleTo(this))
      resizeDocks({graph, occupancy, inspector}, {side, w - side - right, right}, Qt::Horizontal);
    else
      resizeDocks({occupancy, inspector}, {w - right, right}, Qt::Horizontal);
    const int rows = h - 250;
    if (memory)
      resizeDocks({occupancy, arena, docks_["nodes"]}, {rows * 30 / 100, rows * 70 / 100, 200}, Qt::Vertical);
    else if (time)
      resizeDocks({occupancy, timeline, docks_["nodes"]}, {rows * 35 / 100, rows * 65 / 100, 200}, Qt::Vertical);
    else
      resizeDocks({occupancy, arena, timeline, docks_["nodes"]},
                  {rows * 27 / 100, rows * 46 / 100, rows * 27 / 100, 200}, Qt::Vertical);
  }
  if (lesson) resizeDocks({graph, docks_["lesson"]}, {(h - 250) * 45 / 100, (h - 250) * 55 / 100}, Qt::Vertical);
  arena->raise();
  docks_[time ? "barriers" : memory ? "blocks" : "nodes"]->raise();
  QSettings().setValue("window/layout", name);
  panels_moved_ = true;
  note_timer_.start();
}

void MainWindow::save_state() {
  QSettings settings;
  settings.setValue("window/geometry", saveGeometry());
  settings.setValue("window/state", saveState(2));
}

void MainWindow::restore_state() {
  const QSettings settings;
  if (!restoreGeometry(settings.value("window/geometry").toByteArray())) resize(1600, 900);
  if (!restoreState(settings.value("window/state").toByteArray(), 2))
    apply_layout(settings.value("window/layout", "default").toString());
}

}  // namespace arenascope::app
