// SPDX-License-Identifier: MIT
// Direct CONV for a kernel as large as the image with few result positions, as in the gradient of a convolution's
// weights. Rows of both operands are multiplied in place; sums of 16 lanes each stay in registers.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

bool correlates(const TensorImpl& node, const ConvGeometry& g);
void direct_convolution(const KernelArgs& args, const ConvGeometry& g);

}  // namespace arenascope::cpu
