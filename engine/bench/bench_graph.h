// SPDX-License-Identifier: MIT
// The cost of describing a graph: time and pool bytes per node, collecting, each order, and the export to dot.
#pragma once
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope {

// Rows in ns per node, bytes per node and ms. Each time is the best of a few rounds. Takes well under a second for the
// default of 100,000 nodes.
std::vector<BenchRow> bench_graph(size_t nodes = 100000);

// Export of a graph of 10,000 nodes to Graphviz, in milliseconds.
std::vector<BenchRow> bench_dot();

}  // namespace arenascope
