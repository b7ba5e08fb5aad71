// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli query: SQL over recordings, checked against the auditor's own computation.
#include <doctest/doctest.h>

#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/engine/trace/sample_traces.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

Json rows_of(const std::string& file, const std::string& sql) {
  CAPTURE(sql);
  const Ended ended = cli({"query", file, sql, "--json"});
  CAPTURE(ended.err);
  REQUIRE(ended.status == 0);
  return Json::parse(ended.out)["rows"];
}

struct Recorded : TempFolder {
  std::string file = *this / "run.pftrace";
  Recorded() { REQUIRE(cli({"run", "zoo:squeezenet", "--repeat", "3", "--record", file}).status == 0); }
};

}  // namespace

TEST_CASE("figures by SQL are those of the auditor") {
  const Recorded recorded;
  const Json audit = Json::parse(cli({"audit", recorded.file, "--json"}).out);
  CHECK(rows_of(recorded.file, "SELECT max(allocated_bytes) FROM memory")[0][0] == audit["peak_bytes"]);
  CHECK(rows_of(recorded.file, "SELECT count(*) FROM runs")[0][0] == audit["runs"].size());
  const Json walls = rows_of(recorded.file, "SELECT wall_ns FROM runs ORDER BY id");
  for (size_t i = 0; i < walls.size(); ++i) CHECK(walls[i][0] == audit["runs"][i]["wall_nanoseconds"]);
  const Json medians = rows_of(recorded.file, "SELECT name, median_ns FROM nodes WHERE runs > 0");
  REQUIRE(medians.size() > 20);
  for (const Json& row : medians)
    for (const Json& node : audit["nodes"])
      if (node["name"] == row[0]) CHECK(node["median_wall_nanoseconds"] == row[1]);
}

TEST_CASE("the plan of a model by SQL is the one that plan prints") {
  const Json plan = Json::parse(cli({"plan", "zoo:mobilenet_v2", "--no-rewrite", "--no-fusion", "--json"}).out);
  const Json rows = rows_of("zoo:mobilenet_v2", "SELECT arena_bytes, lower_bound_bytes FROM plans");
  REQUIRE(rows.size() == 1);
  CHECK(rows[0][0] == plan["results"][0]["arena_bytes"]);
  CHECK(rows[0][1] == plan["results"][0]["lower_bound_bytes"]);
  // No two tensors share bytes at a step.
  CHECK(rows_of("zoo:mobilenet_v2",
                "SELECT count(*) FROM plan_tensors a JOIN plan_tensors b ON a.rowid < b.rowid AND a.bytes > 0 AND "
                "b.bytes > 0 AND a.first_step < b.end_step AND b.first_step < a.end_step AND a.offset < b.offset + "
                "b.bytes AND b.offset < a.offset + a.bytes")[0][0] == 0);
}

TEST_CASE("each named query runs on each kind of file") {
  const Recorded recorded;
  const std::string snapshot = recorded / "a.pickle", trace = recorded / "a.json";
  write_file(snapshot, snapshot_pickle());
  write_file(trace, R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"load"}])");
  const Ended list = cli({"query", "--list"});
  REQUIRE(list.status == 0);
  int names = 0;
  for (size_t at = 0; at < list.out.size(); at = list.out.find('\n', at) + 1) {
    if (list.out[at] == ' ') continue;
    const std::string name = list.out.substr(at, list.out.find(' ', at) - at);
    CAPTURE(name);
    ++names;
    for (const std::string& file : {recorded.file, snapshot, trace, std::string("zoo:mul_mat")}) {
      CAPTURE(file);
      const Ended ended = cli({"query", file, "--named", name});
      CHECK(ended.status == 0);
      CHECK(ended.err.empty());
    }
  }
  CHECK(names >= 7);
  CHECK(rows_of(trace, "SELECT name, duration_ns FROM spans")[0] == Json::parse(R"(["load", 2000])"));
}

TEST_CASE("every column of every table can be read, and a missing value is NULL") {
  const Recorded recorded;
  for (const char* table : {"graphs", "nodes", "leaves", "plans", "plan_tensors", "runs", "tracks", "spans", "barriers",
                            "memory", "spaces", "allocations", "counters", "frames", "devices", "problems"}) {
    CAPTURE(table);
    for (const std::string& file : {recorded.file, std::string("zoo:mul_mat")})
      CHECK(cli({"query", file, fmt::format("SELECT * FROM {}", table), "--csv"}).status == 0);
  }
  CHECK(rows_of("zoo:mul_mat", "SELECT count(*) FROM nodes WHERE median_ns IS NOT NULL")[0][0] == 0);
}

TEST_CASE("a wrong query is one error, and a query only reads") {
  const std::pair<const char*, const char*> cases[] = {{"SELECT x FROM nodes", "no such column: x"},
                                                       {"SELECT * FROM absent", "no such table: absent"},
                                                       {"SELEC", "syntax error"},
                                                       {"SELECT 1; SELECT 2", "expected one statement"},
                                                       {"", "expected a query"},
                                                       {"ATTACH '/tmp/a.db' AS a", "not authorized"},
                                                       {"CREATE TABLE t(a)", "not authorized"},
                                                       {"PRAGMA writable_schema = 1", "not authorized"},
                                                       {"SELECT load_extension('a')", "not authorized"}};
  for (const auto& [sql, message] : cases) {
    CAPTURE(sql);
    const Ended ended = cli({"query", "zoo:mul_mat", sql});
    CHECK(ended.status == 2);
    CHECK(ended.says_one_line(message));
  }
}

TEST_CASE("names in CSV are fields, not formulas") {
  const TempFolder folder;
  const std::string trace = folder / "a.json";
  write_file(trace, R"([{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"=1+1,\"x\""}])");
  CHECK(cli({"query", trace, "SELECT name, depth FROM spans", "--csv"}).out == "name,depth\n\"'=1+1,\"\"x\"\"\",0\n");
}

TEST_CASE("files of the user's folder are named queries") {
  const TempFolder config;
  std::filesystem::create_directories(config.path() / "arenascope" / "queries");
  write_file(config / "arenascope/queries/ops.sql", "-- names of the ops\nSELECT DISTINCT op FROM nodes\n");
  const auto with_folder = [&](const std::vector<std::string>& arguments) {
    std::vector<std::string> all{"XDG_CONFIG_HOME=" + config.path().string(), ARENASCOPE_CLI};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return run_program("/usr/bin/env", all);
  };
  const Ended list = with_folder({"query", "--list"});
  CHECK(list.out.find("ops                  names of the ops") != std::string::npos);
  CHECK(list.out.find("slowest-nodes") != std::string::npos);
  CHECK(with_folder({"query", "zoo:mul_mat", "--named", "ops", "--csv"}).out.starts_with("op\nMUL_MAT"));
  CHECK(with_folder({"query", "zoo:mul_mat", "--named", "absent"}).err.find(" plans ops") != std::string::npos);
}
