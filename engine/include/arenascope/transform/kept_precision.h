// SPDX-License-Identifier: MIT
// Mixed precision of a training step: what the forward pass leaves for the backward pass lies in memory as bfloat16 (the range
// of float32, eight bits of its significand), half the bytes for as long as it is kept. Products, sums, gradients, weights
// and what an optimiser remembers stay float32, as Micikevicius 2018 has its master weights.
#pragma once
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

struct KeptPrecisionGraph {
  Graph graph;
  std::vector<Tensor> twins;  // of the given graph's nodes, by NodeId
  int64_t kept = 0;           // tensors that are kept as bfloat16
};

// The graph's first `forward` nodes are the forward pass, the others the backward pass and the update. Of the float32 results
// that `logits` is computed from, those that the others read are cast behind the node that makes them, and back before each
// reader; the nodes are collected in the order in which they were made, so that no reader is long before it is due. The forward pass computes what it did, so the first step's loss has the same bits; the loss itself and results of
// less than 1 KiB stay as they are. Errors: no memory.
Result<KeptPrecisionGraph> keep_in_bf16(const Graph& graph, const TensorImpl& logits, size_t forward);

}  // namespace arenascope
