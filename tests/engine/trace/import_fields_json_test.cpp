// SPDX-License-Identifier: MIT
// The fields of Chrome's, Kineto's and ONNX Runtime's traces, and of IREE's profile.
#include <arenascope/trace/gunzip.h>
#include "engine/trace/sample_traces.h"
#include "import_fields_common.h"
#include "test_data.h"

using namespace arenascope;
using namespace arenascope::test::fields;

namespace {

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
  const std::string before = imported_text(trace.dump());
  REQUIRE(before != "refused");
  const auto events = [](Json& t) -> Json& { return t.is_array() ? t : t.at("traceEvents"); };
  Json copy = trace;
  if (trace.is_object())
    for (const auto& [key, value] : trace.items()) {
      Json other = trace;
      change(other[key]);
      found.add(key, imported_text(other.dump()) != before);
    }
  for (size_t i = 0; i < events(copy).size(); ++i) {
    const Json event = events(copy)[i];
    const auto attempt = [&](const std::string& path, const std::string& key, bool arg) {
      Json other = trace;
      Json& own = events(other)[i];
      if (key == "ph")
        own[key] = "x" + own[key].get<std::string>();  // only its first character counts
      else
        change(arg ? own["args"][key] : own[key]);
      found.add(path, imported_text(other.dump()) != before);
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
                          "memory bandwidth (GB/s)", "cbid", "external ts", "Op count", "Ev Idx"})
    kernel_args[key] = 7;
  kernel_args["grid"] = kernel_args["block"] = {1, 2, 3};
  for (const char* key : {"Device", "External id", "Trace name", "Trace iteration", "Input Dims", "Call stack",
                          "Input type", "Fwd thread id", "Sequence number"})
    op_args[key] = "a";
  const auto memory = [](int type, int id, int64_t bytes, int64_t address, int64_t ts, int64_t total) {
    return Json{{"ph", "i"},
                {"s", "t"},
                {"cat", "cpu_instant_event"},
                {"name", "[memory]"},
                {"pid", 1},
                {"tid", 2},
                {"ts", ts},
                {"args",
                 {{"Device Type", type},
                  {"Device Id", id},
                  {"Bytes", bytes},
                  {"Addr", address},
                  {"Ev Idx", 7},
                  {"Total Allocated", total},
                  {"Total Reserved", 8192}}}};
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
      memory(1, 0, 1024, 4096, 20, 2048),
      memory(1, 0, -1024, 4096, 30, 1024),
      memory(0, 0, 64, 64, 21, 64),
      memory(0, 0, -64, 64, 31, 0),
  });
  return trace;
}

// Asynchronous spans: one with an id of its process, and one of the older phases, with steps.
void add_async(Json& events) {
  for (const char* phase : {"b", "e"})
    events.push_back({{"ph", phase},
                      {"cat", "net"},
                      {"id2", {{"local", 4}}},
                      {"scope", "s"},
                      {"pid", 7},
                      {"tid", 8},
                      {"ts", *phase == 'b' ? 1100 : 1200},
                      {"name", "reply"}});
  int ts = 1000;
  for (const char* phase : {"S", "T", "p", "F"}) {
    Json event{{"ph", phase}, {"cat", "old"}, {"id", "9"}, {"pid", 7}, {"tid", 8}, {"ts", ts += 100}, {"name", "job"}};
    if (*phase == 'T' || *phase == 'p') event["args"] = {{"step", std::string(phase) + "1"}};
    events.push_back(event);
  }
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

}  // namespace

TEST_CASE("each field of Chrome, Kineto and ONNX Runtime traces is shown or ignored as listed") {
  Json chrome = made_chrome();
  add_async(chrome["traceEvents"]);
  const std::pair<ImportFormat, Json> made[] = {{ImportFormat::Chrome, chrome},
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

TEST_CASE("the available Kineto traces have no unlisted field") {
  ARENASCOPE_NEEDS_DATA("traces/kineto_resnet50_gpu.pt.trace.json.gz");
  size_t read = 0;
  for (const auto& entry : std::filesystem::directory_iterator(test::data_folder() / "traces")) {
    if (entry.path().extension() != ".gz") continue;
    CAPTURE(entry.path().string());
    const std::string bytes = contents(entry.path());
    const auto unpacked = gunzip(as_bytes(bytes), entry.path().string(), size_t{1} << 30);
    REQUIRE(unpacked.ok());
    Paths paths;
    walk(Json::parse(*unpacked), paths);
    check_known(ImportFormat::Kineto, paths);
    ++read;
  }
  CHECK(read == 1);
}

TEST_CASE("each field of an IREE profile is shown or ignored as listed") {
  std::vector<Json> records;
  std::istringstream lines(test::iree_export());
  for (std::string line; std::getline(lines, line);) records.push_back(Json::parse(line));
  const auto written = [&] {
    std::string out;
    for (const Json& record : records) out += record.dump() + '\n';
    return out;
  };
  const std::string before = imported_text(written());
  REQUIRE(before != "refused");
  Paths paths;
  Found found;
  for (Json& record : records) {
    const Json whole = record;
    for (const auto& [key, value] : whole.items()) {
      if (key == "record_type") continue;  // it selects the record
      const std::string path = whole["record_type"].get<std::string>() + '.' + key;
      paths.insert(path);
      change(record[key]);
      found.add(path, imported_text(written()) != before);
      record = whole;
    }
  }
  check_known(ImportFormat::Iree, paths);
  found.check(ImportFormat::Iree);
}
