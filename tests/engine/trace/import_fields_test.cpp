// SPDX-License-Identifier: MIT
// What the importers say that they show and leave out is so: each field of traces made here is changed, and of what is
// shown something changes, of what is left out nothing. And no file has a field that nobody thought of.
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "engine/trace/import_fields.h"
#include "engine/trace/pickle.h"
#include "engine/trace/sample_session.h"
#include "engine/trace/sample_traces.h"
#include "engine/trace/temp_file.h"
#include "test_data.h"

using namespace arenascope;
using namespace arenascope::trace;
using Json = nlohmann::ordered_json;

namespace {

// All that a sink is told, as a text; problems apart.
class Told : public Sink {
 public:
  std::string text;
  void describe(const Description& description) override {
    std::visit([this](const auto& d) { note(d); }, description);
  }
  void events(TrackId track, std::span<const Event> events) override {
    for (const Event& e : events)
      text += fmt::format("{}: {} {} {} {} {}\n", track.value, e.time, e.a, e.b, e.id, e.kind_extra);
  }

 private:
  void note(const ThreadInfo& t) {
    text += fmt::format("row {} {} {} {} {}\n", t.name, int(t.kind), t.device.value, t.process, t.thread);
  }
  void note(const NameInfo& n) { text += fmt::format("name {} {}\n", n.id.value, n.text); }
  void note(const CounterInfo& c) { text += fmt::format("counter {} {} {}\n", c.id.value, c.name, c.unit); }
  void note(const AllocatorInfo& a) { text += fmt::format("allocator {} {} {}\n", a.id, a.name, a.device.value); }
  void note(const RunInfo& r) { text += fmt::format("run {} {}\n", r.id.value, r.begin); }
  void note(const RunEnd& r) { text += fmt::format("end {} {}\n", r.id.value, r.end); }
  void note(const std::shared_ptr<const GraphInfo>& g) {
    for (const TensorInfo& t : g->nodes) text += fmt::format("node {} {}\n", t.name, t.op);
  }
  void note(const StackInfo& s) {
    text += "stack";
    for (const StackFrame& f : s.frames) text += fmt::format(" {} {} {}", f.function.value, f.file.value, f.line);
    for (const uint32_t a : s.allocations) text += fmt::format(" {}", a);
    text += '\n';
  }
  template <class T>
  void note(const T&) {}
};

std::string told(const std::string& bytes) {
  Told sink;
  const auto report = open_trace(as_bytes(bytes), "trace", sink);
  return report.ok() ? sink.text : "refused";
}

using Paths = std::set<std::string>;

// Fields that nobody thought of.
void check_known(ImportFormat format, const Paths& paths) {
  CHECK(!paths.empty());
  for (const std::string& path : paths) {
    CAPTURE(path);
    const ImportField* field = find_import_field(format, path);
    REQUIRE(field != nullptr);
    CHECK(field->shown.empty() != field->left_out.empty());
  }
}

// Which fields, changed, change what is told.
struct Found {
  std::map<std::string, bool> fields;
  void add(const std::string& path, bool changes) { fields[path] = fields[path] || changes; }
  void check(ImportFormat format) const {
    for (const auto& [path, changes] : fields) {
      CAPTURE(path);
      const ImportField* field = find_import_field(format, path);
      REQUIRE(field != nullptr);
      CHECK(changes == !field->shown.empty());
    }
    // All that is said to be shown was tried.
    for (const ImportField& field : import_fields(format)) {
      if (field.shown.empty() || field.path.ends_with('*')) continue;
      CAPTURE(std::string(field.path));
      CHECK(fields.contains(std::string(field.path)));
    }
  }
};

// --- JSON

std::string path_of(const Json& event, const std::string& key, bool arg) {
  return event.value("ph", std::string("?")) + (arg ? ".args." : ".") + key;
}

void walk(const Json& trace, Paths& paths) {
  if (trace.is_object())
    for (const auto& [key, value] : trace.items()) paths.insert(key);
  for (const Json& event : trace.is_array() ? trace : trace.at("traceEvents")) {
    for (const auto& [key, value] : event.items())
      if (key != "args") paths.insert(path_of(event, key, false));
    if (event.contains("args") && event["args"].is_object())
      for (const auto& [key, value] : event["args"].items()) paths.insert(path_of(event, key, true));
  }
}

void change(Json& value) {
  if (value.is_number_integer())
    value = value.get<int64_t>() == 0 ? 1 : value.get<int64_t>() + 3;
  else if (value.is_number())
    value = value.get<double>() + 3;
  else if (value.is_string())
    value = value.get<std::string>() + "x";
  else if (value.is_boolean())
    value = !value.get<bool>();
  else
    value = "x";
}

Found change_each(const Json& trace) {
  Found found;
  const std::string before = told(trace.dump());
  REQUIRE(before != "refused");
  const auto events = [](Json& t) -> Json& { return t.is_array() ? t : t.at("traceEvents"); };
  Json copy = trace;
  if (trace.is_object())
    for (const auto& [key, value] : trace.items()) {
      Json other = trace;
      change(other[key]);
      found.add(key, told(other.dump()) != before);
    }
  for (size_t i = 0; i < events(copy).size(); ++i) {
    const Json event = events(copy)[i];
    const auto attempt = [&](const std::string& path, const std::string& key, bool arg) {
      Json other = trace;
      Json& own = events(other)[i];
      change(arg ? own["args"][key] : own[key]);
      found.add(path, told(other.dump()) != before);
    };
    for (const auto& [key, value] : event.items())
      if (key != "args") attempt(path_of(event, key, false), key, false);
    if (event.contains("args"))
      for (const auto& [key, value] : event["args"].items()) attempt(path_of(event, key, true), key, true);
  }
  return found;
}

Json made_kineto() {
  Json kernel_args, op_args;
  for (const char* key : {"queued", "device", "context", "stream", "correlation", "external id", "registers per thread",
                          "shared memory", "blocks per SM", "warps per SM", "est. achieved occupancy %", "bytes",
                          "memory bandwidth (GB/s)", "cbid", "external ts", "Op count"})
    kernel_args[key] = 7;
  kernel_args["grid"] = kernel_args["block"] = {1, 2, 3};
  for (const char* key : {"Device", "External id", "Trace name", "Trace iteration", "Input Dims", "Call stack",
                          "Input type", "Fwd thread id", "Sequence number"})
    op_args[key] = "a";
  const auto memory = [](int type, int id, int64_t bytes, int64_t address, int64_t ts) {
    return Json{{"ph", "i"},
                {"s", "t"},
                {"name", "[memory]"},
                {"pid", 1},
                {"tid", 2},
                {"ts", ts},
                {"args",
                 {{"Device Type", type},
                  {"Device Id", id},
                  {"Bytes", bytes},
                  {"Addr", address},
                  {"Total Allocated", 9},
                  {"Total Reserved", 9}}}};
  };
  Json trace;
  trace["schemaVersion"] = 1;
  trace["deviceProperties"] = Json::array({{{"id", 0}}});
  trace["traceEvents"] = Json::array({
      {{"ph", "M"}, {"name", "process_name"}, {"pid", 1}, {"tid", 0}, {"ts", 1}, {"args", {{"name", "python"}}}},
      {{"ph", "M"}, {"name", "process_labels"}, {"pid", 1}, {"tid", 0}, {"ts", 1}, {"args", {{"labels", "CPU"}}}},
      {{"ph", "M"}, {"name", "process_sort_index"}, {"pid", 1}, {"tid", 0}, {"ts", 1}, {"args", {{"sort_index", 5}}}},
      {{"ph", "M"}, {"name", "thread_name"}, {"pid", 1}, {"tid", 2}, {"ts", 1}, {"args", {{"name", "main"}}}},
      {{"ph", "X"},
       {"cat", "Operator"},
       {"name", "aten::add"},
       {"pid", 1},
       {"tid", 2},
       {"ts", 10},
       {"dur", 5},
       {"args", op_args}},
      {{"ph", "X"},
       {"cat", "Kernel"},
       {"name", "add_kernel"},
       {"pid", 0},
       {"tid", "stream 7"},
       {"ts", 12},
       {"dur", 2},
       {"args", kernel_args}},
      {{"ph", "s"}, {"id", 4}, {"pid", 1}, {"tid", 2}, {"ts", 10}, {"cat", "async"}, {"name", "launch"}},
      {{"ph", "f"}, {"id", 4}, {"pid", 0}, {"tid", 7}, {"ts", 12}, {"cat", "async"}, {"name", "launch"}, {"bp", "e"}},
      memory(1, 0, 1024, 4096, 20),
      memory(1, 0, -1024, 4096, 30),
      memory(0, 0, 64, 64, 21),
      memory(0, 0, -64, 64, 31),
  });
  return trace;
}

Json made_chrome() {
  return Json{
      {"displayTimeUnit", "ms"},
      {"traceEvents",
       {{{"ph", "M"}, {"pid", 7}, {"tid", 8}, {"ts", 0}, {"name", "thread_name"}, {"args", {{"name", "main"}}}},
        {{"ph", "M"}, {"pid", 7}, {"tid", 0}, {"name", "process_name"}, {"args", {{"name", "prog"}}}},
        {{"ph", "X"},
         {"cat", "a"},
         {"pid", 7},
         {"tid", 8},
         {"ts", 1000},
         {"dur", 2000},
         {"name", "outer"},
         {"args", {{"n", 1}}}},
        {{"ph", "B"}, {"cat", "a"}, {"pid", 7}, {"tid", 8}, {"ts", 1500}, {"name", "inner"}, {"args", {{"n", 1}}}},
        {{"ph", "E"}, {"cat", "a"}, {"pid", 7}, {"tid", 8}, {"ts", 1600}, {"name", "inner"}, {"args", {{"n", 1}}}},
        {{"ph", "i"},
         {"cat", "a"},
         {"s", "t"},
         {"pid", 7},
         {"tid", 8},
         {"ts", 1700},
         {"name", "mark"},
         {"args", {{"n", 1}}}},
        {{"ph", "b"},
         {"cat", "net"},
         {"id", "1"},
         {"pid", 7},
         {"tid", 8},
         {"ts", 1000},
         {"name", "request"},
         {"args", {{"n", 1}}}},
        {{"ph", "n"}, {"cat", "net"}, {"id", "1"}, {"pid", 7}, {"tid", 8}, {"ts", 1500}, {"name", "request"}},
        {{"ph", "e"},
         {"cat", "net"},
         {"id", "1"},
         {"pid", 7},
         {"tid", 8},
         {"ts", 1900},
         {"name", "request"},
         {"args", {{"n", 1}}}},
        {{"ph", "C"},
         {"cat", "a"},
         {"id", 3},
         {"pid", 7},
         {"tid", 8},
         {"ts", 1000},
         {"name", "load"},
         {"args", {{"value", 2.5}}}},
        {{"ph", "s"}, {"id", 5}, {"pid", 7}, {"tid", 8}, {"ts", 1000}, {"name", "flow"}},
        {{"ph", "O"},
         {"id", 5},
         {"pid", 7},
         {"tid", 8},
         {"ts", 1000},
         {"name", "object"},
         {"args", {{"snapshot", 1}}}}}},
      {"otherData", {{"version", "1"}}}};
}

// --- Perfetto

// Messages whose fields are walked, too.
bool is_message(const std::string& path) {
  static const Paths kMessages{"6", "6.1", "11", "12", "12.2", "59", "59.11", "60", "60.3", "60.4", "60.8"};
  return kMessages.contains(path);
}

struct WireField {
  std::string path;
  uint32_t number = 0;
  WireType type = WireType::Varint;
  uint64_t value = 0;
  std::string payload;
  std::vector<WireField> inside;
};

std::vector<WireField> fields_of(ByteSpan bytes, const std::string& in) {
  std::vector<WireField> out;
  WireReader reader(bytes);
  while (reader.next()) {
    WireField f{in.empty() ? std::to_string(reader.field) : in + "." + std::to_string(reader.field),
                reader.field,
                reader.type,
                reader.number,
                {},
                {}};
    if (reader.type == WireType::Bytes) {
      if (is_message(f.path))
        f.inside = fields_of(reader.payload, f.path);
      else
        f.payload = reader.text();
    }
    out.push_back(std::move(f));
  }
  REQUIRE(reader.ok());
  return out;
}

void write(WireWriter& out, const std::vector<WireField>& fields) {
  for (const WireField& f : fields) {
    if (f.type == WireType::Varint) out.number(f.number, f.value);
    if (f.type == WireType::Fixed64) out.real(f.number, __builtin_bit_cast(double, f.value));
    if (f.type != WireType::Bytes) continue;
    if (!is_message(f.path)) {
      out.bytes(f.number, f.payload);
      continue;
    }
    const size_t message = out.begin(f.number);
    write(out, f.inside);
    out.end(message);
  }
}

std::vector<std::vector<WireField>> packets_of(const std::string& trace) {
  std::vector<std::vector<WireField>> out;
  WireReader in(as_bytes(trace));
  while (in.next()) out.push_back(fields_of(in.payload, ""));
  return out;
}

std::string bytes_of(const std::vector<std::vector<WireField>>& packets) {
  WireWriter out;
  for (const auto& packet : packets) {
    const size_t p = out.begin(1);
    write(out, packet);
    out.end(p);
  }
  return out.text();
}

void collect(const std::vector<WireField>& fields, Paths& paths) {
  for (const WireField& f : fields) {
    paths.insert(f.path);
    collect(f.inside, paths);
  }
}

// Changes each field in turn; a message as a whole by leaving it out.
void change_fields(std::vector<WireField>& fields, const std::function<bool()>& changes, Found& found) {
  for (size_t i = 0; i < fields.size(); ++i) {
    const WireField before = fields[i];
    if (is_message(before.path)) {
      fields[i].inside.clear();
      found.add(before.path, changes());
      fields[i] = before;
      change_fields(fields[i].inside, changes, found);
      continue;
    }
    for (const uint64_t other : {before.value + 1, uint64_t{0}}) {
      fields[i].value = before.type == WireType::Fixed64 ? __builtin_bit_cast(uint64_t, 17.0) : other;
      if (before.type == WireType::Bytes) fields[i].payload = before.payload + "x";
      found.add(before.path, changes());
    }
    fields[i] = before;
  }
}

std::string more_perfetto() {
  WireWriter w;
  const auto packet = [&](auto&& body) {
    const size_t p = w.begin(1);
    body();
    w.end(p);
  };
  const auto message = [&](uint32_t field, auto&& body) {
    const size_t m = w.begin(field);
    body();
    w.end(m);
  };
  packet([&] {
    w.number(10, 9), w.number(13, 1), w.number(41, 1), w.number(3, 0), w.number(79, 5);
    message(6, [&] {
      w.number(2, 6);
      message(1, [&] { w.number(1, 6), w.number(2, 9'000'000); });
      message(1, [&] { w.number(1, 65), w.number(2, 1000), w.number(3, 0), w.number(4, 10); });
    });
  });
  packet([&] {
    w.number(10, 9);
    message(60, [&] {
      w.number(1, 300), w.number(5, 100), w.number(11, 1);
      message(3, [&] { w.number(1, 11), w.bytes(6, "prog"); });
    });
  });
  packet([&] {
    w.number(10, 9), w.number(8, 1001), w.number(58, 65);
    message(11, [&] {
      w.number(9, 3), w.number(11, 300), w.bytes(23, "mark"), w.bytes(22, "category"), w.number(3, 1),
          w.bytes(4, "\x10\x01");
    });
  });
  packet([&] {
    w.number(10, 9), w.number(8, 9'000'500);
    message(11, [&] { w.number(9, 4), w.number(11, 200), w.real(44, 2.5); });
  });
  packet([&] {  // names begin anew: this one's has gone
    w.number(10, 3), w.number(13, 1), w.number(8, 9'001'000);
    message(11, [&] { w.number(9, 3), w.number(11, 100), w.number(10, 9); });
  });
  return w.text();
}

// --- pickles

void pickle(const Json& value, std::string& out) {
  const auto number = [&](char opcode, uint64_t v, int bytes) {
    out += opcode;
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(v >> (8 * i));
  };
  if (value.is_string()) {
    const auto text = value.get<std::string>();
    number('X', text.size(), 4);
    out += text;
  } else if (value.is_boolean()) {
    out += value.get<bool>() ? '\x88' : '\x89';
  } else if (value.is_number()) {
    out += '\x8a', out += '\x08';
    const auto v = static_cast<uint64_t>(value.get<int64_t>());
    for (int i = 0; i < 8; ++i) out += static_cast<char>(v >> (8 * i));
  } else if (value.is_array()) {
    out += ']';
    for (const Json& item : value) pickle(item, out), out += 'a';
  } else if (value.is_object()) {
    out += '}';
    for (const auto& [key, item] : value.items()) pickle(Json(key), out), pickle(item, out), out += 's';
  } else {
    out += 'N';
  }
}

std::string pickle_of(const Json& value) {
  std::string out("\x80\x02", 2);
  pickle(value, out);
  return out + '.';
}

void change_values(Json& value, const std::string& path, const std::function<bool()>& changes, Found& found) {
  if (value.is_array())
    for (Json& item : value) change_values(item, path + "[]", changes, found);
  if (!value.is_object()) return;
  for (auto& [key, item] : value.items()) {
    const std::string own = path.empty() ? key : path + "." + key;
    const Json before = item;
    if (item.is_structured()) {
      item = item.is_array() ? Json::array() : Json::object();
      found.add(own, changes());
      item = before;
      const ImportField* field = find_import_field(ImportFormat::PytorchSnapshot, own);
      if (field == nullptr || !field->shown.empty()) change_values(item, own, changes, found);
      continue;
    }
    // Sizes are rounded up: one and many more.
    for (const int64_t more : {int64_t{1}, int64_t{3} << 20, int64_t{-1} << 60}) {
      if (item.is_number()) item = more > -1 ? before.get<int64_t>() + more : 1;
      if (before.is_string()) item = more == 1 ? before.get<std::string>() + "x" : std::string("other");
      if (before.is_boolean()) item = !before.get<bool>();
      found.add(own, changes());
      item = before;
    }
  }
}

Json made_snapshot() {
  const Json frames = Json::array({{{"name", "empty"}, {"filename", "empty.py"}, {"line", 3}}});
  const auto entry = [&](const char* action, int64_t address, int64_t size, int64_t time) {
    return Json{{"action", action}, {"addr", address},          {"size", size},       {"time_us", time}, {"stream", 0},
                {"frames", frames}, {"compile_context", "N/A"}, {"user_metadata", ""}};
  };
  Json segment{{"device", 0},
               {"address", 0x1000000},
               {"total_size", 20 << 20},
               {"allocated_size", 9},
               {"active_size", 9},
               {"requested_size", 9},
               {"stream", 0},
               {"segment_type", "large"},
               {"segment_pool_id", {0, 1}},
               {"is_expandable", false},
               {"frames", frames}};
  segment["blocks"] = Json::array({
      {{"address", 0x1000000},
       {"size", 4 << 20},
       {"requested_size", 4000000},
       {"state", "active_allocated"},
       {"frames", frames},
       {"history", Json::array()}},
      {{"address", 0x1400000},
       {"size", 16 << 20},
       {"requested_size", 0},
       {"state", "inactive"},
       {"frames", Json::array()}},
  });
  Json settings{{"max_split_size", 4 << 20}, {"expandable_segments", false}};
  for (const char* key : {"PYTORCH_CUDA_ALLOC_CONF", "garbage_collection_threshold", "pinned_num_register_threads",
                          "release_lock_on_cudamalloc", "pinned_use_cuda_host_register",
                          "graph_capture_record_stream_reuse", "roundup_power2_divisions"})
    settings[key] = 1;
  return Json{
      {"segments", Json::array({segment})},
      {"device_traces",
       Json::array(
           {Json::array({entry("alloc", 0x1400000, 5 << 20, 2000), entry("free_requested", 0x1400000, 5 << 20, 2500),
                         entry("free_completed", 0x1400000, 5 << 20, 3000), entry("alloc", 0x1400000, 31 << 19, 3020),
                         entry("free_completed", 0x1400000, 31 << 19, 3040)}),
            Json::array()})},
      {"allocator_settings", settings},
      {"external_annotations", Json::array({{{"stage", "START"}, {"name", "step"}, {"device", 0}, {"time_us", 1900}},
                                            {{"stage", "END"}, {"name", "step"}, {"device", 0}, {"time_us", 3100}}})}};
}

void walk(const PickleValue& value, const std::string& path, int depth, Paths& paths) {
  if (depth > 8) return;
  if (value.type == PickleValue::List)
    for (const PickleValue* item : value.items) walk(*item, path + "[]", depth + 1, paths);
  if (value.type != PickleValue::Dict) return;
  for (size_t i = 0; i + 1 < value.items.size(); i += 2) {
    const std::string own = (path.empty() ? "" : path + ".") + std::string(value.items[i]->text);
    paths.insert(own);
    const ImportField* field = find_import_field(ImportFormat::PytorchSnapshot, own);
    if (field == nullptr || !field->shown.empty()) walk(*value.items[i + 1], own, depth + 1, paths);
  }
}

std::string contents(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("each field of Chrome's, Kineto's and ONNX Runtime's traces is shown or left out as the list says") {
  const std::pair<ImportFormat, Json> made[] = {{ImportFormat::Chrome, made_chrome()},
                                                {ImportFormat::Kineto, made_kineto()},
                                                {ImportFormat::OnnxRuntime, Json::parse(test::kOnnxRuntimeProfile)}};
  for (const auto& [format, trace] : made) {
    CAPTURE(int(format));
    Paths paths;
    walk(trace, paths);
    check_known(format, paths);
    change_each(trace).check(format);
  }
}

TEST_CASE("each field of a Perfetto trace is shown or left out as the list says") {
  auto packets = packets_of(test::perfetto_trace() + more_perfetto());
  Paths paths;
  for (const auto& packet : packets) collect(packet, paths);
  check_known(ImportFormat::Perfetto, paths);
  const std::string before = told(bytes_of(packets));
  REQUIRE(before != "refused");
  Found found;
  for (auto& packet : packets)
    change_fields(
        packet, [&] { return told(bytes_of(packets)) != before; }, found);
  found.add("50", true);  // packed packets: tried by import_test
  found.check(ImportFormat::Perfetto);
}

TEST_CASE("what a recording of ours tells Perfetto has no field that its importer does not know") {
  test::TempFile file("mirror.pftrace");
  auto writer = RecordingWriter::create(file.path);
  REQUIRE(writer.ok());
  test::fill(**writer, {.runs = 2});
  REQUIRE((*writer)->close().ok());
  Paths paths;
  for (const auto& packet : packets_of(file.read())) collect(packet, paths);
  paths.erase("2100");  // our own field, which only we read
  check_known(ImportFormat::Perfetto, paths);
}

TEST_CASE("each field of a PyTorch snapshot is shown or left out as the list says") {
  Json snapshot = made_snapshot();
  const std::string before = told(pickle_of(snapshot));
  REQUIRE(before != "refused");
  Found found;
  change_values(
      snapshot, "", [&] { return told(pickle_of(snapshot)) != before; }, found);
  found.check(ImportFormat::PytorchSnapshot);
}

TEST_CASE("the traces that there are have no field that nobody thought of") {
  ARENASCOPE_NEEDS_DATA("traces/kineto_resnet50_gpu.pt.trace.json.gz");
  const auto traces = test::data_folder() / "traces";
  size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(traces)) {
    CAPTURE(entry.path().string());
    const std::string bytes = contents(entry.path());
    Paths paths;
    if (entry.path().extension() == ".gz") {
      const auto unpacked = gunzip(as_bytes(bytes), entry.path().string(), size_t{1} << 30);
      REQUIRE(unpacked.ok());
      walk(Json::parse(*unpacked), paths);
      check_known(ImportFormat::Kineto, paths);
      ++read;
    } else if (entry.path().extension() == ".pickle") {
      const auto value = read_pickle(as_bytes(bytes), entry.path().string());
      REQUIRE(value.ok());
      walk(*value->root, "", 0, paths);
      check_known(ImportFormat::PytorchSnapshot, paths);
      ++read;
    }
  }
  CHECK(read == 4);
}
