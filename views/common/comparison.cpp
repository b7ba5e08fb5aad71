// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/comparison.h>
#include <views/common/shown_graph.h>

#include <algorithm>

namespace arenascope::views {

namespace {

// The execution order of a plan, or the node order of the graph.
std::vector<NodeId> order_of(const trace::GraphInfo& graph, const trace::PlanInfo* plan) {
  if (plan && !plan->order.empty()) return plan->order;
  std::vector<NodeId> order;
  for (size_t i = 0; i < graph.nodes.size(); ++i) order.emplace_back(i);
  return order;
}

}  // namespace

ComparisonSide ComparisonSide::of(std::shared_ptr<const trace::Snapshot> snapshot, const QString& title) {
  ComparisonSide o{title, std::move(snapshot), {}, nullptr, nullptr};
  const trace::Snapshot& s = *o.snapshot;
  for (size_t r = s.runs.size(); r-- > 0 && !o.run.valid();)
    if (s.runs[r].finished) o.run = trace::RunId(r);
  if (!o.run.valid() && !s.runs.empty()) o.run = trace::RunId(s.runs.size() - 1);
  const trace::GraphInfo* graph = o.run.valid() ? s.graph_of(o.run) : nullptr;
  const trace::PlanInfo* plan = o.run.valid() ? s.plan_of(o.run) : nullptr;
  o.graph = graph != nullptr ? s.graphs[graph->id.index()] : default_graph(s);
  if (plan != nullptr)
    o.plan = s.plans[plan->id.index()];
  else if (!o.run.valid())
    o.plan = default_plan(s, o.graph.get());
  return o;
}

ComparisonPtr Comparison::make(ComparisonSide other, const trace::GraphInfo* graph, const trace::PlanInfo* plan) {
  auto c = std::make_shared<Comparison>();
  c->other = std::move(other);
  if (!graph || !c->other.graph) return c;
  c->match = trace::match_graphs(*graph, *c->other.graph);
  const size_t matched = c->match.matched_nodes();
  c->only_ours = graph->nodes.size() - matched;
  c->only_theirs = c->other.graph->nodes.size() - matched;
  std::vector<AxisMapping::Anchor> anchors;
  const std::vector<NodeId> theirs = order_of(*c->other.graph, c->other.plan.get());
  for (const auto& [their_step, our_step] : trace::match_steps(c->match, order_of(*graph, plan), theirs))
    anchors.push_back({static_cast<double>(their_step), static_cast<double>(our_step)});
  if (!anchors.empty()) {  // a step has a width
    const AxisMapping::Anchor last = anchors.back();
    anchors.push_back({last.step + 1, last.time + 1});
    c->steps = std::make_shared<const AxisMapping>(std::move(anchors), static_cast<int32_t>(theirs.size()));
  }
  return c;
}

AxisFrame Comparison::frame(const AxisFrame& ours, const trace::Run* run) const {
  const trace::Snapshot& s = *other.snapshot;
  AxisFrame f;
  f.mode = ours.mode;
  f.range = ours.range;
  f.align = steps;
  const trace::Run* theirs = s.run(other.run);
  const Nanoseconds begin = theirs ? theirs->info.begin : s.time.begin;
  f.origin = begin - ((run ? run->info.begin : ours.origin) - ours.origin);
  if (ours.runs) f.runs = std::make_shared<const AxisMapping>(AxisMapping::of_runs(s, s.time, f.origin));
  if (f.runs && f.runs->empty()) f.runs = nullptr;
  f.mapping =
      AxisMapping::from(s.steps(other.run), f.origin, other.plan ? static_cast<int32_t>(other.plan->order.size()) : 0);
  return f;
}

}  // namespace arenascope::views
