// SPDX-License-Identifier: MIT
// Pooling and local response normalisation of f32 images with their channels last.
#pragma once
#include "engine/backends/cpu/kernel.h"

namespace arenascope::cpu {

// Whether the node is pooling of such images: its source lies so, or both are too small to have two layouts.
bool pools_channels_last(const TensorImpl& node);
Bytes pool_last_work(const TensorImpl& node, int tasks);
void pool_last(const Job& job);

}  // namespace arenascope::cpu
