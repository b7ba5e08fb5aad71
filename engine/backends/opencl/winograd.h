// SPDX-License-Identifier: MIT
// 3x3 convolutions by Winograd's transform F(2x2, 3x3) [A. Lavin, S. Gray: Fast Algorithms for Convolutional Neural
// Networks, 2016]: image tiles and filters are transformed, multiplied as sixteen matmuls, and transformed back. It
// needs 2.25 times fewer multiplications, and memory for filters of 16/9 the size in addition to the weights, created
// once, and for scratch.
#pragma once
#include <arenascope/runtime/prepared.h>
#include "engine/backends/opencl/call.h"

namespace arenascope::opencl {

// True if it may compute the node: the memory mode allows it, and there are enough channels.
bool takes_winograd(const KernelContext& ctx, const TensorImpl& node);
// True if it should be used without measuring. On a CPU this is the case for few tiles and many channels, where the
// transformed data fits in the caches.
bool winograd_pays(const KernelContext& ctx, const TensorImpl& node);
Bytes winograd_filter_bytes(const TensorImpl& weight);
// Scratch; 0 if it does not compute the node. An image is processed in bands of tiles to limit it.
Bytes winograd_work_bytes(const KernelContext& ctx, const TensorImpl& node);

Status transform_filters(KernelContext& ctx, const TensorImpl& weight, const Storage& to);
Status run_winograd(KernelContext& ctx, const TensorImpl& node, const Storage& filters, const ComputeParams& params);

}  // namespace arenascope::opencl
