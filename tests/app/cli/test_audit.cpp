// SPDX-License-Identifier: GPL-3.0-or-later
// audit: its form, how it ends, and that what executors and allocators really write does not contradict itself.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

Json audited(const std::string& file) {
  const Ended ended = cli({"audit", file, "--json"});
  CHECK_MESSAGE(ended.status == 0, ended.err);
  return Json::parse(ended.out, nullptr, false);
}

double figure(const Json& audit, const std::string& id) {
  for (const Json& f : audit["figures"])
    if (f["id"] == id) return f["value"];
  FAIL("no figure " << id);
  return 0;
}

}  // namespace

TEST_CASE("the form of an audit") {
  const TempFolder folder;
  const std::string file = folder / "run.pftrace";
  REQUIRE(cli({"run", "zoo:squeezenet", "--threads", "2", "--repeat", "3", "--record", file}).status == 0);
  const Json a = audited(file);
  REQUIRE(a.is_object());
  CHECK(a["file"] == file);
  CHECK(a["lost_events"] == 0);
  CHECK(a["contradictions"].empty());
  REQUIRE(a["runs"].size() >= 3);
  for (const Json& run : a["runs"]) {
    CHECK(run["threads"] >= 1);  // one alone where that was sooner beside other work
    CHECK(run["threads"] <= 2);
    CHECK(run["wall_nanoseconds"] > 0);
    CHECK(run["paused_nanoseconds"] == 0);
  }
  REQUIRE(a["spaces"].size() >= 2);
  for (const Json& space : a["spaces"])
    for (const char* key : {"name", "kind", "device", "peak_bytes", "peak_nanoseconds", "end_bytes", "slices"})
      CHECK(space.contains(key));
  REQUIRE(a["nodes"].size() > 20);
  for (const Json& node : a["nodes"]) {
    CHECK(node["runs"] == a["runs"].size());
    CHECK(node["median_wall_nanoseconds"] > 0);
    CHECK(node["parts"] >= node["runs"]);
    for (const char* key : {"name", "busy_nanoseconds", "wait_nanoseconds"}) CHECK(node.contains(key));
  }
  REQUIRE(a["threads"].size() >= 1);
  CHECK(a["threads"][0]["busy_share"] > 0.0);
  for (const Json& thread : a["threads"]) {
    CHECK(thread["busy_share"].get<double>() + thread["wait_share"].get<double>() <= 1.0);
  }
  CHECK(a["peak_bytes"] > 1'000'000);
  // The arena's own figures are the plan's, as a planned run is to be.
  CHECK(figure(a, "run.1.arena.peak") == figure(a, "plan.0.peak"));
  CHECK(figure(a, "run.1.arena.peak_step") == figure(a, "plan.0.peak_step"));
  CHECK(figure(a, "run.1.arena.most_holes_by_step") == figure(a, "plan.0.most_holes"));
  std::set<std::string> ids;
  for (const Json& f : a["figures"]) CHECK_MESSAGE(ids.insert(f["id"]).second, "twice: " << f["id"]);
  const Ended text = cli({"audit", file});
  CHECK(text.status == 0);
  CHECK(text.out.find("run.0.wall") != std::string::npos);
}

TEST_CASE("how an audit ends") {
  CHECK(cli({"audit"}).status == 2);
  CHECK(cli({"audit", "/nonexistent/run.pftrace"}).status == 2);
  CHECK(cli({"audit", "/nonexistent/run.pftrace"}).says_one_line("/nonexistent/run.pftrace"));
  const TempFolder folder;
  write_file(folder / "no.pftrace", "hello");
  CHECK(cli({"audit", folder / "no.pftrace"}).status == 2);
  CHECK(cli({"audit", folder / "no.pftrace", "--json"}).out.empty());
  // Two parts of one thread at the same time: contradictions are listed, and are a failure.
  write_file(
      folder / "twice.json",
      R"([{"cat":"Node","pid":1,"tid":2,"dur":30,"ts":10,"ph":"X","name":"a_kernel_time","args":{"op_name":"Add"}},
{"cat":"Node","pid":1,"tid":2,"dur":30,"ts":20,"ph":"X","name":"b_kernel_time","args":{"op_name":"Add"}}])");
  const Ended ended = cli({"audit", folder / "twice.json", "--json"});
  CHECK(ended.status == 1);
  CHECK(ended.error_lines() == 1);
  CHECK(Json::parse(ended.out)["contradictions"].size() == 1);
}
