// SPDX-License-Identifier: MIT
#include <arenascope/planner/check.h>
#include <arenascope/planner/csv.h>
#include <arenascope/planner/generate.h>
#include <arenascope/planner/lower_bound.h>
#include <arenascope/planner/planner.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <numeric>
#include <thread>

#include "random_problem.h"
#include "test_data.h"

using namespace arenascope;
using namespace arenascope::planner;

namespace {

Plan searched(const Problem& p, const Options& options = {}) {
  Result<Plan> plan = find_planner("search")->plan(p, options);
  REQUIRE_MESSAGE(plan.ok(), plan.error().message);
  const Status ok = check(p, *plan);
  REQUIRE_MESSAGE(ok.ok(), ok.error().message);
  return *plan;
}

// The smallest arena, by trying every order from the bottom up: each buffer on top of what it meets, none below the
// one before. Some such order gives an optimal plan. Returns `least` if there is none below it.
struct Exhaustive {
  const Problem& p;
  std::vector<Bytes> end = std::vector<Bytes>(p.size(), -1);
  Bytes least = std::numeric_limits<Bytes>::max();

  void go(size_t placed, Bytes from, Bytes arena) {
    if (placed == p.size()) least = std::min(least, arena);
    for (size_t i = 0; i < p.size(); ++i) {
      if (end[i] >= 0) continue;
      const Interval& v = p.intervals[i];
      Bytes at = 0;
      for (size_t k = 0; k < p.size(); ++k) {
        if (end[k] >= 0 && p.intervals[k].lower < v.upper && v.lower < p.intervals[k].upper) at = std::max(at, end[k]);
      }
      if (at < from || at + v.size >= least) continue;
      end[i] = at + v.size;
      go(placed + 1, at, std::max(arena, end[i]));
      end[i] = -1;
    }
  }
};

Bytes smallest_below(const Problem& p, Bytes least) {
  Exhaustive e{p};
  e.least = least;
  e.go(0, 0, 0);
  return e.least;
}

}  // namespace

TEST_CASE("a problem without buffers needs no search") {
  Options options;
  options.budget_seconds = 60;
  const auto plan = find_planner("search")->plan(Problem(), options);
  REQUIRE(plan);
  CHECK(plan->arena_bytes == 0);
  CHECK(plan->optimal);
  CHECK(plan->seconds < 30);
}

TEST_CASE("plans that search calls optimal are minimal") {
  test::Random random(7);
  int above_bound = 0;
  for (int k = 0; k < 20000; ++k) {
    const Problem p = test::random_tight_problem(random, static_cast<int>(test::pick(random, 5, 8)), 6);
    const Plan plan = searched(p, {.budget_seconds = 5});
    CHECK(plan.optimal);
    if (plan.arena_bytes == lower_bound(p)) continue;
    if (p.size() > 13) continue;
    CHECK(plan.arena_bytes == smallest_below(p, plan.arena_bytes));
    ++above_bound;
  }
  CHECK(above_bound >= 5);  // else the proofs were never needed
}

