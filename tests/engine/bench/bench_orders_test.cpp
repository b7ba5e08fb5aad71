// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <string>

#include <doctest/doctest.h>

#include "engine/bench/bench_orders.h"

namespace arenascope {

TEST_CASE("the order benchmark proves small graphs and is never worse than another order") {
  // ARENASCOPE_FULL_BENCH=1 measures as `arenascope-cli bench` does.
  const bool full = std::getenv("ARENASCOPE_FULL_BENCH") != nullptr;
  for (const BenchRow& row : full ? bench_orders() : bench_orders(30, 2, 0.1)) {
    MESSAGE(row.name << ": " << row.value << " " << row.unit << (row.peer.empty() ? std::string() : " against ")
                     << row.peer << ", target " << row.target);
    if (row.unit == "share") CHECK(row.value == 1.0);
    if (row.peer == "best other order") CHECK(row.passed);
    if (row.peer == "the minimum") CHECK(row.ratio >= 1.0);
  }
}

}  // namespace arenascope
