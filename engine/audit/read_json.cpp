// SPDX-License-Identifier: MIT
// Chrome's trace event format and what others write in it: PyTorch's profiler (with "[memory]" instants) and ONNX
// Runtime's (whose node events are work of a graph's nodes). After the format's public description.
#include <arenascope/trace/json_records.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "engine/audit/imported_trace.h"
#include "engine/audit/onnxruntime_profile.h"

namespace arenascope::audit {

namespace {

using trace::JsonRecord;
using trace::JsonScalar;

std::string text(const JsonRecord& e, const char* key) { return e[key].as_text(); }
bool given(const JsonScalar& v) { return v.type != JsonScalar::Type::None; }

// The identifier under `key`, or, if the event has none, the one under `other`.
std::string id_text(const JsonRecord& e, const char* key, const char* other) {
  return text(e, given(e[key]) ? key : other);
}
std::string process_text(const JsonRecord& e) { return id_text(e, "pid", "tid"); }

// Microseconds to nanoseconds. Digit by digit: nanoseconds since 1970 are more than a double counts.
bool time(const JsonScalar& value, Nanoseconds& out) {
  const std::string written = value.as_text();
  const size_t point = written.find('.');
  if (written.find_first_of("eE") != std::string::npos) {
    char* end = nullptr;
    const double us = std::strtod(written.c_str(), &end);
    if (*end != 0 || !(std::abs(us) < 2.3e15)) return false;
    out = std::llround(us * 1000);
    return true;
  }
  std::string digits = written.substr(0, point);
  std::string fraction = point == std::string::npos ? "" : written.substr(point + 1);
  if (fraction.find_first_not_of("0123456789") != std::string::npos) return false;
  if (fraction.empty() && (digits.empty() || digits == "-")) return false;
  const bool up = fraction.size() > 3 && fraction[3] >= '5';
  fraction.resize(3, '0');
  digits += fraction;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) return false;
  if (up) out += digits.front() == '-' ? -1 : 1;
  return out > -(int64_t{1} << 61) && out < int64_t{1} << 61;
}

// A number, or a string that holds nothing but one.
bool number(const JsonScalar& value, double& out) {
  if (value.is_number()) return out = value.number(), true;
  if (value.type != JsonScalar::Type::Text || value.text.find_first_not_of("+-.0123456789eE") != std::string::npos)
    return false;
  char* end = nullptr;
  out = std::strtod(value.text.c_str(), &end);
  return end != value.text.c_str() && *end == 0 && std::isfinite(out);
}

int64_t integer(const JsonScalar& value, int64_t otherwise) {
  return value.type == JsonScalar::Type::Integer ? value.integer : otherwise;
}

class Reader {
 public:
  explicit Reader(Raw& raw) : raw_(raw), tables_(raw) {}

  void take(const JsonRecord& e) {
    if (e.members().empty()) return;
    ++raw_.entries;
    const std::string name = text(e, "name"), phase = text(e, "ph").substr(0, 1);
    if (phase == "M") return metadata(e, name);
    Nanoseconds t = 0;
    if (phase.empty() || std::string_view("sftnNDOP()cvV").find(phase) != std::string_view::npos) return;
    if (!time(e["ts"], t)) return;
    latest_ = std::max(latest_, t);
    if (phase == "X") return complete(e, name, t);
    if (phase == "B" || phase == "E") {
      const int32_t row = thread(e);
      marks_.push_back({t, fmt::format("row {}", row), name, phase[0], row});
    } else if (phase == "b" || phase == "e") {
      marks_.push_back({t, "nestable/" + async_key(e, true), name, phase[0], phase == "b" ? async_row(e, true) : 0});
    } else if (phase == "S" || phase == "T" || phase == "p" || phase == "F") {
      const std::string step = e.of("args", "step").as_text();
      marks_.push_back({t, "legacy/" + async_key(e, false), phase == "T" || phase == "p" ? name + ":" + step : name,
                        phase[0], phase == "S" ? async_row(e, false) : 0});
    } else if (phase == "C") {
      counters(e, name, t);
    } else if ((phase == "i" || phase == "I" || phase == "R") && name == "[memory]") {
      memory(e, t);
    } else if (phase == "i" || phase == "I" || phase == "R") {
      tables_.span(thread(e), name, t, t, -1);
    }
  }

