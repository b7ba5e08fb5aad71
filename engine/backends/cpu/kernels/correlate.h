// SPDX-License-Identifier: MIT
// CONV where the kernel is as large as the image and few places are left for it: what a convolution's weight gets as its
// gradient. Rows of both are multiplied where they lie; sums of 16 lanes each stay in registers.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

bool correlates(const TensorImpl& node, const ConvGeometry& g);
void correlate(const Job& job, const ConvGeometry& g);

}  // namespace arenascope::cpu
