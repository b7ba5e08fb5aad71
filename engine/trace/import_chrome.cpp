// SPDX-License-Identifier: MIT
#include <arenascope/trace/import.h>
#include "engine/trace/import_builder.h"
#include "engine/trace/import_onnxruntime.h"

#include <cmath>
#include <new>
#include <nlohmann/json.hpp>

namespace arenascope::trace {

namespace {

constexpr double kLatestTime = 2e18;  // ns; later times are treated as invalid

// One value of an event or of its args.
struct Scalar {
  enum Type { None, Text, Integer, Real } type = None;
  std::string text;
  int64_t integer = 0;
  double real = 0;
  bool is_number() const { return type == Integer || type == Real; }
  double number() const { return type == Integer ? static_cast<double>(integer) : type == Real ? real : 0; }
  std::string as_text() const {
    return type == Text ? text : type == Integer ? std::to_string(integer) : type == Real ? std::to_string(real) : "";
  }
};

// Converts microseconds to nanoseconds; false if the value is not a valid time.
bool nanoseconds(const Scalar& s, Nanoseconds& out) {
  if (s.type == Scalar::Text) {  // some tools write numbers as strings
    Scalar number{Scalar::Real, "", 0, 0};
    char* end = nullptr;
    number.real = std::strtod(s.text.c_str(), &end);
    return end != s.text.c_str() && nanoseconds(number, out);
  }
  if (!s.is_number() || !(std::abs(s.number()) * 1000 < kLatestTime)) return false;
  out = s.type == Scalar::Integer ? s.integer * 1000 : std::llround(s.real * 1000);
  return true;
}

struct ChromeEvent {
  Scalar ph, name, cat, pid, tid, ts, dur, id;
  std::vector<std::pair<std::string, Scalar>> args;
  const Scalar* arg(std::string_view key) const {
    for (const auto& [k, v] : args) {
      if (k == key) return &v;
    }
    return nullptr;
  }
  void clear() { *this = {}; }
};

// Converts events to spans and points.
class Collector {
 public:
  ImportBuilder builder;
  OnnxRuntimeNodes nodes;
  int64_t events = 0, skipped = 0, open_spans = 0;
  uint32_t devices = 0;  // devices with allocations, not counting the host

  void add(const ChromeEvent& e) {
    ++events;
    const char ph = e.ph.text.size() == 1 ? e.ph.text[0] : '\0';
    Nanoseconds t = 0;
    if (ph == 'M') return metadata(e);
    if (!nanoseconds(e.ts, t)) {
      ++skipped;
      return;
    }
    switch (ph) {
      case 'X': return complete(e, t);
      case 'B': stacks_[track(e)].push_back({t, 0, builder.name(e.name.as_text())}); return;
      case 'E': return end(stacks_[track(e)], t, track(e));
      case 'b':
      case 'S': async_[async_key(e)].push_back({t, 0, builder.name(e.name.as_text())}); return;
      case 'e':
      case 'F': return end_async(e, t);
      case 'C': return counters(e, t);
      case 'i':
      case 'I':
      case 'R':
        if (e.name.text == "[memory]") return memory(e, t);
        builder.span(track(e), t, t, builder.name(e.name.as_text()));
        return;
      case 's':
      case 't':
      case 'f':
      case 'n':
      case 'N':
      case 'D':
      case 'O':
      case 'P':
      case 'c':
      case 'v':
      case 'V': return;  // flows, samples and objects are not imported
      default: ++skipped;
    }
  }

  void finish_open() {
    for (const auto& [track, stack] : stacks_) open_spans += static_cast<int64_t>(stack.size());
    for (const auto& [key, stack] : async_) open_spans += static_cast<int64_t>(stack.size());
    for (const auto& [track, process] : process_of_) {
      const auto name = process_names_.find(process);
      if (name == process_names_.end()) continue;
      ThreadInfo& info = builder.info(track);
      info.name = name->second + ", " + info.name;
    }
  }

 private:
  static std::string argument(const ChromeEvent& e, const char* key) {
    const Scalar* value = e.arg(key);
    return value == nullptr ? std::string() : value->as_text();
  }
  static std::string thread_key(const ChromeEvent& e) {
    return "process " + e.pid.as_text() + " thread " + e.tid.as_text();
  }
  static std::string thread_name(const ChromeEvent& e) { return "thread " + e.tid.as_text(); }
  static std::string async_key(const ChromeEvent& e) {
    return e.pid.as_text() + '\x1f' + e.cat.text + '\x1f' + e.id.as_text() + '\x1f' + e.name.as_text();
  }
  static int64_t to_int(const Scalar& s) {
    if (s.type == Scalar::Integer) return s.integer;
    return s.type == Scalar::Text ? std::strtoll(s.text.c_str(), nullptr, 10) : 0;
  }

