// SPDX-License-Identifier: MIT
// Chrome's trace event format and what others write in it: PyTorch's profiler (with "[memory]" instants) and ONNX
// Runtime's (whose node events are work of a graph's nodes). After the format's public description.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/audit/imported_trace.h"

namespace arenascope::audit {

namespace {

using Json = nlohmann::ordered_json;  // series of a counter in the order of the file

std::string text(const Json& v) {
  if (v.is_string()) return v.get<std::string>();
  if (v.is_number_integer()) return std::to_string(v.get<int64_t>());
  return v.is_number() ? fmt::format("{}", v.get<double>()) : std::string();
}

std::string text(const Json& object, const char* key) {
  const auto it = object.find(key);
  return it == object.end() ? std::string() : text(*it);
}

// Microseconds, whole or not, to nanoseconds: the whole part apart, since it may be larger than a double counts.
bool time(const Json& object, const char* key, Nanoseconds& out) {
  const auto it = object.find(key);
  if (it == object.end()) return false;
  constexpr int64_t kMax = INT64_MAX / 4000;
  if (it->is_number_integer()) {
    const auto us = it->get<int64_t>();
    if (us < -kMax || us > kMax) return false;
    out = us * 1000;
    return true;
  }
  double us = 0;
  if (it->is_number()) {
    us = it->get<double>();
  } else if (it->is_string()) {
    char* end = nullptr;
    const auto& s = it->get_ref<const std::string&>();
    us = std::strtod(s.c_str(), &end);
    if (end == s.c_str()) return false;
  } else {
    return false;
  }
  if (!(std::abs(us) < static_cast<double>(kMax))) return false;
  const double whole = std::floor(us);
  out = static_cast<int64_t>(whole) * 1000 + std::llround((us - whole) * 1000);
  return true;
}

int64_t integer(const Json& object, const char* key, int64_t otherwise) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_number()) return otherwise;
  if (it->is_number_integer()) return it->get<int64_t>();
  const auto v = it->get<double>();
  return std::abs(v) < 9e18 ? static_cast<int64_t>(v) : otherwise;
}

class Reader {
 public:
  explicit Reader(Raw& raw) : raw_(raw), tables_(raw) {}

  void take(const Json& events) {
    find_onnx_runtime(events);
    for (const Json& e : events)
      if (e.is_object()) take_one(e);
    name_processes();
    for (const Kernel& k : kernels_) add_kernel(k);
    mark_steps();
    lay_in_depth();
  }

 private:
  struct Open {
    std::string name;
    Nanoseconds begin;
  };
  // ONNX Runtime's: in rows of their own, after all others.
  struct Kernel {
    std::string thread;
    int32_t node;
    Nanoseconds begin, end;
  };

  static std::string async_key(const Json& e) { return text(e, "pid") + "/" + text(e, "cat") + "/" + text(e, "id"); }

  void take_one(const Json& e) {
    const std::string phase = text(e, "ph"), name = text(e, "name");
    if (phase == "M") return metadata(e, name);
    Nanoseconds t = 0;
    if (phase.empty() || !time(e, "ts", t)) return;
    if (phase == "X") return complete(e, name, t);
    if (phase == "B") {
      open_[thread(e)].push_back({name, t});
    } else if (phase == "E") {
      const int32_t row = thread(e);
      close(open_[row], row, t);
    } else if (phase == "b" || phase == "S") {
      async_[async_key(e)].push_back({name, t});
    } else if (phase == "e" || phase == "F") {
      auto& stack = async_[async_key(e)];
      if (!stack.empty()) close(stack, tables_.track("async " + text(e, "cat"), "async " + text(e, "cat")), t);
    } else if (phase == "C") {
      counters(e, name, t);
    } else if ((phase == "i" || phase == "I") && name == "[memory]") {
      memory(e, t);
    } else if (phase == "i" || phase == "I" || phase == "R") {
      tables_.span(thread(e), name, t, t, -1);
    }
  }

