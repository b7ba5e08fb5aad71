// SPDX-License-Identifier: MIT
// Statistics: time per node over the runs of its graph, and activity per track in a run.
#include <arenascope/trace/durations.h>
#include "engine/trace/chosen_runs.h"

#include <algorithm>
#include <numeric>

namespace arenascope::trace {

ChosenRuns choose_runs(const Snapshot& s, GraphId graph) {
  ChosenRuns chosen;
  std::vector<const RunTable*> cold, others;
  for (size_t i = s.forgotten_runs; i < s.runs.size(); ++i) {
    const Run& run = s.runs[i];
    if (run.info.graph != graph) continue;
    if (run.table && run.cold && chosen.first == nullptr) chosen.first = run.table.get();
    if (!run.whole()) {
      chosen.left_out += run.finished ? 1 : 0;
      if (run.table) others.push_back(run.table.get());
    } else if (run.table) {
      (run.cold ? cold : chosen.tables).push_back(run.table.get());
    }
  }
  if (!chosen.tables.empty()) return chosen;
  if (!cold.empty()) {
    chosen.tables = std::move(cold);
    chosen.cold = true;
  } else {
    chosen.tables = std::move(others);
    chosen.incomplete = !chosen.tables.empty();
    chosen.left_out = 0;
  }
  return chosen;
}

namespace {

const NodeRun* row(const RunTable& table, size_t node) {
  return node < table.nodes.size() ? &table.nodes[node] : nullptr;
}

NodeStats stats_of(const ChosenRuns& chosen, size_t node, std::vector<Nanoseconds>& walls) {
  NodeStats out;
  out.left_out = chosen.left_out;
  out.cold = chosen.cold;
  out.incomplete = chosen.incomplete;
  walls.clear();
  double queueing = 0;
  for (const RunTable* table : chosen.tables) {
    const NodeRun* n = row(*table, node);
    if (n == nullptr) continue;
    if (n->parts().count == 0) continue;
    out.barriers += n->barriers;
    out.wait += static_cast<double>(n->wait);
    walls.push_back(n->parts().wall());
    out.busy += static_cast<double>(n->parts().busy);
    out.parts += n->parts().count;
    if (n->device.count > 0) queueing += static_cast<double>(n->host.wall());
  }
  if (chosen.first != nullptr)
    if (const NodeRun* n = row(*chosen.first, node); n != nullptr && n->parts().count > 0)
      out.first = n->parts().wall();
  if (walls.empty()) return out;
  const auto count = static_cast<double>(walls.size());
  std::sort(walls.begin(), walls.end());
  out.runs = static_cast<int64_t>(walls.size());
  out.mean = std::accumulate(walls.begin(), walls.end(), 0.0) / count;
  out.shortest = walls.front();
  out.quartile1 = quantile(walls, 0.25);
  out.median = quantile(walls, 0.5);
  out.quartile3 = quantile(walls, 0.75);
  out.percentile90 = quantile(walls, 0.9);
  out.percentile99 = quantile(walls, 0.99);
  out.longest = walls.back();
  out.busy /= count;
  out.wait /= count;
  out.parts /= count;
  out.queueing = queueing / count;
  return out;
}

void add_vote(const Snapshot& s, GraphId graph, size_t node, NodeStats& out) {
  if (graph.index() >= s.node_votes.size() || node >= s.node_votes[graph.index()].size()) return;
  const NodeVote& vote = s.node_votes[graph.index()][node];
  out.last_arriver = vote.last_arriver;
  out.most_frequent_last = vote.most_frequent_last;
  out.most_frequent_votes = vote.most_frequent_votes;
}

}  // namespace

NodeStats Snapshot::stats(GraphId graph_id, NodeId node) const {
  if (graph(graph_id) == nullptr || !node.valid()) return {};
  std::vector<Nanoseconds> walls;
  NodeStats out = stats_of(choose_runs(*this, graph_id), node.index(), walls);
  add_vote(*this, graph_id, node.index(), out);
  return out;
}

std::vector<NodeStats> Snapshot::stats(GraphId graph_id) const {
  const GraphInfo* g = graph(graph_id);
  std::vector<NodeStats> out(g == nullptr ? 0 : g->nodes.size());
  const ChosenRuns chosen = choose_runs(*this, graph_id);
  std::vector<Nanoseconds> walls;
  for (size_t i = 0; i < out.size(); ++i) {
    out[i] = stats_of(chosen, i, walls);
    add_vote(*this, graph_id, i, out[i]);
  }
  return out;
}

std::vector<Nanoseconds> Snapshot::durations(GraphId graph_id, NodeId node) const {
  std::vector<Nanoseconds> walls;
  if (graph(graph_id) != nullptr && node.valid()) (void)stats_of(choose_runs(*this, graph_id), node.index(), walls);
  return walls;
}

BusyShare Snapshot::share(RunId run_id, TrackId track) const {
  const Run* r = run(run_id);
  if (r == nullptr || !r->table || !track.valid() || track.index() >= r->table->tracks.size()) return {};
  const auto wall = static_cast<double>(r->wall());
  if (wall <= 0) return {};
  const TrackRun& t = r->table->tracks[track.index()];
  return {std::min(static_cast<double>(t.work) / wall, 1.0), std::min(static_cast<double>(t.wait) / wall, 1.0)};
}

const SeriesView* Snapshot::series_of(CounterRole role) const {
  for (size_t i = 0; i < counters.size() && i < counter_series.size(); ++i)
    if (counters[i].role == role && !counter_series[i].samples.empty()) return &counter_series[i];
  return nullptr;
}

std::optional<Bytes> Snapshot::host_reserved(Nanoseconds t) const {
  std::vector<bool> host;  // per allocator
  for (const AllocatorInfo& a : allocators) {
    const bool in_main_memory = a.device.valid() && a.device.index() < devices.size() && devices[a.device.index()].host;
    if (host.size() <= a.id) host.resize(a.id + size_t{1});
    host[a.id] = in_main_memory || a.kind == MemoryKind::HostPinned || a.kind == MemoryKind::HostPageable;
  }
  Bytes sum = 0;
  bool recorded = false;
  for (size_t i = 0; i < memory_events.size(); ++i) {
    const Event& e = event(memory_events[i]);
    if (e.allocator() >= host.size() || !host[e.allocator()]) continue;
    if (e.kind() != EventKind::Reserve && e.kind() != EventKind::Release) continue;
    recorded = true;
    if (e.time <= t) sum += e.kind() == EventKind::Reserve ? e.b : -e.b;
  }
  return recorded ? std::optional(sum) : std::nullopt;
}

}  // namespace arenascope::trace
