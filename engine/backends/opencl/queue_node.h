// SPDX-License-Identifier: MIT
// Which kernels compute a node: its family's, and among those the fastest that takes it.
#pragma once
#include "engine/backends/opencl/op_images.h"
#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {

// Queues the node's kernels. `weights`: of a convolution on images. Errors: no kernel, what the driver says.
Status queue_node(Station& station, const TensorImpl& node, const ComputeParams& params, const NodeWeights* weights);

}  // namespace arenascope::opencl
