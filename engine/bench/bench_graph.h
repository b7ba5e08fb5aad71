// SPDX-License-Identifier: MIT
// What describing a graph costs: time and pool bytes a node, collecting it, each order, and the export to dot.
#pragma once
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope {

// Rows in nanoseconds a node, bytes a node and milliseconds. Each time is the best of a few rounds; all of it takes
// well under a second for the usual 100,000 nodes.
std::vector<BenchRow> bench_graph(size_t nodes = 100000);

// Writing a graph of 10,000 nodes for Graphviz, in milliseconds.
std::vector<BenchRow> bench_dot();

}  // namespace arenascope
