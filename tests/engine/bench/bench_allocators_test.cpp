// SPDX-License-Identifier: MIT
// The allocator bench: its traces are what they say, its figures are real, and reserve stays near the live peak.
#include "engine/bench/bench_allocators.h"
#include <arenascope/memory/cpu_caching_allocator.h>
#include <doctest/doctest.h>

#include <algorithm>

using namespace arenascope;

TEST_CASE("a lifetime trace frees before it allocates and has the expected peak") {
  const AllocationTrace trace = trace_of_lifetimes("t", {{0, 2, 100}, {2, 3, 50}, {1, 3, 10}, {5, 5, 7}, {1, 2, 0}});
  CHECK(trace.events.size() == 6);
  CHECK(trace.slots() == 3);
  CHECK(trace.live_peak() == 110);
}

TEST_CASE("generated networks are deterministic and freed completely") {
  const AllocationTrace a = layered_trace("a", 100, 1 << 20, 9), b = layered_trace("b", 100, 1 << 20, 9);
  REQUIRE(a.events.size() == b.events.size());
  Bytes live = 0;
  std::vector<Bytes> held(a.slots());
  for (size_t i = 0; i < a.events.size(); ++i) {
    CHECK(a.events[i].bytes == b.events[i].bytes);
    live += a.events[i].bytes - held[a.events[i].slot];
    held[a.events[i].slot] = a.events[i].bytes;
  }
  CHECK(live == 0);
}

TEST_CASE("the caching allocator reserves at most 1.2 times the live peak of a layered network") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    CAPTURE(seed);
    const AllocationTrace trace =
        layered_trace("n", 40 + static_cast<int>(seed) * 17, Bytes{1} << (20 + seed % 4), seed);
    CpuCachingAllocator allocator;
    REQUIRE(replay(allocator, trace, 4) >= 0);
    CHECK(static_cast<double>(allocator.stats().peak_reserved) <= 1.2 * static_cast<double>(trace.live_peak()));
    CHECK(allocator.stats().peak == trace.live_peak());
    CHECK(allocator.stats().active == 0);
  }
}

TEST_CASE("the benchmark measures every row") {
  const AllocationTrace trace = layered_trace("n", 50, 1 << 18, 1);
  const std::vector<BenchRow> rows = bench_allocators({&trace, 1}, 0.05);
  REQUIRE(rows.size() == 7);
  for (const BenchRow& row : rows) {
    CAPTURE(row.name);
    CHECK(row.value > 0);
    CHECK((row.peer.empty() ? row.ratio == 0 : row.peer_value > 0));
  }
  const auto reserve = std::find_if(rows.begin(), rows.end(), [](const BenchRow& r) { return r.unit == "ratio"; });
  REQUIRE(reserve != rows.end());
  CHECK(reserve->passed);
}
