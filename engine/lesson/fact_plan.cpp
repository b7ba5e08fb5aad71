// SPDX-License-Identifier: MIT
// Facts about the plan shown.
#include <arenascope/base/step_number.h>
#include "engine/lesson/fact_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/lesson/strings.h"

namespace arenascope::lesson {

Result<const trace::PlanInfo*> plan_of(const Scene& scene) {
  if (!scene.plan || !scene.graph) return Error{"no plan is open"};
  return scene.plan.get();
}

Result<const trace::SliceInfo*> slice_of(const Scene& scene, const std::string& name) {
  auto plan = plan_of(scene);
  if (!plan) return plan.error();
  auto found = tensor_of(scene, name);
  if (!found) return found.error();
  const trace::TensorRef owner = found->info->view_source.valid() ? found->info->view_source : found->ref;
  for (const trace::SliceInfo& slice : (*plan)->slices)
    if (slice.tensor == owner) return &slice;
  return Error{fmt::format("the plan does not place '{}'", name)};
}

namespace {

struct Peak {
  Bytes bytes = 0;
  Step step;
};

Result<Peak> peak_at(const Scene& s) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  Peak peak;
  const std::vector<Bytes> live = trace::Snapshot::occupancy(**plan);
  for (size_t i = 0; i < live.size(); ++i)
    if (live[i] > peak.bytes) peak = {live[i], Step(i)};
  return peak;
}

Result<Value> peak(const Scene& s, const Arguments&) {
  auto at = peak_at(s);
  if (!at) return at.error();
  return bytes_value(at->bytes);
}

Result<Value> peak_step(const Scene& s, const Arguments&) {
  auto at = peak_at(s);
  if (!at) return at.error();
  return number_value(static_cast<double>(step_number(at->step)));
}

Result<std::vector<std::string>> live_at(const Scene& s, Step step) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  std::vector<const trace::SliceInfo*> slices;
  for (const trace::SliceInfo& slice : (*plan)->slices)
    if (slice.first <= step && step < slice.last && slice.size > 0) slices.push_back(&slice);
  std::ranges::stable_sort(slices, [](auto* a, auto* b) { return a->size > b->size; });
  std::vector<std::string> names;
  for (const trace::SliceInfo* slice : slices) names.push_back(name_of(*s.graph, slice->tensor));
  return names;
}

// Tensors live at the peak, largest first.
Result<Value> at_peak(const Scene& s, const Arguments&) {
  auto at = peak_at(s);
  if (!at) return at.error();
  auto names = live_at(s, at->step);
  if (!names) return names.error();
  return list_value(std::move(*names));
}

// A step number, or the step of the node that computes a tensor.
Result<Step> step_of(const Scene& s, const std::string& token) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  auto step = parse_integer(token);
  if (step) *step = step_index(*step);
  if (auto found = tensor_of(s, token); !step && found && found->ref.is_node()) {
    const auto at = std::ranges::find((*plan)->order, NodeId(found->ref.index()));
    if (at != (*plan)->order.end()) step = at - (*plan)->order.begin();
  }
  if (!step || *step < 0 || *step >= static_cast<int64_t>((*plan)->order.size()))
    return Error{fmt::format("expected a step or a node, found '{}'", token)};
  return Step(static_cast<int32_t>(*step));
}

Result<Value> live(const Scene& s, const Arguments& a) {
  auto step = step_of(s, a[0]);
  if (!step) return step.error();
  auto names = live_at(s, *step);
  if (!names) return names.error();
  return list_value(std::move(*names));
}

Result<Value> live_bytes(const Scene& s, const Arguments& a) {
  auto step = step_of(s, a[0]);
  if (!step) return step.error();
  return bytes_value(trace::Snapshot::occupancy(**plan_of(s))[step->index()]);
}

template <Bytes trace::PlanInfo::*field>
Result<Value> of_plan(const Scene& s, const Arguments&) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  return bytes_value((*plan)->*field);
}

Result<Value> waste(const Scene& s, const Arguments&) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  return bytes_value((*plan)->arena_bytes - (*plan)->lower_bound_bytes);
}

Result<Value> without_reuse(const Scene& s, const Arguments&) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  Bytes sum = 0;
  for (const trace::SliceInfo& slice : (*plan)->slices) sum += slice.size;
  return bytes_value(sum);
}

Result<Value> planned_tensors(const Scene& s, const Arguments&) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  return number_value(static_cast<double>(std::ranges::count_if((*plan)->slices, [](auto& x) { return x.size > 0; })));
}

Result<Value> blocks(const Scene& s, const Arguments&) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  std::set<int32_t> all;
  for (const trace::SliceInfo& slice : (*plan)->slices)
    if (slice.size > 0) all.insert(slice.block.value);
  return number_value(static_cast<double>(all.size()));
}

Result<Value> steps(const Scene& s, const Arguments&) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  return number_value(static_cast<double>((*plan)->order.size()));
}

Result<Value> run_order(const Scene& s, const Arguments&) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  std::vector<std::string> list;
  for (NodeId node : (*plan)->order) list.push_back(name_of(*s.graph, trace::TensorRef::node(node)));
  return list_value(std::move(list));
}

Result<Value> step_of(const Scene& s, const Arguments& a) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  auto found = tensor_of(s, a[0]);
  if (!found) return found.error();
  for (size_t i = 0; i < (*plan)->order.size(); ++i)
    if (trace::TensorRef::node((*plan)->order[i]) == found->ref)
      return number_value(static_cast<double>(step_number(Step(i))));
  return Error{fmt::format("expected a step of the execution order, found '{}'", a[0])};
}

