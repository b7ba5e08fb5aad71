// SPDX-License-Identifier: MIT
// CONV with few results a channel (the frames of a voice, a head behind pooling): a tile of a product would be mostly
// empty. Windows are laid out as lines and multiplied with the weights where they lie, which are read once.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

bool has_few_places(const TensorImpl& node, const ConvGeometry& g);
Bytes few_places_work(const ConvGeometry& g, int tasks);
void few_places(const Job& job, const ConvGeometry& g);

}  // namespace arenascope::cpu
