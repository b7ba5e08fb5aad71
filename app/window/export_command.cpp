// SPDX-License-Identifier: GPL-3.0-or-later
#include "export_command.h"

#include "app/common/left_out.h"

#include <arenascope/base/output_file.h>
#include <arenascope/base/printable.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QPainter>

#include <cstdio>

#include <views/common/plot_view.h>
#include <views/findings/findings_view.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>
#include <views/planners/replan_panel.h>

#include "lesson_player.h"
#include "main_window.h"
#include "panels/graph_columns.h"
#include "panels/widget_image.h"
#include "wait_until.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kLong = 600'000;  // milliseconds

void print_line(const QString& message) {
  std::fprintf(stderr, "arenascope: %s\n", printable(message.toStdString()).c_str());
}

int fail(const QString& message, int status) {
  print_line(message);
  return status;
}

// Prepares the window for the export step by step. The functions return false on failure; error() has the reason.
class Exporter {
 public:
  explicit Exporter(const ExportOptions& options) : options_(options) {}
  bool open();
  bool run();
  bool arrange();
  bool plan();
  bool compare();
  bool find_savings();
  Status draw();
  bool is_complete();
  const QString& error() const { return error_; }

 private:
  Document& document() { return window_.document(); }
  GraphView* graph() { return window_.shell().panels->widgets().graph; }
  bool choose_graph();
  bool select();
  QSize size();
  std::vector<std::filesystem::path> inputs() const {
    return {options_.spec.toStdString(), options_.compare.toStdString()};
  }
  Status write_table();
  // Waits for a signal that begin() triggers.
  template <class Sender, class Signal>
  bool wait_for(Sender* sender, Signal signal, const std::function<void()>& begin, int ms) {
    bool emitted = false;
    const auto connection = QObject::connect(sender, signal, [&] { emitted = true; });
    begin();
    wait_until([&] { return emitted || !error_.isEmpty(); }, ms);
    QObject::disconnect(connection);
    return error_.isEmpty();
  }

  const ExportOptions& options_;
  const std::optional<PanelId> panel_ = panel_named(options_.view.toStdString());  // nullopt: the whole window
  MainWindow window_;
  QString error_;
};

bool Exporter::open() {
  Shell& shell = window_.shell();
  window_.keep_no_copies();
  window_.theme()->set_mode(options_.theme);
  QApplication::setPalette(window_.theme()->palette());
  window_.resize(options_.size);
  shell.layouts->fix(options_.layout);
  window_.show();
  QObject::connect(&document(), &Document::failed, [this](const QString& message) { error_ = message; });
  QObject::connect(&document(), &Document::noted, [](const Message& note) { print_line(note.text); });
  if (!wait_for(
          &document(), &Document::opened, [this] { window_.open(options_.spec); }, kLong))
    return false;
  if (panel_) shell.panels->raise(*panel_);
  return true;
}

