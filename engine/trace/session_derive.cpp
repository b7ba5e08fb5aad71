// SPDX-License-Identifier: MIT
// Derives the steps and slices of runs whose threads do not record them: the start of a step from the lead thread's
// spans, the slices of a step from the plan. The address of a slice comes from the tensor's accesses.
#include <arenascope/trace/session.h>
#include "engine/trace/address_space_tracker.h"

#include <algorithm>

namespace arenascope::trace {

// The steps of a plan: the inverse of its execution order, and the slices per step.
struct Session::PlanSteps {
  std::vector<int32_t> of_node;                   // -1: not in the plan
  std::vector<std::vector<uint32_t>> begin, end;  // slices per step: first used by it; last used by the step before
};

Session::Session() : Session(Options()) {}
Session::Session(Options options) : options_(options), spaces_(std::make_unique<AddressSpaceTracker>()) {}
Session::~Session() = default;

const Session::PlanSteps* Session::steps_of(PlanId id) {
  if (!id.valid() || id.index() >= plans_.size() || !plans_[id.index()]) return nullptr;
  if (plan_steps_.size() <= id.index()) plan_steps_.resize(id.index() + 1);
  auto& steps = plan_steps_[id.index()];
  if (steps) return steps.get();
  const PlanInfo& plan = *plans_[id.index()];
  steps = std::make_shared<PlanSteps>();
  for (size_t step = 0; step < plan.order.size(); ++step) {
    const NodeId node = plan.order[step];
    if (!node.valid() || node.index() > 8 * plan.order.size() + 1024) continue;  // files are untrusted
    if (steps->of_node.size() <= node.index()) steps->of_node.resize(node.index() + 1, -1);
    steps->of_node[node.index()] = static_cast<int32_t>(step);
  }
  steps->begin.resize(plan.order.size());
  steps->end.resize(plan.order.size() + 1);
  for (uint32_t i = 0; i < plan.slices.size(); ++i) {
    const SliceInfo& slice = plan.slices[i];
    if (!slice.bound || slice.bound_offset < 0 || slice.size < 0 || slice.bound_offset > INT64_MAX - slice.size)
      continue;
    if (!slice.first.valid() || slice.first >= slice.last || slice.last.index() > plan.order.size()) continue;
    steps->begin[slice.first.index()].push_back(i);
    steps->end[slice.last.index()].push_back(i);
  }
  return steps.get();
}

// Begins all steps before `steps` that have not begun yet, at `time`.
void Session::derive_up_to(RunId run, size_t steps, Nanoseconds time) {
  const PlanId id = runs_[run.index()].info.plan;
  const PlanSteps* by_step = steps_of(id);
  if (by_step == nullptr) return;
  const PlanInfo& plan = *plans_[id.index()];
  Derived& derived = derived_[run.value];
  for (; derived.next < std::min(steps, plan.order.size()); ++derived.next) {
    const Step step(static_cast<int32_t>(derived.next));
    for (uint32_t i : by_step->end[derived.next]) {
      const SliceInfo& s = plan.slices[i];
      add_slice(slice_dead(run, time, s.tensor, s.bound_offset, s.size, step));
    }
    for (uint32_t i : by_step->begin[derived.next]) {
      const SliceInfo& s = plan.slices[i];
      add_slice(slice_live(run, time, s.tensor, s.bound_offset, s.size, step));
    }
    newest_step_ = step;
    add_mark({time, run, step, plan.order[derived.next]});
  }
}

void Session::derive(TrackId track, const Event& e) {
  if (e.kind() != EventKind::Work && e.kind() != EventKind::Wait && e.kind() != EventKind::Between) return;
  const RunId run = e.run();
  if (!known_run(run).valid()) return;
  const RunInfo& info = runs_[run.index()].info;
  if (!info.steps_derived || info.lead != track) return;
  const PlanSteps* steps = steps_of(info.plan);
  if (steps == nullptr || !e.node().valid() || e.node().index() >= steps->of_node.size()) return;
  const int32_t step = steps->of_node[e.node().index()];
  if (step < 0) return;
  Derived& derived = derived_.try_emplace(run.value, Derived{0, info.begin}).first->second;
  // The lead thread only waited if other threads ran all chunks of the node: the step began at the earliest possible
  // time.
  if (static_cast<size_t>(step) >= derived.next)
    derive_up_to(run, static_cast<size_t>(step) + 1, e.kind() == EventKind::Work ? e.begin() : derived.ready);
  derived_[run.value].ready = e.end();
}

// Completes a run that ended normally: steps without work, and the last slices.
void Session::finish_derived(const Run& run) {
  const auto found = derived_.find(run.info.id.value);
  if (found == derived_.end()) return;
  const PlanSteps* steps = steps_of(run.info.plan);
  if (steps != nullptr && run.status == RunStatus::Done) {
    const PlanInfo& plan = *plans_[run.info.plan.index()];
    const Nanoseconds time = found->second.ready;
    derive_up_to(run.info.id, plan.order.size(), time);
    for (uint32_t i : steps->end.back()) {
      const SliceInfo& s = plan.slices[i];
      add_slice(slice_dead(run.info.id, time, s.tensor, s.bound_offset, s.size,
                           Step(static_cast<int32_t>(plan.order.size()))));
    }
  }
  derived_.erase(run.info.id.value);
}

}  // namespace arenascope::trace
