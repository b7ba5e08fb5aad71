// SPDX-License-Identifier: GPL-3.0-or-later
// The page without a selection: key figures of graph, plan, run and recording.
#include <arenascope/trace/recorded.h>
#include <views/common/choice_names.h>
#include <views/common/format.h>
#include <views/common/incomplete.h>

#include <algorithm>

#include "inspector_page.h"

namespace arenascope::views::inspector {

namespace {

void summary_of_plan(Page& page, const trace::PlanInfo& plan) {
  page.section(Texts::tr("Memory plan"));
  page.row(Texts::tr("planner"), planner_text(plan.planner).toHtmlEscaped());
  page.row(Texts::tr("order"), order_text(plan.order_name).toHtmlEscaped());
  page.row(Texts::tr("arena"), exact_text(plan_figure(plan.id, "arena"), plan.arena_bytes));
  page.row(Texts::tr("lower bound"), exact_text(plan_figure(plan.id, "lower_bound"), plan.lower_bound_bytes));
  if (plan.lower_bound_bytes > 0)
    page.row(Texts::tr("above the lower bound"), figure(plan_figure(plan.id, "gap_share"),
                                                        static_cast<double>(plan.arena_bytes - plan.lower_bound_bytes) /
                                                            static_cast<double>(plan.lower_bound_bytes),
                                                        FigureUnit::Share));
  Bytes sum = 0;
  for (const auto& slice : plan.slices) sum += slice.size;
  page.row(Texts::tr("without reuse"),
           figure(plan_figure(plan.id, "slice_bytes"), static_cast<double>(sum), FigureUnit::Bytes));
}

// Describes whether a device's runs are enqueued node by node or replayed as a captured graph.
QString replay_text(const trace::ReplayInfo& replay) {
  switch (replay.state) {
    case trace::ReplayState::Unavailable: return Texts::tr("not supported by the device or by this graph");
    case trace::ReplayState::Direct:
      return Texts::tr(
          "kernels are enqueued one by one in the first run and in runs that are inspected; others are captured and "
          "replayed");
    case trace::ReplayState::Failed: return Texts::tr("tried, but rejected by the driver");
    case trace::ReplayState::Recorded: break;
  }
  return Texts::tr("%1 kernels in %2 segments, replayed %3 times")
      .arg(format_count(replay.kernels), format_count(replay.segments), format_count(replay.replays));
}

void summary_of_run(Page& page, const trace::Run& run) {
  const trace::Snapshot& snapshot = *page.in.snapshot;
  page.section(Texts::tr("Run"));
  page.row(Texts::tr("backend"), safe(run.info.backend));
  page.row(Texts::tr("strategy"), safe(run.info.strategy));
  page.row(Texts::tr("threads"), QString::number(run.info.threads));
  if (run.info.threads_requested > run.info.threads)
    page.row(Texts::tr("threads requested"), QString::number(run.info.threads_requested));
  const auto time = [&](const char* what, Nanoseconds ns) {
    return figure(run_figure(page.in.run, what), static_cast<double>(ns), FigureUnit::Time);
  };
  page.row(run.finished ? Texts::tr("wall time") : Texts::tr("running for"), time("lasted", run.wall()));
  if (run.paused() > 0) page.row(Texts::tr("paused, in addition"), time("paused", run.paused()));
  if (const trace::SeriesView* resident = snapshot.resident()) {
    const auto most =
        resident->highest(run.info.begin, run.finished ? std::max(run.end, run.info.begin + 1) : snapshot.time.end);
    if (most) {
      const std::optional<Bytes> reserved = snapshot.host_reserved(most->time);
      const Bytes outside = static_cast<Bytes>(most->value) - reserved.value_or(0);
      const auto bytes = [&](const char* what, double value) {
        return figure(run_figure(page.in.run, what), value, FigureUnit::Bytes);
      };
      page.row(Texts::tr("resident memory"), bytes("resident", most->value));
      if (!reserved)
        page.row(Texts::tr("reserved memory"), Texts::tr("not recorded"));
      else if (outside >= 0)
        page.row(Texts::tr("outside all allocators"), bytes("outside", static_cast<double>(outside)));
      else
        page.row(Texts::tr("reserved and untouched"), bytes("untouched", -static_cast<double>(outside)));
    }
  }
  const QStringList notes = incomplete_notes(snapshot, page.in.run);
  if (!notes.isEmpty()) page.row(Texts::tr("incomplete"), notes.join(QStringLiteral("; ")));
  page.row(Texts::tr("runs so far"),
           figure("recording.runs", static_cast<double>(snapshot.recorded_runs()), FigureUnit::Count));
  if (page.in.run.index() + 1 < snapshot.runs.size())
    page.row(Texts::tr("shown"), Texts::tr("run %1").arg(format_count(static_cast<int64_t>(page.in.run.index()) + 1)));
}

}  // namespace

void summary(Page& page) {
  const trace::Snapshot& snapshot = *page.in.snapshot;
  if (page.in.graph == nullptr && snapshot.event_count == 0) {
    page.title(Texts::tr("Nothing is open"),
               Texts::tr("Open a model or a recording: File ▸ Open, or drop a file here."));
    return;
  }
  if (page.in.graph != nullptr) {
    const trace::GraphInfo& graph = *page.in.graph;
    page.title(graph.model.empty() ? Texts::tr("The whole graph") : safe(graph.model),
               Texts::tr("Nothing is selected"));
    page.section(Texts::tr("Graph"));
    page.row(Texts::tr("nodes"), format_count(static_cast<int64_t>(graph.nodes.size())));
    page.row(Texts::tr("leaf tensors"), format_count(static_cast<int64_t>(graph.leafs.size())));
    Bytes weights = 0;
    for (const auto* list : {&graph.leafs, &graph.nodes})
      for (const TensorInfo& tensor : *list)
        if ((tensor.flags & (trace::kWeight | trace::kParameter)) != 0) weights += tensor.bytes;
    const bool any_size = std::any_of(graph.nodes.begin(), graph.nodes.end(), trace::has_size) ||
                          std::any_of(graph.leafs.begin(), graph.leafs.end(), trace::has_size);
    page.row(Texts::tr("weights"), any_size ? format_bytes(weights) : Texts::tr("not recorded"));
  }
  if (page.in.plan != nullptr) summary_of_plan(page, *page.in.plan);
  if (const trace::Run* run = snapshot.run(page.in.run)) summary_of_run(page, *run);
  page.section(Texts::tr("Recording"));
  if (snapshot.source.entries > 0)
    page.row(Texts::tr("entries in file"),
             figure("recording.entries", static_cast<double>(snapshot.source.entries), FigureUnit::Count));
  page.row(snapshot.source.entries > 0 ? Texts::tr("events imported") : Texts::tr("events"),
           figure(snapshot.source.entries > 0 ? "imported.events" : "recording.events",
                  static_cast<double>(snapshot.event_count), FigureUnit::Count));
  if (snapshot.memory_events.empty()) page.row(Texts::tr("memory events"), Texts::tr("not recorded"));
  page.row(Texts::tr("lost"), figure("recording.lost_events", static_cast<double>(snapshot.lost), FigureUnit::Count));
  page.row(Texts::tr("threads and queues"), format_count(static_cast<int64_t>(snapshot.tracks.size())));
  for (const trace::ClockInfo& clock : snapshot.clocks)
    if (clock.device.valid() && clock.device.index() < snapshot.devices.size())
      page.row(
          Texts::tr("clock of %1").arg(safe(snapshot.devices[clock.device.index()].name)),
          with_figures(QStringLiteral("± %1"), {figure("device." + std::to_string(clock.device.value) + ".clock_error",
                                                       static_cast<double>(clock.error), FigureUnit::Time)}));
  for (const trace::ReplayInfo& replay : snapshot.replays)
    if (replay.device.valid() && replay.device.index() < snapshot.devices.size())
      page.row(Texts::tr("replay on %1").arg(safe(snapshot.devices[replay.device.index()].name)), replay_text(replay));
}

}  // namespace arenascope::views::inspector