  size_t track(const ChromeEvent& e) {
    const size_t n = builder.track(thread_key(e));
    if (process_of_.try_emplace(n, e.pid.as_text()).second) {
      ThreadInfo& info = builder.info(n);
      info.name = thread_name(e);
      info.process = to_int(e.pid);
      info.thread = to_int(e.tid);
      info.kind = e.tid.text.rfind("stream", 0) == 0 ? TrackKind::DeviceQueue : TrackKind::Worker;
    }
    return n;
  }

  void complete(const ChromeEvent& e, Nanoseconds begin) {
    Nanoseconds length = 0;
    if (e.dur.type != Scalar::None && !nanoseconds(e.dur, length)) ++skipped;
    const Nanoseconds end = begin + std::max<Nanoseconds>(length, 0);
    if (!nodes.add(e.cat.text, e.name.text, argument(e, "op_name"), argument(e, "node_index"), thread_name(e), begin,
                   end)) {
      builder.span(track(e), begin, end, builder.name(e.name.as_text()));
    }
  }

  // Ends the innermost open span.
  void end(std::vector<ImportBuilder::Span>& open, Nanoseconds t, size_t track) {
    if (open.empty()) {
      ++skipped;
      return;
    }
    builder.span(track, open.back().begin, std::max(t, open.back().begin), open.back().name);
    open.pop_back();
  }
  void end_async(const ChromeEvent& e, Nanoseconds t) {
    const auto it = async_.find(async_key(e));
    if (it == async_.end() || it->second.empty()) {
      ++skipped;
      return;
    }
    end(it->second, t, builder.track("async " + e.cat.text));
  }

  void counters(const ChromeEvent& e, Nanoseconds t) {
    for (const auto& [key, value] : e.args) {
      if (!value.is_number()) continue;
      std::string name = e.name.as_text() + (e.args.size() > 1 ? " " + key : "");
      const std::string process = e.pid.as_text();
      // Two processes may have a counter of the same name: the name of the second one includes its process.
      if (counted_by_.try_emplace(name, process).first->second != process) name += " of process " + process;
      builder.point(track(e), counter(t, builder.counter(name), value.number()));
    }
  }

  void metadata(const ChromeEvent& e) {
    const Scalar* name = e.arg("name");
    if (name == nullptr || name->as_text().empty()) return;
    if (e.name.text == "process_name") {
      process_names_[e.pid.as_text()] = name->as_text();
    } else if (e.name.text == "thread_name") {
      builder.info(track(e)).name = name->as_text();
    }
  }

  // PyTorch profiler: bytes allocated (or freed, if negative) on a device.
  void memory(const ChromeEvent& e, Nanoseconds t) {
    const Scalar* bytes = e.arg("Bytes");
    if (bytes == nullptr || bytes->type != Scalar::Integer || bytes->integer == INT64_MIN) {
      ++skipped;
      return;
    }
    const Scalar* device = e.arg("Device Type");
    const bool on_host = device == nullptr || device->integer == 0;
    const Scalar* address = e.arg("Addr");
    const auto kind = on_host ? MemoryKind::HostPageable : MemoryKind::Default;
    const auto where = address == nullptr ? uint64_t{0} : static_cast<uint64_t>(address->integer);
    const Scalar* number = e.arg("Device Id");
    const auto which = static_cast<uint32_t>(number == nullptr ? 0 : std::clamp<int64_t>(number->integer, 0, 4095));
    const uint32_t allocator = on_host ? 0 : 1 + which;
    devices = std::max(devices, allocator);
    builder.point(track(e), bytes->integer >= 0 ? alloc(t, kind, where, bytes->integer, allocator, 0)
                                                : free(t, kind, where, -bytes->integer, allocator, 0));
  }

  std::unordered_map<size_t, std::vector<ImportBuilder::Span>> stacks_;
  std::unordered_map<std::string, std::vector<ImportBuilder::Span>> async_;
  std::unordered_map<size_t, std::string> process_of_;
  std::unordered_map<std::string, std::string> process_names_;
  std::unordered_map<std::string, std::string> counted_by_;  // counter name → the first process with it
};

// SAX handler that extracts the events as the JSON is parsed and keeps nothing else.
class Sax : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Sax(Collector& out) : out_(out) {}
  std::string error;
  bool found = false;  // an array of events was found

