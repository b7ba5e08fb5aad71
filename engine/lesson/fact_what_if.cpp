// SPDX-License-Identifier: MIT
// Facts about hypothetical plans: other planners and orders, and savings.
#include "engine/lesson/fact_table.h"

#include <arenascope/graph/order_ge.h>
#include <arenascope/lesson/stage.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/schedule/findings.h>
#include <arenascope/schedule/memory_plan.h>
#include <arenascope/schedule/restore.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

Result<Value> arena_shown(const Scene& s) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  return bytes_value((*plan)->arena_bytes);
}

Result<MemoryPlan> planned(const Scene& s, const std::string& planner, const std::string& order,
                           bool in_place = false) {
  auto graph = graph_of(s);
  if (!graph) return graph.error();
  auto restored = restore_graph(**graph);
  if (!restored) return restored.error();
  MemoryPlanOptions options;
  if (s.plan && s.plan->alignment > 0) options.alignment = s.plan->alignment;
  options.in_place = in_place;
  options.planner.budget_seconds = 0.05;
  OrderOptions order_options;
  order_options.budget_seconds = 0.05;
  return plan_memory(*restored, planner, order, options, order_options);
}

Result<Value> arena_of(const Scene& s, const Arguments& a) {
  auto plan = planned(s, a[0], a[1]);
  if (!plan) return plan.error();
  return bytes_value(plan->arena_bytes);
}

Result<Value> offset_in(const Scene& s, const Arguments& a) {
  auto plan = planned(s, a[0], a[1]);
  if (!plan) return plan.error();
  Scene with_plan = s;
  with_plan.plan = std::make_shared<const trace::PlanInfo>(describe_plan(*plan));
  auto slice = slice_of(with_plan, a[2]);
  if (!slice) return slice.error();
  return bytes_value((*slice)->offset);
}

Result<Value> in_place_arena(const Scene& s, const Arguments& a) {
  auto plan = planned(s, a[0], a[1], true);
  if (!plan) return plan.error();
  return bytes_value(plan->arena_bytes);
}

Result<Value> bound_of(const Scene& s, const Arguments& a) {
  auto plan = planned(s, "greedy-by-size", a[0]);
  if (!plan) return plan.error();
  return bytes_value(plan->lower_bound);
}

Result<Value> order_of(const Scene& s, const Arguments& a) {
  auto plan = planned(s, "greedy-by-size", a[0]);
  if (!plan) return plan.error();
  std::vector<std::string> names;
  for (NodeId node : plan->order) names.push_back(name_of(*s.graph, trace::TensorRef::node(node)));
  return list_value(std::move(names));
}

Result<GeOrder> moves_of_order(const Scene& s, const std::string& base) {
  auto graph = graph_of(s);
  if (!graph) return graph.error();
  auto restored = restore_graph(**graph);
  if (!restored) return restored.error();
  GeOptions options;
  options.base = base;
  return optimise_like_ge(*restored, options);
}

Result<Value> moved(const Scene& s, const Arguments& a) {
  auto ge = moves_of_order(s, a[0]);
  if (!ge) return ge.error();
  std::vector<std::string> names;
  for (const GeMove& move : ge->moves) names.push_back(name_of(*s.graph, trace::TensorRef::node(move.node)));
  return names.empty() ? text_value("none") : list_value(std::move(names));
}

Result<Value> peak_after_moves(const Scene& s, const Arguments& a) {
  auto ge = moves_of_order(s, a[0]);
  if (!ge) return ge.error();
  return bytes_value(ge->peak);
}

constexpr std::pair<const char*, Finding::Kind> kFindings[] = {
    {"order", Finding::Kind::Order},           {"planner", Finding::Kind::Planner},
    {"in-place", Finding::Kind::InPlace},      {"rematerialise", Finding::Kind::Rematerialise},
    {"offload", Finding::Kind::Offload},       {"concat", Finding::Kind::Concat},
    {"contiguous", Finding::Kind::Contiguous}, {"alignment", Finding::Kind::Alignment}};

Bytes saved_by(const Finding& f) {
  return f.kind == Finding::Kind::Contiguous || f.kind == Finding::Kind::Concat ? f.bytes : f.saved;
}

