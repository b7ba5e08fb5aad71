// SPDX-License-Identifier: MIT
// Ops on tensors as images, and what leads to and from them.
#pragma once
#include "engine/backends/opencl/node_weights.h"
#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {

// Whether a node is computed on images (source -1), whether it then reads that source as an image.
Side image_packing(const DeviceFacts& facts, const TensorImpl& node, int source);

// Queues a node whose result, or the source of a copy, is an image. `weights`: a convolution's.
Status run_on_images(Station& station, const TensorImpl& node, const NodeWeights* weights);
// Whether each channel has one filter of its own.
bool is_depthwise(const TensorImpl& conv);

}  // namespace arenascope::opencl
