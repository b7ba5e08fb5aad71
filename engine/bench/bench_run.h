// SPDX-License-Identifier: MIT
// The overhead of the executor: chains of tiny nodes, and building graphs from scratch to allocated memory.
#pragma once
#include <vector>

#include <arenascope/runtime/backend.h>
#include "engine/bench/bench_row.h"

namespace arenascope {

// A chain of 10,000 additions of 32 elements, on one thread and on two: ns per node.
std::vector<BenchRow> bench_chain(Backend& backend);

// Describing, collecting, planning and binding a chain of 10³ to 10⁶ nodes: ns per node.
std::vector<BenchRow> bench_graph_building(bool quick = false);

}  // namespace arenascope