// The finding of a kind, optionally about one tensor, that saves most; none: nothing was found.
Result<std::optional<Finding>> best_finding(const Scene& s, const Arguments& a) {
  const auto kind = std::ranges::find_if(kFindings, [&](const auto& k) { return a[0] == k.first; });
  if (kind == std::end(kFindings)) return Error{fmt::format("unknown finding '{}'", a[0])};
  if (!s.graph || !s.plan) return Error{"no plan is open"};
  FindingsOptions options;
  options.budget_seconds = 2;
  std::optional<Finding> best;
  for (Finding& f : find_savings({s.snapshot, s.graph, s.plan, s.run}, options)) {
    if (f.kind != kind->second) continue;
    const bool about = a.size() < 2 || (!f.tensors.empty() && name_of(*s.graph, f.tensors.front()) == a[1]);
    if (about && (!best || saved_by(f) > saved_by(*best))) best = std::move(f);
  }
  return best;
}

// Zero if there is none.
Result<Value> saving(const Scene& s, const Arguments& a) {
  auto best = best_finding(s, a);
  if (!best) return best.error();
  return bytes_value(*best ? saved_by(**best) : 0);
}

Result<const FrontierPlan*> frontier_plan(const Scene& s, const std::string& number) {
  const auto i = parse_integer(number);
  if (!i || *i < 0 || *i >= static_cast<int64_t>(s.frontier.size()))
    return Error{fmt::format("the frontier has no point {}", number)};
  return &s.frontier[static_cast<size_t>(*i)];
}

Result<Value> frontier_points(const Scene& s, const Arguments&) {
  return number_value(static_cast<double>(s.frontier.size()));
}

Result<Value> frontier_arena(const Scene& s, const Arguments& a) {
  auto plan = frontier_plan(s, a[0]);
  if (!plan) return plan.error();
  return bytes_value((*plan)->arena);
}

Result<Value> frontier_cost(const Scene& s, const Arguments& a) {
  auto plan = frontier_plan(s, a[0]);
  if (!plan) return plan.error();
  return number_value(100 * (*plan)->extra_work, Unit::Percent);
}

Result<Value> frontier_end(const Scene& s, const Arguments&) {
  if (s.frontier.empty()) return Error{"no frontier has been computed"};
  return bytes_value(s.frontier.back().arena);
}

constexpr Fact kWhatIfFacts[] = {
    {{"arena", 0, 2, "arena bytes of the plan shown, or of the plan made by another planner and order",
      "occupancy arena planners inspector headline"},
     [](const Scene& s, const Arguments& a) -> Result<Value> {
       if (a.size() == 1) return Error{"'arena' takes a planner and an order, or no arguments"};
       return a.empty() ? arena_shown(s) : arena_of(s, a);
     }},
    {{"offset_in", 3, 3, "offset of a tensor in the plan made by another planner and order",
      "arena blocks nodes reuse inspector"},
     offset_in},
    {{"in_place_arena", 2, 2, "bytes of that arena with in-place ops", "planners findings"}, in_place_arena},
    {{"bound_of", 1, 1, "lower bound of an order", "planners"}, bound_of},
    {{"order_of", 1, 1, "nodes in an order", "nodes moves"}, order_of},
    {{"moved", 1, 1, "nodes that GE's rules move later in an order, or none", "moves"}, moved},
    {{"peak_after_moves", 1, 1, "peak of live bytes in an order after these moves", "moves planners"},
     peak_after_moves},
    {{"saving", 1, 2,
      "largest saving in bytes of a kind of finding (order, planner, rematerialise, offload, contiguous, …); with a "
      "tensor, of its findings",
      "findings"},
     saving},
    {{"frontier_points", 0, 0, "number of plans on the frontier of memory versus operations", "training"},
     frontier_points},
    {{"frontier_arena", 1, 1, "arena bytes at a point of the frontier; point zero: nothing is recomputed", "training"},
     frontier_arena},
    {{"frontier_cost", 1, 1, "share of operations recomputed at a point of the frontier", "training"}, frontier_cost},
    {{"frontier_end", 0, 0, "arena bytes at the last point of the frontier", "training"}, frontier_end},
};

}  // namespace

Result<std::shared_ptr<const trace::PlanInfo>> improved_plan(const Scene& scene, const std::string& kind,
                                                             const std::string& tensor) {
  auto best = best_finding(scene, {kind, tensor});
  if (!best) return best.error();
  if (!*best || !(**best).plan) return Error{fmt::format("no finding '{}' about '{}' has a plan", kind, tensor)};
  return (**best).plan;
}

std::span<const Fact> what_if_facts() { return kWhatIfFacts; }

}  // namespace arenascope::lesson
