// SPDX-License-Identifier: MIT
// Ways to compute a CONV of floats from weights as they lie, for shapes for which a packed product does badly.
#pragma once
#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

struct ConvWay {
  bool (*takes)(const TensorImpl& node, const ConvGeometry& g);
  Bytes (*work)(const ConvGeometry& g, int tasks);
  void (*compute)(const Job& job, const ConvGeometry& g);
};

// Few channels with a kernel of long rows (39 taps over a spectrum, say): packed windows would be used a few times only.
// Rows of the source are put beside each other with their padding, in whichever layout they lie, and every tap is a vector of
// neighbouring results times a weight; the sums stay in registers.
extern const ConvWay kLongRows;
// Few results a channel (the frames of a voice, a head behind pooling): a tile of a product would be mostly empty. Windows are
// laid out as lines and multiplied with the weights where they lie, which are read once.
extern const ConvWay kFewPlaces;

// The first of them that takes the node; null: none.
inline const ConvWay* conv_way(const TensorImpl& node, const ConvGeometry& g) {
  for (const ConvWay* way : {&kLongRows, &kFewPlaces})
    if (way->takes(node, g)) return way;
  return nullptr;
}

}  // namespace arenascope::cpu
