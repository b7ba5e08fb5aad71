// SPDX-License-Identifier: MIT
// Times of a node: wall time per run, busy and waiting time over all threads. The first run of a plan is cold (weights
// are packed, pages touched, kernels compiled) and is reported separately if there is another. Runs that were aborted or
// stepped, or lost events, are ignored if there are complete ones.
#include <fmt/format.h>

#include "engine/audit/writer.h"

#include <set>

namespace arenascope::audit {

namespace {

struct NodeRun {
  std::vector<Interval> parts, device_parts;
  std::vector<Interval> waits;
};

// The value at `share` of a sorted list, between two of them where it falls there.
Nanoseconds quantile(const std::vector<Nanoseconds>& sorted, double share) {
  if (sorted.empty()) return 0;
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<size_t>(at);
  const size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] +
         static_cast<Nanoseconds>((at - static_cast<double>(low)) * static_cast<double>(sorted[high] - sorted[low]));
}

// A device's own times are the node's; the host's spans are the time for queueing it.
const std::vector<Interval>& device_times_of(const NodeRun& run) {
  return run.device_parts.empty() ? run.parts : run.device_parts;
}

struct OneRun {
  Nanoseconds wall = 0, busy = 0, wait = 0, queueing = 0;
  size_t parts = 0;
};

// From the beginning of the first to the end of the last.
Interval hull(const std::vector<Interval>& parts) {
  Interval whole = parts.front();
  for (const Interval& p : parts) {
    whole.begin = std::min(whole.begin, p.begin);
    whole.end = std::max(whole.end, p.end);
  }
  return whole;
}

OneRun sum(const NodeRun& run, const std::vector<Interval>& pauses) {
  OneRun out;
  const auto& parts = device_times_of(run);
  for (const Interval& p : parts) out.busy += without(p, pauses);
  out.wall = without(hull(parts), pauses);
  out.parts = parts.size();
  if (!run.device_parts.empty() && !run.parts.empty()) out.queueing = without(hull(run.parts), pauses);
  for (const Interval& w : run.waits) out.wait += without(w, pauses);
  return out;
}

// True for the first run of its graph and plan.
bool is_first(int32_t id, const Raw& raw) {
  const trace::RunInfo& info = raw.runs.at(id).info;
  for (const auto& [other, run] : raw.runs) {
    if (other >= id) break;
    if (run.info.graph == info.graph && run.info.plan == info.plan) return false;
  }
  return true;
}

bool is_whole(const RawRun& run) { return run.done() && !run.end.stepped && run.lost == 0; }

// True if the graph of a run has a complete run, cold or warm.
bool any_run(const Raw& raw, int32_t of, bool cold) {
  for (const auto& [id, run] : raw.runs) {
    if (run.info.graph != raw.runs.at(of).info.graph || is_first(id, raw) != cold) continue;
    if (is_whole(run)) return true;
  }
  return false;
}

// Runs of the same graph that ended and are not whole.
int64_t runs_left_out(const Raw& raw, int32_t of) {
  int64_t count = 0;
  for (const auto& [id, run] : raw.runs)
    count += run.info.graph == raw.runs.at(of).info.graph && run.ended && !is_whole(run) ? 1 : 0;
  return count;
}

NodeFigures figures_of(const std::map<int32_t, NodeRun>& runs, const Raw& raw) {
  NodeFigures f;
  std::vector<OneRun> warm, cold, cut_short;
  for (const auto& [id, run] : runs) {
    if (device_times_of(run).empty()) continue;
    f.parts += static_cast<int64_t>(device_times_of(run).size());
    ++f.runs;
    const RawRun& known = raw.runs.at(id);
    const OneRun one = sum(run, known.pauses);
    if (is_first(id, raw) && f.cold == 0) f.cold = one.wall;
    (!is_whole(known) ? cut_short : is_first(id, raw) ? cold : warm).push_back(one);
  }
  const bool any_warm = any_run(raw, runs.begin()->first, false), any_cold = any_run(raw, runs.begin()->first, true);
  f.left_out = any_warm || any_cold ? runs_left_out(raw, runs.begin()->first) : 0;
  const std::vector<OneRun>& sums = any_warm ? warm : any_cold ? cold : cut_short;
  if (sums.empty()) return f;
  std::vector<Nanoseconds> walls;
  for (const OneRun& s : sums) {
    walls.push_back(s.wall);
    const auto n = static_cast<double>(sums.size());
    f.mean += static_cast<double>(s.wall) / n;
    f.busy += static_cast<double>(s.busy) / n;
    f.wait += static_cast<double>(s.wait) / n;
    f.parts_a_run += static_cast<double>(s.parts) / n;
    f.queueing += static_cast<double>(s.queueing) / n;
  }
  f.counted = static_cast<int64_t>(walls.size());
  std::sort(walls.begin(), walls.end());
  f.median = quantile(walls, 0.5);
  f.lower_quartile = quantile(walls, 0.25);
  f.upper_quartile = quantile(walls, 0.75);
  f.percentile90 = quantile(walls, 0.9);
  f.percentile99 = quantile(walls, 0.99);
  f.shortest = walls.front();
  f.longest = walls.back();
  return f;
}

// Bytes of the result and of each source once; 0: one of them was not recorded.
Bytes bytes_moved(const trace::GraphInfo& graph, const trace::TensorInfo& node) {
  const auto is_recorded = [](const trace::TensorInfo& t) {
    return t.bytes > 0 || !t.dtype.empty() || !t.shape.empty();
  };
  Bytes bytes = node.bytes;
  bool all = is_recorded(node);
  for (const trace::TensorRef source : std::set<trace::TensorRef>(node.sources.begin(), node.sources.end())) {
    if (!source.valid()) continue;
    const auto& tensors = source.is_node() ? graph.nodes : graph.leafs;
    all = all && source.index() < tensors.size() && is_recorded(tensors[source.index()]);
    if (all) bytes += tensors[source.index()].bytes;
  }
  return all ? bytes : 0;
}

void write(const NodeFigures& f, const trace::GraphInfo& graph, Writer& out) {
  const trace::TensorInfo& info = graph.nodes[static_cast<size_t>(f.node)];
  const auto flops = static_cast<double>(info.flops), bytes = static_cast<double>(bytes_moved(graph, info));
  const std::string id = fmt::format("node.{}.{}", f.graph, f.node);
  out.count(id + ".runs", f.runs);
  out.count(id + ".counted_runs", f.counted);
  out.count(id + ".parts", f.parts);
  out.count(id + ".left_out", f.left_out);
  out.time(id + ".cold_wall", f.cold);
  out.time(id + ".median_wall", f.median);
  out.time(id + ".lower_quartile_wall", f.lower_quartile);
  out.time(id + ".upper_quartile_wall", f.upper_quartile);
  out.time(id + ".percentile90_wall", f.percentile90);
  out.time(id + ".percentile99_wall", f.percentile99);
  out.time(id + ".shortest_wall", f.shortest);
  out.time(id + ".longest_wall", f.longest);
  out.put(id + ".mean_wall", f.mean, Unit::Nanoseconds);
  out.put(id + ".busy", f.busy, Unit::Nanoseconds);
  out.put(id + ".wait", f.wait, Unit::Nanoseconds);
  out.put(id + ".parts_a_run", f.parts_a_run, Unit::Count);
  out.put(id + ".queueing", f.queueing, Unit::Nanoseconds);
  const auto median = static_cast<double>(f.median);
  if (flops > 0 && median > 0) out.put(id + ".speed", flops / median, Unit::PerNanosecond);
  if (bytes > 0 && median > 0) out.put(id + ".bandwidth", bytes / median, Unit::PerNanosecond);
  if (flops > 0 && bytes > 0) out.put(id + ".intensity", flops / bytes, Unit::Count);
}

}  // namespace

