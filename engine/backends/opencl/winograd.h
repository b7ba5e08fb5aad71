// SPDX-License-Identifier: MIT
// Convolutions of 3x3 taps by Winograd's transform F(2x2, 3x3) [A. Lavin, S. Gray: Fast Algorithms for Convolutional Neural
// Networks, 2016]: tiles of the image and filters are transformed, multiplied as sixteen matmuls, and transformed back. It
// multiplies 2.25 times less than the convolution does and takes memory: filters of 16/9 their size beside the weights, made
// once, and scratch.
#pragma once
#include <arenascope/runtime/prepared.h>
#include "engine/backends/opencl/call.h"

namespace arenascope::opencl {

// Whether it may compute the node: the memory mode allows it, and there are channels enough for it to pay.
bool takes_winograd(const Station& station, const TensorImpl& node);
// Whether to take it where nothing is measured. On a processor that is where few tiles are multiplied by many channels: its
// caches hold what is transformed.
bool winograd_pays(const Station& station, const TensorImpl& node);
Bytes winograd_filter_bytes(const TensorImpl& weight);
// Scratch; 0 where it does not compute the node. An image is done in bands of tiles so that this stays small.
Bytes winograd_work_bytes(const Station& station, const TensorImpl& node);

Status transform_filters(Station& station, const TensorImpl& weight, const Storage& to);
Status run_winograd(Station& station, const TensorImpl& node, const Storage& filters, const ComputeParams& params);

}  // namespace arenascope::opencl
