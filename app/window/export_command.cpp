// SPDX-License-Identifier: GPL-3.0-or-later
#include "export_command.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEventLoop>
#include <QPainter>

#include <cstdio>

#include <views/common/plot_view.h>

#include <views/findings/findings_view.h>
#include <views/lesson/lesson_panel.h>
#include <views/planners/replan_panel.h>

#include "compare_loader.h"
#include "lesson_guide.h"
#include "main_window.h"
#include "replan_desk.h"
#include "widget_picture.h"

namespace arenascope::app {

using namespace views;

namespace {

bool wait_until(const std::function<bool()>& done, int ms) {
  QElapsedTimer timer;
  timer.start();
  while (!done() && timer.elapsed() < ms)
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents | QEventLoop::AllEvents, 20);
  return done();
}

int complain(const QString& sentence, int status) {
  std::fprintf(stderr, "arenascope: %s\n", qUtf8Printable(sentence));
  return status;
}

}  // namespace

QStringList export_views() {
  return {"graph", "occupancy", "arena",    "lifetimes",  "timeline", "objects", "inspector",
          "nodes", "blocks",    "barriers", "allocators", "pools",    "tuning",  "planners",
          "holes", "findings",  "compare",  "lesson",     "problems", "window"};
}

int run_export(const ExportOptions& options) {
  if (!export_views().contains(options.view))
    return complain(QStringLiteral("there is no view '%1'; there are %2")
                        .arg(options.view, export_views().join(QStringLiteral(", "))),
                    2);
  MainWindow window;
  window.keep_no_copies();
  window.theme()->set_mode(options.theme);
  QApplication::setPalette(window.theme()->palette());
  window.resize(options.size);
  window.apply_layout(options.layout.isEmpty() ? QStringLiteral("default") : options.layout);
  QDockWidget* dock = window.dock(options.view);
  const bool in_window = options.view == u"window";
  window.show();
  if (dock != nullptr) {
    dock->show();
    dock->raise();
  }

  QString error;
  bool ready = false;
  QObject::connect(window.controller(), &RunController::failed, [&](const QString& sentence) { error = sentence; });
  QObject::connect(window.compare_loader(), &CompareLoader::failed, [&](const QString& sentence) { error = sentence; });
  QObject::connect(window.controller(), &RunController::opened, [&] { ready = true; });
  window.open(options.spec);
  wait_until([&] { return ready || !error.isEmpty(); }, 600'000);
  if (!ready) return complain(error, 2);
  RunController* controller = window.controller();
  // The first run was started by opening; more of them steady the means.
  for (int run = 0; run < options.runs && controller->has_model(); ++run) {
    if (run > 0) controller->run_once();
    const size_t wanted = static_cast<size_t>(run) + 1;
    wait_until(
        [&] {
          const auto runs = controller->session()->snapshot()->runs;
          return !error.isEmpty() || (runs.size() >= wanted && runs[wanted - 1].finished);
        },
        600'000);
    if (!error.isEmpty()) return complain(error, 1);
  }
  wait_until([&] { return controller->state() != RunState::Running; }, 5'000);
  window.source()->refresh();

  static const QStringList kColours{"state", "op", "backend", "time", "bytes", "block"};
  if (const qsizetype colour = kColours.indexOf(options.colour); colour >= 0)
    window.graph_view()->set_colour(static_cast<GraphColour>(colour));
  if (options.expand) window.graph_view()->expand_all();
  wait_until([&] { return !window.graph_view()->layout_job()->running(); }, 30'000);
  if (const trace::GraphInfo* graph = window.source()->graph(); graph != nullptr && !options.select.isEmpty()) {
    for (size_t i = 0; i < graph->nodes.size(); ++i)
      if (graph->nodes[i].name == options.select.toStdString())
        window.selection()->select(Selection::node(graph->id, NodeId(i)));
  } else if (window.axis()->steps() > 0) {
    window.axis()->set_current(Step(window.playback()->slider()->peak_step()));
  }
  if (options.time) window.axis()->set_mode(AxisMode::Time);
  if ((!options.planner.isEmpty() || !options.order.isEmpty()) && window.source()->graph() != nullptr) {
    ReplanWish wish = window.replan_desk()->panel()->wish();
    if (!options.planner.isEmpty()) wish.planner = options.planner;
    if (!options.order.isEmpty()) wish.order = options.order;
    bool planned = false;
    QObject::connect(window.replan_desk(), &ReplanDesk::failed, [&](const QString& sentence) { error = sentence; });
    QObject::connect(window.replan_desk(), &ReplanDesk::finished, [&] { planned = true; });
    window.replan_desk()->plan(wish);
    wait_until([&] { return planned; }, 600'000);
    if (!error.isEmpty()) return complain(error, 2);
  }
  if (!options.compare.isEmpty()) {
    window.compare_with(options.compare);
    wait_until([&] { return window.source()->comparison() != nullptr || !error.isEmpty(); }, 600'000);
    if (!error.isEmpty()) return complain(error, 2);
  }
  if (options.view == u"planners" && window.source()->graph() != nullptr) {
    bool planned = false;
    QObject::connect(window.replan_desk(), &ReplanDesk::finished, [&] { planned = true; });
    window.replan_desk()->plan_all();
    wait_until([&] { return planned; }, 120'000);
  }
  if (options.view == u"findings") {
    bool found = false;
    QObject::connect(window.findings(), &FindingsView::found, [&] { found = true; });
    window.findings()->look();
    wait_until([&] { return found; }, 120'000);
  }
  if (options.view == u"lesson") {
    bool done = false;
    QObject::connect(window.lesson_guide(), &LessonGuide::done, [&] { done = true; });
    window.lesson()->begin(lessons().front());
    wait_until([&] { return done; }, 120'000);
  }
  for (const char* id : {"occupancy", "arena", "lifetimes", "timeline"})
    if (in_window && window.plot_view(QString::fromLatin1(id))->isVisible())
      window.plot_view(QString::fromLatin1(id))->prepare_now();
  QElapsedTimer settle;
  settle.start();
  wait_until([&] { return settle.elapsed() > 400; }, 500);

  WidgetPicture whole(&window);
  std::unique_ptr<WidgetPicture> panel;
  Paintable* picture = &whole;
  if (options.view == u"graph")
    picture = window.graph_view();
  else if (options.view == u"objects")
    picture = window.objects_view();
  else if (PlotView* plot = window.plot_view(options.view))
    picture = plot;
  else if (!in_window) {
    QWidget* widget = dock->widget();
    dock->setWidget(nullptr);
    widget->setParent(nullptr);
    widget->resize(options.size);
    widget->show();
    wait_until([&] { return settle.elapsed() > 600; }, 300);
    panel = std::make_unique<WidgetPicture>(widget);
    picture = panel.get();
  }
  QSize size = options.size;
  if (options.view == u"graph" && !options.size_given) {
    const QSizeF whole_graph = window.graph_view()->canvas()->scene().layout
                                   ? window.graph_view()->canvas()->scene().layout->bounds.size()
                                   : QSizeF(size);
    size = whole_graph.toSize() + QSize(24, 24);
    if (const int longest = std::max(size.width(), size.height()); longest > 16'000) size = size * (16'000.0 / longest);
    size = size.expandedTo(QSize(64, 64));
  }
  const auto ok = export_picture(*picture, options.output, size, options.scale);
  return ok ? 0 : complain(QString::fromStdString(ok.error().message), 1);
}

}  // namespace arenascope::app