  void finish() {
    add_marked_spans();
    add_memory();
    name_processes();
    onnx_runtime_.put(raw_, tables_);
    mark_steps();
    set_depths(raw_);
  }

 private:
  // A begin, a step or an end of a span.
  struct Mark {
    Nanoseconds time;
    std::string key, name;
    char phase;
    int32_t row;
  };
  struct Open {
    size_t begin;               // its span
    std::vector<size_t> steps;  // their marks
  };
  struct MemoryChange {
    Nanoseconds time;
    int32_t space;
    uint64_t address;
    Bytes bytes, allocated, reserved;  // totals: -1 if not known
  };
  // A plain id counts within its process for nestable spans, and everywhere for others.
  static std::string async_key(const JsonRecord& e, bool nestable) {
    const JsonScalar &id = e["id"], &global = e.of("id2", "global"), &local = e.of("id2", "local");
    return (nestable ? text(e, "cat") + "/" : "") + text(e, "name") + "/" +
           (is_local(e, nestable) ? process_text(e) : "*") + "/" + text(e, "scope") + "/" +
           (given(id)       ? id
            : given(global) ? global
                            : local)
               .as_text();
  }
  static bool is_local(const JsonRecord& e, bool nestable) {
    return given(e["id"]) ? nestable : !given(e.of("id2", "global"));
  }
  // A row for each name; ids that are local to a process have rows of their process.
  int32_t async_row(const JsonRecord& e, bool nestable) {
    const bool local = is_local(e, nestable);
    const std::string name = text(e, "name"), process = local ? process_text(e) : "";
    const int32_t row = tables_.track("async/" + process + "/" + name, name.empty() ? "async" : name);
    if (local) process_of_.try_emplace(row, process);
    return row;
  }

  // A row is a thread of a process; its name contains both names, if present.
  int32_t thread(const JsonRecord& e) {
    const std::string pid = process_text(e), tid = id_text(e, "tid", "pid");
    const std::string own = tid.empty() ? "no thread" : is_number(tid) ? "thread " + tid : tid;
    const int32_t row = tables_.track(pid + "/" + tid, own);
    process_of_.try_emplace(row, pid);
    if (!is_number(pid)) processes_.try_emplace(pid, pid);
    return row;
  }
  void metadata(const JsonRecord& e, const std::string& what) {
    const std::string name = e.of("args", "name").as_text();
    if (name.empty()) return;
    if (what == "process_name") processes_[process_text(e)] = name;
    if (what == "thread_name") raw_.tracks[thread(e)].name = name;
  }
  static bool is_number(const std::string& id) {
    return !id.empty() && id.find_first_not_of("-0123456789") == std::string::npos;
  }
  // Rows that would have the same name in two processes have the numbers of their processes.
  void name_processes() {
    std::map<std::string, std::set<std::string>> owners;
    std::map<int32_t, std::string> full;
    for (const auto& [row, process] : process_of_) {
      const std::string& name = processes_[process];
      full[row] = name.empty() ? raw_.tracks[row].name : name + ", " + raw_.tracks[row].name;
      owners[full[row]].insert(process);
    }
    for (const auto& [row, process] : process_of_) {
      const std::string& name = processes_[process];
      if (owners[full[row]].size() > 1)
        full[row] = (name.empty() ? "process " : name + " ") + process + ", " + raw_.tracks[row].name;
      raw_.tracks[row].name = full[row];
    }
  }

