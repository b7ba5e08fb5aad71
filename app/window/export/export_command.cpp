// SPDX-License-Identifier: GPL-3.0-or-later
#include "export_command.h"

#include "app/common/left_out.h"

#include <arenascope/base/output_file.h>
#include <arenascope/base/printable.h>

#include <QApplication>
#include <QElapsedTimer>
#include <QPainter>

#include <cstdio>

#include <views/common/plan_peak.h>
#include <views/common/plot_view.h>
#include <views/lesson/lesson.h>
#include <views/lesson/lesson_panel.h>

#include "app/window/events/wait_until.h"
#include "app/window/lessons/lesson_player.h"
#include "app/window/main_window.h"
#include "app/window/panels/graph_columns.h"
#include "app/window/panels/panel_csv.h"
#include "app/window/panels/widget_image.h"

namespace arenascope::app {

using namespace views;

namespace {

constexpr int kLong = 600'000;          // milliseconds
constexpr double kFindingsSeconds = 8;  // search time limit

void print_line(const QString& message) {
  std::fprintf(stderr, "arenascope: %s\n", printable(message.toStdString()).c_str());
}

int fail(const QString& message, int status) {
  print_line(message);
  return status;
}

// nullopt: the whole window.
std::optional<PanelId> exported_panel(const ExportOptions& options) { return panel_named(options.view.toStdString()); }

std::vector<std::filesystem::path> inputs_of(const ExportOptions& options) {
  return {options.spec.toStdString(), options.compare.toStdString()};
}

// Brings a document into the state to export. The functions return false on failure; error() has the reason.
class ExportedDocument {
 public:
  ExportedDocument(Documents& documents, const ExportOptions& options) : documents_(documents), options_(options) {}
  bool open();
  bool run();
  bool choose_graph();
  bool select();
  bool plan();
  bool compare();
  bool find_savings();
  bool is_complete();
  Document& document() { return documents_.current(); }
  const QString& error() const { return error_; }

 private:
  RunSettings settings() const;
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

