// SPDX-License-Identifier: MIT
// Pooling and local response normalisation of channels-last f32 images.
#pragma once
#include "engine/backends/cpu/kernel.h"

namespace arenascope::cpu {

// True if the node pools such images: its input is channels-last, or both are too small for the layouts to differ.
bool pools_channels_last(const TensorImpl& node);
Bytes pool_nhwc_work(const TensorImpl& node, int tasks);
void pool_nhwc(const KernelArgs& args);

}  // namespace arenascope::cpu