  // Spans in the order of their begins; then steps. An open span lasts to the end of the trace.
  void add_marked_spans() {
    std::stable_sort(marks_.begin(), marks_.end(), [](const Mark& a, const Mark& b) { return a.time < b.time; });
    // Marks of begins: of each key, and of each key and name. One that has ended is removed once it is the last one.
    std::map<std::string, std::vector<size_t>> begins;
    std::vector<bool> is_open(marks_.size());
    std::vector<std::pair<size_t, Nanoseconds>> ends(marks_.size(), {0, latest_});  // by mark
    std::map<size_t, Open> steps;
    std::vector<std::pair<Open, Nanoseconds>> stepped;
    const auto last_open = [&](const std::string& key) -> std::optional<size_t> {
      auto& stack = begins[key];
      while (!stack.empty() && !is_open[stack.back()]) stack.pop_back();
      return stack.empty() ? std::nullopt : std::optional(stack.back());
    };
    const auto close = [&](size_t begin, Nanoseconds end) {
      ends[begin].second = end;
      is_open[begin] = false;
      if (const auto found = steps.find(begin); found != steps.end()) stepped.emplace_back(found->second, end);
    };
    for (size_t i = 0; i < marks_.size(); ++i) {
      const Mark& m = marks_[i];
      const std::string named = m.key + "\n" + m.name;
      if (m.phase == 'B' || m.phase == 'b' || m.phase == 'S') {
        is_open[i] = true;
        begins[m.key].push_back(i);
        begins[named].push_back(i);
      } else if (m.phase == 'E' || m.phase == 'e' || m.phase == 'F') {
        if (const auto begin = last_open(m.name.empty() ? m.key : named)) close(*begin, m.time);
      } else if (const auto begin = last_open(m.key)) {
        steps.try_emplace(*begin, Open{*begin, {}}).first->second.steps.push_back(i);
      }
    }
    for (size_t i = marks_.size(); i-- > 0;)
      if (is_open[i]) close(i, latest_);
    for (size_t i = 0; i < marks_.size(); ++i)
      if (const Mark& m = marks_[i]; m.phase == 'B' || m.phase == 'b' || m.phase == 'S')
        tables_.span(m.row, m.name, m.time, ends[i].second, -1);
    for (const auto& [whole, end] : stepped) add_steps(whole, end);
  }
  // 'T' begins a step that lasts to the next one, 'p' ends one.
  void add_steps(const Open& whole, Nanoseconds end) {
    const Mark& begin = marks_[whole.begin];
    for (size_t i = 0; i < whole.steps.size(); ++i) {
      const Mark& m = marks_[whole.steps[i]];
      const Nanoseconds before = i == 0 ? begin.time : marks_[whole.steps[i - 1]].time;
      const Nanoseconds after = i + 1 == whole.steps.size() ? end : marks_[whole.steps[i + 1]].time;
      tables_.span(begin.row, m.name, m.phase == 'T' ? m.time : before, m.phase == 'T' ? after : m.time, -1);
    }
  }

  void complete(const JsonRecord& e, const std::string& name, Nanoseconds begin) {
    Nanoseconds length = 0;
    if (given(e["dur"]) && !time(e["dur"], length)) return;
    const Nanoseconds end = begin + std::max<Nanoseconds>(length, 0);
    latest_ = std::max(latest_, end);
    if (is_kernel(e, name, begin, end)) return;
    tables_.span(thread(e), name, begin, end, -1);
  }

  void counters(const JsonRecord& e, const std::string& name, Nanoseconds t) {
    for (const JsonRecord::Member& m : e.members()) {
      double value = 0;
      if (m.parent != "args" || !number(m.value, value)) continue;
      const int32_t counter = tables_.counter(process_text(e) + "/" + name + "/" + text(e, "id") + "/" + m.key);
      thread(e);  // a row gets its number with its first event of any kind
      raw_.samples.push_back({counter, t, value});
      raw_.cover(t, t);
    }
  }

  // PyTorch's profiler: bytes allocated (positive) or freed (negative) on a device, and the device's total after that.
  void memory(const JsonRecord& e, Nanoseconds t) {
    const JsonScalar& bytes = e.of("args", "Bytes");
    if (bytes.type != JsonScalar::Type::Integer || bytes.integer == INT64_MIN) return;
    thread(e);
    const int64_t type = integer(e.of("args", "Device Type"), 0), id = integer(e.of("args", "Device Id"), -1);
    const std::string device = type == 0 ? "CPU" : fmt::format("GPU {}", std::clamp<int64_t>(id, 0, 4095));
    const int32_t space = tables_.space(device, type == 0 ? "HostPageable" : "Default", device);
    memory_.push_back({t, space, static_cast<uint64_t>(integer(e.of("args", "Addr"), 0)), bytes.integer,
                       integer(e.of("args", "Total Allocated"), -1), integer(e.of("args", "Total Reserved"), -1)});
  }

