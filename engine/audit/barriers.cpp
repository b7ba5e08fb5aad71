// SPDX-License-Identifier: MIT
// Waits at the barrier after each node, and contradictions between clocks, runs and threads of spans.
#include <arenascope/base/step_number.h>
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/audit/known_until.h"
#include "engine/audit/writer.h"

namespace arenascope::audit {

namespace {

using Meeting = std::vector<const RawSpan*>;

std::map<std::pair<int32_t, int64_t>, Meeting> meetings(const Raw& raw) {  // by run and generation
  std::map<std::pair<int32_t, int64_t>, Meeting> out;
  for (const RawSpan& s : raw.spans)
    if (s.kind == SpanKind::Wait) out[{s.run, s.generation}].push_back(&s);
  return out;
}

std::string span_name(const Raw& raw, const RawSpan& s) {
  const auto run = raw.runs.find(s.run);
  return fmt::format("'{}' in run {} on thread {}",
                     node_name(raw, run == raw.runs.end() ? -1 : run->second.info.graph.value, s.node), s.run, s.track);
}

// Work and waits of a run are inside of its time range.
void find_outside(const Raw& raw, Writer& out) {
  for (const RawSpan& s : raw.spans) {
    if (s.kind != SpanKind::Work && s.kind != SpanKind::Wait) continue;
    const auto run = raw.runs.find(s.run);
    if (run == raw.runs.end()) {
      out.contradiction(span_name(raw, s) + " belongs to a run that never began");
      continue;
    }
    if (s.begin < run->second.info.begin || (run->second.ended && s.end > run->second.end.end))
      out.contradiction(span_name(raw, s) + " is outside of its run");
  }
  for (const RawMark& m : raw.marks) {
    const auto run = raw.runs.find(m.run);
    if (run == raw.runs.end() || m.time < run->second.info.begin || (run->second.ended && m.time > run->second.end.end))
      out.contradiction(fmt::format("step {} of run {} is outside of its run", step_number(m.step), m.run));
  }
}

// Work and waits of each worker.
std::map<int32_t, std::vector<const RawSpan*>> by_worker(const Raw& raw) {
  std::map<int32_t, std::vector<const RawSpan*>> by_track;
  for (const RawSpan& s : raw.spans) {
    const auto track = raw.tracks.find(s.track);
    if ((s.kind == SpanKind::Work || s.kind == SpanKind::Wait) && track != raw.tracks.end() &&
        track->second.kind == trace::TrackKind::Worker)
      by_track[s.track].push_back(&s);
  }
  return by_track;
}

// The spans of a thread do not overlap, except for those of nodes within another.
void find_overlaps(const Raw& raw, Writer& out) {
  for (auto& [track, spans] : by_worker(raw)) {
    std::stable_sort(spans.begin(), spans.end(), [&](const RawSpan* a, const RawSpan* b) {
      return std::pair(a->begin, raw.has_bodies ? -a->end : a->end) <
             std::pair(b->begin, raw.has_bodies ? -b->end : b->end);
    });
    std::vector<const RawSpan*> open;
    for (const RawSpan* span : spans) {
      while (!open.empty() && open.back()->end <= span->begin) open.pop_back();
      if (!open.empty() && (!raw.has_bodies || span->end > open.back()->end))
        out.contradiction(span_name(raw, *span) + " begins before " + span_name(raw, *open.back()) + " has ended");
      if (!raw.has_bodies) open.clear();
      open.push_back(span);
    }
  }
}

// A thread is done with one run before it comes to another, and meets the others of each. Until it comes to another run
// or the run is done, its newest event may be work whose barrier is still to come.
void find_returns(const Raw& raw, Writer& out) {
  std::set<int32_t> with_barriers;
  for (const RawSpan& s : raw.spans)
    if (s.kind == SpanKind::Wait) with_barriers.insert(s.run);
  for (auto& [track, spans] : by_worker(raw)) {
    std::stable_sort(spans.begin(), spans.end(),
                     [](const RawSpan* a, const RawSpan* b) { return a->begin < b->begin; });
    std::set<int32_t> left, met;
    for (const RawSpan* s : spans)
      if (s->kind == SpanKind::Wait) met.insert(s->run);
    const auto is_over = [&](int32_t id) {
      const auto run = raw.runs.find(id);
      return spans.back()->run != id || (run != raw.runs.end() && run->second.done());
    };
    for (const RawSpan* s : spans)
      if (raw.lost == 0 && with_barriers.contains(s->run) && !met.contains(s->run) && is_over(s->run))
        out.contradiction(span_name(raw, *s) + " is work of a thread that waited at no barrier of that run");
    for (size_t i = 1; i < spans.size(); ++i) {
      if (spans[i]->run == spans[i - 1]->run) continue;
      left.insert(spans[i - 1]->run);
      if (left.contains(spans[i]->run))
        out.contradiction(span_name(raw, *spans[i]) + " comes after the thread began another run");
    }
  }
}

// A run that is done has worked on every node that it came to and that has work.
void find_missing_work(const Raw& raw, Writer& out) {
  if (raw.lost > 0) return;
  std::set<std::pair<int32_t, int32_t>> worked;  // run and node
  for (const RawSpan& s : raw.spans)
    if (s.kind == SpanKind::Work) worked.insert({s.run, s.node});
  for (const RawMark& m : raw.marks) {
    const auto run = raw.runs.find(m.run);
    if (run == raw.runs.end() || !run->second.done()) continue;
    const auto graph = raw.graphs.find(run->second.info.graph.value);
    if (graph == raw.graphs.end() || m.node < 0 || static_cast<size_t>(m.node) >= graph->second.nodes.size()) continue;
    const trace::TensorInfo& node = graph->second.nodes[static_cast<size_t>(m.node)];
    if (node.tasks == 0 || (node.flags & trace::kNoWork) != 0 || worked.contains({m.run, m.node})) continue;
    out.contradiction(fmt::format("no thread worked on '{}' in run {}, which is done",
                                  node_name(raw, run->second.info.graph.value, m.node), m.run));
  }
}

// True if the node is a step of the plan that the lead thread may not have recorded: it records a node after it has
// computed its chunk, and other threads may have computed theirs, and those of the next nodes, before that.
bool lead_may_come_to(const Raw& raw, const RawRun& run, int32_t node) {
  const auto plan = raw.plans.find(run.info.plan.value);
  if (!run.info.steps_derived || plan == raw.plans.end() || run.done()) return false;
  const auto& order = plan->second.order;
  return std::find(order.begin(), order.end(), NodeId(node)) != order.end();
}

// A run that marks its steps worked only on nodes whose step began.
void find_missing_steps(const Raw& raw, const KnownUntil& known, Writer& out) {
  if (raw.lost > 0) return;
  std::set<int32_t> marking;                     // runs
  std::set<std::pair<int32_t, int32_t>> marked;  // run and node
  for (const RawMark& m : raw.marks) {
    marking.insert(m.run);
    marked.insert({m.run, m.node});
  }
  for (const RawSpan& s : raw.spans) {
    const auto run = raw.runs.find(s.run);
    if (s.kind != SpanKind::Work || run == raw.runs.end() || !marking.contains(s.run)) continue;
    if (s.begin >= known.run(s.run) || lead_may_come_to(raw, run->second, s.node)) continue;
    if (marked.insert({s.run, s.node}).second)
      out.contradiction(span_name(raw, s) + " is work on a node whose step never began");
  }
}

// No thread leaves a barrier before the last one arrives; all threads of a run wait at it.
void find_early_leavers(const Raw& raw, Writer& out) {
  for (const auto& [key, meeting] : meetings(raw)) {
    const auto run = raw.runs.find(key.first);
    if (run == raw.runs.end()) continue;
    Nanoseconds last = INT64_MIN;
    for (const RawSpan* s : meeting) last = std::max(last, s->begin);
    for (const RawSpan* s : meeting)
      if (s->end < last)
        out.contradiction(span_name(raw, *s) + " leaves the barrier before the last thread has arrived");
    const bool complete = run->second.done() && raw.lost == 0;
    if (complete && run->second.info.threads > 0 && static_cast<int32_t>(meeting.size()) != run->second.info.threads)
      out.contradiction(fmt::format("{} of {} threads waited at the barrier after {}", meeting.size(),
                                    run->second.info.threads, span_name(raw, *meeting.front())));
  }
}

// A node's chunks are computed between its step's mark and the barrier after it.
void find_early_work(const Raw& raw, Writer& out) {
  std::map<std::pair<int32_t, int32_t>, Nanoseconds> marked;  // by run and node
  for (const RawMark& m : raw.marks)
    if (m.node >= 0 && !m.derived) marked.try_emplace({m.run, m.node}, m.time);
  for (const RawSpan& s : raw.spans) {
    if (s.kind != SpanKind::Work) continue;
    const auto mark = marked.find({s.run, s.node});
    if (mark != marked.end() && s.begin < mark->second)
      out.contradiction(span_name(raw, s) + " begins before its step");
  }
}

}  // namespace

void audit_barriers(const Raw& raw, Writer& out) {
  struct Of {
    int64_t barriers = 0;
    Nanoseconds wait = 0, most = 0, spread = 0;
  };
  std::map<int32_t, Of> runs;
  for (const auto& [key, meeting] : meetings(raw)) {
    const auto run = raw.runs.find(key.first);
    if (run == raw.runs.end()) continue;
    Nanoseconds first = INT64_MAX, last = INT64_MIN, left = INT64_MIN, wait = 0;
    int64_t nodes = 1;
    for (const RawSpan* s : meeting) {
      first = std::min(first, s->begin);
      last = std::max(last, s->begin);
      left = std::max(left, s->end);
      wait += without({s->begin, s->end}, run->second.pauses);
      nodes = std::max(nodes, s->nodes);
    }
    const std::string id = fmt::format("run.{}.barrier.{}", key.first, key.second);
    out.time(id + ".at", first - raw.begin);
    out.time(id + ".spread", last - first);
    out.time(id + ".waited", wait);
    out.time(id + ".leaving", without({last, left}, run->second.pauses));
    out.count(id + ".threads", static_cast<int64_t>(meeting.size()));
    out.count(id + ".nodes", nodes);
    Of& of = runs[key.first];
    ++of.barriers;
    of.wait += wait;
    of.most = std::max(of.most, wait);
    of.spread += last - first;
  }
  for (const auto& [run, of] : runs) {
    const std::string id = fmt::format("run.{}.barriers", run);
    out.count(id, of.barriers);
    out.time(id + ".waited", of.wait);
    out.time(id + ".longest", of.most);
    out.time(id + ".spread", of.spread);
  }
}

void find_impossible_spans(const Raw& raw, Writer& out) {
  find_outside(raw, out);
  find_overlaps(raw, out);
  find_returns(raw, out);
  find_missing_work(raw, out);
  find_missing_steps(raw, KnownUntil(raw), out);
  find_early_leavers(raw, out);
  find_early_work(raw, out);
}

}  // namespace arenascope::audit
