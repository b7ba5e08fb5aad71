// SPDX-License-Identifier: MIT
// The arena of each plan as its runs really used it.
#include <arenascope/base/step_number.h>
#include <fmt/format.h>

#include <set>

#include "engine/audit/known_until.h"
#include "engine/audit/residencies.h"
#include "engine/audit/writer.h"

namespace arenascope::audit {

namespace {

struct Arena {
  Bytes peak = 0, top = 0, end = 0;
  Nanoseconds peak_at = 0;
  int64_t residencies = 0;
};

std::string tensor_name(const Raw& raw, int32_t graph, trace::TensorRef ref) {
  if (ref.is_node()) return node_name(raw, graph, static_cast<int32_t>(ref.index()));
  return fmt::format("leaf {}", ref.index());
}

// Values of a run. Those by time and by step agree: a step begins when its tensors become live.
void write_run(const Raw& raw, int32_t run, const std::vector<Residency>& residencies, Arena& arena, Writer& out) {
  std::vector<ArenaRect> by_time, by_step;
  Bytes end = 0;
  for (const Residency& s : residencies) {
    by_time.push_back({s.begin, s.end, s.offset, s.bytes});
    by_step.push_back({s.first, s.last, s.offset, s.bytes});
    if (!s.ended) end += s.bytes;
  }
  const Occupied time = occupied(by_time), step = occupied(by_step);
  const std::string id = fmt::format("run.{}.arena", run);
  out.bytes(id + ".peak", time.peak);
  out.time(id + ".peak_at", time.peak_at - raw.begin);
  out.bytes(id + ".peak_by_step", step.peak);
  out.step(id + ".peak_step", step.peak_at);
  out.bytes(id + ".top", time.top);
  out.bytes(id + ".max_holes", time.max_holes);
  out.bytes(id + ".max_holes_by_step", step.max_holes);
  out.count(id + ".residencies", static_cast<int64_t>(residencies.size()));
  arena.residencies += static_cast<int64_t>(residencies.size());
  arena.end = end;
  if (arena.top == 0 || time.peak > arena.peak) arena.peak = time.peak, arena.peak_at = time.peak_at;
  arena.top = std::max(arena.top, time.top);
}

// Tensors that lay, or were touched, where the plan does not have them.
void write_off_plan(const Raw& raw, int32_t id, const std::vector<Residency>& residencies, Writer& out) {
  std::map<trace::TensorRef, const trace::SliceInfo*> planned;
  if (const auto run = raw.runs.find(id); run != raw.runs.end())
    if (const auto plan = raw.plans.find(run->second.info.plan.value); plan != raw.plans.end())
      for (const trace::SliceInfo& slice : plan->second.slices) planned.try_emplace(slice.tensor, &slice);
  int64_t off = 0;
  for (const Residency& s : residencies) {
    const auto planned_slice = planned.find(s.tensor);
    bool differs = planned_slice != planned.end() &&
                   (planned_slice->second->offset != s.offset || planned_slice->second->size < s.bytes);
    for (const RawTouch& t : raw.touches)
      if (t.run == id && t.tensor == s.tensor)
        differs = differs || t.offset < s.offset || t.offset + t.bytes > s.offset + s.bytes;
    off += differs ? 1 : 0;
  }
  out.count(fmt::format("run.{}.off_plan", id), off);
}

// A tensor in an arena is at its planned offset, inside the arena, and removed when the run ends.
void find_impossible(const Raw& raw, int32_t id, const std::vector<Residency>& residencies, Writer& out) {
  const auto run = raw.runs.find(id);
  if (run == raw.runs.end()) return;
  const int32_t graph = run->second.info.graph.value;
  const bool done = run->second.done() && raw.lost == 0;
  const auto plan = raw.plans.find(run->second.info.plan.value);
  std::map<trace::TensorRef, const trace::SliceInfo*> planned;
  if (plan != raw.plans.end())
    for (const trace::SliceInfo& slice : plan->second.slices) planned[slice.tensor] = &slice;
  for (const Residency& s : residencies) {
    const std::string who = fmt::format("'{}' in run {}", tensor_name(raw, graph, s.tensor), id);
    if (done && !s.ended) out.contradiction(who + " is still in the arena after the end of the run");
    if (plan == raw.plans.end()) continue;
    const auto planned_slice = planned.find(s.tensor);
    if (planned_slice == planned.end()) {
      out.contradiction(who + " is in the arena, but not in the plan");
    } else if (planned_slice->second->offset != s.offset || planned_slice->second->size != s.bytes) {
      out.contradiction(fmt::format("{} is at offset {} with {} bytes, planned were offset {} and {} bytes", who,
                                    s.offset, s.bytes, planned_slice->second->offset, planned_slice->second->size));
    } else if (s.ended && raw.lost == 0 &&
               (planned_slice->second->first.value != s.first || planned_slice->second->last.value != s.last)) {
      out.contradiction(fmt::format("{} is in the arena in steps {} to {}, planned were steps {} to {}", who,
                                    step_number(s.first), last_step_number(s.last),
                                    step_number(planned_slice->second->first),
                                    last_step_number(planned_slice->second->last)));
    }
    if (s.offset + s.bytes > plan->second.arena_bytes)
      out.contradiction(
          fmt::format("{} ends at byte {} of an arena of {}", who, s.offset + s.bytes, plan->second.arena_bytes));
  }
}

}  // namespace

void audit_arenas(const Raw& raw, Writer& out) {
  if (raw.lives.empty()) return;
  std::vector<RawLive> orphans;
  const std::vector<Residency> all = residencies_of(raw, &orphans);
  std::map<int32_t, std::vector<Residency>> by_run;
  for (const Residency& s : all) by_run[s.run].push_back(s);
  std::map<int32_t, Arena> arenas;  // by plan
  for (const auto& [id, residencies] : by_run) {
    const auto run = raw.runs.find(id);
    write_run(raw, id, residencies, arenas[run == raw.runs.end() ? -1 : run->second.info.plan.value], out);
    write_off_plan(raw, id, residencies, out);
    find_impossible(raw, id, residencies, out);
  }
  const KnownUntil known(raw);
  for (const RawLive& o : orphans)
    if (raw.lost == 0 && o.time < known.run(o.run))
      out.contradiction(fmt::format("{} bytes at offset {} of the arena are freed in step {}, but were not in use",
                                    o.bytes, o.offset, step_number(o.step)));
  for (const auto& [plan, arena] : arenas) {
    Report& report = out.report();
    report.spaces.push_back({plan < 0 ? "arena" : fmt::format("arena of plan {}", plan), "Workspace", "", arena.peak,
                             arena.end, arena.peak_at - raw.begin, arena.residencies});
    const std::string id = fmt::format("space.{}", report.spaces.size() - 1);
    out.bytes(id + ".active.peak", arena.peak);
    out.time(id + ".active.peak_at", arena.peak_at - raw.begin);
    out.bytes(id + ".top", arena.top);
    out.count(id + ".allocations", arena.residencies);
    if (raw.memory.empty() && arena.peak > report.peak.value_or(-1)) {
      report.peak = arena.peak;
      report.peak_at = arena.peak_at - raw.begin;
    }
  }
}

}  // namespace arenascope::audit
