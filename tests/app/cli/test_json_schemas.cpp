// SPDX-License-Identifier: GPL-3.0-or-later
// Every object that --json prints is valid by its schema in docs/reference/schemas, and every key of a schema is printed.
#include <doctest/doctest.h>

#include <filesystem>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/app/cli/made_models.h"
#include "tests/engine/trace/sample_traces.h"

using namespace arenascope::test;

namespace {

const std::filesystem::path kTests = std::filesystem::path(ARENASCOPE_SOURCE_DIR) / "tests/app/cli";
const std::filesystem::path kSchemas = std::filesystem::path(ARENASCOPE_SOURCE_DIR) / "docs/reference/schemas";

std::string printed(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  return cli(arguments).out;
}

// Together the outputs have every key of the schema, except for rare ones.
void check_schema(const std::string& name, const std::vector<std::string>& outputs,
                  const std::vector<std::string>& rare = {}) {
  const TempFolder folder;
  std::vector<std::string> arguments{"-W", "ignore", kTests / "check_schema.py", kSchemas / (name + ".schema.json")};
  for (const std::string& key : rare) arguments.push_back("--rare=" + key);
  for (const std::string& output : outputs) {
    arguments.push_back(folder / (std::to_string(arguments.size()) + ".json"));
    write_file(arguments.back(), output);
  }
  const Ended ended = run_program(ARENASCOPE_SYSTEM_PYTHON, arguments);
  CHECK_MESSAGE(ended.status == 0, name << ": " << ended.out << ended.err);
}

}  // namespace

TEST_CASE("plans are valid by their schemas") {
  const TempFolder folder;
  const std::string plan = folder / "plan.json", recording = folder / "a.pftrace";
  std::vector<std::string> files;
  for (const char* planner : {"search", "two-level"}) {
    REQUIRE(cli({"plan", "zoo:squeezenet", "--planner", planner, "--export", plan}).status == 0);
    files.push_back(read_file(plan));
  }
  check_schema("plan-file", files);

  REQUIRE(cli({"run", "zoo:squeezenet", "--record", recording}).status == 0);
  std::vector<std::string> outputs{printed({"plan", recording})};
  for (const std::string& model : write_incomplete_models(folder))
    outputs.push_back(printed({"plan", model, "--allow-unknown"}));
  write_file(folder / "pinned.csv", "id,lower,upper,size,offset\na,0,2,64,0\nb,1,3,64,64\n");
  outputs.push_back(printed({"plan", folder / "pinned.csv"}));
  check_schema("plan", outputs);
  check_schema("compile",
               {printed({"compile", "zoo:mul_mat"}), printed({"compile", "zoo:squeezenet", "--dump-after", "fuse"})});
  check_schema("plan-why", {printed({"plan", folder / "pinned.csv", "--why", "a", "b"})});
}

TEST_CASE("plans for a capacity, queues, memory tiers and orders are valid by their schemas") {
  check_schema("plan-what-if",
               {printed({"plan", "zoo:nano_gpt", "--training", "--capacity", "350000", "--what-if"}),
                printed({"plan", "zoo:squeezenet", "--no-fusion", "--capacity", "6000000", "--what-if"})},
               {"steps.with"});
  check_schema("plan-streams", {printed({"plan", "zoo:squeezenet", "--streams", "2"})});
  check_schema("plan-banks", {printed({"plan", "zoo:squeezenet", "--banks", "sram=1M,host"})});
  check_schema("plan-moves", {printed({"plan", "zoo:llama_13b", "--dim", "devices=2", "--prefill", "--tokens", "512",
                                       "--weight-paths", "cast", "--moves", "breadth-first"})});
}

TEST_CASE("the plans of a watched folder are valid by their schema") {
  const TempFolder folder;
  write_file(folder / "a.csv", "id,lower,upper,size\na,0,2,64\n");
  check_schema("plan-watch", {printed({"plan", "--watch", folder.path().string(), "--watch-seconds", "0"})});
}

TEST_CASE("devices, contents and audits are valid by their schemas") {
  const TempFolder folder;
  check_schema("devices", {printed({"devices"}), printed({"devices", "--tuning", "--cache", folder / "cache"})});
  const std::string header = R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  write_file(folder / "w.safetensors",
             std::string{static_cast<char>(header.size())} + std::string(7, '\0') + header + std::string(8, '\0'));
  std::vector<std::string> outputs{printed({"info", "zoo:squeezenet", "--fuse"}),
                                   printed({"info", folder / "w.safetensors"})};
  for (const std::string& model : write_incomplete_models(folder)) outputs.push_back(printed({"info", model}));
  check_schema("info", outputs);
  const std::string recording = folder / "a.pftrace";
  REQUIRE(cli({"run", "zoo:mul_mat", "--record", recording}).status == 0);
  check_schema("info-recording", {printed({"info", recording})});
  check_schema("audit", {printed({"audit", recording})});
  // The values of findings depend on the machine's times.
  std::vector<std::string> rare;
  for (const char* value :
       {"bytes", "nanoseconds", "number", "share", "option", "names", "names.name", "names.bytes", "more"})
    rare.push_back(std::string("findings.values.") + value);
  check_schema("report", {printed({"report", recording}), printed({"report", "zoo:squeezenet", "--planner", "none"})},
               rare);
  check_schema("convert", {printed({"convert", recording, folder / "a.json"})});
}

TEST_CASE("runs, generated texts, trainings and benchmarks are valid by their schemas") {
  const TempFolder folder;
  write_loop(folder / "loop.onnx", 3, true);
  check_schema("run", {printed({"run", "zoo:squeezenet", "--output", folder.path().string()}),
                       printed({"run", folder / "loop.onnx"}), printed({"run", "zoo:gpt2", "--tokens", "4"})});
  check_schema("verify", {printed({"verify", "zoo:mul_mat"})});
  check_schema("generate", {printed({"generate", "zoo:nano_gpt", "--tokens", "1,2", "-n", "4", "--copies", "2"})});
  check_schema("train", {printed({"train", "zoo:nano_gpt", "--data", "sort:1", "--epochs", "1", "--batch", "100"})});
  check_schema("bench", {printed({"bench", "barrier", "--quick"})});
}

TEST_CASE("comparisons and queries are valid by their schemas") {
  const TempFolder folder;
  write_file(folder / "a.csv", "id,lower,upper,size\na,0,2,64\nb,1,3,64\n");
  write_file(folder / "b.csv", "id,lower,upper,size\na,0,2,128\nb,1,3,64\n");
  check_schema("diff", {printed({"diff", folder / "a.csv", folder / "b.csv"})});
  check_schema("query", {printed({"query", "zoo:mul_mat", "SELECT * FROM nodes"})});
}

TEST_CASE("attached programs and replays are valid by their schemas") {
  const TempFolder folder;
  const std::string with_history = ARENASCOPE_TARGET " all; touch " + (folder / "a.pftrace.pytorch-1.pickle");
  check_schema("attach",
               {cli({"attach", "--json", "--record", folder / "a.pftrace", "--", "sh", "-c", with_history}).out,
                cli({"attach", "--json", "--", "sh", "-c", ARENASCOPE_TARGET " all; kill -9 $$"}).out});
  write_file(folder / "a.pickle", snapshot_pickle());
  check_schema("replay", {printed({"replay", folder / "a.pickle"}),
                          printed({"replay", folder / "a.pickle", "--memory", "4096"})});
}
