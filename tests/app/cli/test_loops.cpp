// SPDX-License-Identifier: GPL-3.0-or-later
// Loops with a data-dependent trip count: the iterations that `run` reports match the recorded runs, and Ctrl+C ends
// such a loop.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <utility>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/app/cli/made_models.h"

using namespace arenascope::test;

namespace {

using Json = nlohmann::json;

Json json_of(const std::vector<std::string>& arguments) {
  const Ended ended = cli(arguments);
  REQUIRE_MESSAGE(ended.status == 0, ended.err);
  return Json::parse(ended.out);
}

// Number of executions of a node over all recorded runs.
int64_t recorded_runs(const Json& audit, const std::string& name) {
  int64_t runs = 0;
  for (const Json& node : audit["nodes"])
    if (node["name"].get<std::string>().find(name) != std::string::npos) runs += node["runs"].get<int64_t>();
  return runs;
}

}  // namespace

TEST_CASE("reported iterations match the recorded ones") {
  constexpr int kIterations = 43;
  TempFolder folder;
  const std::string model = folder / "loop.onnx", recording = folder / "loop.pftrace";
  write_loop(model, kIterations, false);
  const Ended ended = cli({"run", model, "--record", recording});
  REQUIRE_MESSAGE(ended.status == 0, ended.err);
  const Json audit = json_of({"audit", recording, "--json"});
  CHECK(recorded_runs(audit, "next") == kIterations);
  CHECK(audit["runs"].size() ==
        1 + (kIterations - 1) + 1);  // the graph, the iterations after it, the subgraph after them
  CHECK_MESSAGE(ended.out.find("executed: Loop 'count', 43 iterations; iteration 0 in the preceding graph, iterations "
                               "1 to 42 as one graph") != std::string::npos,
                ended.out);
  CHECK(ended.out.find("the table below covers the main graph only") != std::string::npos);
  CHECK_FALSE(std::regex_search(ended.out, std::regex(R"(\b1 \w+ ?(nodes|operators|iterations|times)\b)")));
  const Json loop = json_of({"run", model, "--json"})["deferred"][0]["loop"];
  CHECK(loop["first_iteration"].get<int>() + loop["iterations"].get<int>() == kIterations);
  CHECK_FALSE(loop["branch"].get<bool>());
}

TEST_CASE("a branch is not reported as a loop, but the loop in it is") {
  TempFolder folder;
  const std::string model = folder / "branch.onnx";
  write_loop(model, 7, true);
  const Ended ended = cli({"run", model});
  REQUIRE_MESSAGE(ended.status == 0, ended.err);
  CHECK_MESSAGE(ended.out.find("executed: If 'choose', branch of") != std::string::npos, ended.out);
  CHECK_MESSAGE(ended.out.find("executed: Loop 'count', 7 iterations") != std::string::npos, ended.out);
  CHECK_FALSE(std::regex_search(ended.out, std::regex("If 'choose', [0-9]+ iteration")));
  CHECK(ended.out.find("-7") != std::string::npos);
}

TEST_CASE("Ctrl+C ends an endless loop and keeps the recording") {
  TempFolder folder;
  const std::string model = folder / "endless.onnx", recording = folder / "endless.pftrace";
  write_loop(model, INFINITY, false);
  const std::pair<const char*, int> ends[] = {{"INT", 130}, {"TERM", 143}};
  for (const auto& [signal, status] : ends) {
    const std::string script = fmt::format(
        "{} run {} --record {} & while [ $(stat -c %s {} 2>/dev/null || echo 0) -lt 200000 ]; do sleep 0.02; done; "
        "kill -{} $!; wait $!",
        ARENASCOPE_CLI, model, recording, recording, signal);
    std::filesystem::remove(recording);
    const Ended ended = run_program("sh", {"-c", script});
    CHECK(ended.status == status);
    CHECK_MESSAGE(ended.says_one_line("interrupted in iteration "), ended.err);
    std::smatch m;
    REQUIRE(std::regex_search(ended.err, m, std::regex("iteration (\\d+) of Loop 'count'")));
    const Json audit = json_of({"audit", recording, "--json"});
    CHECK(recorded_runs(audit, "next") > 10);
    CHECK(static_cast<int64_t>(audit["runs"].size()) == std::stoll(m[1]) + 1);  // iteration 0 is in the preceding graph
  }
}
