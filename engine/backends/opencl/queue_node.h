// SPDX-License-Identifier: MIT
// Selects the kernels of a node: those of its family, and the fastest that support it.
#pragma once
#include "engine/backends/opencl/op_images.h"
#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {

// Queues the node's kernels. `weights`: prepared weights. Errors: no kernel, driver errors.
Status queue_node(KernelContext& ctx, const TensorImpl& node, const ComputeParams& params, const NodeWeights* weights);

}  // namespace arenascope::opencl