  bool null() override { return value({}); }
  bool boolean(bool) override { return value({}); }
  bool number_integer(number_integer_t v) override { return value({Scalar::Integer, "", v, 0}); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v > INT64_MAX) return value({Scalar::Real, "", 0, static_cast<double>(v)});
    return value({Scalar::Integer, "", static_cast<int64_t>(v), 0});
  }
  bool number_float(number_float_t v, const string_t&) override { return value({Scalar::Real, "", 0, v}); }
  bool string(string_t& v) override {
    return is_value_needed() ? value({Scalar::Text, std::move(v), 0, 0}) : value({});
  }
  bool binary(binary_t&) override { return value({}); }
  bool start_object(std::size_t) override {
    if (depth_ == events_depth_ && in_events_) event_.clear();
    return open(false);
  }
  bool start_array(std::size_t) override {
    const bool top_array = depth_ == 0, listed = depth_ == 1 && !top_is_array_ && key_ == "traceEvents";
    if (!in_events_ && (top_array || listed)) {
      in_events_ = found = true;
      events_depth_ = depth_ + 1;
    }
    return open(true);
  }
  bool key(string_t& k) override {
    if (depth_ == events_depth_ + 1 || !in_events_) {
      key_ = std::move(k);
    } else if (depth_ == events_depth_ + 2) {
      arg_key_ = std::move(k);
    }
    return true;
  }
  bool end_object() override {
    --depth_;
    if (in_events_ && depth_ == events_depth_) out_.add(event_);
    return true;
  }
  bool end_array() override {
    --depth_;
    if (in_events_ && depth_ + 1 == events_depth_) in_events_ = false;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    error = "the JSON is truncated or malformed at byte " + std::to_string(position);
    return false;
  }

 private:
  bool open(bool is_array) {
    if (depth_ == 0) top_is_array_ = is_array;
    ++depth_;
    return true;
  }
  bool is_value_needed() const { return in_events_ && (depth_ == events_depth_ + 1 || in_args()); }
  bool in_args() const { return depth_ == events_depth_ + 2 && key_ == "args"; }
  bool value(Scalar v) {
    if (!is_value_needed()) return true;
    if (in_args()) {
      event_.args.emplace_back(arg_key_, std::move(v));
      return true;
    }
    Scalar* field = key_ == "ph"     ? &event_.ph
                    : key_ == "name" ? &event_.name
                    : key_ == "cat"  ? &event_.cat
                    : key_ == "pid"  ? &event_.pid
                    : key_ == "tid"  ? &event_.tid
                    : key_ == "ts"   ? &event_.ts
                    : key_ == "dur"  ? &event_.dur
                    : key_ == "id"   ? &event_.id
                                     : nullptr;
    if (field != nullptr) *field = std::move(v);
    return true;
  }

  Collector& out_;
  ChromeEvent event_;
  std::string key_, arg_key_;
  size_t depth_ = 0, events_depth_ = 0;
  bool in_events_ = false, top_is_array_ = false;
};

}  // namespace

Result<OpenReport> import_chrome_json(ByteSpan bytes, const std::string& name, Sink& sink) {
  try {
    Collector collector;
    Sax sax(collector);
    const char* begin = reinterpret_cast<const char*>(bytes.data());
    // Not strict: Chrome's format allows an event list without its closing bracket.
    const bool whole = nlohmann::json::sax_parse(begin, begin + bytes.size(), &sax);
    if (!sax.found || (!whole && collector.events == 0)) {
      return Error{name + ": " + (sax.error.empty() ? "the JSON file contains no trace events" : sax.error) + "."};
    }
    if (collector.events == 0) return Error{name + ": the JSON file contains no trace events."};
    collector.finish_open();
    OpenReport report{TraceKind::ChromeJson, collector.nodes.empty() ? "Chrome trace" : "ONNX Runtime profile", ""};
    if (!whole) {
      report.problem = name + ": " + sax.error + "; everything before it was read.";
    } else if (collector.skipped + collector.open_spans > 0) {
      report.problem = name + ": " + std::to_string(collector.skipped) + " of " + std::to_string(collector.events) +
                       " malformed or unknown events were skipped, and " + std::to_string(collector.open_spans) +
                       " spans have no end.";
    }
    if (!report.problem.empty()) collector.builder.problem(report.problem);
    const std::vector<size_t> tracks = collector.nodes.add_tracks(collector.builder);
    collector.builder.describe(sink);
    sink.describe(DeviceInfo{DeviceId(0), "host", "", "", 0, true});
    sink.describe(AllocatorInfo{0, "host", MemoryKind::HostPageable, DeviceId(0)});
    for (uint32_t d = 1; d <= collector.devices; ++d) {
      const std::string title = "device " + std::to_string(d - 1);
      sink.describe(DeviceInfo{DeviceId(size_t{d}), title, "", "", 0});
      sink.describe(AllocatorInfo{d, title, MemoryKind::Default, DeviceId(size_t{d})});
    }
    collector.nodes.replay(name, tracks, sink);
    sink.describe(SourceInfo{report.format, static_cast<int64_t>(collector.events)});
    collector.builder.finish(sink);
    return report;
  } catch (const std::bad_alloc&) {
    return Error{name + ": out of memory while reading the file."};
  }
}

}  // namespace arenascope::trace