  // A row is a thread of a process; its name contains both names, if present.
  int32_t thread(const Json& e) {
    const std::string pid = text(e, "pid"), tid = text(e, "tid");
    const int32_t row = tables_.track(pid + "/" + tid, "thread " + tid);
    process_of_.try_emplace(row, pid);
    return row;
  }
  void metadata(const Json& e, const std::string& what) {
    const auto args = e.find("args");
    const std::string name = args != e.end() && args->is_object() ? text(*args, "name") : "";
    if (name.empty()) return;
    if (what == "process_name") processes_[text(e, "pid")] = name;
    if (what == "thread_name") raw_.tracks[thread(e)].name = name;
  }
  void name_processes() {
    for (const auto& [row, process] : process_of_)
      if (const auto name = processes_.find(process); name != processes_.end())
        raw_.tracks[row].name = name->second + ", " + raw_.tracks[row].name;
  }

  // A begin without an end is not a span.
  void close(std::vector<Open>& stack, int32_t row, Nanoseconds t) {
    if (stack.empty()) return;
    const Open o = stack.back();
    stack.pop_back();
    tables_.span(row, o.name, o.begin, std::max(t, o.begin), -1);
  }

  void complete(const Json& e, const std::string& name, Nanoseconds begin) {
    Nanoseconds length = 0;
    time(e, "dur", length);
    const Nanoseconds end = begin + std::max<Nanoseconds>(length, 0);
    if (onnx_runtime_ && node(e, name, begin, end)) return;
    tables_.span(thread(e), name, begin, end, -1);
  }

  // The file has no depth: it is the number of enclosing spans in the row.
  void lay_in_depth() {
    std::map<int32_t, std::vector<RawSpan*>> by_track;
    for (RawSpan& s : raw_.spans)
      if (s.kind == SpanKind::Named && s.depth < 0) by_track[s.track].push_back(&s);
    for (auto& [track, spans] : by_track) {
      std::stable_sort(spans.begin(), spans.end(), [](const RawSpan* a, const RawSpan* b) {
        return a->begin != b->begin ? a->begin < b->begin : a->end > b->end;
      });
      std::vector<Nanoseconds> ends;
      for (RawSpan* s : spans) {
        while (!ends.empty() && ends.back() <= s->begin) ends.pop_back();
        s->depth = static_cast<int64_t>(ends.size());
        ends.push_back(s->end);
      }
    }
  }

  void counters(const Json& e, const std::string& name, Nanoseconds t) {
    const auto args = e.find("args");
    if (args == e.end() || !args->is_object()) return;
    for (const auto& [series, value] : args->items()) {
      if (!value.is_number()) continue;
      const int32_t counter = tables_.counter(text(e, "pid") + "/" + name + "/" + series);
      thread(e);  // a row has a number from its first event on, whatever that is
      raw_.samples.push_back({counter, t, value.get<double>()});
      raw_.cover(t, t);
    }
  }

  // PyTorch's profiler: bytes that come (positive) or go (negative) on a device.
  void memory(const Json& e, Nanoseconds t) {
    const auto args = e.find("args");
    if (args == e.end() || !args->is_object() || !args->contains("Bytes") || !(*args)["Bytes"].is_number_integer())
      return;
    thread(e);
    const int64_t bytes = integer(*args, "Bytes", 0);
    const int64_t type = integer(*args, "Device Type", 0), id = integer(*args, "Device Id", -1);
    const std::string device = type == 0 ? "CPU" : fmt::format("GPU {}", std::max<int64_t>(id, 0));
    const int32_t space = tables_.space(device, type == 0 ? "HostPageable" : "Default", device);
    raw_.memory.push_back({t, bytes >= 0 ? MemoryAction::Alloc : MemoryAction::Free, space,
                           static_cast<uint64_t>(integer(*args, "Addr", 0)), std::abs(bytes)});
    raw_.cover(t, t);
  }

  // --- ONNX Runtime
  static bool is_node(const Json& e) {
    const auto args = e.find("args");
    return text(e, "cat") == "Node" && args != e.end() && args->is_object() && args->contains("op_name");
  }

