// SPDX-License-Identifier: GPL-3.0-or-later
// info, audit and plan of other tools' files: their graphs, plans and runs; what a file does not record is null in JSON
// and named in text.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/engine/trace/sample_executorch.h"
#include "tests/engine/trace/sample_traces.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

Json json_of(const std::vector<std::string>& arguments) {
  const Ended ended = cli(arguments);
  CHECK_MESSAGE(ended.status == 0, ended.err);
  CHECK(ended.err.empty());
  return Json::parse(ended.out, nullptr, false);
}

bool has_metric(const Json& audit, const std::string& id) {
  for (const Json& metric : audit["metrics"])
    if (metric["id"] == id) return true;
  return false;
}

// Files that are kept outside of the repository.
std::filesystem::path profile(const std::string& name) {
  return std::filesystem::path(ARENASCOPE_SOURCE_DIR) / ".." / "shared" / "cases" / "profiles" / name;
}

}  // namespace

TEST_CASE("info of an ONNX Runtime profile: run, nodes and the time outside of the nodes; memory is not recorded") {
  const TempFolder folder;
  const std::string file = folder / "dml.json";
  write_file(file, kOnnxRuntimeDirectMl);
  const Json info = json_of({"info", file, "--json"});
  CHECK(info["format"] == "ONNX Runtime profile");
  REQUIRE(info["graphs"].size() == 1);
  CHECK(info["graphs"][0]["nodes"] == 2);
  CHECK(info["graphs"][0]["plan"].is_null());
  REQUIRE(info["runs"].size() == 1);
  CHECK(info["runs"][0]["wall_nanoseconds"] == 500'000);
  CHECK(info["runs"][0]["nodes"] == 2);
  CHECK(info["runs"][0]["nodes_nanoseconds"] == 140'000);
  CHECK(info["runs"][0]["before_nodes_nanoseconds"] == 210'000);
  CHECK(info["runs"][0]["after_nodes_nanoseconds"] == 150'000);
  CHECK(info["peak_bytes"].is_null());
  CHECK(info["peak_reserved_bytes"].is_null());
  const Ended text = cli({"info", file});
  CHECK(text.status == 0);
  CHECK(text.out.find("210.0 µs before the first node, 150.0 µs after the last") != std::string::npos);
  write_file(file, kOnnxRuntimeNameless.substr(0, kOnnxRuntimeNameless.find("{\"cat\":\"Session")) + "{}]");
  const Json cut = json_of({"info", file, "--json"});  // its run has neither a begin nor an end
  REQUIRE(cut["runs"].size() == 1);
  CHECK(cut["runs"][0]["nodes"] == 3);
  CHECK_FALSE(cut["runs"][0].contains("before_nodes_nanoseconds"));
  CHECK(text.out.find("memory       not recorded\n") != std::string::npos);
}

TEST_CASE("a trace without memory events has no memory metrics") {
  const TempFolder folder;
  const std::string file = folder / "ort.json";
  write_file(file, kOnnxRuntimeProfile);
  const Json audit = json_of({"audit", file, "--json"});
  CHECK(audit["peak_bytes"].is_null());
  CHECK(audit["spaces"].empty());
  for (const Json& metric : audit["metrics"])
    CHECK_MESSAGE(metric["id"].get<std::string>().find("memory.") == std::string::npos, metric["id"]);
  CHECK(cli({"audit", file}).out.find("memory: not recorded\n") != std::string::npos);
  CHECK(cli({"audit", file, "--metric", "recording.at.0.reserved"}).status == 2);
  const Ended plan = cli({"plan", file});
  CHECK(plan.status == 2);
  CHECK(plan.says_one_line("plan one of its 1 graph with --graph"));
}

TEST_CASE("a trace of allocations without reservations has no metrics of reserved memory") {
  const TempFolder folder;
  const std::string file = folder / "chrome.json";
  write_file(file, kChromeJson);
  const Json audit = json_of({"audit", file, "--json"});
  CHECK(audit["peak_bytes"] == 1024);
  CHECK(has_metric(audit, "device.GPU 0.active.peak"));
  for (const Json& metric : audit["metrics"]) {
    const std::string id = metric["id"];
    CHECK_MESSAGE(id.find(".reserved") == std::string::npos, id);
    CHECK_MESSAGE(id.find(".kept") == std::string::npos, id);
    CHECK_MESSAGE(id.find(".unused") == std::string::npos, id);
  }
  CHECK(cli({"audit", file, "--metric", "recording.at.400000.reserved"}).status == 2);
  const Json info = json_of({"info", file, "--json"});
  CHECK(info["peak_bytes"] == 1024);
  CHECK(info["peak_reserved_bytes"].is_null());
  CHECK(cli({"info", file}).out.find("peak 1.00 KiB, reserved not recorded\n") != std::string::npos);
  const Json plan = json_of({"plan", file, "--json"});
  CHECK(plan["recorded_peak_bytes"] == 1024);
  CHECK(plan["recorded_reserved_bytes"].is_null());
  CHECK(cli({"plan", file}).out.find("reserved memory not recorded") != std::string::npos);
}

TEST_CASE("info marks a sum over nodes that are within others") {
  const TempFolder folder;
  const std::string file = folder / "nested.json";
  write_file(file, R"([
{"cat":"Node","pid":1,"tid":2,"dur":70,"ts":1015,"ph":"X","name":"a_kernel_time","args":{"op_name":"Add","node_index":"1"}},
{"cat":"Node","pid":1,"tid":2,"dur":80,"ts":1010,"ph":"X","name":"if_kernel_time","args":{"op_name":"If","node_index":"0"}},
{"cat":"Session","pid":1,"tid":2,"dur":90,"ts":1000,"ph":"X","name":"model_run","args":{}}])");
  CHECK(cli({"info", file}).out.find("150.0 µs in 2 nodes, which overlap; 10.0 µs before") != std::string::npos);
  CHECK(cli({"audit", file}).status == 0);
}

TEST_CASE("info and audit of an ExecuTorch program: all methods") {
  const TempFolder folder;
  const std::string file = folder / "methods.pte";
  write_file(file, executorch_methods());
  const Json info = json_of({"info", file, "--json"});
  CHECK(info["format"] == "ExecuTorch program");
  REQUIRE(info["graphs"].size() == 3);
  CHECK(info["graphs"][0]["name"] == "first");
  CHECK(info["graphs"][0]["plan"]["arena_bytes"] == 128);
  CHECK(info["graphs"][1]["nodes"] == 0);
  CHECK(info["graphs"][1]["plan"].is_null());
  CHECK(info["graphs"][2]["plan"]["arena_bytes"] == 320);
  CHECK(info["length_nanoseconds"].is_null());
  CHECK(info["problems"].size() == 1);
  const Json audit = json_of({"audit", file, "--json"});
  CHECK(has_metric(audit, "graph.2.nodes"));
  CHECK(has_metric(audit, "plan.1.arena"));
  CHECK(json_of({"plan", file, "--graph", "2", "--json"})["recorded_reserved_bytes"] == 320);
  CHECK(cli({"plan", file}).says_one_line("plan one of its 3 graphs with --graph"));
  const Json recorded = json_of({"plan", file, "--graph", "0", "--json"});
  CHECK(recorded["results"][0]["arena_bytes"] == 128);
  const Ended ordered = cli({"plan", file, "--graph", "0", "--order", "depth-first"});
  CHECK(ordered.status == 1);
  CHECK(ordered.err.find("the plans in other orders lack 1 input of 64 B") != std::string::npos);
  CHECK(cli({"plan", file, "--graph", "0", "--order", "depth-first", "--allow-unknown"}).status == 0);
}

TEST_CASE("files of ONNX Runtime and ExecuTorch") {
  if (!std::filesystem::exists(profile("ort_24306_dml.json"))) {
    MESSAGE("skipped: no ../shared/cases/profiles");
    return;
  }
  const Json nameless = json_of({"audit", profile("ort_1297_nameless_nodes.json"), "--json"});
  REQUIRE(nameless["nodes"].size() == 2);
  CHECK(nameless["nodes"][0]["cold_wall_nanoseconds"] == 12'944'000);
  CHECK(nameless["nodes"][1]["cold_wall_nanoseconds"] == 9'342'000);
  const Json dml = json_of({"info", profile("ort_24306_dml.json"), "--json"});
  REQUIRE(dml["runs"].size() == 1);
  CHECK(dml["runs"][0]["wall_nanoseconds"] == 31'038'000);
  CHECK(dml["runs"][0]["nodes"] == 7);
  CHECK(dml["runs"][0]["nodes_nanoseconds"] == 10'329'000);
  const Json softmax = json_of({"info", profile("executorch_softmax.pte"), "--json"});
  CHECK(softmax["graphs"][0]["plan"]["arena_bytes"] == 65'536);
  CHECK(softmax["graphs"][0]["plan"]["lower_bound_bytes"] == 65'536);
  const Json training = json_of({"info", profile("executorch_xor_training.pte"), "--json"});
  CHECK(training["graphs"].size() == 4);
  CHECK(training["graphs"][0]["plan"]["arena_bytes"] == 624);
  CHECK(json_of({"audit", profile("executorch_xor_training.pte"), "--json"})["metrics"].size() > 100);
}
