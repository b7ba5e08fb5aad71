// SPDX-License-Identifier: GPL-3.0-or-later
// Answers that can be compared from run to run: the report of every JSON object, ids, budgets in steps, and one graph for
// `plan` and `run`.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <set>

#include "app/common/file_hash.h"
#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

using Json = nlohmann::json;

Json object_from(std::vector<std::string> arguments) {
  arguments.emplace_back("--json");
  CAPTURE(joined(arguments));
  const Ended ended = cli(arguments);
  CHECK(ended.err.empty());
  Json object = Json::parse(ended.out, nullptr, false);
  REQUIRE(object.is_object());
  return object;
}

// Random intervals for which the bound is not met at once.
void write_intervals(const std::string& path, int count) {
  std::mt19937 random(5);
  std::ofstream out(path);
  out << "id,lower,upper,size\n";
  for (int i = 0; i < count; ++i) {
    const int lower = static_cast<int>(random() % 100);
    out << 'b' << i << ',' << lower << ',' << lower + 1 + static_cast<int>(random() % 40) << ','
        << 1 + random() % 100000 << '\n';
  }
}

}  // namespace

TEST_CASE("a hash is the one that xxhsum prints") {
  const TempFolder folder;
  const std::string file = folder / "file";
  const std::pair<const char*, const char*> known[] = {
      {"", "ef46db3751d8e999"}, {"a", "d24ec4f1a98c6e5b"}, {"abc", "44bc2cf5ad770999"}};
  for (const auto& [content, hash] : known) {
    write_file(file, content);
    CHECK(*app::file_hash(file) == std::string("xxh64:") + hash);
  }
}

TEST_CASE("of a large file the ends are hashed") {
  const TempFolder folder;
  const std::string file = folder / "file";
  const auto hash = [&](const std::string& content) {
    write_file(file, content);
    const auto found = app::file_hash(file, 8);
    REQUIRE(found);
    return *found;
  };
  CHECK(hash("12345678").starts_with("xxh64:"));
  const std::string ends = hash("1234....5678");
  CHECK(ends.starts_with("xxh64-ends:"));
  CHECK(hash("1234::::5678") == ends);
  CHECK(hash("1235....5678") != ends);
  CHECK(hash("1234....5679") != ends);
  CHECK_FALSE(app::file_hash(folder / "nowhere"));
}

TEST_CASE("every JSON object begins with the same report in every run") {
  const TempFolder folder;
  const std::string model = folder / "add.onnx", trace = folder / "a.pftrace", csv = folder / "a.csv";
  write_file(model, add_model(3));
  write_intervals(csv, 5);
  REQUIRE(cli({"run", model, "--record", trace}).status == 0);
  const std::vector<std::vector<std::string>> commands{{"devices"},
                                                       {"info", model},
                                                       {"info", trace},
                                                       {"plan", model},
                                                       {"plan", csv},
                                                       {"plan", trace},
                                                       {"plan", model, "--why", "z", "z"},
                                                       {"plan", "zoo:squeezenet", "--streams", "2"},
                                                       {"run", model},
                                                       {"verify", "zoo:mul_mat"},
                                                       {"convert", trace, folder / "a.json"},
                                                       {"audit", trace}};
  for (const std::vector<std::string>& arguments : commands) {
    CAPTURE(joined(arguments));
    const Json object = object_from(arguments), again = object_from(arguments);
    REQUIRE(object.contains("report"));
    const Json& report = object["report"];
    CHECK(report == again["report"]);
    CHECK(report["format"] == 1);
    CHECK(report["program"] == "arenascope-cli");
    CHECK(report["command"] == arguments.front());
    CHECK(report["options"].is_object());
    CHECK_FALSE(report["options"].contains("json"));
    const bool has_file = arguments.size() > 1 && std::filesystem::exists(arguments[1]);
    REQUIRE(report["inputs"].size() == (has_file ? 1 : 0));
    if (has_file) CHECK(report["inputs"][0]["hash"] == *app::file_hash(arguments[1]));
  }
  const Json first = object_from({"plan", model})["report"];
  write_file(model, add_model(4));
  const Json second = object_from({"plan", model})["report"];
  CHECK(first["inputs"] != second["inputs"]);
  CHECK(first["options"] == second["options"]);
  CHECK(first["options"]["budget"] == "1");
  CHECK(object_from({"plan", model, "--budget", "2"})["report"]["options"]["budget"] == "2");
}

TEST_CASE("a budget in steps gives the same plan whatever the time, and more steps no larger one") {
  const TempFolder folder;
  const std::string csv = folder / "a.csv", out = folder / "plan.csv";
  write_intervals(csv, 300);
  const auto planned = [&](const std::string& steps, const std::string& seconds) {
    const Json plan = object_from({"plan", csv, "--budget-steps", steps, "--budget", seconds, "--export", out});
    return std::pair(plan["results"][0]["arena_bytes"].get<int64_t>(), read_file(out));
  };
  const auto few = planned("300", "1"), again = planned("300", "0"), more = planned("3000", "0");
  CHECK(few == again);
  CHECK(more.first <= few.first);
  CHECK_FALSE(object_from({"plan", csv, "--budget-steps", "300"})["results"][0]["optimal"].get<bool>());
  for (const char* wrong : {"0", "-1", "1.5", "many"})
    for (const char* command : {"plan", "run"}) {
      const Ended ended = cli({command, "zoo:mul_mat", "--budget-steps", wrong});
      CHECK(ended.status == 2);
      CHECK(ended.says_one_line("--budget-steps"));
    }
}

TEST_CASE("plan and run plan the same graph with the same options") {
  for (const char* model : {"zoo:mul_mat", "zoo:squeezenet", "zoo:lstm", "zoo:mobilenet_v2"})
    for (const std::vector<std::string>& options : {std::vector<std::string>{},
                                                    {"--no-fusion"},
                                                    {"--no-rewrite", "--no-channels-last"},
                                                    {"--in-place"},
                                                    {"--prefer", "memory"},
                                                    {"--alignment", "512"},
                                                    {"--order", "breadth-first", "--planner", "two-level"}}) {
      std::vector<std::string> plan{"plan", model}, run{"run", model};
      plan.insert(plan.end(), options.begin(), options.end());
      run.insert(run.end(), options.begin(), options.end());
      CAPTURE(joined(plan));
      const Json planned = object_from(plan), ran = object_from(run);
      CHECK(planned["results"][0]["arena_bytes"] == ran["arena_bytes"]);
      CHECK(planned["graph"] == ran["graph"]);
    }
  const Ended plan = cli({"plan", "zoo:squeezenet"}), run = cli({"run", "zoo:squeezenet"});
  for (const Ended* ended : {&plan, &run})
    CHECK(ended->out.find("graph for cpu: fused, channels-last images; 38 nodes") != std::string::npos);
  CHECK(cli({"plan", "zoo:squeezenet", "--no-fusion", "--no-rewrite"}).out.find("graph for cpu: as written; ") !=
        std::string::npos);
}

TEST_CASE("the ids of metrics are equal from run to run") {
  const TempFolder folder;
  const auto ids = [&] {
    REQUIRE(cli({"run", "zoo:squeezenet", "--threads", "1", "--record", folder / "a.pftrace"}).status == 0);
    const Json audit = object_from({"audit", folder / "a.pftrace"});
    std::set<std::string> all;
    for (const Json& metric : audit["metrics"]) all.insert(metric["id"]);
    return all;
  };
  const auto first = ids();
  CHECK(first.size() > 100);
  CHECK(first == ids());
}
