// SPDX-License-Identifier: MIT
#include <arenascope/planner/check.h>
#include <arenascope/planner/lower_bound.h>
#include <arenascope/planner/planner.h>
#include <arenascope/planner/reuse_steps.h>
#include <doctest/doctest.h>

#include <algorithm>

#include "random_problem.h"

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

TEST_CASE("the example of the article gives its published figures") {
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

TEST_CASE("two-level reports the level of each reuse") {
  Result<Plan> plan = find_planner("two-level")->plan(article(), {});
  REQUIRE(plan.ok());
  // Level 1 places C after A; level 2 places that block and B into E's; D is separate.
  CHECK(plan->reuse_level == std::vector<uint8_t>{2, 2, 1, 0, 0});
  CHECK(plan->blocks[0] == plan->blocks[4]);
  CHECK(plan->blocks[3] != plan->blocks[4]);
}

TEST_CASE("two-level reuse follows the steps of the article") {
  auto steps = reuse_steps(article());
  REQUIRE(steps.ok());
  CHECK(steps->intervals == 5);
  CHECK(steps->joined == 1);
  REQUIRE(steps->blocks.size() == 4);
  const auto block = [&](size_t i, Bytes size, std::vector<int32_t> intervals, int64_t lower, int64_t upper) {
    CHECK(steps->blocks[i].size == size);
    CHECK(steps->blocks[i].intervals == intervals);
    CHECK(steps->blocks[i].lower == lower);
    CHECK(steps->blocks[i].upper == upper);
  };
  block(0, 4096, {4}, 5, 7);
  block(1, 2048, {1}, 2, 5);
  block(2, 1024, {0, 2}, 1, 5);  // A and C, joined by level 1
  block(3, 512, {3}, 4, 6);
  using Outcome = ReuseMove::Outcome;
  const std::vector<std::tuple<int, int, Outcome, Bytes, Bytes>> moves = {{0, 0, Outcome::Holds, 0, 4096},
                                                                          {1, 0, Outcome::Merges, 0, 4096},
                                                                          {2, 0, Outcome::Merges, 2048, 4096},
                                                                          {3, 0, Outcome::Meets, 0, 4096},
                                                                          {3, 3, Outcome::Holds, 4096, 4608}};
  REQUIRE(steps->moves.size() == moves.size());
  for (size_t i = 0; i < moves.size(); ++i) {
    const ReuseMove& m = steps->moves[i];
    CHECK(std::tuple(m.block, m.holder, m.outcome, m.offset, m.arena_bytes) == moves[i]);
  }
  CHECK(steps->merged == 2);
  CHECK(steps->arena_bytes == 4608);
}

TEST_CASE("the two-level steps end in the planner's plan") {
  test::Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Problem p = test::random_problem(random, 20, 15, 8);
    auto plan = find_planner("two-level")->plan(p, {});
    auto steps = reuse_steps(p);
    REQUIRE(plan.ok());
    REQUIRE(steps.ok());
    CHECK(steps->arena_bytes == plan->arena_bytes);
    CHECK(steps->moves.back().arena_bytes == plan->arena_bytes);
    CHECK(steps->intervals == static_cast<int64_t>(p.size()));
    CHECK(steps->intervals - steps->joined == static_cast<int64_t>(steps->blocks.size()));
    std::vector<Bytes> base(steps->blocks.size(), -1);
    int64_t holders = 0;
    for (const ReuseMove& m : steps->moves) {
      const auto b = static_cast<size_t>(m.block), h = static_cast<size_t>(m.holder);
      if (m.outcome == ReuseMove::Outcome::Holds) base[b] = m.offset, ++holders;
      if (m.outcome == ReuseMove::Outcome::Merges) base[b] = base[h] + m.offset;
    }
    CHECK(holders + steps->merged == static_cast<int64_t>(steps->blocks.size()));
    for (size_t b = 0; b < steps->blocks.size(); ++b)
      for (const int32_t i : steps->blocks[b].intervals) CHECK(plan->offsets[static_cast<size_t>(i)] == base[b]);
    CHECK(std::is_sorted(steps->blocks.begin(), steps->blocks.end(),
                         [](const ReuseBlock& a, const ReuseBlock& b) { return a.size > b.size; }));
  }
}

TEST_CASE("every planner has a unique name and is found by it") {
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
