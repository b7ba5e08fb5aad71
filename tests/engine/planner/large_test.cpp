// SPDX-License-Identifier: MIT
// Problems of very many buffers: chunks, loads, and how soon a search that is stopped returns.
#include <arenascope/planner/check.h>
#include <arenascope/planner/generate.h>
#include <arenascope/planner/lower_bound.h>
#include <arenascope/planner/planner.h>
#include <doctest/doctest.h>
#include <sanitized.h>
#include "engine/planner/chunks.h"
#include "engine/planner/fit_allocator.h"
#include "engine/planner/loads.h"
#include "engine/planner/peak_first.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <thread>

#include "random_problem.h"

using namespace arenascope;
using namespace arenascope::planner;

namespace {

const std::function<void(const Progress&)> kQuiet;

// The offsets that a part of the search finds for a problem without shared bytes, as a plan.
template <typename Try>
Plan tried(const Problem& p, const Try& part, Bytes bound = 0) {
  const Result<Items> items = make_items(p, true);
  REQUIRE(items.ok());
  const Deadline deadline(30, {});
  Incumbent best(*items, std::max(bound, lower_bound(p)), p.capacity, deadline, kQuiet);
  part(*items, best);
  Plan plan;
  plan.offsets = best.offsets().empty() ? std::vector<Bytes>() : items->to_intervals(best.offsets());
  plan.arena_bytes = best.arena();
  return plan;
}

}  // namespace

TEST_CASE("loads: range maximum and minimum step agree with a step-by-step count") {
  test::Random random(4);
  for (int k = 0; k < 50; ++k) {
    const Problem p = test::random_problem(random, static_cast<int>(test::pick(random, 1, 200)), 150, 1000);
    const Items items = *make_items(p, true);
    std::vector<Bytes> live(151, 0);
    for (const Interval& v : p.intervals)
      for (int64_t s = v.lower; s < v.upper; ++s) live[s] += v.size;
    const Loads loads(items);
    CHECK(loads.peak_bytes() == *std::max_element(live.begin(), live.end()));
    for (const Item& v : items.items)
      CHECK(loads.most(v) == *std::max_element(live.begin() + v.lower, live.begin() + v.upper));
    const int64_t least = loads.min_load_step(20, 120);
    if (least >= 20 && least < 120) {
      for (const Item& v : items.items)  // at the steps where something changes
        if (v.lower >= 20 && v.lower < 120) CHECK(live[least] <= live[v.lower]);
    }
  }
}

TEST_CASE("fullest steps first: a valid plan, no worse than first-fit decreasing") {
  test::Random random(8);
  for (int k = 0; k < 30; ++k) {
    const Problem p = test::random_problem(random, 300, 200, 1000, {.alignments = k % 2 == 0, .gaps = k % 3 == 0});
    Plan plan = tried(p, [](const Items& items, Incumbent& best) {
      best.offer(FitAllocator(items).place_all(order_by(items, Key::size), Fit::first));
      try_peak_first(items, best);
    });
    CHECK(check(p, plan).ok());
    CHECK(plan.arena_bytes <= find_planner("first-fit-by-size")->plan(p, {})->arena_bytes);
  }
}

TEST_CASE("chunks: a valid plan near the bound, independent of the thread count") {
  const Problem p = many_buffers(60'000, 3);
  // A bound that cannot be met keeps it at work until it gives up.
  const auto chunks = [&](int threads, Bytes bound) {
    return tried(
        p, [&](const Items& items, Incumbent& best) { try_chunks(items, threads, best); }, bound);
  };
  const Plan one = chunks(1, 0), three = chunks(3, 0);
  const Status ok = check(p, one);
  CHECK_MESSAGE(ok.ok(), ok.error().message);
  CHECK(one.offsets == three.offsets);
  CHECK(static_cast<double>(one.arena_bytes) <= 1.01 * static_cast<double>(lower_bound(p)));
  Problem some = many_buffers(20'000, 4);
  some.intervals[5].fixed_offset = 0;  // left to the other searches
  CHECK(tried(some, [&](const Items& items, Incumbent& best) { try_chunks(items, 2, best); }).offsets.empty());
}

TEST_CASE("search is no worse than the best other planner for very many buffers") {
  const Problem p = many_buffers(120'000, 2);
  const Plan plan = *find_planner("search")->plan(p, {.budget_seconds = 30, .threads = 2});
  CHECK(check(p, plan).ok());
  CHECK(plan.arena_bytes <= find_planner("first-fit-by-size")->plan(p, {})->arena_bytes);
  CHECK(plan.arena_bytes <= find_planner("best-fit-online")->plan(p, {})->arena_bytes);
}

TEST_CASE("a capacity below the bound does not change the plan") {
  test::Random random(2);
  Problem p = test::random_problem(random, 60, 40, 500);
  const Plan free = *find_planner("search")->plan(p, {.budget_seconds = 10});
  p.capacity = 1;
  const Plan plan = *find_planner("search")->plan(p, {.budget_seconds = 10});
  REQUIRE(free.optimal);
  CHECK(plan.arena_bytes == free.arena_bytes);
}

TEST_CASE("a search stopped in any phase returns a valid plan at once") {
  std::vector<int> sizes{10, 1000, 20'000, 300'000};
  if (std::getenv("ARENASCOPE_LONG_TESTS") != nullptr) sizes.push_back(1'000'000);
  for (const int n : sizes) {
    const Problem p = n <= 1000 ? perfect_packing(n, 1) : many_buffers(n, 1);
    for (const int milliseconds : {0, 1, 5, 20, 80, 200, 700}) {
      double least = 1e9;  // minimum of a few runs: the machine may be busy with something else
      for (int attempt = 0; attempt < 6 && least > 0.010; ++attempt) {
        std::stop_source source;
        std::chrono::steady_clock::time_point asked = std::chrono::steady_clock::now();
        if (milliseconds == 0) source.request_stop();
        std::jthread canceller([&] {
          if (milliseconds == 0) return;
          std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
          asked = std::chrono::steady_clock::now();
          source.request_stop();
        });
        const Result<Plan> plan =
            find_planner("search")->plan(p, {.budget_seconds = 20, .threads = 2, .stop = source.get_token()});
        const auto back = std::chrono::steady_clock::now();
        canceller.join();
        REQUIRE(plan.ok());
        const Status ok = check(p, *plan);
        REQUIRE_MESSAGE(ok.ok(), ok.error().message);
        least = std::min(least, std::chrono::duration<double>(back - asked).count());
      }
      // Ten milliseconds; a hundred where the test machine may be shared and a million buffers have to be freed.
      CHECK_MESSAGE(least < (test::kSanitized ? 0.5 : 0.1),
                    n << " buffers, stopped after " << milliseconds << " ms: " << least << " s");
      if (n <= 20'000)
        WARN_MESSAGE(least < 0.010, n << " buffers, stopped after " << milliseconds << " ms: " << least << " s");
    }
  }
}
