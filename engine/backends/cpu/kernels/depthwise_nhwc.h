// SPDX-License-Identifier: MIT
// Channels-last depthwise f32 convolutions: vectors run along the channels, for a few neighbouring positions at a time,
// with one multiply-add per tap. Chunks are rows of images.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

bool supports_depthwise_nhwc(const TensorImpl& node, const ConvGeometry& g);  // whatever its current layout
Bytes depthwise_nhwc_work(const ConvGeometry& g);                             // per chunk
void depthwise_nhwc(const KernelArgs& args, const ConvGeometry& g);

}  // namespace arenascope::cpu
