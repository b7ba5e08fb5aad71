// SPDX-License-Identifier: MIT
// Ops on tensors stored as images, and conversions from and to buffers.
#pragma once
#include "engine/backends/opencl/node_weights.h"
#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {

// Storage for the node's result (input -1) or for an input: Other if it is an image.
PartitionSide image_packing(const DeviceFacts& facts, const TensorImpl& node, int source);

// Queues a node whose result, or the input of a copy, is an image. `weights`: prepared weights of a convolution.
Status run_on_images(KernelContext& ctx, const TensorImpl& node, const NodeWeights* weights);
// True if the convolution has one filter per channel.
bool is_depthwise(const TensorImpl& conv);

}  // namespace arenascope::opencl