std::string node_name(const Raw& raw, int32_t graph, int32_t node) {
  const auto it = raw.graphs.find(graph);
  if (it != raw.graphs.end() && node >= 0 && static_cast<size_t>(node) < it->second.nodes.size()) {
    const trace::TensorInfo& info = it->second.nodes[static_cast<size_t>(node)];
    if (!info.name.empty()) return info.name;
    if (!info.op.empty()) return fmt::format("{} (node {})", info.op, node);
  }
  return fmt::format("node {}", node);
}

// Backends of devices whose queue is recorded. The host's spans of their nodes are the time for queueing them.
static std::set<std::string> queue_backends(const Raw& raw) {
  std::set<std::string> out;
  for (const auto& [id, track] : raw.tracks) {
    const auto device = raw.devices.find(track.device.value);
    if (track.kind == trace::TrackKind::DeviceQueue && device != raw.devices.end()) out.insert(device->second.backend);
  }
  out.erase("");
  return out;
}

void audit_nodes(const Raw& raw, Writer& out) {
  std::map<std::pair<int32_t, int32_t>, std::map<int32_t, NodeRun>> nodes;  // graph and node; by run
  for (const RawSpan& s : raw.spans) {
    if (s.kind != SpanKind::Work && s.kind != SpanKind::Wait) continue;
    const auto run = raw.runs.find(s.run);
    if (run == raw.runs.end() || run->second.info.stepped) continue;
    const int32_t graph = run->second.info.graph.value;
    const auto known = raw.graphs.find(graph);
    if (known == raw.graphs.end() || s.node < 0 || static_cast<size_t>(s.node) >= known->second.nodes.size()) continue;
    NodeRun& of = nodes[{graph, s.node}][s.run];
    const auto track = raw.tracks.find(s.track);
    const bool device = track != raw.tracks.end() && track->second.kind == trace::TrackKind::DeviceQueue;
    (s.kind == SpanKind::Wait ? of.waits : device ? of.device_parts : of.parts).push_back({s.begin, s.end});
  }
  const std::set<std::string> queued = queue_backends(raw);
  for (auto& [key, runs] : nodes) {
    if (queued.contains(raw.graphs.at(key.first).nodes[static_cast<size_t>(key.second)].backend))
      for (auto& [id, run] : runs)
        if (raw.runs.at(id).ended && run.device_parts.empty()) run.parts.clear();
    NodeFigures f = figures_of(runs, raw);
    if (f.runs == 0) continue;
    std::tie(f.graph, f.node) = key;
    f.name = node_name(raw, f.graph, f.node);
    write(f, raw.graphs.at(f.graph), out);
    out.report().nodes.push_back(std::move(f));
  }
}

}  // namespace arenascope::audit
