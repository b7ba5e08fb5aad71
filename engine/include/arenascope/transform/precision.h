// SPDX-License-Identifier: MIT
// A float32 graph whose values are stored as float16: half the memory, a thousandth of the largest value as precision.
// Arithmetic stays the backend's. What is given by the caller and what the caller gets keep their types, by CAST nodes.
#pragma once
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/memory/execution_context.h>

namespace arenascope {

struct PrecisionGraph {
  struct Weight {
    Tensor single, half;
  };
  Graph graph;
  std::vector<Tensor> twins;    // of the given graph's nodes, by NodeId; outputs in their own type
  std::vector<Weight> weights;  // given constants that are read as float16 now: convert_weights() fills them
};

// Nodes that cannot be computed on float16 (their op's rule refuses, or says another type) stay as they are.
// Errors: no memory.
Result<PrecisionGraph> convert_precision(const Graph& graph);

// Writes the float16 weights, in host memory, from the float32 ones, which must lie there; those let go of their memory
// unless the graph still reads them. Finite ones that float16 cannot hold become the largest that it can. Errors: no
// memory.
Status convert_weights(const PrecisionGraph& graph, ExecutionContext& context);

// The nearest float16, ties to even; too large ones become infinite.
uint16_t half_from_float(float value);

}  // namespace arenascope
