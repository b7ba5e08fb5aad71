// SPDX-License-Identifier: MIT
// Convolutions 3×3 by Winograd's F(2×2, 3×3): a tile of 4×4 places and the kernel are
// transformed, sixteen products of channels take the place of thirty-six, and each is a matrix multiplication over many tiles
// (A. Lavin and S. Gray, Fast Algorithms for Convolutional Neural Networks, 2015). A result is made of its own window's
// numbers alone, so zeros stay zeros; where sums are not finite, a block is computed directly.
// Images lie with their channels last, or plain; of these some rows at a time are turned over into scratch and back.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

// Whether it could take the node if images lay so, and whether it takes it over packed weights.
bool suits_winograd(const TensorImpl& node, const ConvGeometry& g);
bool takes_winograd(const TensorImpl& node, const ConvGeometry& g);
Bytes winograd_work(const TensorImpl& node, const ConvGeometry& g);  // of a part
void winograd(const Job& job, const ConvGeometry& g);

}  // namespace arenascope::cpu
