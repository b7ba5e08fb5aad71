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
  void rename_track(const std::string& key, const std::string& name) { raw_.tracks[track(key, name)].name = name; }
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

}  // namespace arenascope::audit