enum class Where { Offset, End, First, Last, Level };
template <Where where>
Result<Value> of_slice(const Scene& s, const Arguments& a) {
  auto slice = slice_of(s, a[0]);
  if (!slice) return slice.error();
  const trace::SliceInfo& x = **slice;
  if (where == Where::Offset) return bytes_value(x.offset);
  if (where == Where::End) return bytes_value(x.offset + x.size);
  if (where == Where::First) return number_value(static_cast<double>(step_number(x.first)));
  if (where == Where::Last) return number_value(static_cast<double>(last_step_number(x.last)));
  return number_value(x.level);
}

// Tensors placed by a reuse level.
Result<std::vector<std::string>> reused(const Scene& s, const std::string& level) {
  auto plan = plan_of(s);
  if (!plan) return plan.error();
  const auto number = parse_integer(level);
  if (!number) return Error{fmt::format("expected a reuse level, found '{}'", level)};
  std::vector<std::string> names;
  for (const trace::SliceInfo& slice : (*plan)->slices)
    if (slice.size > 0 && slice.level == *number) names.push_back(name_of(*s.graph, slice.tensor));
  return names;
}

Result<Value> reused_at(const Scene& s, const Arguments& a) {
  auto names = reused(s, a[0]);
  if (!names) return names.error();
  return list_value(std::move(*names));
}

Result<Value> count_at(const Scene& s, const Arguments& a) {
  auto names = reused(s, a[0]);
  if (!names) return names.error();
  return number_value(static_cast<double>(names->size()));
}

// The tensors that share its block, sorted by time.
Result<Value> block(const Scene& s, const Arguments& a) {
  auto slice = slice_of(s, a[0]);
  if (!slice) return slice.error();
  std::vector<const trace::SliceInfo*> all;
  for (const trace::SliceInfo& other : s.plan->slices)
    if (other.block == (*slice)->block) all.push_back(&other);
  std::ranges::stable_sort(all, [](auto* x, auto* y) { return x->first < y->first; });
  std::vector<std::string> names;
  for (const trace::SliceInfo* other : all) names.push_back(name_of(*s.graph, other->tensor));
  return list_value(std::move(names));
}

Result<Value> in_place_of(const Scene& s, const Arguments& a) {
  auto slice = slice_of(s, a[0]);
  if (!slice) return slice.error();
  const std::string name = name_of(*s.graph, (*slice)->in_place_of);
  return text_value(name.empty() ? "none" : name);
}

constexpr Fact kPlanFacts[] = {
    {{"peak", 0, 0, "largest sum of live bytes in the plan shown", "occupancy planners inspector headline"}, peak},
    {{"peak_step", 0, 0, "first step at which the peak is reached", "occupancy"}, peak_step},
    {{"at_peak", 0, 0, "tensors live at the peak, largest first", "occupancy arena lifetimes blocks"}, at_peak},
    {{"bound", 0, 0, "lower bound of the plan shown", "occupancy planners inspector headline"},
     of_plan<&trace::PlanInfo::lower_bound_bytes>},
    {{"waste", 0, 0, "arena size minus lower bound", "occupancy arena planners inspector headline"}, waste},
    {{"alignment", 0, 0, "alignment of offsets in bytes", "inspector"}, of_plan<&trace::PlanInfo::alignment>},
    {{"without_reuse", 0, 0, "sum of the sizes of all planned tensors", "occupancy arena planners inspector headline"},
     without_reuse},
    {{"planned_tensors", 0, 0, "number of tensors placed in the arena", "lifetimes arena blocks reuse inspector"},
     planned_tensors},
    {{"blocks", 0, 0, "number of blocks that they share", "lifetimes arena blocks reuse inspector"}, blocks},
    {{"steps", 0, 0, "number of steps in the execution order", "graph inspector"}, steps},
    {{"run_order", 0, 0, "nodes in the execution order of the plan shown", "nodes timeline arena lifetimes occupancy"},
     run_order},
    {{"live", 1, 1, "tensors live at a step or while a node is computed, largest first",
      "occupancy arena lifetimes blocks"},
     live},
    {{"live_bytes", 1, 1, "sum of the sizes of these tensors", "occupancy"}, live_bytes},
    {{"step_of", 1, 1, "step that computes a tensor", "nodes timeline"}, step_of},
    {{"first", 1, 1, "first step at which its memory is used", "lifetimes arena blocks inspector"},
     of_slice<Where::First>},
    {{"last", 1, 1, "last step at which its memory is used", "lifetimes arena blocks inspector"},
     of_slice<Where::Last>},
    {{"offset", 1, 1, "offset in the arena", "arena blocks nodes reuse inspector"}, of_slice<Where::Offset>},
    {{"end", 1, 1, "end of its range in the arena", "arena blocks nodes reuse inspector"}, of_slice<Where::End>},
    {{"level", 1, 1, "reuse level that placed it; zero: not reused", "lifetimes arena blocks reuse inspector"},
     of_slice<Where::Level>},
    {{"reused_at", 1, 1, "tensors placed by a reuse level", "lifetimes arena blocks reuse inspector"}, reused_at},
    {{"count_at", 1, 1, "number of these tensors", "lifetimes arena blocks reuse inspector"}, count_at},
    {{"block", 1, 1, "tensors that share its block, by time", "lifetimes arena blocks reuse inspector"}, block},
    {{"in_place_of", 1, 1, "tensor that it overwrites in place, or none", "arena lifetimes inspector"}, in_place_of},
};

}  // namespace

std::span<const Fact> plan_facts() { return kPlanFacts; }

}  // namespace arenascope::lesson
