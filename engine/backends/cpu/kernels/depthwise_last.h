// SPDX-License-Identifier: MIT
// Convolutions with one kernel a channel of images with their channels last, in f32: vectors run along the channels, some
// neighbouring places at a time, and every tap is one multiplication and addition. Parts are rows of images.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

bool takes_depthwise_last(const TensorImpl& node, const ConvGeometry& g);  // whatever layout it has now
Bytes depthwise_last_work(const ConvGeometry& g);                          // of a part
void depthwise_last(const Job& job, const ConvGeometry& g);

}  // namespace arenascope::cpu
