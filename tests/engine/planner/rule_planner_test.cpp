// SPDX-License-Identifier: MIT
// Planners written as rules: they plan like the built-in planners with the same rule, and every plan is valid.
#include <arenascope/planner/check.h>
#include <arenascope/planner/csv.h>
#include <arenascope/planner/generate.h>
#include <arenascope/planner/rule_planner.h>
#include <doctest/doctest.h>

#include "random_problem.h"

using namespace arenascope;
using namespace arenascope::planner;

namespace {

Plan planned(const std::string& rule, const Problem& problem) {
  const auto made = rule_planner(rule);
  REQUIRE_MESSAGE(made.ok(), (made ? "" : made.error().message));
  auto plan = (*made)->plan(problem, {});
  REQUIRE_MESSAGE(plan.ok(), (plan ? "" : plan.error().message));
  const Status good = check(problem, *plan);
  CHECK_MESSAGE(good.ok(), (good ? "" : good.error().message));
  return *plan;
}

std::string error_of(const std::string& rule) {
  const auto made = rule_planner(rule);
  return made ? "" : made.error().message;
}

// Distinct sizes, areas and lengths, so that ties do not decide.
Problem distinct() {
  Problem problem;
  problem.alignment = 1;
  for (int64_t i = 0; i < 40; ++i) {
    const int64_t lower = i * 37 % 101;
    problem.intervals.push_back({lower, lower + 1 + i, 64 + i * 53 % 97 * 1000 + i, 0, {}, {}});
  }
  return problem;
}

}  // namespace

TEST_CASE("a rule plans like the built-in planner with the same rule") {
  const Problem problem = distinct();
  for (const auto& [rule, name] :
       {std::pair{"sort -size; fit tightest", "greedy-by-size"}, std::pair{"sort -size", "first-fit-by-size"},
        std::pair{"sort -(size * length); fit lowest", "first-fit-by-area"},
        std::pair{"sort -length", "first-fit-by-length"}, std::pair{"sort -(last - first)", "first-fit-by-length"}}) {
    CAPTURE(rule);
    const auto built_in = find_planner(name)->plan(problem, {});
    REQUIRE(built_in.ok());
    CHECK(planned(rule, problem).offsets == built_in->offsets);
  }
}

TEST_CASE("the plans of rules are valid for many problems") {
  for (const KnownRule& known : known_rules())
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      CAPTURE(known.rule);
      CAPTURE(seed);
      planned(std::string(known.rule), many_buffers(300, seed));
      planned(std::string(known.rule), perfect_packing(100, seed));
    }
  planned("sort 0", Problem{});
}

TEST_CASE("keys, comparisons and conditions") {
  Problem problem;
  problem.alignment = 1;
  problem.intervals = {{0, 2, 100, 0, {}, {}}, {0, 2, 300, 0, {}, {}}, {0, 2, 200, 0, {}, {}}};
  using Offsets = std::vector<Bytes>;
  CHECK(planned("sort size", problem).offsets == Offsets{0, 300, 100});
  CHECK(planned("sort -size", problem).offsets == Offsets{500, 0, 300});
  CHECK(planned("sort size >= 200, -size", problem).offsets == Offsets{0, 100, 400});
  CHECK(planned("sort size == 200 ? 0 : size", problem).offsets == Offsets{200, 300, 0});
  CHECK(planned("sort (1 + 2) * -size / 2;", problem).offsets == Offsets{500, 0, 300});
  CHECK(planned("sort live, size; fit size > 150 ? tightest : lowest", problem).offsets == Offsets{0, 300, 100});
  CHECK(planned("sort size / 0", problem).offsets == Offsets{0, 100, 400});  // the order that is given
}

TEST_CASE("buffers whose key is not a number are placed last") {
  Problem problem;
  problem.alignment = 1;
  problem.intervals = {{0, 2, 100, 0, {}, {}}, {0, 2, 300, 0, {}, {}}, {0, 2, 200, 0, {}, {}}};
  const std::string none = "(1e308 * 10 - 1e308 * 10)";
  CHECK(planned("sort size == 300 ? " + none + " : size", problem).offsets == std::vector<Bytes>{0, 300, 100});
  Problem many = distinct();
  planned("sort size > 30000 ? " + none + " : -size, " + none, many);
}

TEST_CASE("a buffer is not live in its gaps") {
  const auto problem = read_csv("id,lower,upper,size,gaps\nA,0,6,100,2-4\nB,2,4,300,\nC,4,6,50,\n");
  REQUIRE(problem.ok());
  CHECK(planned("sort live", *problem).offsets == std::vector<Bytes>{0, 0, 100});
}

TEST_CASE("a malformed rule is rejected with its position") {
  CHECK(error_of("") == "rule, position 1: expected 'sort', found the end");
  CHECK(error_of("sort") ==
        "rule, position 5: expected a number, size, first, last, length, area, live, lowest or "
        "tightest, found the end");
  for (const char* number : {"nan", "inf", "-inf", "1e999"}) {
    CAPTURE(number);
    CHECK(error_of(std::string("sort ") + number).find("expected a number") != std::string::npos);
  }
  CHECK(error_of("sort weight").find("position 6") != std::string::npos);
  CHECK(error_of("sort size size") == "rule, position 11: expected an operator or the end, found 'size'");
  CHECK(error_of("sort (size") == "rule, position 11: expected ')', found the end");
  CHECK(error_of("sort size; best") == "rule, position 12: expected 'fit', found 'best'");
  CHECK(error_of("sort size ? 1") == "rule, position 14: expected ':', found the end");
  CHECK(error_of("sort " + std::string(500, '(')).find("fewer nested") != std::string::npos);
  CHECK(error_of("sort " + std::string(2000, '1')).find("1000 characters") != std::string::npos);
}
