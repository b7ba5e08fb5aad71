// SPDX-License-Identifier: MIT
// Lowers nodes to kernel launches: kernel, grid and parameters. Independent of CUDA, so that it is tested on any
// machine.
#pragma once
#include <functional>
#include <span>

#include <arenascope/graph/op.h>
#include <arenascope/graph/op_params.h>
#include "engine/backends/cuda/kernels/movement.h"
#include "engine/backends/cuda/lowering/queue.h"

namespace arenascope::cuda {

// A node to be queued. All its memory is on the device.
struct LaunchRequest {
  const TensorImpl& node;
  Queue& queue;
  char* scratch = nullptr;  // scratch_bytes() bytes, 256-byte aligned
  Bytes scratch_bytes = 0;
  unsigned long long number = 1;  // identifies the node in an IndexFault; not 0
  IndexFault* fault = nullptr;    // in device memory, or null
};

// Errors: no kernel computes the node; the message names the reason.
Status supports(const TensorImpl& node);
Bytes scratch_bytes(const TensorImpl& node, Queue& queue);
Status lower(const LaunchRequest& request);

// The error for an index fault at a node.
Error fault_error(const TensorImpl& node, const IndexFault& fault);

// A chain of pointwise nodes, each the only user of the previous one, is computed by one kernel that writes only the
// last result. A convolution may be its head: then a library computes both in one call, or its sums are written before,
// and its bias is added in the chain. A matmul of float16 operands and the cast of its result to float16 form a chain of
// two.
inline constexpr size_t kLongestChain = 8;
// Number of nodes from `nodes[0]` on that form a chain computed at its last node; 1: no chain. `only_user(node)`: true
// if only the next node reads it and its result is not needed afterwards. All memory must be bound.
size_t chain_length(std::span<const TensorImpl* const> nodes,
                    bool (*only_user)(const void* context, const TensorImpl& node), const void* context);
// True if the node may be the head of a chain with launches of its own.
bool is_convolution(const TensorImpl& node);
// True if a library computes the convolution at the head of the chain and the other nodes in one call.
bool is_one_library_call(std::span<const TensorImpl* const> chain, Queue& queue);
// Calls the function, which queues launches that belong to the node.
using QueueAround = std::function<Status(const TensorImpl& node, const std::function<Status()>& queue)>;
// `first`: the request for the chain's first node. The chain's kernel belongs to its last node.
Status lower_chain(std::span<const TensorImpl* const> chain, const LaunchRequest& first, const QueueAround& around);

}  // namespace arenascope::cuda
