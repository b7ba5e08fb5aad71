// SPDX-License-Identifier: MIT
// Random problems of every kind through every planner and the checker: 20,000 cases, or a million when
// ARENASCOPE_LONG_TESTS is set.
#include <arenascope/planner/check.h>
#include <arenascope/planner/lower_bound.h>
#include <arenascope/planner/planner.h>
#include <doctest/doctest.h>

#include <cstdlib>

#include "random_problem.h"

using namespace arenascope;
using namespace arenascope::planner;

TEST_CASE("all plans of all planners are valid and not below the lower bound") {
  const int cases = std::getenv("ARENASCOPE_LONG_TESTS") != nullptr ? 1'000'000 : 20'000;
  const auto planners = all_planners();
  for (int k = 0; k < cases; ++k) {
    test::Random random(static_cast<uint64_t>(k) + 1);
    const auto flag = [&] { return test::pick(random, 0, 2) == 0; };
    const test::Kinds kinds{flag(), flag(), flag(), flag(), flag()};
    const int n = static_cast<int>(test::pick(random, 1, 24));
    Problem p =
        test::random_problem(random, n, static_cast<int>(test::pick(random, 1, 20)), test::pick(random, 1, 40), kinds);
    p.alignment = test::pick(random, 0, 3) == 0 && !kinds.attachments && !kinds.fixed ? 16 : 1;
    const Planner& planner = *planners[static_cast<size_t>(k) % planners.size()];
    const Result<Plan> plan = planner.plan(p, {.budget_seconds = 0.002});
    if (!plan.ok()) {  // only attachments can contradict each other here
      CHECK_MESSAGE(!p.attachments.empty(), plan.error().message);
      continue;
    }
    const Status ok = check(p, *plan);
    CHECK_MESSAGE(ok.ok(), planner.name() << ", case " << k << ": " << ok.error().message);
    CHECK_MESSAGE(plan->arena_bytes >= plan->lower_bound, planner.name() << ", case " << k);
    CHECK_MESSAGE(plan->lower_bound >= lower_bound(p), planner.name() << ", case " << k);
  }
}

TEST_CASE("search is never worse than another planner") {
  test::Random random(99);
  for (int k = 0; k < 60; ++k) {
    const test::Kinds kinds{k % 2 == 0, k % 3 == 0, k % 5 == 0, false, k % 7 == 0};
    const Problem p = test::random_problem(random, 40, 30, 60, kinds);
    const Result<Plan> best = find_planner("search")->plan(p, {.budget_seconds = 0.05});
    if (!best.ok()) continue;
    for (const Planner* planner : all_planners()) {
      if (planner->name() == "search") continue;
      CHECK_MESSAGE(best->arena_bytes <= planner->plan(p, {})->arena_bytes, planner->name());
    }
  }
}

TEST_CASE("an in-place chain needs one buffer") {
  Problem p;
  for (int i = 0; i < 10; ++i) {
    p.intervals.push_back({i, i + 2, 1000});  // each is read in the step that writes the next one
    if (i > 0) p.in_place.push_back({i - 1, i, 0});
  }
  for (const std::string_view name : {"greedy-by-size", "two-level", "search"}) {
    CHECK(find_planner(name)->plan(p, {})->arena_bytes == 1000);
  }
  p.in_place.clear();
  CHECK(find_planner("search")->plan(p, {.budget_seconds = 0.01})->arena_bytes == 2024);  // 1000 rounded up, and 1000
}

TEST_CASE("a concatenation with attached inputs copies nothing") {
  Problem p;
  p.intervals = {{0, 5, 640}, {1, 5, 1280}, {4, 8, 1920}, {2, 3, 5000}};
  p.attachments = {{0, 2, 0}, {1, 2, 640}};
  const Plan plan = *find_planner("search")->plan(p, {.budget_seconds = 0.01});
  CHECK(check(p, plan).ok());
  CHECK(plan.offsets[0] == plan.offsets[2]);
  CHECK(plan.offsets[1] == plan.offsets[2] + 640);
  CHECK(plan.arena_bytes <= 1920 + 5056);
}
