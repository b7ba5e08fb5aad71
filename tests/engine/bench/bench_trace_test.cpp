// SPDX-License-Identifier: MIT
#include "engine/bench/bench_trace.h"
#include <doctest/doctest.h>

#include <cstdlib>

using namespace arenascope;

// A small recording by default; ARENASCOPE_BENCH=1 measures at full size and prints the figures.
TEST_CASE("the benchmark measures all listed rows") {
  const bool full = std::getenv("ARENASCOPE_BENCH") != nullptr;
  trace::TraceBenchOptions options;
  if (!full) options.events = 20'000;
  const auto rows = trace::bench_trace(options);
  CHECK(rows.size() == 11);
  for (const BenchRow& r : rows) {
    CHECK_FALSE(r.name.empty());
    CHECK(r.value >= 0);
    CHECK(r.target > 0);
    CHECK(r.passed == (r.value <= r.target));
    if (full) MESSAGE(r.name << ": " << r.value << " " << r.unit << " (target " << r.target << ")");
  }
}
