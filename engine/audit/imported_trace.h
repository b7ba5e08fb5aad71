// SPDX-License-Identifier: MIT
// Shared code of the readers of other tools' traces: threads, spaces and counters are numbered when they first occur.
#pragma once
#include "engine/audit/raw_events.h"

namespace arenascope::audit {

class Tables {
 public:
  explicit Tables(Raw& raw) : raw_(raw) {}
  int32_t track(const std::string& key, const std::string& name) {
    const auto [it, fresh] = tracks_.try_emplace(key, static_cast<int32_t>(tracks_.size()));
    if (fresh) {
      trace::ThreadInfo info;
      info.id = trace::TrackId(it->second);
      info.name = name;
      raw_.tracks[it->second] = info;
    }
    return it->second;
  }
  int32_t space(const std::string& name, const std::string& kind, const std::string& device) {
    const auto [it, fresh] = spaces_.try_emplace(name, static_cast<int32_t>(raw_.spaces.size()));
    if (fresh) {
      RawSpace space;
      space.name = name;
      space.kind = kind;
      space.device = device;
      space.has_addresses = false;
      raw_.spaces.push_back(std::move(space));
    }
    return it->second;
  }
  int32_t counter(const std::string& name) {
    const auto [it, fresh] = counters_.try_emplace(name, static_cast<int32_t>(counters_.size()));
    if (fresh) raw_.counters[it->second] = name;
    return it->second;
  }
  void span(int32_t track, std::string name, Nanoseconds begin, Nanoseconds end, int64_t depth) {
    RawSpan s;
    s.track = track;
    s.begin = begin;
    s.end = end;
    s.depth = depth;
    s.name = std::move(name);
    raw_.spans.push_back(std::move(s));
    raw_.cover(begin, end);
  }

 private:
  Raw& raw_;
  std::map<std::string, int32_t> tracks_, spaces_, counters_;
};

// Sets the depth of spans without one: the number of spans that enclose it on its track.
inline void set_depths(Raw& raw) {
  std::map<int32_t, std::vector<RawSpan*>> by_track;
  for (RawSpan& s : raw.spans)
    if (s.kind == SpanKind::Named && s.depth < 0) by_track[s.track].push_back(&s);
  for (auto& [track, spans] : by_track) {
    std::stable_sort(spans.begin(), spans.end(), [](const RawSpan* a, const RawSpan* b) {
      return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
    });
    std::vector<const RawSpan*> open;  // an instant is inside another one of the same time
    for (RawSpan* s : spans) {
      while (!open.empty() && open.back()->end <= s->begin && !(s->begin == s->end && open.back()->begin == s->begin))
        open.pop_back();
      s->depth = static_cast<int64_t>(open.size());
      open.push_back(s);
    }
  }
}

// Work of a node in a run, and the step that begins with it, if `step` is not negative.
inline void add_work(Raw& raw, int32_t track, int32_t run, int32_t node, Interval time, int32_t step) {
  RawSpan s;
  s.kind = SpanKind::Work;
  s.track = track;
  s.run = run;
  s.node = node;
  s.begin = time.begin;
  s.end = time.end;
  raw.spans.push_back(std::move(s));
  raw.cover(time.begin, time.end);
  if (step < 0) return;
  raw.marks.push_back({time.begin, run, step, node, track});
  raw.cover(time.begin, time.begin);
}

inline RawRun& add_run(Raw& raw, size_t number, int32_t graph, Interval time) {
  RawRun& run = raw.runs[static_cast<int32_t>(number)];
  run.info.id = run.end.id = trace::RunId(number);
  run.info.graph = trace::GraphId(graph);
  run.info.begin = time.begin;
  run.info.threads = 1;
  run.ended = true;
  run.end.end = time.end;
  raw.reach(time.begin, time.end);
  return run;
}

}  // namespace arenascope::audit
