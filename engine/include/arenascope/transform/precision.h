// SPDX-License-Identifier: MIT
// Stores the values of a float32 graph as float16: half the memory, relative precision 2^-11. The backend chooses the
// precision of its arithmetic. CAST nodes keep the types of inputs and outputs.
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
  std::vector<Tensor> node_map;  // by NodeId of the given graph; outputs in their own type
  std::vector<Weight> weights;   // constants that are now read as float16: convert_weights() fills them
};

// Nodes that cannot be computed in float16 (their op's shape rule fails or returns another type) stay as they are. With
// `half_operands`, MUL_MAT and ATTENTION read float16 operands; their results remain float32. Errors: out of memory.
Result<PrecisionGraph> convert_precision(const Graph& graph, bool half_operands = false);

// Fills the float16 weights, in host memory, from the float32 ones, which must be in host memory. Float32 weights that
// the graph does not read are freed. Finite values beyond the float16 range are clamped to ±65504. Errors: out of
// memory.
Status convert_weights(const PrecisionGraph& graph, ExecutionContext& context);

// Rounds to the nearest float16, ties to even; values beyond the range become infinite.
uint16_t half_from_float(float value);

}  // namespace arenascope