  // Runs are the "model_run" events; without any, all of it is one.
  void find_onnx_runtime(const Json& events) {
    std::vector<Interval> runs;
    Interval all{INT64_MAX, INT64_MIN};
    for (const Json& e : events) {
      Nanoseconds t = 0, length = 0;
      if (!e.is_object() || text(e, "ph") != "X" || !time(e, "ts", t) || !time(e, "dur", length)) continue;
      if (is_node(e)) onnx_runtime_ = true, all = {std::min(all.begin, t), std::max(all.end, t + length)};
      if (text(e, "name") == "model_run") runs.push_back({t, t + length});
    }
    if (!onnx_runtime_) return;
    raw_.format = "ONNX Runtime profile";
    if (runs.empty()) runs.push_back(all);
    std::sort(runs.begin(), runs.end(), [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
    raw_.graphs[0].id = trace::GraphId(0);
    for (size_t i = 0; i < runs.size(); ++i) {
      RawRun& run = raw_.runs[static_cast<int32_t>(i)];
      run.info.id = run.end.id = trace::RunId(i);
      run.info.graph = trace::GraphId(0);
      run.info.begin = runs[i].begin;
      run.info.threads = 1;
      run.ended = true;
      run.end.end = runs[i].end;
      run_ends_.push_back(runs[i].end);
    }
  }

  bool node(const Json& e, const std::string& name, Nanoseconds begin, Nanoseconds end) {
    constexpr std::string_view kKernel = "_kernel_time";
    if (!is_node(e) || !name.ends_with(kKernel)) return false;
    const std::string own = name.substr(0, name.size() - kKernel.size());
    auto& nodes = raw_.graphs[0].nodes;
    const auto [it, fresh] =
        nodes_.try_emplace(text(e["args"], "node_index") + "/" + own, static_cast<int32_t>(nodes.size()));
    if (fresh) nodes.push_back({.name = own, .op = text(e["args"], "op_name")});
    kernels_.push_back({"kernels, thread " + text(e, "tid"), it->second, begin, end});
    return true;
  }
  void add_kernel(const Kernel& k) {
    size_t run = 0;
    while (run + 1 < run_ends_.size() && run_ends_[run] < k.end) ++run;
    RawSpan s;
    s.kind = SpanKind::Work;
    s.track = tables_.track(k.thread, k.thread);
    s.run = static_cast<int32_t>(run);
    s.node = k.node;
    s.begin = k.begin;
    s.end = k.end;
    raw_.spans.push_back(std::move(s));
    raw_.cover(k.begin, k.end);
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
  std::map<int32_t, std::vector<Open>> open_;  // by row
  std::map<std::string, std::vector<Open>> async_;
  std::map<int32_t, std::string> process_of_;
  std::map<std::string, std::string> processes_;  // names
  std::map<std::string, int32_t> nodes_;
  std::vector<Kernel> kernels_;
  std::vector<Nanoseconds> run_ends_;
  bool onnx_runtime_ = false;
};

// A trace that was being written when its program ended lacks its last bracket: up to the last whole event then.
Json parsed(std::string_view text) {
  Json json = Json::parse(text, nullptr, false);
  for (int tries = 0; json.is_discarded() && tries < 8; ++tries) {
    const size_t last = text.rfind('}');
    if (last == std::string_view::npos) break;
    text = text.substr(0, last + 1);
    json = Json::parse(std::string(text) + (text.front() == '[' ? "]" : "]}"), nullptr, false);
    text.remove_suffix(1);
  }
  return json;
}

}  // namespace

Result<Raw> read_json(ByteSpan bytes, const std::string& name) {
  const Json json = parsed({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (json.is_discarded()) return Error{name + ": it begins as JSON does, but is none."};
  const Json* events = json.is_array() ? &json : nullptr;
  if (json.is_object() && json.contains("traceEvents") && json["traceEvents"].is_array()) events = &json["traceEvents"];
  if (events == nullptr) return Error{name + ": it is JSON without a list of trace events."};
  Raw raw;
  raw.format = "Chrome trace";
  if (json.is_object() && json.contains("deviceProperties")) raw.format = "PyTorch profile";
  raw.entries = static_cast<int64_t>(events->size());
  Reader(raw).take(*events);
  return raw;
}

}  // namespace arenascope::audit
