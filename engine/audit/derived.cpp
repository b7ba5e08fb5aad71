// SPDX-License-Identifier: MIT
// Steps and residencies of runs that do not write them. A step begins when the run's lead thread begins its first span of
// work for it, or, where that thread only waited for the others' work, when what it did before ended; steps without any
// begin with the next. A tensor is at its bound address for its planned steps.
#include <algorithm>

#include "engine/audit/raw_events.h"

namespace arenascope::audit {

namespace {

struct Begun {
  std::vector<Nanoseconds> steps;  // those that began, in order
  Nanoseconds last = 0;            // end of the lead's last span
};

// Spans of the lead thread in order: work, waits, and work between two nodes.
struct LeadSpan {
  int32_t node = -1;
  bool work = false;
  Nanoseconds begin = 0, end = 0;
};

std::vector<LeadSpan> lead_spans(const Raw& raw, const RawRun& run) {
  std::vector<LeadSpan> out;
  for (const RawSpan& s : raw.spans)
    if (s.run == run.info.id.value && s.track == run.info.lead.value && s.kind != SpanKind::Copy)
      out.push_back({s.node, s.kind == SpanKind::Work, s.begin, s.end});
  for (const RawBetween& b : raw.betweens)
    if (b.run == run.info.id.value && b.track == run.info.lead.value) out.push_back({b.node, false, b.begin, b.end});
  std::stable_sort(out.begin(), out.end(), [](const LeadSpan& a, const LeadSpan& b) { return a.begin < b.begin; });
  return out;
}

Begun begun(const Raw& raw, const RawRun& run, const trace::PlanInfo& plan) {
  Begun out;
  out.last = run.info.begin;
  for (const LeadSpan& s : lead_spans(raw, run)) {
    const auto found = std::find(plan.order.begin(), plan.order.end(), NodeId(s.node));
    if (found == plan.order.end()) continue;
    const auto step = static_cast<size_t>(found - plan.order.begin());
    const Nanoseconds time = s.work ? s.begin : out.last;
    while (out.steps.size() <= step) out.steps.push_back(time);
    out.last = s.end;
  }
  if (run.done() && !out.steps.empty())
    while (out.steps.size() < plan.order.size()) out.steps.push_back(out.last);
  return out;
}

}  // namespace

void derive_steps(Raw& raw) {
  for (const auto& [id, run] : raw.runs) {
    const auto plan = raw.plans.find(run.info.plan.value);
    if (!run.info.steps_derived || plan == raw.plans.end()) continue;
    const trace::PlanInfo& p = plan->second;
    const Begun b = begun(raw, run, p);
    for (size_t i = 0; i < b.steps.size(); ++i)
      raw.marks.push_back(
          {b.steps[i], id, static_cast<int32_t>(i), p.order[i].value, run.info.lead.value, raw.events, true});
    const bool done = run.done();
    for (const trace::SliceInfo& s : p.slices) {
      if (!s.bound || !s.first.valid() || s.first.index() >= b.steps.size()) continue;
      RawLive live{b.steps[s.first.index()], true, s.tensor,  s.bound_offset, s.size, s.first.value,
                   run.info.lead.value,      id,   raw.events};
      raw.lives.push_back(live);
      live.begins = false;
      live.step = s.last.value;
      if (s.last.index() < b.steps.size())
        live.time = b.steps[s.last.index()];
      else if (done && s.last.index() == b.steps.size())
        live.time = b.last;
      else
        continue;
      raw.lives.push_back(live);
    }
  }
}

}  // namespace arenascope::audit
