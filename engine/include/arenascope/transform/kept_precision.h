// SPDX-License-Identifier: MIT
// Mixed precision of a training step: activations that the forward pass saves for the backward pass are stored as
// bfloat16, in half the bytes. Matmuls, sums, gradients, weights and the optimiser state stay float32, like the master
// weights of Micikevicius et al. 2018.
#pragma once
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

struct KeptPrecisionGraph {
  Graph graph;
  std::vector<Tensor> node_map;  // by NodeId of the given graph
  int64_t kept = 0;              // number of tensors stored as bfloat16
};

// The first `forward` nodes of the graph are the forward pass, all others the backward pass and the update. Each
// float32 result that `logits` depends on and the backward pass reads is cast to bfloat16 after the node that computes
// it, and cast back before each reader. Backward nodes are placed in the order of their creation, so that no restored
// tensor lives long before it is read. The forward pass is unchanged, so the first loss has the same bits. The loss and
// results smaller than 1 KiB stay float32. Errors: out of memory.
Result<KeptPrecisionGraph> keep_in_bf16(const Graph& graph, const TensorImpl& logits, size_t forward);

}  // namespace arenascope
