// SPDX-License-Identifier: GPL-3.0-or-later
// Formats of --json: each command prints one object with the documented keys and nothing else.
#include <doctest/doctest.h>
#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/engine/models/onnx_maker.h"

using namespace arenascope::test;
using Json = nlohmann::json;
namespace made = arenascope::models::test;

namespace {

// Key and type ("string", "number", "boolean", "array", "object"). A type with '?' may be absent.
using Form = std::vector<std::pair<std::string, std::string>>;

void check_form(const Json& object, const Form& form) {
  REQUIRE(object.is_object());
  size_t present = 0;
  for (auto [key, type] : form) {
    CAPTURE(key);
    const bool optional = type.back() == '?';
    if (optional) type.pop_back();
    if (!object.contains(key)) {
      CHECK_MESSAGE(optional, "the key is missing");
      continue;
    }
    ++present;
    CHECK(object[key].type_name() == type);
  }
  present += object.contains("report");  // see test_json_report.cpp
  CHECK_MESSAGE(object.size() == present, "a key that the form does not name, in ", object.dump().substr(0, 400));
}

Json object_of(const std::vector<std::string>& arguments, int status = 0) {
  CAPTURE(joined(arguments));
  const Ended ended = cli(arguments);
  CHECK(ended.status == status);
  CHECK(ended.error_lines() == (status == 0 ? 0 : 1));
  CHECK(ended.out.starts_with("{"));
  CHECK(ended.out.ends_with("}\n"));
  const Json parsed = Json::parse(ended.out, nullptr, false);  // rejects anything after the object
  CHECK_MESSAGE(parsed.is_object(), ended.err, ended.out.substr(0, 400));
  return parsed.is_object() ? parsed : Json::object();
}

void check_values(const Json& list) {
  REQUIRE(list.is_array());
  for (const Json& value : list) check_form(value, {{"name", "string"}, {"dtype", "string"}, {"shape", "array"}});
}

}  // namespace

TEST_CASE("devices --json") {
  const Json object = object_of({"devices", "--json"});
  check_form(object, {{"devices", "array"}});
  bool cpu = false;
  for (const Json& device : object["devices"]) {
    check_form(device, {{"backend", "string"},
                        {"device", "string"},
                        {"description", "string"},
                        {"missing", "string"},
                        {"facts", "object"}});
    cpu = cpu || (device["backend"] == "cpu" && device["missing"] == "");
  }
  CHECK(cpu);
}

TEST_CASE("info --json") {
  const Json object = object_of({"info", "zoo:squeezenet", "--json"});
  check_form(object, {{"model", "string"},
                      {"format", "string"},
                      {"nodes", "number"},
                      {"ops", "object"},
                      {"unsupported", "object"},
                      {"parameter_bytes", "number"},
                      {"weight_bytes", "number"},
                      {"inputs", "array"},
                      {"outputs", "array"},
                      {"problems", "array"},
                      {"graph_nodes", "number"},
                      {"graph_parameters", "number"},
                      {"graph_leaves", "number"},
                      {"flops", "number"},
                      {"activation_bytes", "number"}});
  CHECK(object["model"] == "squeezenet");
  CHECK(object["unsupported"].empty());
  int64_t nodes = 0;
  for (const Json& count : object["ops"]) nodes += count.get<int64_t>();
  CHECK(nodes == object["nodes"]);
  CHECK(object["parameter_bytes"] > 4'000'000);  // 1.2 million weights
  CHECK(object["parameter_bytes"] < 6'000'000);
  check_values(object["inputs"]);
  check_values(object["outputs"]);
  CHECK(object["outputs"].size() == 1);
}

