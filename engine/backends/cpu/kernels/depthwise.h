// SPDX-License-Identifier: MIT
// Depthwise f32 convolutions (one kernel per channel). Chunks are planes (image, channel).
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

Bytes depthwise_work(const ConvGeometry& g, int tasks);
void depthwise(const KernelArgs& args, const ConvGeometry& g);

}  // namespace arenascope::cpu
