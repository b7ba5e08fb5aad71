// SPDX-License-Identifier: GPL-3.0-or-later
// Without a selection: key figures of graph, plan, run and recording.
#include <arenascope/trace/recorded.h>
#include <views/common/choice_names.h>
#include <views/common/format.h>
#include <views/common/incomplete.h>

#include <algorithm>

#include "facts_builder.h"

namespace arenascope::views::inspector {

namespace {

void summary_of_plan(FactsBuilder& facts, const trace::PlanInfo& plan) {
  facts.section(Texts::tr("Memory plan"));
  facts.row(Texts::tr("planner"), planner_text(plan.planner));
  facts.row(Texts::tr("order"), order_text(plan.order_name));
  facts.row(Texts::tr("arena"), exact_text(plan_figure(plan.id, "arena"), plan.arena_bytes));
  facts.row(Texts::tr("lower bound"), exact_text(plan_figure(plan.id, "lower_bound"), plan.lower_bound_bytes));
  if (plan.lower_bound_bytes > 0)
    facts.row(Texts::tr("above the lower bound"),
              figure(plan_figure(plan.id, "gap_share"),
                     static_cast<double>(plan.arena_bytes - plan.lower_bound_bytes) /
                         static_cast<double>(plan.lower_bound_bytes),
                     FigureUnit::Share));
  Bytes sum = 0;
  for (const auto& slice : plan.slices) sum += slice.size;
  facts.row(Texts::tr("without reuse"),
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

void summary_of_run(FactsBuilder& facts, const trace::Run& run) {
  const trace::Snapshot& snapshot = *facts.in.snapshot;
  facts.section(Texts::tr("Run"));
  facts.row(Texts::tr("backend"), to_text(run.info.backend));
  facts.row(Texts::tr("strategy"), to_text(run.info.strategy));
  facts.row(Texts::tr("threads"), QString::number(run.info.threads));
  if (run.info.threads_requested > run.info.threads)
    facts.row(Texts::tr("threads requested"), QString::number(run.info.threads_requested));
  const auto time = [&](const char* what, Nanoseconds ns) {
    return figure(run_figure(facts.in.run, what), static_cast<double>(ns), FigureUnit::Time);
  };
  facts.row(run.finished ? Texts::tr("wall time") : Texts::tr("running for"), time("lasted", run.wall()));
  if (run.paused() > 0) facts.row(Texts::tr("paused, in addition"), time("paused", run.paused()));
  if (const trace::SeriesView* resident = snapshot.resident()) {
    const auto most =
        resident->highest(run.info.begin, run.finished ? std::max(run.end, run.info.begin + 1) : snapshot.time.end);
    if (most) {
      const std::optional<Bytes> reserved = snapshot.host_reserved(most->time);
      const Bytes outside = static_cast<Bytes>(most->value) - reserved.value_or(0);
      const auto bytes = [&](const char* what, double value) {
        return figure(run_figure(facts.in.run, what), value, FigureUnit::Bytes);
      };
      facts.row(Texts::tr("resident memory"), bytes("resident", most->value));
      if (!reserved)
        facts.row(Texts::tr("reserved memory"), Texts::tr("not recorded"));
      else if (outside >= 0)
        facts.row(Texts::tr("outside all allocators"), bytes("outside", static_cast<double>(outside)));
      else
        facts.row(Texts::tr("reserved and untouched"), bytes("untouched", -static_cast<double>(outside)));
    }
  }
  const QStringList notes = incomplete_notes(snapshot, facts.in.run);
  if (!notes.isEmpty()) facts.row(Texts::tr("incomplete"), notes.join(QStringLiteral("; ")));
  facts.row(Texts::tr("runs so far"),
            figure("recording.runs", static_cast<double>(snapshot.recorded_runs()), FigureUnit::Count));
  if (facts.in.run.index() + 1 < snapshot.runs.size())
    facts.row(Texts::tr("shown"),
              Texts::tr("run %1").arg(format_count(static_cast<int64_t>(facts.in.run.index()) + 1)));
}

}  // namespace

void summary(FactsBuilder& facts) {
  const trace::Snapshot& snapshot = *facts.in.snapshot;
  if (facts.in.graph == nullptr && snapshot.event_count == 0) {
    facts.title(Texts::tr("Nothing is open"),
                Texts::tr("Open a model or a recording: File ▸ Open, or drop a file here."));
    return;
  }
  if (facts.in.graph != nullptr) {
    const trace::GraphInfo& graph = *facts.in.graph;
    facts.title(graph.model.empty() ? Texts::tr("The whole graph") : to_text(graph.model),
                Texts::tr("Nothing is selected"));
    facts.section(Texts::tr("Graph"));
    facts.row(Texts::tr("nodes"), format_count(static_cast<int64_t>(graph.nodes.size())));
    facts.row(Texts::tr("leaf tensors"), format_count(static_cast<int64_t>(graph.leafs.size())));
    Bytes weights = 0;
    for (const auto* list : {&graph.leafs, &graph.nodes})
      for (const TensorInfo& tensor : *list)
        if ((tensor.flags & (trace::kWeight | trace::kParameter)) != 0) weights += tensor.bytes;
    const bool any_size = std::any_of(graph.nodes.begin(), graph.nodes.end(), trace::has_size) ||
                          std::any_of(graph.leafs.begin(), graph.leafs.end(), trace::has_size);
    facts.row(Texts::tr("weights"), any_size ? format_bytes(weights) : Texts::tr("not recorded"));
  }
  if (facts.in.plan != nullptr) summary_of_plan(facts, *facts.in.plan);
  if (const trace::Run* run = snapshot.run(facts.in.run)) summary_of_run(facts, *run);
  facts.section(Texts::tr("Recording"));
  if (snapshot.source.entries > 0)
    facts.row(Texts::tr("entries in file"),
              figure("recording.entries", static_cast<double>(snapshot.source.entries), FigureUnit::Count));
  facts.row(snapshot.source.entries > 0 ? Texts::tr("events imported") : Texts::tr("events"),
            figure(snapshot.source.entries > 0 ? "imported.events" : "recording.events",
                   static_cast<double>(snapshot.event_count), FigureUnit::Count));
  if (snapshot.memory_events.empty()) facts.row(Texts::tr("memory events"), Texts::tr("not recorded"));
  facts.row(Texts::tr("lost"), figure("recording.lost_events", static_cast<double>(snapshot.lost), FigureUnit::Count));
  facts.row(Texts::tr("threads and queues"), format_count(static_cast<int64_t>(snapshot.tracks.size())));
  for (const trace::ClockInfo& clock : snapshot.clocks)
    if (clock.device.valid() && clock.device.index() < snapshot.devices.size())
      facts.row(
          Texts::tr("clock of %1").arg(to_text(snapshot.devices[clock.device.index()].name)),
          with_figures(QStringLiteral("± %1"), {figure("device." + std::to_string(clock.device.value) + ".clock_error",
                                                       static_cast<double>(clock.error), FigureUnit::Time)}));
  for (const trace::ReplayInfo& replay : snapshot.replays)
    if (replay.device.valid() && replay.device.index() < snapshot.devices.size())
      facts.row(Texts::tr("replay on %1").arg(to_text(snapshot.devices[replay.device.index()].name)),
                replay_text(replay));
}

}  // namespace arenascope::views::inspector
