// SPDX-License-Identifier: MIT
#include <cmath>

#include <doctest/doctest.h>

#include "engine/bench/bench_graph.h"

namespace arenascope {

TEST_CASE("the graph benchmark measures its rows at all sizes") {
  for (size_t nodes : {size_t{0}, size_t{1}, size_t{1000}}) {
    const auto rows = bench_graph(nodes);
    REQUIRE(rows.size() == 4);
    for (const BenchRow& row : rows) {
      CHECK_FALSE(row.name.empty());
      CHECK_FALSE(row.unit.empty());
      CHECK(std::isfinite(row.value));
      CHECK(row.value > 0);
      CHECK(row.passed == (row.value <= row.target));
    }
  }
  for (const BenchRow& row : bench_graph())
    MESSAGE(row.name << ": " << row.value << " " << row.unit << ", target " << row.target);
}

}  // namespace arenascope
