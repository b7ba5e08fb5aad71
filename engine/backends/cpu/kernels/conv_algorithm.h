// SPDX-License-Identifier: MIT
// Algorithms for float CONV with unpacked weights, for shapes on which packed GEMM is slow.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

struct ConvAlgorithm {
  bool (*takes)(const TensorImpl& node, const ConvGeometry& g);
  Bytes (*work)(const ConvGeometry& g, int tasks);
  void (*compute)(const KernelArgs& args, const ConvGeometry& g);
};

// Few channels and wide kernel rows (e.g. 39 taps over a spectrum): a packed window would be used only a few times.
// Padded input rows are laid out next to each other, whatever their layout, and every tap is a vector of neighbouring
// results times a weight; the sums stay in registers.
extern const ConvAlgorithm kConvWideKernel;
// Few results per channel (e.g. audio frames, or a head after pooling): a GEMM tile would be mostly empty. Windows are
// laid out as rows and multiplied with the weights in place, which are read once.
extern const ConvAlgorithm kConvFewOutputs;

// The first algorithm that supports the node; null: none.
inline const ConvAlgorithm* find_conv_algorithm(const TensorImpl& node, const ConvGeometry& g) {
  for (const ConvAlgorithm* way : {&kConvWideKernel, &kConvFewOutputs})
    if (way->takes(node, g)) return way;
  return nullptr;
}

}  // namespace arenascope::cpu
