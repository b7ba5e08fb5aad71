// SPDX-License-Identifier: MIT
#include <arenascope/planner/arenas.h>
#include <arenascope/planner/generate.h>
#include <arenascope/planner/lower_bound.h>
#include <arenascope/planner/streams.h>
#include <doctest/doctest.h>

#include <algorithm>

#include "random_problem.h"

using namespace arenascope;
using namespace arenascope::planner;

TEST_CASE("the most used buffers are in the fast arena, others spill") {
  Problem p;
  p.alignment = 1;
  p.intervals = {{0, 10, 60}, {0, 10, 60}, {0, 5, 40}, {5, 10, 40}};
  const std::vector<Arena> arenas = {{"fast", 100}, {"slow", std::nullopt}};
  const Result<ArenaPlan> plan =
      plan_arenas(p, arenas, {10, 1000, 10, 10}, *find_planner("search"), {.budget_seconds = 0.1});
  REQUIRE_MESSAGE(plan.ok(), plan.error().message);
  CHECK(check(p, arenas, *plan).ok());
  CHECK(plan->arena == std::vector<int32_t>{1, 0, 0, 0});
  CHECK(plan->spilled_bytes[1] == 60);
  CHECK(plan->arena_bytes == std::vector<Bytes>{100, 60});
  const std::vector<Arena> small = {{"fast", 50}, {"slow", 50}};
  CHECK(!plan_arenas(p, small, {}, *find_planner("search"), {.budget_seconds = 0.1}).ok());
  CHECK(!plan_arenas(p, {{"a", std::nullopt}, {"b", 5}}, {}, *find_planner("search"), {}).ok());
}

TEST_CASE("plans over several arenas are valid") {
  test::Random random(4);
  for (int k = 0; k < 2000; ++k) {
    const test::Kinds kinds{k % 2 == 0, k % 3 == 0, false, k % 5 == 0, k % 7 == 0};
    const Problem p = test::random_problem(random, 20, 15, 50, kinds);
    const std::vector<Arena> arenas = {
        {"sram", test::pick(random, 0, 100)}, {"hbm", test::pick(random, 0, 200)}, {"host", std::nullopt}};
    const Result<ArenaPlan> plan = plan_arenas(p, arenas, {}, *find_planner("greedy-by-size"), {});
    if (!plan.ok()) {
      CHECK_MESSAGE(!p.attachments.empty(), plan.error().message);
      continue;
    }
    const Status ok = check(p, arenas, *plan);
    CHECK_MESSAGE(ok.ok(), ok.error().message);
  }
}

TEST_CASE("streams share bytes only after a dependency") {
  StreamProblem p;
  p.streams = 2;
  p.alignment = 1;
  p.buffers = {{100, 0, {{0, 0, 2}}}, {100, 0, {{1, 5, 7}}}};
  CHECK(plan_streams(p, {.budget_seconds = 0.01})->arena_bytes == 200);
  p.edges = {{0, 2, 1, 5}};  // stream 1 waits at its step 5 for stream 0's first two steps
  Result<Plan> plan = plan_streams(p, {.budget_seconds = 0.01});
  CHECK(plan->arena_bytes == 100);
  CHECK(plan->optimal);
  CHECK(check(p, *plan).ok());
  p.edges[0].from_step = 1;  // one step too early
  CHECK(plan_streams(p, {.budget_seconds = 0.01})->arena_bytes == 200);
  CHECK(!check(p, *plan).ok());
  p.edges = {{0, 2, 1, 5}, {1, 6, 0, 1}};
  CHECK(plan_streams(p, {}).error().message == "The ordering edges form a cycle.");
  p.edges = {{0, 2, 7, 5}};
  CHECK(!plan_streams(p, {}).ok());
}

TEST_CASE("dependencies are transitive through a third stream") {
  StreamProblem p;
  p.streams = 3;
  p.alignment = 1;
  p.buffers = {{64, 0, {{0, 0, 4}}}, {64, 0, {{2, 9, 10}}}};
  p.edges = {{0, 4, 1, 3}, {1, 4, 2, 9}};
  CHECK(plan_streams(p, {.budget_seconds = 0.01})->arena_bytes == 64);
  p.edges[1].from_step = 3;  // stream 1 had not waited yet
  CHECK(plan_streams(p, {.budget_seconds = 0.01})->arena_bytes == 128);
}

TEST_CASE("one stream is planned like its intervals") {
  test::Random random(8);
  for (int k = 0; k < 300; ++k) {
    const Problem q = test::random_problem(random, 12, 12, 30);
    StreamProblem p;
    p.alignment = 1;
    for (const Interval& v : q.intervals) p.buffers.push_back({v.size, 0, {{0, v.lower, v.upper}}});
    const Result<Plan> plan = plan_streams(p, {.budget_seconds = 0.002});
    REQUIRE(plan.ok());
    CHECK(check(p, *plan).ok());
    CHECK(plan->lower_bound == lower_bound(q));
  }
}

TEST_CASE("plans of random streams are valid") {
  test::Random random(9);
  for (int k = 0; k < 500; ++k) {
    StreamProblem p;
    p.streams = 3;
    p.alignment = 8;
    for (int i = 0; i < 15; ++i) {
      StreamBuffer b{test::pick(random, 1, 100), 0, {}};
      for (int32_t s = 0; s < 3; ++s) {
        const int64_t at = test::pick(random, 0, 20);
        if (test::pick(random, 0, 1) == 0 || (s == 2 && b.uses.empty()))
          b.uses.push_back({s, at, at + test::pick(random, 1, 4)});
      }
      p.buffers.push_back(b);
    }
    for (int e = 0; e < 6; ++e) {  // both ends have the same time on a common clock, so there are no cycles
      const int64_t at = test::pick(random, 1, 20);
      p.edges.push_back(
          {static_cast<int32_t>(test::pick(random, 0, 2)), at, static_cast<int32_t>(test::pick(random, 0, 2)), at});
    }
    const Result<Plan> plan = plan_streams(p, {.budget_seconds = 0.001});
    REQUIRE_MESSAGE(plan.ok(), plan.error().message);
    const Status ok = check(p, *plan);
    CHECK_MESSAGE(ok.ok(), ok.error().message);
    CHECK(plan->arena_bytes >= plan->lower_bound);
  }
}

TEST_CASE("a perfect packing fills its rectangle exactly") {
  for (const uint64_t seed : {1U, 2U, 3U}) {
    const Problem p = perfect_packing(200, seed);
    CHECK(p.size() == 200);
    CHECK(lower_bound(p) == Bytes{1} << 20);
    for (const auto& [step, bytes] : live_bytes(p)) CHECK(bytes == (step == 1000 ? 0 : Bytes{1} << 20));
  }
}
