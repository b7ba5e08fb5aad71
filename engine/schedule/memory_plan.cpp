// SPDX-License-Identifier: MIT
#include <arenascope/schedule/memory_plan.h>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <arenascope/planner/check.h>
#include <arenascope/planner/lower_bound.h>
#include "engine/schedule/joins.h"

namespace arenascope {
namespace {

// The node whose bytes the tensor is made of, or none when they are given.
NodeId owner_of(const Graph& graph, const TensorImpl& tensor) {
  const TensorImpl& base = tensor.view_source ? *tensor.view_source : tensor;
  return base.op == Op::None ? NodeId::none() : graph.find_node(base);
}

// Blocks for planners that have none: tensors that lie at the same offset, one after the other, share one.
void number_blocks(std::vector<PlannedTensor>& tensors) {
  std::vector<size_t> by_place(tensors.size());
  std::iota(by_place.begin(), by_place.end(), 0);
  std::sort(by_place.begin(), by_place.end(), [&](size_t a, size_t b) {
    return std::pair(tensors[a].offset, tensors[a].first) < std::pair(tensors[b].offset, tensors[b].first);
  });
  int32_t block = -1;
  for (size_t i = 0; i < by_place.size(); ++i) {
    PlannedTensor& tensor = tensors[by_place[i]];
    const bool again = i > 0 && tensors[by_place[i - 1]].offset == tensor.offset;
    if (!again) ++block;
    tensor.block = BlockId(block);
    tensor.level = again ? 1 : 0;
  }
}

}  // namespace

GraphIntervals graph_intervals(const Graph& graph, std::span<const NodeId> order, const MemoryPlanOptions& options) {
  GraphIntervals out;
  const auto nodes = graph.nodes();
  const auto steps = static_cast<int64_t>(order.size());
  std::vector<int64_t> made(nodes.size(), -1), last_use(nodes.size(), -1), interval_of(nodes.size(), -1);
  std::vector<uint8_t> kept(nodes.size(), 0);
  for (int64_t step = 0; step < steps; ++step) {
    const TensorImpl& node = *nodes[order[static_cast<size_t>(step)].index()];
    made[order[static_cast<size_t>(step)].index()] = step;
    for (const TensorImpl* source : node.sources)
      if (const NodeId owner = owner_of(graph, *source); owner.valid()) last_use[owner.index()] = step;
    // A view keeps its owner alive while it is itself used, and an output view keeps it to the end.
    if (const NodeId owner = owner_of(graph, node); owner.valid()) {
      last_use[owner.index()] = std::max(last_use[owner.index()], step);
      if (node.has(kFlagOutput)) kept[owner.index()] = 1;
    }
  }
  out.problem.alignment = options.alignment;
  out.problem.capacity = options.capacity;
  for (NodeId id : order) {
    const TensorImpl& node = *nodes[id.index()];
    if (node.op == Op::None || node.is_view() || node.element_count() == 0 ||
        (node.flags & (kFlagSpilled | kFlagPacked)))
      continue;
    planner::Interval interval;
    interval.lower = made[id.index()];
    interval.upper = kept[id.index()] && options.keep_outputs ? steps : last_use[id.index()] + 1;
    interval.size = node.byte_count();
    interval_of[id.index()] = static_cast<int64_t>(out.owners.size());
    out.problem.intervals.push_back(interval);
    out.owners.push_back(id);
  }
  std::vector<uint8_t> shared(out.owners.size(), 0);  // with others, by a join
  if (options.join) {
    Joins joins = find_joins(graph, order, interval_of, options.alignment);
    out.problem.attachments = std::move(joins.attachments);
    out.joined = std::move(joins.nodes);
    for (const planner::Attachment& a : out.problem.attachments) shared[size_t(a.part)] = shared[size_t(a.whole)] = 1;
  }
  if (!options.in_place) return out;
  for (size_t i = 0; i < out.owners.size(); ++i) {
    const TensorImpl& node = *nodes[out.owners[i].index()];
    if (!info(node.op).is_pointwise() || node.sources.empty()) continue;
    const TensorImpl& source = *node.sources[0];
    // Only a whole contiguous tensor that nobody reads later, of the same size and type.
    if (source.is_view() || source.dtype != node.dtype || !(source.sizes == node.sizes) ||
        !(source.strides == node.strides))
      continue;
    const NodeId from = owner_of(graph, source);
    if (!from.valid() || interval_of[from.index()] < 0 || kept[from.index()]) continue;
    if (last_use[from.index()] != made[out.owners[i].index()]) continue;
    if (shared[size_t(interval_of[from.index()])]) continue;  // somebody else may still read those bytes
    bool read_otherwise = false;
    for (size_t s = 1; s < node.sources.size(); ++s)
      read_otherwise = read_otherwise || owner_of(graph, *node.sources[s]) == from;
    if (read_otherwise) continue;
    out.problem.in_place.push_back({static_cast<int32_t>(interval_of[from.index()]), static_cast<int32_t>(i), 0});
  }
  return out;
}

Result<PlannedIntervals> plan_intervals(const Graph& graph, std::span<const NodeId> order,
                                        const planner::Planner& planner, const MemoryPlanOptions& options) {
  double before = 0;
  Bytes smallest = 0;
  const auto planned = [&](const MemoryPlanOptions& how, double share) -> Result<PlannedIntervals> {
    PlannedIntervals out{graph_intervals(graph, order, how), {}};
    planner::Options budget = how.planner;
    budget.budget_seconds *= share;
    // To an observer both are one search.
    budget.on_progress = [&](planner::Progress at) {
      at.seconds += before;
      if (how.planner.on_progress && (smallest == 0 || at.arena_bytes < smallest)) {
        smallest = at.arena_bytes;
        how.planner.on_progress(at);
      }
    };
    auto answer = planner.plan(out.intervals.problem, budget);
    if (!answer) return answer.error();
    if (auto ok = planner::check(out.intervals.problem, *answer); !ok)
      return Error{fmt::format("the plan of {} is wrong: {}", planner.name(), ok.error().message)};
    out.plan = std::move(*answer);
    return out;
  };
  MemoryPlanOptions apart = options;
  apart.join = false;
  if (!options.join) return planned(apart, 1);
  if (graph_intervals(graph, order, options).joined.empty()) return planned(apart, 1);
  auto joined = planned(options, 0.5);
  if (joined && joined->plan.arena_bytes <= planner::lower_bound(graph_intervals(graph, order, apart).problem))
    return joined;
  if (joined) before = joined->plan.seconds;
  auto separate = planned(apart, 0.5);
  if (!separate || !joined) return separate;
  // Either way is open, so only what bounds both is a bound.
  const Bytes bound = std::min(joined->plan.lower_bound, separate->plan.lower_bound);
  auto& better = joined->plan.arena_bytes <= separate->plan.arena_bytes ? joined : separate;
  better->plan.lower_bound = bound;
  better->plan.optimal = better->plan.arena_bytes == bound;
  better->plan.seconds = joined->plan.seconds + separate->plan.seconds;
  return std::move(better);
}

Result<MemoryPlan> plan_memory(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                               const planner::Planner& planner, const MemoryPlanOptions& options) {
  if (auto ok = check_order(graph, order); !ok) return ok.error();
  auto planned = plan_intervals(graph, order, planner, options);
  if (!planned) return planned.error();
  const GraphIntervals& intervals = planned->intervals;
  const planner::Plan* answer = &planned->plan;

  MemoryPlan plan;
  plan.planner = answer->planner;
  plan.order_name = order_name;
  plan.order = std::move(order);
  plan.arena_bytes = answer->arena_bytes;
  plan.lower_bound = answer->lower_bound;
  plan.alignment = options.alignment;
  plan.optimal = answer->optimal;
  plan.seconds = answer->seconds;
  plan.tensors.resize(intervals.owners.size());
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const planner::Interval& interval = intervals.problem.intervals[i];
    PlannedTensor& tensor = plan.tensors[i];
    tensor.node = intervals.owners[i];
    tensor.offset = answer->offsets[i];
    tensor.size = interval.size;
    tensor.first = Step(static_cast<int32_t>(interval.lower));
    tensor.last = Step(static_cast<int32_t>(interval.upper));
    if (!answer->blocks.empty()) tensor.block = answer->blocks[i];
    if (!answer->reuse_level.empty()) tensor.level = answer->reuse_level[i];
  }
  for (const planner::InPlace& pair : intervals.problem.in_place)
    if (plan.tensors[size_t(pair.source)].offset == plan.tensors[size_t(pair.target)].offset)
      plan.tensors[size_t(pair.target)].in_place_of = plan.tensors[size_t(pair.source)].node;
  for (const planner::Attachment& join : intervals.problem.attachments)
    plan.tensors[size_t(join.part)].part_of = plan.tensors[size_t(join.whole)].node;
  plan.joined = intervals.joined;
  if (answer->blocks.empty()) number_blocks(plan.tensors);
  return plan;
}

Result<MemoryPlan> plan_memory(const Graph& graph, std::string_view planner_name, std::string_view order_name,
                               const MemoryPlanOptions& options, const OrderOptions& order_options) {
  const planner::Planner* planner = planner::find_planner(planner_name);
  if (!planner) {
    std::string names;
    for (const planner::Planner* p : planner::all_planners()) names += fmt::format(" {}", p->name());
    return Error{fmt::format("there is no planner '{}'; there are:{}", planner_name, names)};
  }
  const OrderInfo* order = find_order(order_name);
  if (!order) {
    std::string names;
    for (const OrderInfo& o : all_orders()) names += fmt::format(" {}", o.name);
    return Error{fmt::format("there is no order '{}'; there are:{}", order_name, names)};
  }
  auto sequence = order->make(graph, order_options);
  if (!sequence) return sequence.error();
  return plan_memory(graph, std::move(*sequence), order_name, *planner, options);
}

}  // namespace arenascope