TEST_CASE("plan --json") {
  const Json object = object_of({"plan", "zoo:squeezenet", "--json"});
  check_form(object, {{"model", "string"},
                      {"graph", "object"},
                      {"buffers", "number"},
                      {"lower_bound_bytes", "number"},
                      {"results", "array"}});
  CHECK(object["results"].size() == 1);
  for (const Json& result : object["results"])
    check_form(result, {{"planner", "string"},
                        {"order", "string"},
                        {"arena_bytes", "number"},
                        {"lower_bound_bytes", "number"},
                        {"ratio", "number"},
                        {"seconds", "number"},
                        {"optimal", "boolean"}});
  CHECK(object["lower_bound_bytes"] == object["results"][0]["lower_bound_bytes"]);
}

TEST_CASE("run --json") {
  TempFolder folder;
  const std::string output = folder / "made/by/run";
  const Json object =
      object_of({"run", "zoo:mul_mat", "--threads", "2", "--repeat", "3", "--output", output, "--json"});
  check_form(object, {{"model", "string"},
                      {"backend", "string"},
                      {"threads", "number"},
                      {"graph", "object"},
                      {"seconds", "array"},
                      {"fastest", "number"},
                      {"threads_used", "array"},
                      {"barriers", "array"},
                      {"nodes", "array"},
                      {"peak_bytes", "object"},
                      {"outputs", "array"},
                      {"arena_bytes", "number"},
                      {"peak_reserved_bytes", "object"},
                      {"work_bytes", "number"},
                      {"rewrites", "array"},
                      {"layout_candidates", "array"},
                      {"deferred", "array"},
                      {"planner", "string"},
                      {"order", "string"},
                      {"strategy", "string"},
                      {"allocator", "string"},
                      {"allocators", "object"},
                      {"weights", "object"},
                      {"packed_weights", "object"}});
  CHECK(object["threads"] == 2);
  CHECK(object["seconds"].size() == 3);
  for (const Json& seconds : object["seconds"]) CHECK(seconds > 0.0);
  REQUIRE_FALSE(object["nodes"].empty());
  for (const Json& node : object["nodes"])
    check_form(
        node,
        {{"name", "string"}, {"op", "string"}, {"nanoseconds", "number"}, {"barrier_wait_nanoseconds", "number"}});
  CHECK(object["peak_bytes"]["workspace"] >= object["arena_bytes"]);
  REQUIRE(object["outputs"].size() == 1);
  const Json& out = object["outputs"][0];
  check_form(out, {{"name", "string"},
                   {"dtype", "string"},
                   {"shape", "array"},
                   {"path", "string?"},
                   {"nan", "number"},
                   {"plus_inf", "number"},
                   {"minus_inf", "number"}});
  REQUIRE(out.contains("path"));
  const Array array = read_npy(out["path"].get<std::string>());
  CHECK(array.values == std::vector<float>{60, 55, 50, 110, 90, 54, 54, 126, 42, 29, 28, 64});
  CHECK(array.shape == out["shape"].get<std::vector<int64_t>>());
}

TEST_CASE("run counts the values of outputs that are not finite") {
  TempFolder folder;
  const float infinity = std::numeric_limits<float>::infinity();
  write_file(folder / "root.onnx", unary_model("Sqrt", 5));
  write_file(folder / "x.npy", npy_bytes({{5}, {4, -1, infinity, -infinity, 0}}));
  const std::vector<std::string> arguments{"run", folder / "root.onnx", "--input", "x=" + folder / "x.npy"};
  std::vector<std::string> with_json = arguments;
  with_json.push_back("--json");
  const Json object = object_of(with_json);
  const Json& out = object["outputs"][0];
  CHECK(out["nan"] == 2);
  CHECK(out["plus_inf"] == 1);
  CHECK(out["minus_inf"] == 0);
  const Ended ended = cli(arguments);
  CHECK(ended.out.find("output 'z': 3 of 5 values are not finite: 2 NaN, 1 +Inf, 0 -Inf") != std::string::npos);
}

