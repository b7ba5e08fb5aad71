// SPDX-License-Identifier: MIT
#include <arenascope/trace/difference.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

#include <arenascope/trace/call_site.h>
#include <arenascope/trace/match.h>
#include <arenascope/trace/space_use.h>

namespace arenascope::trace {
namespace {

constexpr std::array<const char*, kMetrics> kMetricNames{"peak", "reserved", "arena", "node-time", "run-time"};

// A snapshot and its subject.
struct Compared : Subject {
  const Snapshot& snapshot;
  explicit Compared(const Snapshot& s) : Subject(s), snapshot(s) {}
};

using Parts = std::map<std::string, double>;

Parts live_at(const Snapshot& s, Nanoseconds time) {
  Parts parts;
  for (const SpaceAllocation& slice : s.space_slices_in(time, time + 1, kMaxSpaceAllocations))
    parts[display_name(s, slice)] += static_cast<double>(slice.bytes);
  return parts;
}

Parts reserved_at(const Snapshot& s, Nanoseconds time) {
  Parts parts;
  for (const Space& space : s.spaces_in(time, time + 1, kMaxSpaceAllocations)) {
    const AllocatorInfo* allocator = s.allocator(space.allocator);
    if (!space.implied)
      parts[allocator != nullptr ? allocator->name : "unknown allocator"] += static_cast<double>(space.bytes);
  }
  return parts;
}

// The tensors that are live in the fullest step of a plan, and the bytes that the arena has more.
Parts arena_parts(const Compared& of) {
  Parts parts;
  if (of.graph == nullptr) return parts;
  const std::vector<Bytes> live = Snapshot::occupancy(*of.plan);
  if (live.empty()) return parts;
  const auto fullest = std::max_element(live.begin(), live.end());
  for (const size_t i : Snapshot::plan_slices_live(*of.plan, Step(static_cast<int32_t>(fullest - live.begin())))) {
    const SliceInfo& slice = of.plan->slices[i];
    parts[display_name(*of.graph, slice.tensor)] += static_cast<double>(slice.size);
  }
  if (of.plan->arena_bytes > *fullest)
    parts["gaps of the arena"] = static_cast<double>(of.plan->arena_bytes - *fullest);
  return parts;
}

// Only what changed, the largest change first.
void keep_changes(std::vector<Contribution>& parts) {
  std::erase_if(parts, [](const Contribution& c) { return c.change() == 0; });
  std::stable_sort(parts.begin(), parts.end(), [](const Contribution& x, const Contribution& y) {
    return std::abs(x.change()) > std::abs(y.change());
  });
}

// Parts of the same name are compared; the others are in one side only.
std::vector<Contribution> contributions(const Parts& a, const Parts& b) {
  std::vector<Contribution> out;
  for (const auto& [part, value] : a) {
    const auto other = b.find(part);
    out.push_back({part, value, other == b.end() ? std::nullopt : std::optional(other->second)});
  }
  for (const auto& [part, value] : b)
    if (!a.contains(part)) out.push_back({part, std::nullopt, value});
  keep_changes(out);
  return out;
}

MetricChange of_series(Metric metric, const Snapshot& a, const Snapshot& b, SeriesView Snapshot::*series,
                       Parts (*parts_at)(const Snapshot&, Nanoseconds)) {
  const auto at_a = highest(a, a.*series), at_b = highest(b, b.*series);
  MetricChange out{metric, {}, {}, {}};
  if (at_a) out.a = at_a->value;
  if (at_b) out.b = at_b->value;
  if (out.change() != 0) out.contributions = contributions(parts_at(a, at_a->time), parts_at(b, at_b->time));
  return out;
}

MetricChange of_arena(const Compared& a, const Compared& b) {
  MetricChange out{Metric::Arena, measure(a.snapshot, Metric::Arena), measure(b.snapshot, Metric::Arena), {}};
  if (out.change() != 0) out.contributions = contributions(arena_parts(a), arena_parts(b));
  return out;
}

std::optional<double> median_run(const Compared& of) {
  std::vector<double> walls;
  for (const bool cold : {false, true}) {
    for (size_t i = of.snapshot.forgotten_runs; i < of.snapshot.runs.size() && of.run != nullptr; ++i) {
      const Run& run = of.snapshot.runs[i];
      if (run.info.graph == of.run->info.graph && run.whole() && run.cold == cold)
        walls.push_back(static_cast<double>(run.wall()));
    }
    if (!walls.empty()) break;
  }
  if (walls.empty()) return std::nullopt;
  std::sort(walls.begin(), walls.end());
  const size_t middle = walls.size() / 2;
  return walls.size() % 2 == 1 ? walls[middle] : (walls[middle - 1] + walls[middle]) / 2;
}

// Median wall time per node; none for a node without runs.
std::vector<std::optional<double>> node_medians(const Compared& of) {
  std::vector<std::optional<double>> out;
  if (of.graph == nullptr) return out;
  for (const NodeStats& stats : of.snapshot.stats(of.graph->id))
    out.push_back(stats.runs > 0 ? std::optional(static_cast<double>(stats.median)) : std::nullopt);
  out.resize(of.graph->nodes.size());
  return out;
}

std::optional<double> sum(const std::vector<std::optional<double>>& values) {
  std::optional<double> out;
  for (const auto& value : values)
    if (value) out = out.value_or(0) + *value;
  return out;
}

void compare_nodes(const Compared& a, const Compared& b, Difference& out) {
  const auto medians_a = node_medians(a), medians_b = node_medians(b);
  MetricChange change{Metric::NodeTime, sum(medians_a), sum(medians_b), {}};
  if (a.graph != nullptr && b.graph != nullptr) {
    const GraphMatch match = match_graphs(*a.graph, *b.graph);
    for (size_t i = 0; i < a.graph->nodes.size(); ++i) {
      const TensorRef other = match.to_other(TensorRef::node(NodeId(i)));
      const std::string node = display_name(*a.graph, TensorRef::node(NodeId(i)));
      if (!other.valid()) out.only_a.push_back(node);
      change.contributions.push_back(
          {node, medians_a[i], other.is_node() ? medians_b[other.index()] : std::optional<double>()});
    }
    for (size_t i = 0; i < b.graph->nodes.size(); ++i) {
      if (match.from_other(TensorRef::node(NodeId(i))).valid()) continue;
      out.only_b.push_back(display_name(*b.graph, TensorRef::node(NodeId(i))));
      change.contributions.push_back({out.only_b.back(), std::nullopt, medians_b[i]});
    }
  }
  keep_changes(change.contributions);
  if (!change.known()) change.contributions.clear();
  out.metrics.push_back(std::move(change));
}

}  // namespace

const char* name(Metric metric) { return kMetricNames[static_cast<size_t>(metric)]; }

std::optional<Metric> parse_metric(std::string_view name) {
  const auto found = std::ranges::find(kMetricNames, name, [](const char* text) { return std::string_view(text); });
  if (found == kMetricNames.end()) return std::nullopt;
  return static_cast<Metric>(found - kMetricNames.begin());
}

bool is_time(Metric metric) { return metric == Metric::NodeTime || metric == Metric::RunTime; }

std::optional<Sample> highest(const Snapshot& s, const SeriesView& series) {
  return series.samples.empty() ? std::nullopt : series.highest(s.time.begin, s.time.end + 1);
}

std::optional<double> measure(const Snapshot& s, Metric metric) {
  const auto top = [&](const SeriesView& series) {
    const auto sample = highest(s, series);
    return sample ? std::optional(sample->value) : std::nullopt;
  };
  const Compared of(s);
  switch (metric) {
    case Metric::Peak: return top(s.all_active);
    case Metric::Reserved: return top(s.all_reserved);
    case Metric::Arena:
      return of.plan != nullptr ? std::optional(static_cast<double>(of.plan->arena_bytes)) : std::nullopt;
    case Metric::NodeTime: return sum(node_medians(of));
    case Metric::RunTime: return median_run(of);
  }
  return std::nullopt;
}

Subject::Subject(const Snapshot& s) {
  for (size_t i = s.runs.size(); i-- > s.forgotten_runs && run == nullptr;)
    if (s.runs[i].finished) run = &s.runs[i];
  if (run != nullptr) {
    graph = s.graph_of(run->info.id);
    plan = s.plan_of(run->info.id);
  }
  for (size_t i = s.plans.size(); i-- > 0 && run == nullptr && plan == nullptr;)
    if (s.plans[i]) plan = s.plans[i].get();
  if (plan != nullptr && graph == nullptr) graph = s.graph(plan->graph);
  for (size_t i = s.graphs.size(); i-- > 0 && graph == nullptr;)
    if (s.graphs[i] && !s.graphs[i]->of_file) graph = s.graphs[i].get();
}

std::string display_name(const GraphInfo& graph, TensorRef ref) {
  const auto& list = ref.is_leaf() ? graph.leafs : graph.nodes;
  if (!ref.valid() || ref.index() >= list.size()) return {};
  const TensorInfo& tensor = list[ref.index()];
  if (!tensor.name.empty()) return tensor.name;
  return (tensor.op.empty() ? "leaf" : tensor.op) + " #" + std::to_string(ref.index());
}

std::string display_name(const Snapshot& s, const SpaceAllocation& allocation) {
  if (is_arena(allocation)) return "arena";
  if (const GraphInfo* graph = allocation.tensor.valid() ? s.graph(allocation.graph) : nullptr)
    if (std::string tensor = display_name(*graph, allocation.tensor); !tensor.empty()) return tensor;
  if (std::string site = call_site(s, s.stack_of(allocation.block)); !site.empty()) return site;
  const AllocatorInfo* allocator = s.allocator(allocation.allocator);
  return "memory of " + (allocator != nullptr ? allocator->name : "an unknown allocator");
}

Difference compare(const Snapshot& a, const Snapshot& b) {
  const Compared of_a(a), of_b(b);
  Difference out;
  out.metrics.push_back(of_series(Metric::Peak, a, b, &Snapshot::all_active, live_at));
  out.metrics.push_back(of_series(Metric::Reserved, a, b, &Snapshot::all_reserved, reserved_at));
  out.metrics.push_back(of_arena(of_a, of_b));
  compare_nodes(of_a, of_b, out);
  out.metrics.push_back({Metric::RunTime, median_run(of_a), median_run(of_b), {}});
  return out;
}

}  // namespace arenascope::trace