TEST_CASE("the plan is independent of row order and thread count") {
  test::Random random(11);
  for (int k = 0; k < 5; ++k) {
    Problem p = test::random_problem(random, 60, 40, 50);
    for (size_t i = 0; i < p.size(); ++i) p.ids.push_back("b" + std::to_string(i));
    const Plan plan = searched(p, {.budget_seconds = 20, .threads = 1});
    if (!plan.optimal) continue;
    std::vector<size_t> order(p.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::shuffle(order.begin(), order.end(), random);
    Problem q;
    q.alignment = p.alignment;
    for (size_t i : order) {
      q.intervals.push_back(p.intervals[i]);
      q.ids.push_back(p.ids[i]);
    }
    const Plan other = searched(q, {.budget_seconds = 20, .threads = 3});
    CHECK(other.arena_bytes == plan.arena_bytes);
    for (size_t i = 0; i < order.size(); ++i) CHECK(other.offsets[i] == plan.offsets[order[i]]);
  }
}

TEST_CASE("with a budget in steps the plan depends neither on the time nor on the threads") {
  test::Random random(17);
  Problem p;
  for (int i = 0; i < 300; ++i) {
    const int64_t lower = test::pick(random, 0, 99);
    p.intervals.push_back({lower, test::pick(random, lower + 1, lower + 40), test::pick(random, 1, 100000)});
  }
  const auto planned = [&](int64_t steps, double seconds, int threads) {
    return searched(p, {.budget_seconds = seconds, .budget_steps = steps, .threads = threads});
  };
  const Plan plan = planned(300, 1, 1);
  CHECK_FALSE(plan.optimal);       // else the budget did not end it
  std::vector<std::jthread> load;  // load on all processors
  for (unsigned i = 0; i < 2 * std::thread::hardware_concurrency(); ++i)
    load.emplace_back([](const std::stop_token& stop) {
      while (!stop.stop_requested()) std::this_thread::yield();
    });
  for (const int threads : {1, 4, 0}) CHECK(planned(300, 0.001, threads).offsets == plan.offsets);
  CHECK(planned(1000, 0.001, 1).arena_bytes <= plan.arena_bytes);
}

TEST_CASE("minimalloc instances fit into their capacity") {
  ARENASCOPE_NEEDS_DATA("planning/challenging");
  for (const char* name : {"A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K"}) {
    Result<Problem> p =
        read_csv_file(test::data_folder() / "planning" / "challenging" / (std::string(name) + ".1048576.csv"));
    REQUIRE_MESSAGE(p.ok(), p.error().message);
    p->capacity = 1048576;
    CHECK_MESSAGE(searched(*p, {.budget_seconds = 30}).arena_bytes <= 1048576, name);
  }
}

TEST_CASE("a stopped search returns a valid plan at once") {
  test::Random random(3);
  const Problem p = test::random_problem(random, 3000, 1000, 100000);
  std::stop_source source;
  std::jthread canceller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    source.request_stop();
  });
  const auto start = std::chrono::steady_clock::now();
  const Plan plan = searched(p, {.budget_seconds = 60, .stop = source.get_token()});
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
  CHECK(plan.ratio() < 2);
}

TEST_CASE("progress reports decreasing arena sizes") {
  test::Random random(5);
  const Problem p = test::random_problem(random, 200, 100, 1000);
  Bytes last = std::numeric_limits<Bytes>::max();
  int calls = 0;
  const Plan plan = searched(p, {.budget_seconds = 0.3, .on_progress = [&](const Progress& progress) {
                                   CHECK(progress.arena_bytes <= last);
                                   CHECK(progress.lower_bound <= progress.arena_bytes);
                                   last = progress.arena_bytes;
                                   ++calls;
                                 }});
  CHECK(calls > 1);
  CHECK(last == plan.arena_bytes);
}

TEST_CASE("the progress callback can end the search") {
  const Problem p = many_buffers(5000, 4);
  std::stop_source enough;
  std::vector<Progress> curve;
  Options options{.budget_seconds = 30, .threads = 2, .stop = enough.get_token()};
  options.on_progress = [&](const Progress& at) {
    curve.push_back(at);
    if (static_cast<double>(at.arena_bytes) <= 1.2 * static_cast<double>(at.lower_bound)) enough.request_stop();
  };
  const Plan plan = searched(p, options);
  REQUIRE(!curve.empty());
  for (size_t k = 1; k < curve.size(); ++k) {
    CHECK(curve[k].arena_bytes <= curve[k - 1].arena_bytes);
    CHECK(curve[k].seconds >= curve[k - 1].seconds);
  }
  CHECK(plan.arena_bytes == curve.back().arena_bytes);
  CHECK(plan.ratio() <= 1.2);
  CHECK(plan.seconds < 10);
}