TEST_CASE("nodes have their names in the file") {
  TempFolder folder;
  write_file(folder / "root.onnx", unary_model("Sqrt", 5));
  const Json object = object_of({"run", folder / "root.onnx", "--json"});
  CHECK(object["nodes"][0]["file_nodes"] == Json::array({{{"name", "the_node"}, {"op", "Sqrt"}}}));
  CHECK(cli({"plan", folder / "root.onnx", "--why", "the_node", "z"}).status == 0);
  CHECK(cli({"plan", folder / "root.onnx", "--why", "no_node", "z"}).says_one_line("no_node"));
  CHECK(object_of({"info", folder / "root.onnx", "--json"})["file_nodes"] == 1);
}

TEST_CASE("run prints integers and booleans, and info marks sizes that are not known") {
  TempFolder folder;
  made::OnnxMaker m(20);
  m.input("x", {2, 2}).weight("big", {}, std::vector<int64_t>{9007199254740993});
  m.node("Cast", {"x"}, {"c"}, {{"to", int64_t{made::kInt64}}}).node("Add", {"c", "big"}, {"i"});
  m.node("IsNaN", {"x"}, {"b"}).output("i", {2, 2}, made::kInt64).output("b", {2, 2}, made::kBool);
  const auto bytes = m.bytes();
  write_file(folder / "integers.onnx", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  const Ended ended = cli({"run", folder / "integers.onnx"});
  CHECK(ended.status == 0);
  CHECK(ended.out.find("output i i64 [2, 2]\n90071992547409") != std::string::npos);
  CHECK(ended.out.find("output b bool [2, 2]\n0 0\n0 0\n") != std::string::npos);

  write_file(folder / "unknown.onnx", unknown_model());
  const Ended info = cli({"info", folder / "unknown.onnx", "--allow-unknown"});
  CHECK(info.out.find("z f32 of unknown shape\n") != std::string::npos);
  CHECK(info.out.find("u f32 [?, 3]\n") != std::string::npos);
  const Json object = object_of({"info", folder / "unknown.onnx", "--allow-unknown", "--json"});
  CHECK(object["outputs"][0]["shape"].is_null());
  CHECK(object["outputs"][1]["shape"] == Json::array({-1, 3}));
}

TEST_CASE("run --json lists deferred subgraphs") {
  TempFolder folder;
  write_file(folder / "places.onnx", unary_model("NonZero", 5));
  const Json object = object_of({"run", folder / "places.onnx", "--json"});
  REQUIRE(object["deferred"].size() == 1);
  const Json& deferred = object["deferred"][0];
  check_form(deferred, {{"why", "string"},
                        {"operators", "number"},
                        {"nodes", "array"},
                        {"arena_bytes", "number"},
                        {"planner", "string"},
                        {"order", "string"}});
  CHECK(deferred["why"].get<std::string>().find("NonZero") != std::string::npos);
  CHECK(deferred["operators"] == 1);
  REQUIRE_FALSE(deferred["nodes"].empty());
  for (const Json& node : deferred["nodes"]) check_form(node, {{"name", "string"}, {"op", "string"}});
  CHECK(object_of({"run", "zoo:mul_mat", "--json"})["deferred"].empty());
}

TEST_CASE("run reports the node times of the fastest run") {
  const Json object = object_of({"run", "zoo:squeezenet", "--threads", "1", "--repeat", "5", "--json"});
  const auto seconds = object["seconds"].get<std::vector<double>>();
  const size_t fastest = object["fastest"].get<size_t>();
  REQUIRE(fastest < seconds.size());
  CHECK(seconds[fastest] == *std::min_element(seconds.begin(), seconds.end()));
  double nodes = 0;
  for (const Json& node : object["nodes"]) nodes += node["nanoseconds"].get<double>() * 1e-9;
  CHECK(nodes > 0.5 * seconds[fastest]);
  CHECK(nodes <= seconds[fastest] + 1e-9);
}

TEST_CASE("fused nodes list their ops, and fusion can be disabled") {
  const Json fused = object_of({"run", "zoo:squeezenet", "--json"});
  const Json plain = object_of({"run", "zoo:squeezenet", "--no-fusion", "--json"});
  size_t fused_nodes = 0, ops = 0;
  for (const Json& node : fused["nodes"]) {
    if (!node.contains("ops")) continue;
    CHECK(node["op"] == "FUSED");
    ++fused_nodes;
    ops += node["ops"].size();
    CHECK(node["ops"].size() >= 2);
    for (const Json& one : node["ops"]) check_form(one, {{"op", "string"}, {"name", "string"}});
  }
  CHECK(fused_nodes > 0);
  for (const Json& node : plain["nodes"]) CHECK_FALSE(node.contains("ops"));
  const auto copies = static_cast<size_t>(std::count_if(fused["nodes"].begin(), fused["nodes"].end(),
                                                        [](const Json& node) { return node["op"] == "CONT"; }));
  CHECK(fused["nodes"].size() - copies + ops - fused_nodes == plain["nodes"].size());
  const Json rows = object_of({"run", "zoo:squeezenet", "--no-channels-last", "--json"});
  CHECK(rows["nodes"].size() == fused["nodes"].size() - copies);
  CHECK(fused["arena_bytes"] <= plain["arena_bytes"]);

  const Json info = object_of({"info", "zoo:squeezenet", "--fuse", "--json"});
  CHECK(info["fused"].size() == fused_nodes);
  CHECK(info["fused_graph_nodes"] == fused["nodes"].size());
  CHECK(info["fused_activation_bytes"] < info["activation_bytes"]);
  const Json plan = object_of({"plan", "zoo:squeezenet", "--json"});
  CHECK(plan["buffers"] < object_of({"plan", "zoo:squeezenet", "--no-fusion", "--json"})["buffers"]);
}

TEST_CASE("rewrites and layouts are reported and can be disabled") {
  const Json object = object_of({"run", "zoo:mobilenet_v2", "--threads", "1", "--json"});
  const auto times = [](const Json& run, const char* rule) -> int64_t {
    for (const Json& use : run["rewrites"]) {
      check_form(use, {{"rule", "string"}, {"times", "number"}, {"nodes", "number"}});
      if (use["rule"] == rule) return use["times"];
    }
    return 0;
  };
  CHECK(times(object, "fold batch norm") > 40);
  REQUIRE(object["layout_candidates"].size() >= 2);
  size_t chosen = 0;
  for (const Json& form : object["layout_candidates"]) {
    check_form(form, {{"form", "string"}, {"arena_bytes", "number"}, {"chosen", "boolean"}});
    chosen += form["chosen"].get<bool>() ? 1 : 0;
  }
  CHECK(chosen == 1);
  const Json memory = object_of({"run", "zoo:mobilenet_v2", "--threads", "1", "--prefer", "memory", "--json"});
  CHECK(memory["arena_bytes"] <= memory["layout_candidates"].back()["arena_bytes"]);
  CHECK(times(memory, "fold batch norm") == 0);
  const Json written =
      object_of({"run", "zoo:mobilenet_v2", "--threads", "1", "--no-rewrite", "--no-fusion", "--json"});
  CHECK(written["rewrites"].empty());
  for (const Json& node : written["nodes"]) CHECK_FALSE(node.contains("origin"));
}

TEST_CASE("the text output of run contains the result") {
  const Ended ended = cli({"run", "zoo:mul_mat"});
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  CHECK(ended.out.find("60 55 50 110\n90 54 54 126\n42 29 28 64\n") != std::string::npos);
}

TEST_CASE("verify --json") {
  const Json object = object_of({"verify", "zoo:mul_mat", "--json"});
  check_form(object, {{"model", "string"}, {"backend", "string"}, {"passed", "boolean"}, {"cases", "array"}});
  CHECK(object["passed"] == true);
  REQUIRE(object["cases"].size() == 1);
  check_form(object["cases"][0], {{"name", "string"},
                                  {"passed", "boolean"},
                                  {"max_abs_error", "number"},
                                  {"max_rel_error", "number"},
                                  {"note", "string"}});
}

TEST_CASE("bench --json") {
  const Json object = object_of({"bench", "allocators", "--quick", "--json"});
  check_form(object, {{"bench", "string"}, {"rows", "array"}});
  REQUIRE_FALSE(object["rows"].empty());
  for (const Json& row : object["rows"])
    check_form(row, {{"name", "string"},
                     {"value", "number"},
                     {"unit", "string"},
                     {"baseline", "string"},
                     {"baseline_value", "number"},
                     {"ratio", "number"},
                     {"target", "number"},
                     {"passed", "boolean"}});
}

TEST_CASE("convert --json") {
  TempFolder folder;
  REQUIRE(cli({"run", "zoo:mul_mat", "--record", folder / "a.trace"}).status == 0);
  const Json object = object_of({"convert", folder / "a.trace", folder / "a.json", "--json"});
  check_form(object, {{"from", "string"}, {"to", "string"}, {"events", "number"}});
  CHECK(object["events"] > 0);
}

TEST_CASE("a plan over capacity still prints its object") {
  const Json object = object_of({"plan", "zoo:squeezenet", "--capacity", "1000", "--json"}, 1);
  CHECK(object["results"].size() == 1);
}

TEST_CASE("three consecutive nodes on four threads with a barrier after each") {
  const Json object = object_of({"run", "zoo:mul_mat_add_relu", "--threads", "4", "--every-barrier",
                                 "--no-thread-fallback", "--no-fusion", "--json"},
                                0);
  REQUIRE(object["nodes"].size() == 3);
  CHECK(object["nodes"][0]["op"] == "MUL_MAT");
  CHECK(object["nodes"][1]["op"] == "ADD");
  CHECK(object["nodes"][2]["op"] == "RELU");
  CHECK(object["threads_used"][0] == 4);
  CHECK(object["barriers"][0] >= 2);
}

TEST_CASE("the matmul of the ggml article, with all data in the pool of its context") {
  for (const bool scratch : {false, true}) {
    std::vector<std::string> command{"run", "zoo:mul_mat_in_pool", "--memory", "none", "--threads", "1", "--json"};
    if (scratch) command.insert(command.end(), {"--dim", "scratch=1"});
    const Json object = object_of(command, 0);
    CHECK(object["peak_bytes"]["default"] == 0);
    CHECK(object["outputs"][0]["shape"] == Json::array({3, 4}));
  }
  CHECK(object_of({"verify", "zoo:mul_mat_in_pool", "--json"}, 0)["passed"] == true);
}

TEST_CASE("the host allocator can be selected and is reported") {
  const auto reserved = [](const char* allocator) {
    const Json object = object_of(
        {"run", "zoo:squeezenet", "--memory", "eager", "--allocator", allocator, "--repeat", "2", "--json"}, 0);
    CHECK(object["allocator"] == allocator);
    const Json& workspace = object["allocators"]["workspace"];
    CHECK(workspace["allocations"] >= workspace["frees"]);
    CHECK(workspace["reserved_bytes"] == workspace["active_bytes"].get<int64_t>() +
                                             workspace["cached_bytes"].get<int64_t>() +
                                             workspace["waste_bytes"].get<int64_t>());
    if (std::string(allocator) != "plain") CHECK(workspace["hits"] > workspace["misses"]);
    return object["peak_reserved_bytes"]["workspace"].get<int64_t>();
  };
  CHECK(reserved("power-of-two") > reserved("caching"));
  CHECK(reserved("plain") > 0);
  CHECK(cli({"run", "zoo:mul_mat", "--allocator", "magic"}).status == 2);
  const Json usual = object_of({"run", "zoo:squeezenet", "--json"}, 0);
  const Json aligned = object_of({"run", "zoo:squeezenet", "--alignment", "65536", "--json"}, 0);
  CHECK(aligned["arena_bytes"] > usual["arena_bytes"]);
  CHECK(cli({"run", "zoo:mul_mat", "--alignment", "48"}).status == 2);
}