  // The part of a total that no change accounts for has no known address: it is older than the trace, or its event is
  // missing.
  void add_memory() {
    constexpr Bytes kMaxBytes = Bytes{1} << 60;
    std::stable_sort(memory_.begin(), memory_.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
    std::map<int32_t, std::pair<Bytes, Bytes>> have;  // by space: allocated and reserved
    for (const MemoryChange& m : memory_) {
      const auto put = [&](bool active, uint64_t address, Bytes change) {
        const auto action = change >= 0 ? (active ? MemoryAction::Alloc : MemoryAction::Reserve)
                                        : (active ? MemoryAction::Free : MemoryAction::Release);
        raw_.memory.push_back({m.time, action, m.space, address, std::abs(change)});
        raw_.cover(m.time, m.time);
      };
      auto& [allocated, reserved] = have[m.space];
      if (m.reserved >= 0 && m.reserved != reserved) put(false, 0, m.reserved - std::exchange(reserved, m.reserved));
      const bool total = m.allocated >= 0 && m.allocated < kMaxBytes && std::abs(m.bytes) < kMaxBytes;
      if (total && m.allocated - m.bytes != allocated) put(true, 0, m.allocated - m.bytes - allocated);
      Bytes sum = 0;
      if (__builtin_add_overflow(allocated, m.bytes, &sum)) sum = m.bytes < 0 ? -kMaxBytes : kMaxBytes;
      allocated = total ? m.allocated : std::clamp(sum, -kMaxBytes, kMaxBytes);
      put(true, m.address, m.bytes);
    }
  }

  bool is_kernel(const JsonRecord& e, const std::string& name, Nanoseconds begin, Nanoseconds end) {
    return onnx_runtime_.add(text(e, "cat"), name,
                             {id_text(e, "tid", "pid"), "", e.of("args", "op_name").as_text(),
                              e.of("args", "node_index").as_text(), begin, end});
  }

  // Kernels of a run are its steps, in the order in which they began.
  void mark_steps() {
    std::map<int32_t, std::vector<const RawSpan*>> by_run;
    for (const RawSpan& s : raw_.spans)
      if (s.kind == SpanKind::Work) by_run[s.run].push_back(&s);
    for (auto& [run, spans] : by_run) {
      std::stable_sort(spans.begin(), spans.end(), [](auto* a, auto* b) { return a->begin < b->begin; });
      for (size_t i = 0; i < spans.size(); ++i)
        raw_.marks.push_back({spans[i]->begin, run, static_cast<int32_t>(i), spans[i]->node, spans[i]->track});
    }
  }

  Raw& raw_;
  Tables tables_;
  std::vector<Mark> marks_;
  std::vector<MemoryChange> memory_;
  Nanoseconds latest_ = INT64_MIN;  // maximum of all times
  std::map<int32_t, std::string> process_of_;
  std::map<std::string, std::string> processes_;  // names
  OnnxRuntimeProfile onnx_runtime_;
};

}  // namespace

Result<Raw> read_json(ByteSpan bytes, const std::string& name) {
  Raw raw;
  raw.format = "Chrome trace";
  Reader reader(raw);
  const trace::JsonScan scan =
      trace::scan_json_list({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, "traceEvents",
                            [&](const JsonRecord& event) { reader.take(event); });
  if (!scan.found || raw.entries == 0)
    return Error{name + (scan.complete
                             ? ": the JSON file contains no trace events."
                             : ": the JSON is truncated or malformed at byte " + std::to_string(scan.position) + ".")};
  if (scan.names.contains("deviceProperties")) raw.format = "PyTorch profile";
  if (!scan.complete)
    raw.problem = name + ": the JSON is truncated or malformed at byte " + std::to_string(scan.position) +
                  "; everything before it was read.";
  reader.finish();
  return raw;
}

}  // namespace arenascope::audit
