// SPDX-License-Identifier: GPL-3.0-or-later
// The page of a document in which nothing is selected: graph, plan, run and recording in figures.
#include <views/common/format.h>
#include <views/common/incomplete.h>

#include "inspector_page.h"

namespace arenascope::views::inspector {

namespace {

void summary_of_plan(Page& page, const trace::PlanInfo& plan) {
  page.section(Texts::tr("Memory plan"));
  page.row(Texts::tr("planner"), safe(plan.planner));
  page.row(Texts::tr("order"), safe(plan.order_name));
  page.row(Texts::tr("arena"), format_bytes_exact(plan.arena_bytes));
  page.row(Texts::tr("lower bound"), format_bytes_exact(plan.lower_bound_bytes));
  if (plan.lower_bound_bytes > 0)
    page.row(Texts::tr("above the bound"),
             format_percent(static_cast<double>(plan.arena_bytes - plan.lower_bound_bytes) /
                            static_cast<double>(plan.lower_bound_bytes)));
  Bytes sum = 0;
  for (const auto& slice : plan.slices) sum += slice.size;
  page.row(Texts::tr("without reuse"), format_bytes(sum));
}

// Whether a device's runs are queued node by node or as one.
QString replay_text(const trace::ReplayInfo& replay) {
  switch (replay.state) {
    case trace::ReplayState::Unavailable: return Texts::tr("not possible with the device, or with what runs");
    case trace::ReplayState::Direct:
      return Texts::tr(
          "queued kernel by kernel, so that each has its times; runs that nobody looks into are recorded and replayed");
    case trace::ReplayState::Failed: return Texts::tr("was tried, and the driver refused");
    case trace::ReplayState::Recorded: break;
  }
  return Texts::tr("%1 kernels in %2 segments, replayed %3 times")
      .arg(format_count(replay.kernels), format_count(replay.segments), format_count(replay.replays));
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
    page.row(Texts::tr("leafs"), format_count(static_cast<int64_t>(graph.leafs.size())));
    Bytes weights = 0;
    for (const auto* list : {&graph.leafs, &graph.nodes})
      for (const TensorInfo& tensor : *list)
        if ((tensor.flags & (trace::kWeight | trace::kParameter)) != 0) weights += tensor.bytes;
    page.row(Texts::tr("weights"), format_bytes(weights));
  }
  if (page.in.plan != nullptr) summary_of_plan(page, *page.in.plan);
  if (const trace::Run* run = snapshot.run(page.in.run)) {
    page.section(Texts::tr("Run"));
    page.row(Texts::tr("backend"), safe(run->info.backend));
    page.row(Texts::tr("strategy"), safe(run->info.strategy));
    page.row(Texts::tr("threads"), QString::number(run->info.threads));
    if (run->info.threads_asked > run->info.threads)
      page.row(Texts::tr("threads asked for"), QString::number(run->info.threads_asked));
    page.row(Texts::tr("lasted"), format_ns(run->wall()));
    if (run->paused() > 0) page.row(Texts::tr("paused, beside that"), format_ns(run->paused()));
    if (const trace::SeriesView* resident = snapshot.resident()) {
      const auto most = resident->highest(run->info.begin,
                                          run->finished ? std::max(run->end, run->info.begin + 1) : snapshot.time.end);
      if (most) {
        const auto bytes = static_cast<Bytes>(most->value);
        page.row(Texts::tr("resident memory"), format_bytes(bytes));
        page.row(Texts::tr("outside of all spaces"), format_bytes(bytes - snapshot.host_reserved(most->time)));
      }
    }
    const QStringList notes = incomplete_notes(snapshot, page.in.run);
    if (!notes.isEmpty()) page.row(Texts::tr("incomplete"), notes.join(QStringLiteral("; ")));
    page.row(Texts::tr("runs so far"), format_count(static_cast<int64_t>(snapshot.runs.size())));
    if (page.in.run.index() + 1 < snapshot.runs.size())
      page.row(Texts::tr("shown"),
               Texts::tr("run %1").arg(format_count(static_cast<int64_t>(page.in.run.index()) + 1)));
  }
  page.section(Texts::tr("Recording"));
  page.row(Texts::tr("events"), format_count(snapshot.event_count));
  page.row(Texts::tr("lost"), format_count(snapshot.lost));
  page.row(Texts::tr("threads and queues"), format_count(static_cast<int64_t>(snapshot.tracks.size())));
  for (const trace::ClockInfo& clock : snapshot.clocks)
    if (clock.device.valid() && clock.device.index() < snapshot.devices.size())
      page.row(Texts::tr("clock of %1").arg(safe(snapshot.devices[clock.device.index()].name)),
               QStringLiteral("± %1").arg(format_ns(clock.error)));
  for (const trace::ReplayInfo& replay : snapshot.replays)
    if (replay.device.valid() && replay.device.index() < snapshot.devices.size())
      page.row(Texts::tr("replay on %1").arg(safe(snapshot.devices[replay.device.index()].name)), replay_text(replay));
}

}  // namespace arenascope::views::inspector