  Documents& documents_;
  const ExportOptions& options_;
  QString error_;
};

// Nothing is saved for recovery.
RunSettings ExportedDocument::settings() const {
  RunSettings settings = Preferences::load().run;
  settings.autosave = false;
  return settings;
}

bool ExportedDocument::open() {
  QObject::connect(&document(), &Document::failed, [this](const QString& message) { error_ = message; });
  QObject::connect(&document(), &Document::noted, [](const Message& note) { print_line(note.text); });
  return wait_for(
      &document(), &Document::opened, [this] { documents_.open(options_.spec, settings()); }, kLong);
}

// Opening started the first run; more runs stabilise the mean values.
bool ExportedDocument::run() {
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
bool ExportedDocument::is_complete() { return left_out(*document().source()->snapshot()).empty(); }

bool ExportedDocument::choose_graph() {
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

// Selects a node by name; "peak" selects the node at the peak. By default nothing is selected and the playhead is at
// the peak.
bool ExportedDocument::select() {
  const trace::GraphInfo* info = document().source()->graph();
  const trace::PlanInfo* plan = document().source()->plan();
  const Step peak = peak_of(plan).step;
  if (peak.valid()) document().axis()->set_current(peak);
  if (options_.time) document().axis()->set_mode(AxisMode::Time);
  if (options_.select.isEmpty()) return true;
  NodeId node;
  if (options_.select == u"peak" && plan != nullptr && peak.valid() && peak.index() < plan->order.size())
    node = plan->order[peak.index()];
  else if (info != nullptr)
    node = info->find_named(options_.select.toStdString());
  if (info != nullptr && node.valid() && node.index() < info->nodes.size()) {
    document().selection()->select(Selection::node(info->id, node));
    return true;
  }
  error_ = QStringLiteral("no node '%1' to select").arg(options_.select);
  return false;
}

bool ExportedDocument::plan() {
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
  if (exported_panel(options_) != PanelId::Planners) return true;
  PlanRequest all = replanning->request();
  all.budget_seconds = 0.5;  // per plan
  replanning->set_request(all);
  return wait_for(
      replanning, &Replanning::finished, [&] { replanning->plan_all(); }, 120'000);
}

bool ExportedDocument::compare() {
  if (options_.compare.isEmpty()) return true;
  return wait_for(
      &document(), &Document::compared, [this] { document().jobs().comparing.load(options_.compare, settings()); },
      kLong);
}

bool ExportedDocument::find_savings() {
  if (exported_panel(options_) != PanelId::Findings) return true;
  return wait_for(
      &document().jobs().findings, &FindingsSearch::found,
      [this] { document().jobs().findings.start(kFindingsSeconds); }, 120'000);
}

// Writes the table of a panel, without a window.
class TableExport {
 public:
  explicit TableExport(const ExportOptions& options) : options_(options) {}
  bool prepare() {
    return state_.open() && state_.run() && state_.choose_graph() && state_.plan() && state_.compare() &&
           state_.select() && state_.find_savings();
  }
  Status write();
  ExportedDocument& state() { return state_; }

 private:
  const ExportOptions& options_;
  Theme theme_;
  Documents documents_{&theme_};
  ExportedDocument state_{documents_, options_};
};

Status TableExport::write() {
  const auto panel = exported_panel(options_);
  const auto csv = panel ? csv_of_panel(*panel, state_.document()) : nullptr;
  if (!csv) return Error{options_.view.toStdString() + " has no table to export as CSV"};
  return write_text(csv(), options_.output, inputs_of(options_));
}

// Draws a panel or the window.
class PictureExport {
 public:
  explicit PictureExport(const ExportOptions& options) : options_(options) {}
  bool prepare() {
    set_up_window();
    if (!state_.open()) return false;
    if (panel_) window_.shell().panels->raise(*panel_);
    return state_.run() && state_.choose_graph() && arrange_graph() && state_.select() && state_.plan() &&
           state_.compare() && state_.find_savings() && settle();
  }
  Status write();
  ExportedDocument& state() { return state_; }

 private:
  void set_up_window();
  bool arrange_graph();
  bool settle();
  QSize size();
  GraphView* graph() { return window_.shell().panels->widgets().graph; }

  const ExportOptions& options_;
  const std::optional<PanelId> panel_ = exported_panel(options_);  // nullopt: the whole window
  MainWindow window_;
  ExportedDocument state_{*window_.documents(), options_};
};

void PictureExport::set_up_window() {
  window_.theme()->set_mode(options_.theme);
  QApplication::setPalette(window_.theme()->palette());
  window_.resize(options_.size);
  window_.shell().layouts->fix(options_.layout);
  window_.show();
}

bool PictureExport::arrange_graph() {
  static const QStringList kColours{"state", "op", "backend", "time", "bytes", "block", "difference"};
  SessionSource& source = *state_.document().source();
  if (const qsizetype colour = kColours.indexOf(options_.colour); colour >= 0)
    graph()->set_colour(static_cast<GraphColour>(colour));
  else if (const qsizetype column = graph_columns().titles(source).indexOf(options_.colour); column >= 0)
    graph()->colours()->choose(GraphColour::Column, static_cast<int>(column));
  if (options_.expand) graph()->expand_all();
  wait_until([&] { return !graph()->layout_job()->running(); }, 30'000);
  return true;
}

bool PictureExport::settle() {
  if (panel_ == PanelId::Lesson) {
    bool played = false;
    QObject::connect(window_.lesson_player(), &LessonPlayer::done, &window_, [&] { played = true; });
    window_.shell().panels->widgets().lesson->begin(lessons().front());
    wait_until([&] { return played; }, 120'000);
    window_.lesson_player()->disconnect(&window_);
  }
  if (!panel_) prepare_plots(*window_.shell().panels);
  QElapsedTimer settle;
  settle.start();
  wait_until([&] { return settle.elapsed() > 400; }, 500);
  return true;
}

QSize PictureExport::size() {
  if (panel_ != PanelId::Graph || options_.size_given) return options_.size;
  const auto& layout = graph()->canvas()->scene().layout;
  QSize size = (layout ? layout->bounds.size() : QSizeF(options_.size)).toSize() + QSize(24, 24);
  if (const int longest = std::max(size.width(), size.height()); longest > 16'000) size = size * (16'000.0 / longest);
  return size.expandedTo(QSize(64, 64));
}

Status PictureExport::write() {
  if (!panel_) {
    WidgetImage window(&window_);
    return export_picture(window, options_.output, options_.size, options_.scale, inputs_of(options_));
  }
  if (Paintable* picture = window_.shell().panels->parts(*panel_).picture)
    return export_picture(*picture, options_.output, size(), options_.scale, inputs_of(options_));
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
  const Status done = export_picture(panel, options_.output, options_.size, options_.scale, inputs_of(options_));
  dock->setWidget(widget);  // owned by the window
  return done;
}

template <class Export>
int export_with(const ExportOptions& options) {
  Export exporter(options);
  if (!exporter.prepare()) return fail(exporter.state().error(), 2);
  if (auto written = exporter.write(); !written) return fail(QString::fromStdString(written.error().message), 1);
  return exporter.state().is_complete() ? 0 : 1;
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
  if (auto ok = OutputFile::check(options.output.toStdString(), inputs_of(options)); !ok)
    return fail(QString::fromStdString(ok.error().message), 1);
  return options.output.endsWith(u".csv", Qt::CaseInsensitive) ? export_with<TableExport>(options)
                                                               : export_with<PictureExport>(options);
}

}  // namespace arenascope::app
