// SPDX-License-Identifier: MIT
// Converts the events of Chrome's trace format to tracks, spans and points.
#pragma once
#include <arenascope/trace/json_records.h>
#include "engine/trace/import_builder.h"
#include "engine/trace/import_onnxruntime.h"
#include "engine/trace/left_out.h"
#include "engine/trace/profiled_memory.h"
#include "engine/trace/span_matcher.h"

#include <string>
#include <unordered_map>

namespace arenascope::trace {

class ChromeCollector {
 public:
  ImportBuilder builder;
  OnnxRuntimeNodes nodes;
  LeftOut left_out;
  int64_t events = 0;  // records that are not empty

  void add(const JsonRecord& event);
  void add_sample();  // of the list beside the events
  // Call once, after the last event.
  void finish();
  const ProfiledMemory& allocators() const { return memory_; }

 private:
  size_t track(const JsonRecord& e);
  size_t async_track(const JsonRecord& e, bool local);
  int64_t number_of(const JsonScalar& id);
  NameId name(const JsonRecord& e) { return builder.name(e["name"].as_text()); }
  void reach(Nanoseconds time) { latest_ = std::max(latest_, time); }
  void dispatch(const JsonRecord& e, char phase, Nanoseconds t);
  void instant(const JsonRecord& e, Nanoseconds t);
  void complete(const JsonRecord& e, Nanoseconds begin);
  void thread_span(const JsonRecord& e, SpanMatcher::Phase phase, Nanoseconds t);
  void nestable_async(const JsonRecord& e, SpanMatcher::Phase phase, Nanoseconds t);
  void legacy_async(const JsonRecord& e, SpanMatcher::Phase phase, Nanoseconds t);
  void counters(const JsonRecord& e, Nanoseconds t);
  void metadata(const JsonRecord& e);
  void memory(const JsonRecord& e, Nanoseconds t);
  void name_rows();

  SpanMatcher spans_;
  ProfiledMemory memory_;
  Nanoseconds latest_ = INT64_MIN;
  std::unordered_map<size_t, std::string> process_of_;  // by track
  std::unordered_map<std::string, int64_t> numbers_;    // of identifiers that are strings
  std::unordered_map<std::string, std::string> process_names_;
  std::unordered_map<std::string, std::string> counted_by_;  // counter name → the first process with it
};

}  // namespace arenascope::trace
