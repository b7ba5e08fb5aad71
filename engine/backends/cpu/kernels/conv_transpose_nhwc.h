// SPDX-License-Identifier: MIT
// Channels-last CONV_TRANSPOSE with adjacent windows (stride equal to the kernel size, no padding): each result
// position depends on one input position. A row of kernel taps is then one matmul, [positions of a row, channels] ·
// [channels, taps · output channels], whose result has the layout of the image.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

bool transposes_channels_last(const TensorImpl& node, const ConvGeometry& g);  // whatever its current layout
Bytes transpose_nhwc_work(const ConvGeometry& g);                              // per chunk
void transpose_nhwc(const KernelArgs& args, const ConvGeometry& g);

}  // namespace arenascope::cpu
