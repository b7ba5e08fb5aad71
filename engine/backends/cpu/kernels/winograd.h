// SPDX-License-Identifier: MIT
// 3×3 convolutions by Winograd's F(2×2, 3×3): 4×4 tiles and the kernel are transformed, sixteen multiplications per
// channel replace thirty-six, and each of the sixteen is a matmul over many tiles (A. Lavin and S. Gray, Fast
// Algorithms for Convolutional Neural Networks, 2015). A result depends only on its own window, so zeros stay zeros; if
// sums are not finite, the block is computed directly. Images are channels-last; of plain images a few rows at a time
// are transposed into scratch and back.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

// suits_winograd(): supported if the images were channels-last. The other: supported with its packed weights.
bool suits_winograd(const TensorImpl& node, const ConvGeometry& g);
bool takes_winograd(const TensorImpl& node, const ConvGeometry& g);
Bytes winograd_work(const TensorImpl& node, const ConvGeometry& g);  // per chunk
void winograd(const KernelArgs& args, const ConvGeometry& g);

}  // namespace arenascope::cpu
