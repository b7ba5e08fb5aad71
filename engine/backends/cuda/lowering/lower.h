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
  unsigned long long number = 1;  // under which a mishap names the node; not 0
  Mishap* mishap = nullptr;       // in the device's memory, or null
};

// Whether a kernel computes the node; if not, the sentence says why.
Status supports(const TensorImpl& node);
Bytes scratch_bytes(const TensorImpl& node, Queue& queue);
Status lower(const Job& job);

// The sentence for a mishap at a node.
Error mishap_error(const TensorImpl& node, const Mishap& mishap);

// "CONV on cuda: TEXT"
Error refuse(const TensorImpl& node, const std::string& text);

// A chain: pointwise nodes of which each uses the one before, which nobody else uses; they are computed as one kernel
// that writes only the last one's result.
inline constexpr size_t kLongestChain = 8;
// How many nodes from `nodes[0]` on make a chain that may be computed at its last node's place: 1 if there is none.
// `only_user(node)`: whether nobody but the next node reads it and nobody wants it afterwards. All memory is bound.
size_t chain_length(std::span<const TensorImpl* const> nodes,
                    bool (*only_user)(const void* context, const TensorImpl& node), const void* context);
Status lower_chain(std::span<const TensorImpl* const> chain, Queue& queue);

// By family; each returns what it queued on the way to the result.
Status lower_pointwise(const Job& job);
Status lower_copy(const Job& job);
Status lower_cast(const Job& job);
Status lower_concat(const Job& job);
Status lower_pad(const Job& job);
Status lower_gather(const Job& job);
Status lower_set_rows(const Job& job);
Status lower_fill(const Job& job);
Status lower_tril(const Job& job);
Status lower_resize(const Job& job);
Status lower_depth_to_space(const Job& job);
Status lower_grid_sample(const Job& job);
Status lower_round_small(const Job& job);
Status lower_norms(const Job& job);
Status lower_reduction(const Job& job);
Status lower_lines(const Job& job);
Status lower_pool(const Job& job);
Status lower_pool_back(const Job& job);
Status lower_local_response(const Job& job);
Status lower_convolution(const Job& job);
Status lower_mul_mat(const Job& job);
Status lower_attention(const Job& job);
Status lower_rope(const Job& job);
Status lower_lstm(const Job& job);

Bytes mul_mat_scratch(const TensorImpl& node, Queue& queue);
Bytes convolution_scratch(const TensorImpl& node, Queue& queue);
Bytes lstm_scratch(const TensorImpl& node);

}  // namespace arenascope::cuda
