// SPDX-License-Identifier: MIT
#include "engine/planner/coalesce.h"
#include <arenascope/planner/check.h>
#include <arenascope/planner/generate.h>
#include <arenascope/planner/lower_bound.h>
#include <doctest/doctest.h>

#include "random_problem.h"

using namespace arenascope;
using namespace arenascope::planner;

namespace {

Plan coalesced(const Problem& p) {
  const Result<Items> items = make_items(p, true);
  REQUIRE(items.ok());
  const std::optional<Sections> sections = make_sections(*items);
  REQUIRE(sections);
  const std::function<void(const Progress&)> quiet;
  Incumbent best(*items, lower_bound(p), p.capacity, Deadline(10, {}), quiet);
  try_coalesced(*items, *sections, 1, best);
  Plan plan;
  plan.offsets = best.offsets();
  plan.arena_bytes = best.arena();
  return plan;
}

}  // namespace

TEST_CASE("a packing made by guillotine cuts is found again") {
  for (const int n : {10, 100, 400}) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      const Problem p = perfect_packing(n, seed);
      const Plan plan = coalesced(p);
      REQUIRE(check(p, plan).ok());
      CHECK(plan.arena_bytes == lower_bound(p));
    }
  }
}

TEST_CASE("coalesced groups keep live buffers disjoint, also with rounded sizes") {
  test::Random random(6);
  int some = 0;
  for (int k = 0; k < 200; ++k) {
    Problem p = test::random_tight_problem(random, 30, 200);
    if (k % 2 == 0) p.alignment = 8;
    const Plan plan = coalesced(p);
    if (plan.offsets.empty()) continue;  // too few items to coalesce
    ++some;
    const Status ok = check(p, plan);
    REQUIRE_MESSAGE(ok.ok(), ok.error().message);
  }
  CHECK(some > 20);
}
