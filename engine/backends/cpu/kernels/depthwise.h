// SPDX-License-Identifier: MIT
// Convolutions with one kernel a channel, in f32. Parts are planes (image, channel).
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

Bytes depthwise_work(const ConvGeometry& g, int tasks);
void depthwise(const Job& job, const ConvGeometry& g);

}  // namespace arenascope::cpu
