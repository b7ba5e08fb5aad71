// SPDX-License-Identifier: GPL-3.0-or-later
#include "document_content.h"

#include <arenascope/schedule/intervals_file.h>
#include <arenascope/trace/flame_tree.h>

#include <algorithm>

namespace arenascope::app {

namespace {

constexpr size_t kFewSpans = 10;  // percent of the memory events

bool has_samples(const trace::SeriesView& series) { return series.samples.size() > 0; }

bool has_history(const trace::SeriesView& series) {
  const size_t n = series.samples.size();
  return n > 0 && series.samples[0].time < series.samples[n - 1].time;
}

size_t span_count(const trace::Snapshot& snapshot) {
  size_t count = 0;
  for (const trace::TrackView& track : snapshot.tracks)
    for (const trace::LaneView& lane : track.lanes) count += lane.rows.size();
  return count;
}

// Memory of a profiler whose addresses are unknown is reserved at address 0.
bool has_address(const trace::Space& space) { return space.address != 0 && space.bytes > 0; }

bool is_segment(const trace::Space& space) { return has_address(space) && !space.implied; }

bool has_space(const trace::Snapshot& snapshot, bool (*is_meant)(const trace::Space&)) {
  for (size_t i = 0; i < snapshot.spaces.size(); ++i)
    if (is_meant(snapshot.spaces[i])) return true;
  return std::ranges::any_of(snapshot.open_spaces, is_meant);
}

// A planner needs sizes, and the tensors of a file without a graph have no lifetimes.
bool can_be_planned(const trace::GraphInfo& graph) {
  return !graph.of_file && std::ranges::any_of(graph.nodes, [](const trace::TensorInfo& node) {
    return node.bytes > 0 && (node.flags & trace::kNoWork) == 0;
  });
}

void read_memory(const trace::Snapshot& snapshot, DocumentContent& content) {
  const size_t events = snapshot.memory_events.size(), spans = span_count(snapshot);
  content.spans = spans > 0;
  content.memory = has_samples(snapshot.all_active) || has_samples(snapshot.all_reserved);
  content.history = has_history(snapshot.all_active) || has_history(snapshot.all_reserved);
  content.segments = has_space(snapshot, is_segment);
  content.addresses =
      content.segments || has_space(snapshot, has_address) || !snapshot.slices.empty() || !snapshot.open_slices.empty();
  content.pools = std::ranges::any_of(snapshot.open_spaces, is_segment);
  content.mostly_memory = spans * 100 < events * kFewSpans;
}

}  // namespace

DocumentContent content_of(const trace::Snapshot& snapshot, const trace::GraphInfo* graph, const trace::PlanInfo* plan,
                           const DocumentRole& role) {
  DocumentContent content;
  content.role = role;
  content.open = true;
  const bool nodes = graph != nullptr && !graph->nodes.empty();
  content.graph = nodes && !is_buffer_list(*graph);
  content.plannable = nodes && can_be_planned(*graph);
  content.plan = plan != nullptr && !plan->slices.empty();
  content.steps = nodes && (plan != nullptr || !snapshot.runs.empty());
  read_memory(snapshot, content);
  content.stacks = !snapshot.stacks.empty();
  content.frames = !trace::flame_weights(snapshot).empty();
  content.barriers = !snapshot.barriers.empty();
  content.operations =
      nodes && std::ranges::any_of(graph->nodes, [](const trace::TensorInfo& node) { return node.flops > 0; });
  content.counters = std::ranges::any_of(snapshot.counter_series, has_samples);
  content.objects = !snapshot.contexts.empty() && !snapshot.contexts.back()->objects.empty();
  content.tunings = !snapshot.tunings.empty();
  content.problems = !snapshot.problems.empty();
  return content;
}

}  // namespace arenascope::app
