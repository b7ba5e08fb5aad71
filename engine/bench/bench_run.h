// SPDX-License-Identifier: MIT
// What the executor itself costs: tiny nodes one behind the other, and graphs from nothing to memory.
#pragma once
#include <vector>

#include <arenascope/runtime/backend.h>
#include "engine/bench/bench_row.h"

namespace arenascope {

// A chain of 10,000 additions of 32 elements, on one thread and on two: nanoseconds a node.
std::vector<BenchRow> bench_chain(Backend& backend);

// Describing, collecting, planning and binding a chain of 10³ to 10⁶ nodes: nanoseconds a node.
std::vector<BenchRow> bench_graph_building(bool quick = false);

}  // namespace arenascope
