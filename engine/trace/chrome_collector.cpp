// SPDX-License-Identifier: MIT
#include "engine/trace/chrome_collector.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "engine/trace/saturate.h"

namespace arenascope::trace {

namespace {

bool is_integer(const std::string& text) {
  return !text.empty() && text.find_first_not_of("-0123456789") == std::string::npos;
}

// A number needs a noun; "stream 7" has one. Events of the whole trace have neither.
std::string name_of_thread(const std::string& thread) {
  if (thread.empty()) return "no thread";
  return is_integer(thread) ? "thread " + thread : thread;
}

using Phase = SpanMatcher::Phase;
using Category = LeftOut::Category;
constexpr char kSeparator = '\x1f';                // between the parts of a key
constexpr int64_t kFirstNamed = int64_t{1} << 32;  // numbers of processes and threads that are identified by a string

constexpr Category kNoTime{"event without a valid time", "events without a valid time", "not read"};
constexpr Category kNoDuration{"span without a valid duration", "spans without a valid duration", "not read"};
constexpr Category kUnknownPhase{"event of an unknown phase", "events of an unknown phase", "not read"};
constexpr Category kOpenSpan{"span without an end", "spans without an end", "shown up to the end of the trace",
                             Severity::Note};
constexpr Category kUnmatched{"end without a begin", "ends without a begin", "not shown"};
constexpr Category kNoValue{"counter event without a value", "counter events without a value", "not read"};
constexpr Category kNoBytes{"memory event without a number of bytes", "memory events without a number of bytes",
                            "not read"};
constexpr Category kFlow{"flow event", "flow events", "not shown", Severity::Note};
constexpr Category kAsyncInstant{"instant event of an asynchronous span", "instant events of asynchronous spans",
                                 "not shown", Severity::Note};
constexpr Category kObject{"object event", "object events", "not shown", Severity::Note};
constexpr Category kSample{"profiler sample", "profiler samples", "not shown", Severity::Note};
constexpr Category kContext{"context event", "context events", "not shown", Severity::Note};
constexpr Category kClockSync{"clock synchronisation event", "clock synchronisation events", "not used",
                              Severity::Note};
constexpr Category kMemoryDump{"memory dump event", "memory dump events", "not shown", Severity::Note};

// Phases that no view shows; null for others.
const Category* not_shown(char phase) {
  switch (phase) {
    case 's':
    case 't':
    case 'f': return &kFlow;
    case 'n': return &kAsyncInstant;
    case 'N':
    case 'D':
    case 'O': return &kObject;
    case 'P': return &kSample;
    case '(':
    case ')': return &kContext;
    case 'c': return &kClockSync;
    case 'v':
    case 'V': return &kMemoryDump;
    default: return nullptr;
  }
}

// Microseconds, which some tools write as a string, in nanoseconds.
std::optional<Nanoseconds> nanoseconds_of(const JsonScalar& microseconds) {
  const auto time =
      microseconds.type == JsonScalar::Type::None ? std::nullopt : scaled_decimal(microseconds.as_text(), 3);
  return time && is_sensible_time(*time) ? time : std::nullopt;
}

bool is_given(const JsonScalar& s) { return s.type != JsonScalar::Type::None; }

// An event without one of the identifiers has the other one twice.
const JsonScalar& process_id(const JsonRecord& e) { return is_given(e["pid"]) ? e["pid"] : e["tid"]; }
const JsonScalar& thread_id(const JsonRecord& e) { return is_given(e["tid"]) ? e["tid"] : e["pid"]; }

// True if the id of an asynchronous operation is one of its process: "id2" specifies it, `plain` is for an "id".
bool has_local_id(const JsonRecord& e, bool plain) {
  return is_given(e["id"]) ? plain : !is_given(e.of("id2", "global"));
}

// Identifies an asynchronous operation within its process if `local`, or everywhere.
std::string id_of(const JsonRecord& e, bool local) {
  const JsonScalar &plain = e["id"], &global = e.of("id2", "global"), &own = e.of("id2", "local");
  const JsonScalar& id = is_given(plain) ? plain : is_given(global) ? global : own;
  return (local ? process_id(e).as_text() : "*") + kSeparator + e["scope"].as_text() + kSeparator + id.as_text();
}

// The value of a counter, which some tools write as a string.
std::optional<double> counter_value(const JsonScalar& s) {
  if (s.is_number()) return s.number();
  if (s.type != JsonScalar::Type::Text || s.text.empty()) return std::nullopt;
  const size_t sign = s.text[0] == '+' ? 1 : 0;  // which from_chars() does not read
  double value = 0;
  const char* const end = s.text.data() + s.text.size();
  const auto read = std::from_chars(s.text.data() + sign, end, value);
  if (read.ec != std::errc() || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

void ChromeCollector::add_sample() { left_out.add(kSample); }

void ChromeCollector::add(const JsonRecord& e) {
  if (e.members().empty()) return;  // some tools end a list with an empty object
  ++events;
  const std::string phase = e["ph"].as_text();
  if (phase == "M") return metadata(e);
  if (const Category* category = phase.empty() ? &kUnknownPhase : not_shown(phase[0])) return left_out.add(*category);
  const auto t = nanoseconds_of(e["ts"]);
  if (!t) return left_out.add(kNoTime);
  reach(*t);
  dispatch(e, phase[0], *t);
}

void ChromeCollector::dispatch(const JsonRecord& e, char phase, Nanoseconds t) {
  switch (phase) {
    case 'X': return complete(e, t);
    case 'B': return thread_span(e, Phase::Begin, t);
    case 'E': return thread_span(e, Phase::End, t);
    case 'b': return nestable_async(e, Phase::Begin, t);
    case 'e': return nestable_async(e, Phase::End, t);
    case 'S': return legacy_async(e, Phase::Begin, t);
    case 'T': return legacy_async(e, Phase::StepFrom, t);
    case 'p': return legacy_async(e, Phase::StepTo, t);
    case 'F': return legacy_async(e, Phase::End, t);
    case 'C': return counters(e, t);
    case 'i':
    case 'I':
    case 'R': return instant(e, t);
    default: left_out.add(kUnknownPhase);
  }
}

void ChromeCollector::finish() {
  spans_.finish(latest_, builder);
  left_out.add(kOpenSpan, spans_.open_spans);
  left_out.add(kUnmatched, spans_.unmatched);
  memory_.finish(builder, left_out);
  name_rows();
}

// The name of a row begins with that of its process, and with its number if another process has a row of that name.
void ChromeCollector::name_rows() {
  const auto process_name = [&](const std::string& process) {
    const auto name = process_names_.find(process);
    return name == process_names_.end() ? std::string() : name->second;
  };
  std::map<std::pair<std::string, std::string>, std::set<std::string>> processes;  // by process and thread name
  for (const auto& [track, process] : process_of_)
    processes[{process_name(process), builder.info(track).name}].insert(process);
  for (const auto& [track, process] : process_of_) {
    ThreadInfo& info = builder.info(track);
    std::string name = process_name(process);
    if (processes[{name, info.name}].size() > 1) name = (name.empty() ? "process" : name) + " " + process;
    if (!name.empty()) info.name = name + ", " + info.name;
  }
}

size_t ChromeCollector::track(const JsonRecord& e) {
  const std::string process = process_id(e).as_text(), thread = thread_id(e).as_text();
  const size_t n = builder.track("process " + process + " thread " + thread);
  if (process_of_.try_emplace(n, process).second) {
    ThreadInfo& info = builder.info(n);
    info.name = name_of_thread(thread);
    info.process = number_of(process_id(e));
    if (!is_integer(process)) process_names_.try_emplace(process, process);
    info.thread = number_of(thread_id(e));
    info.kind = thread.rfind("stream", 0) == 0 ? TrackKind::DeviceQueue : TrackKind::Worker;
  }
  return n;
}

// An identifier that is no number gets one above those of a system.
int64_t ChromeCollector::number_of(const JsonScalar& id) {
  if (id.type != JsonScalar::Type::Text) return id.integer;
  int64_t value = 0;
  const char* const end = id.text.data() + id.text.size();
  if (const auto read = std::from_chars(id.text.data(), end, value); read.ec == std::errc() && read.ptr == end)
    return value;
  return numbers_.try_emplace(id.text, kFirstNamed + static_cast<int64_t>(numbers_.size())).first->second;
}

// Asynchronous spans of one name, and process if their ids are local to it, share a track.
size_t ChromeCollector::async_track(const JsonRecord& e, bool local) {
  const std::string process = local ? process_id(e).as_text() : "", text = e["name"].as_text();
  const size_t n = builder.track(std::string("async") + kSeparator + process + kSeparator + text);
  ThreadInfo& info = builder.info(n);
  info.name = text.empty() ? "async" : text;
  if (local && process_of_.try_emplace(n, process).second) info.process = number_of(process_id(e));
  return n;
}

void ChromeCollector::instant(const JsonRecord& e, Nanoseconds t) {
  if (e["name"].text == "[memory]") return memory(e, t);
  builder.span(track(e), t, t, name(e));
}

void ChromeCollector::complete(const JsonRecord& e, Nanoseconds begin) {
  const auto duration = nanoseconds_of(e["dur"]);
  if (!duration && is_given(e["dur"])) return left_out.add(kNoDuration);
  const Nanoseconds end = begin + std::max<Nanoseconds>(duration.value_or(0), 0);
  reach(end);
  if (!nodes.add(e["cat"].text, e["name"].text, e.of("args", "op_name").as_text(), e.of("args", "node_index").as_text(),
                 "thread " + thread_id(e).as_text(), begin, end)) {
    builder.span(track(e), begin, end, name(e));
  }
}

void ChromeCollector::thread_span(const JsonRecord& e, Phase phase, Nanoseconds t) {
  const size_t n = track(e);
  const bool unnamed = phase == Phase::End && e["name"].as_text().empty();
  spans_.add("thread " + std::to_string(n), phase, t, n, unnamed ? NameId() : name(e));
}

// Matched by name, too: operations of one id may overlap.
void ChromeCollector::nestable_async(const JsonRecord& e, Phase phase, Nanoseconds t) {
  const bool local = has_local_id(e, true);
  const std::string key = e["cat"].as_text() + kSeparator + id_of(e, local) + kSeparator + e["name"].as_text();
  spans_.add(key, phase, t, phase == Phase::Begin ? async_track(e, local) : 0, name(e));
}

void ChromeCollector::legacy_async(const JsonRecord& e, Phase phase, Nanoseconds t) {
  std::string text = e["name"].as_text();
  const bool local = has_local_id(e, false);
  const std::string key = std::string("legacy") + kSeparator + id_of(e, local) + kSeparator + text;
  if (phase == Phase::StepFrom || phase == Phase::StepTo) text.append(":").append(e.of("args", "step").as_text());
  spans_.add(key, phase, t, phase == Phase::Begin ? async_track(e, local) : 0, builder.name(text));
}

void ChromeCollector::counters(const JsonRecord& e, Nanoseconds t) {
  const auto value_of = [](const JsonRecord::Member& m) {
    return m.parent == "args" ? counter_value(m.value) : std::nullopt;
  };
  const auto values = std::ranges::count_if(e.members(), [&](const auto& m) { return value_of(m).has_value(); });
  for (const JsonRecord::Member& m : e.members()) {
    const auto value = value_of(m);
    if (!value) continue;
    std::string text = e["name"].as_text();
    const bool is_named = values > 1 || (m.key != text && m.key != "value");  // a single one of these adds nothing
    if (const JsonScalar& id = e["id"]; id.type != JsonScalar::Type::None)
      text.append("[").append(id.as_text()).append("]");
    if (is_named) text.append(" ").append(m.key);
    const std::string process = process_id(e).as_text();
    // Two processes may have a counter of the same name: the name of the second one includes its process.
    if (counted_by_.try_emplace(text, process).first->second != process) text += " of process " + process;
    builder.point(track(e), counter(t, builder.counter(text), *value));
  }
  if (values == 0) left_out.add(kNoValue);
}

void ChromeCollector::metadata(const JsonRecord& e) {
  const std::string text = e.of("args", "name").as_text();
  if (text.empty()) return;
  if (e["name"].text == "process_name")
    process_names_[process_id(e).as_text()] = text;
  else if (e["name"].text == "thread_name")
    builder.info(track(e)).name = text;
}

// PyTorch's profiler: bytes allocated (or freed, if negative) on a device.
void ChromeCollector::memory(const JsonRecord& e, Nanoseconds t) {
  const JsonScalar& bytes = e.of("args", "Bytes");
  if (bytes.type != JsonScalar::Type::Integer || bytes.integer == INT64_MIN) return left_out.add(kNoBytes);
  const auto total = [&](const char* key) {
    const JsonScalar& value = e.of("args", key);
    return value.type == JsonScalar::Type::Integer && value.integer >= 0 ? value.integer : ProfiledMemory::kUnknown;
  };
  const int64_t type = e.of("args", "Device Type").integer;
  const int64_t device = std::clamp<int64_t>(e.of("args", "Device Id").integer, 0, 4095);
  ProfiledMemory::Change change;
  change.time = t;
  change.track = track(e);
  change.allocator = type == 0 ? 0 : 1 + static_cast<uint32_t>(device);
  change.device_type = type;
  change.address = static_cast<uint64_t>(e.of("args", "Addr").integer);
  change.bytes = bytes.integer;
  change.allocated = total("Total Allocated");
  change.reserved = total("Total Reserved");
  memory_.add(change);
}

}  // namespace arenascope::trace
