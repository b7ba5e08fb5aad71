// SPDX-License-Identifier: MIT
#include <arenascope/schedule/memory_plan.h>

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <arenascope/planner/check.h>
#include <arenascope/planner/lower_bound.h>
#include "engine/schedule/filled_plan.h"

namespace arenascope {
namespace {

// Assigns blocks for planners without blocks: tensors that use the same offset in sequence share a block.
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
  const std::vector<Lifetime> lives =
      find_lifetimes(graph, order, {options.keep_outputs, options.join, options.in_place, options.alignment});
  GraphIntervals out;
  out.problem.alignment = options.alignment;
  out.problem.capacity = options.capacity;
  std::vector<int32_t> interval_of(lives.size(), -1);
  std::vector<uint8_t> joins(lives.size(), 0);
  for (NodeId id : order) {
    const Lifetime& life = lives[id.index()];
    if (life.owner != id || life.bytes == 0) continue;
    if (!life.in_arena()) {
      out.elsewhere.push_back(life);
      continue;
    }
    interval_of[id.index()] = static_cast<int32_t>(out.owners.size());
    planner::Interval interval;
    interval.lower = life.first.value;
    interval.upper = life.last.value;
    interval.size = life.bytes;
    out.problem.intervals.push_back(interval);
    out.owners.push_back(id);
    if (life.part_of.valid()) joins[life.part_of.index()] = 1;
  }
  for (NodeId id : order) {
    if (!joins[id.index()]) continue;
    out.joined.push_back(id);
    for (const TensorImpl* source : graph.node(id).sources) {
      if (source->element_count() == 0) continue;
      const Lifetime& part = lives[graph.find_node(*source).index()];
      out.problem.attachments.push_back({interval_of[part.owner.index()], interval_of[id.index()], part.part_offset});
    }
  }
  for (size_t i = 0; i < out.owners.size(); ++i)
    if (const NodeId from = lives[out.owners[i].index()].in_place_of; from.valid())
      out.problem.in_place.push_back({interval_of[from.index()], static_cast<int32_t>(i), 0});
  return out;
}

Result<PlannedIntervals> plan_intervals(const Graph& graph, std::span<const NodeId> order,
                                        const planner::Planner& planner, const MemoryPlanOptions& options) {
  double before = 0;
  Bytes smallest = 0;
  const auto planned = [&](GraphIntervals intervals, double parts) -> Result<PlannedIntervals> {
    PlannedIntervals out{std::move(intervals), {}};
    planner::Options budget = options.planner;
    budget.divide_budget(parts);
    // An observer sees both plans as one search.
    budget.on_progress = [&](planner::Progress at) {
      at.seconds += before;
      if (options.planner.on_progress && (smallest == 0 || at.arena_bytes < smallest)) {
        smallest = at.arena_bytes;
        options.planner.on_progress(at);
      }
    };
    auto answer = planner.plan(out.intervals.problem, budget);
    if (!answer) return answer.error();
    if (auto ok = planner::check(out.intervals.problem, *answer); !ok)
      return Error{fmt::format("the plan of {} is wrong: {}", planner.name(), ok.error().message)};
    out.plan = std::move(*answer);
    return out;
  };
  MemoryPlanOptions without = options;
  without.join = false;
  GraphIntervals apart = graph_intervals(graph, order, without);
  if (!options.join) return planned(std::move(apart), 1);
  GraphIntervals together = graph_intervals(graph, order, options);
  if (together.joined.empty()) return planned(std::move(apart), 1);
  auto joined = planned(std::move(together), 2);
  if (joined && joined->plan.arena_bytes <= planner::lower_bound(apart.problem)) return joined;
  if (joined) before = joined->plan.seconds;
  auto separate = planned(std::move(apart), 2);
  if (!separate || !joined) return separate;
  // Both variants are permitted, so the lower bound is the smaller of the two.
  const Bytes bound = std::min(joined->plan.lower_bound, separate->plan.lower_bound);
  auto& better = joined->plan.arena_bytes <= separate->plan.arena_bytes ? joined : separate;
  better->plan.lower_bound = bound;
  better->plan.optimal = better->plan.arena_bytes == bound;
  better->plan.seconds = joined->plan.seconds + separate->plan.seconds;
  return std::move(better);
}

MemoryPlan fill_plan(const GraphIntervals& intervals, const planner::Plan& answer, std::vector<NodeId> order,
                     std::string_view order_name, const MemoryPlanOptions& options) {
  MemoryPlan plan;
  plan.planner = answer.planner;
  plan.order_name = order_name;
  plan.order = std::move(order);
  plan.arena_bytes = answer.arena_bytes;
  plan.lower_bound = answer.lower_bound;
  plan.alignment = options.alignment;
  plan.optimal = answer.optimal;
  plan.seconds = answer.seconds;
  plan.tensors.resize(intervals.owners.size());
  for (size_t i = 0; i < plan.tensors.size(); ++i) {
    const planner::Interval& interval = intervals.problem.intervals[i];
    PlannedTensor& tensor = plan.tensors[i];
    tensor.node = intervals.owners[i];
    tensor.offset = answer.offsets[i];
    tensor.size = interval.size;
    tensor.first = Step(static_cast<int32_t>(interval.lower));
    tensor.last = Step(static_cast<int32_t>(interval.upper));
    if (!answer.blocks.empty()) tensor.block = answer.blocks[i];
    if (!answer.reuse_level.empty()) tensor.level = answer.reuse_level[i];
  }
  for (const planner::InPlace& pair : intervals.problem.in_place)
    if (plan.tensors[size_t(pair.source)].offset == plan.tensors[size_t(pair.target)].offset)
      plan.tensors[size_t(pair.target)].in_place_of = plan.tensors[size_t(pair.source)].node;
  for (const planner::Attachment& join : intervals.problem.attachments)
    plan.tensors[size_t(join.part)].part_of = plan.tensors[size_t(join.whole)].node;
  plan.elsewhere = intervals.elsewhere;
  plan.joined = intervals.joined;
  if (answer.blocks.empty()) number_blocks(plan.tensors);
  return plan;
}

Result<MemoryPlan> plan_memory(const Graph& graph, std::vector<NodeId> order, std::string_view order_name,
                               const planner::Planner& planner, const MemoryPlanOptions& options) {
  if (auto ok = check_order(graph, order); !ok) return ok.error();
  auto planned = plan_intervals(graph, order, planner, options);
  if (!planned) return planned.error();
  MemoryPlan plan = fill_plan(planned->intervals, planned->plan, std::move(order), order_name, options);
  if (planner.searches()) plan.budget_seconds = options.planner.budget_seconds;
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
