// SPDX-License-Identifier: MIT
// CONV_TRANSPOSE of images with their channels last whose windows stand beside each other (the stride is the kernel's extent,
// without padding): every place of the source gives the places below its window and nobody else does. A row of the kernel's
// taps is then one product, [places of a row, channels] · [channels, taps · output channels], whose result lies as the
// image does.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

bool transposes_channels_last(const TensorImpl& node, const ConvGeometry& g);  // whatever layout it has now
Bytes transpose_last_work(const ConvGeometry& g);                              // of a part
void transpose_last(const Job& job, const ConvGeometry& g);

}  // namespace arenascope::cpu