// Opening started the first run; more runs stabilise the mean values.
bool Exporter::run() {
  RunController* runner = document().runner();
  for (int run = 0; run < options_.runs && runner->has_model(); ++run) {
    if (run > 0) runner->run(false);
    const size_t count = static_cast<size_t>(run) + 1;
    wait_until(
        [&] {
          const auto runs = runner->session()->snapshot()->runs;
          return !error_.isEmpty() || (runs.size() >= count && runs[count - 1].finished);
        },
        kLong);
    if (!error_.isEmpty()) return false;
  }
  wait_until([&] { return runner->state() != RunState::Running; }, 5'000);
  document().source()->refresh();
  return true;
}

// False: events of the file are missing in the picture. A note that was printed states which.
bool Exporter::is_complete() { return left_out(*document().source()->snapshot()).empty(); }

bool Exporter::choose_graph() {
  if (options_.graph < 0) return true;
  const size_t graphs = document().source()->snapshot()->graphs.size();
  if (static_cast<size_t>(options_.graph) >= graphs) {
    error_ =
        QStringLiteral("no graph %1; %2 has %3, counted from 0").arg(options_.graph).arg(options_.spec).arg(graphs);
    return false;
  }
  document().source()->choose_graph(trace::GraphId(options_.graph));
  return true;
}

bool Exporter::arrange() {
  if (!choose_graph()) return false;
  static const QStringList kColours{"state", "op", "backend", "time", "bytes", "block", "difference"};
  if (const qsizetype colour = kColours.indexOf(options_.colour); colour >= 0)
    graph()->set_colour(static_cast<GraphColour>(colour));
  else if (const qsizetype column = graph_columns().titles(*document().source()).indexOf(options_.colour); column >= 0)
    graph()->colours()->choose(GraphColour::Column, static_cast<int>(column));
  if (options_.expand) graph()->expand_all();
  wait_until([&] { return !graph()->layout_job()->running(); }, 30'000);
  if (!select()) return false;
  if (options_.time) document().axis()->set_mode(AxisMode::Time);
  return true;
}

// Selects a node by name; "peak" selects the node at the peak. By default nothing is selected and the playhead is at
// the peak.
bool Exporter::select() {
  const trace::GraphInfo* info = document().source()->graph();
  const trace::PlanInfo* plan = document().source()->plan();
  const int32_t peak = window_.shell().playback->slider()->peak_step();
  if (peak >= 0) document().axis()->set_current(Step(peak));
  if (options_.select.isEmpty()) return true;
  NodeId node;
  if (options_.select == u"peak" && plan != nullptr && peak >= 0 && static_cast<size_t>(peak) < plan->order.size())
    node = plan->order[static_cast<size_t>(peak)];
  else if (info != nullptr)
    node = info->find_named(options_.select.toStdString());
  if (info != nullptr && node.valid() && node.index() < info->nodes.size()) {
    document().selection()->select(Selection::node(info->id, node));
    return true;
  }
  error_ = QStringLiteral("no node '%1' to select").arg(options_.select);
  return false;
}

bool Exporter::plan() {
  Replanning* replanning = &document().jobs().replanning;
  if (document().source()->graph() == nullptr) return true;
  if (!options_.planner.isEmpty() || !options_.order.isEmpty()) {
    PlanRequest request = replanning->request();
    if (!options_.planner.isEmpty()) request.planner = options_.planner;
    if (!options_.order.isEmpty()) request.order = options_.order;
    if (!wait_for(
            replanning, &Replanning::finished, [&] { replanning->plan(request); }, kLong))
      return false;
  }
  if (panel_ != PanelId::Planners) return true;
  PlanRequest all = replanning->request();
  all.budget_seconds = 0.5;  // per plan
  replanning->set_request(all);
  return wait_for(
      replanning, &Replanning::finished, [&] { replanning->plan_all(); }, 120'000);
}

bool Exporter::compare() {
  if (options_.compare.isEmpty()) return true;
  return wait_for(
      &document(), &Document::compared, [this] { window_.compare_with(options_.compare); }, kLong);
}

bool Exporter::find_savings() {
  Panels& panels = *window_.shell().panels;
  if (panel_ == PanelId::Findings) {
    auto* findings = panels.widgets().findings;
    wait_for(
        findings, &FindingsView::found, [&] { findings->start_search(); }, 120'000);
  }
  if (panel_ == PanelId::Lesson)
    wait_for(
        window_.lesson_player(), &LessonPlayer::done, [&] { panels.widgets().lesson->begin(lessons().front()); },
        120'000);
  if (!panel_) prepare_plots(panels);
  QElapsedTimer settle;
  settle.start();
  wait_until([&] { return settle.elapsed() > 400; }, 500);
  return true;
}

QSize Exporter::size() {
  if (panel_ != PanelId::Graph || options_.size_given) return options_.size;
  const auto& layout = graph()->canvas()->scene().layout;
  QSize size = (layout ? layout->bounds.size() : QSizeF(options_.size)).toSize() + QSize(24, 24);
  if (const int longest = std::max(size.width(), size.height()); longest > 16'000) size = size * (16'000.0 / longest);
  return size.expandedTo(QSize(64, 64));
}

Status Exporter::write_table() {
  const auto csv = panel_ ? window_.shell().output->csv_maker(*panel_) : nullptr;
  if (!csv) return Error{options_.view.toStdString() + " has no table to export as CSV"};
  return write_text(csv(), options_.output, inputs());
}

Status Exporter::draw() {
  if (options_.output.endsWith(u".csv", Qt::CaseInsensitive)) return write_table();
  if (!panel_) {
    WidgetImage window(&window_);
    return export_picture(window, options_.output, options_.size, options_.scale, inputs());
  }
  if (Paintable* picture = window_.shell().panels->parts(*panel_).picture)
    return export_picture(*picture, options_.output, size(), options_.scale, inputs());
  QDockWidget* dock = window_.shell().panels->dock(*panel_);
  QWidget* widget = dock->widget();
  dock->setWidget(nullptr);
  widget->setParent(nullptr);
  widget->resize(options_.size);
  widget->show();
  QElapsedTimer settle;
  settle.start();
  wait_until([&] { return settle.elapsed() > 200; }, 300);
  WidgetImage panel(widget);
  const Status done = export_picture(panel, options_.output, options_.size, options_.scale, inputs());
  dock->setWidget(widget);  // owned by the window
  return done;
}

}  // namespace

QStringList export_views() {
  QStringList views;
  for (const PanelDescriptor& kind : panel_kinds()) views << QString::fromLatin1(name_of(kind.id));
  return views << QStringLiteral("window");
}

int run_export(const ExportOptions& options) {
  if (!export_views().contains(options.view))
    return fail(
        QStringLiteral("unknown view '%1'; available: %2").arg(options.view, export_views().join(QStringLiteral(", "))),
        2);
  const std::filesystem::path inputs[] = {options.spec.toStdString(), options.compare.toStdString()};
  if (auto ok = OutputFile::check(options.output.toStdString(), inputs); !ok)
    return fail(QString::fromStdString(ok.error().message), 1);
  Exporter exporter(options);
  if (!exporter.open()) return fail(exporter.error(), 2);
  if (!exporter.run()) return fail(exporter.error(), 1);
  if (!exporter.arrange() || !exporter.plan() || !exporter.compare() || !exporter.find_savings())
    return fail(exporter.error(), 2);
  if (auto drawn = exporter.draw(); !drawn) return fail(QString::fromStdString(drawn.error().message), 1);
  return exporter.is_complete() ? 0 : 1;
}

}  // namespace arenascope::app
