// SPDX-License-Identifier: MIT
#include <arenascope/planner/check.h>
#include <arenascope/planner/lower_bound.h>
#include <arenascope/planner/planner.h>
#include <doctest/doctest.h>

using namespace arenascope;
using namespace arenascope::planner;

namespace {

Problem article() {
  Problem p;
  p.intervals = {{1, 3, 1024}, {2, 5, 2048}, {3, 5, 1024}, {4, 6, 512}, {5, 7, 4096}};
  p.alignment = 512;
  return p;
}

Bytes arena(std::string_view planner, const Problem& p) {
  Result<Plan> plan = find_planner(planner)->plan(p, {});
  REQUIRE_MESSAGE(plan.ok(), plan.error().message);
  const Status ok = check(p, *plan);
  CHECK_MESSAGE(ok.ok(), ok.error().message);
  return plan->arena_bytes;
}

}  // namespace

TEST_CASE("the article's example gives the article's figures") {
  const Problem p = article();
  CHECK(lower_bound(p) == 4608);
  CHECK(arena("none", p) == 8704);
  CHECK(arena("max-block", p) == 6656);
  // Ranges of 1024, 2048 and 4096, as the article has them: A and C share a block of the first, D has its own there,
  // which shrinks to 512.
  CHECK(arena("binary-block", p) == 1024 + 512 + 2048 + 4096);
  CHECK(arena("two-level", p) == 4608);
  CHECK(arena("search", p) == 4608);
}

TEST_CASE("two-level names the level of each reuse") {
  Result<Plan> plan = find_planner("two-level")->plan(article(), {});
  REQUIRE(plan.ok());
  // Level 1 lays C behind A; level 2 lays that block and B into E's; D stays apart.
  CHECK(plan->reuse_level == std::vector<uint8_t>{2, 2, 1, 0, 0});
  CHECK(plan->blocks[0] == plan->blocks[4]);
  CHECK(plan->blocks[3] != plan->blocks[4]);
}

TEST_CASE("every planner has a name of its own and answers to it") {
  for (const Planner* p : all_planners()) CHECK(find_planner(p->name()) == p);
  CHECK(find_planner("no such planner") == nullptr);
  CHECK(all_planners().back()->name() == "search");
}

TEST_CASE("an empty problem has an empty plan") {
  for (const Planner* planner : all_planners()) {
    Result<Plan> plan = planner->plan(Problem{}, {});
    REQUIRE(plan.ok());
    CHECK(plan->arena_bytes == 0);
    CHECK(plan->ratio() == 1.0);
  }
}
