// SPDX-License-Identifier: MIT
// Nodes to launches: which kernel computes a node, over which grid, with which parameters. Knows no CUDA, so that all
// of it is tested on any machine.
#pragma once
#include <span>

#include <arenascope/graph/op.h>
#include <arenascope/graph/op_params.h>
#include "engine/backends/cuda/kernels/movement.h"
#include "engine/backends/cuda/lowering/queue.h"

namespace arenascope::cuda {

// One node to be queued. All its memory is the device's.
struct Job {
  const TensorImpl& node;
  Queue& queue;
  char* scratch = nullptr;  // scratch_bytes() of it, 256-byte aligned
  Bytes scratch_bytes = 0;
  unsigned long long number = 1;  // under which a fault names the node; not 0
  IndexFault* fault = nullptr;    // in the device's memory, or null
};

// Whether a kernel computes the node; if not, the sentence says why.
Status supports(const TensorImpl& node);
Bytes scratch_bytes(const TensorImpl& node, Queue& queue);
Status lower(const Job& job);

// The sentence for a fault at a node.
Error fault_error(const TensorImpl& node, const IndexFault& fault);

// A chain: pointwise nodes of which each uses the one before, which nobody else uses; they are computed as one kernel
// that writes only the last one's result. A convolution may stand at its head: what it sums is then written as well, and
// its bias is added with the rest.
inline constexpr size_t kLongestChain = 8;
// How many nodes from `nodes[0]` on make a chain that may be computed at its last node's place: 1 if there is none.
// `only_user(node)`: whether nobody but the next node reads it and nobody wants it afterwards. All memory is bound.
size_t chain_length(std::span<const TensorImpl* const> nodes,
                    bool (*only_user)(const void* context, const TensorImpl& node), const void* context);
// `first`: the job of the chain's first node.
Status lower_chain(std::span<const TensorImpl* const> chain, const Job& first);

}  // namespace arenascope::cuda
