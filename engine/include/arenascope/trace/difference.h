// SPDX-License-Identifier: MIT
// Two recordings, traces or plans compared by their totals, with the tensors, call sites, allocators and nodes that explain
// each difference. Pure functions of the snapshots.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <optional>
#include <string>
#include <vector>

namespace arenascope::trace {

enum class Metric : uint8_t {
  Peak,      // the most allocated bytes at one time
  Reserved,  // the most bytes that allocators had reserved at one time
  Arena,     // bytes of the plan's arena
  NodeTime,  // nanoseconds: the median wall times of all nodes, summed
  RunTime,   // nanoseconds: the median wall time of the runs that count for statistics
};
inline constexpr size_t kMetrics = 5;
const char* name(Metric metric);  // "peak", "reserved", "arena", "node-time", "run-time"
std::optional<Metric> parse_metric(std::string_view name);
bool is_time(Metric metric);

// A part of a metric: bytes or nanoseconds in A and in B; none: not in that one.
struct Contribution {
  std::string name;
  std::optional<double> a, b;
  double change() const { return b.value_or(0) - a.value_or(0); }
};

struct MetricChange {
  Metric metric;
  std::optional<double> a, b;               // none: not recorded
  std::vector<Contribution> contributions;  // the parts that differ, the largest change first
  bool known() const { return a && b; }
  double change() const { return known() ? *b - *a : 0; }
};

struct Difference {
  std::vector<MetricChange> metrics;        // one of each, in the order of the enumeration
  std::vector<std::string> only_a, only_b;  // names of the nodes without a counterpart
  const MetricChange& of(Metric metric) const { return metrics[static_cast<size_t>(metric)]; }
};

// The run of a snapshot that reports and comparisons describe: the newest finished one, with its graph and plan. Without
// runs: the newest plan, or the newest graph. Pointers into the snapshot; null if not recorded.
struct Subject {
  const Run* run = nullptr;
  const GraphInfo* graph = nullptr;
  const PlanInfo* plan = nullptr;
  explicit Subject(const Snapshot& snapshot);
};

// The name of a tensor, or its op and number if it has none; empty if there is no such tensor.
std::string display_name(const GraphInfo& graph, TensorRef ref);
// The tensor that an allocation holds, else its call site, else its allocator; "arena" for the arena of a plan.
std::string display_name(const Snapshot& snapshot, const SpaceAllocation& allocation);

// The first of the highest values of a series in the whole snapshot; none without samples.
std::optional<Sample> highest(const Snapshot& snapshot, const SeriesView& series);
// A metric of the snapshot's subject; none: not recorded.
std::optional<double> measure(const Snapshot& snapshot, Metric metric);

// Compares the subjects of both; memory over the whole of each snapshot.
Difference compare(const Snapshot& a, const Snapshot& b);

}  // namespace arenascope::trace
