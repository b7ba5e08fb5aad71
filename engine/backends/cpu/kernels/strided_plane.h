// SPDX-License-Identifier: MIT
// A padded plane with every stride-th column stored contiguously, so that each tap of a row of windows reads
// consecutive floats:
//
//   stride 2:  0 0 a b c d e f 0   →   0 a c e 0 …  |  0 b d f …
#pragma once
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

struct StridedPlane {
  int64_t covered[3];  // padded extent that windows cover
  int64_t phase, row, slice,
      all;  // floats of a phase, a row, a slice of rows, and everything including readable slack

  explicit StridedPlane(const WindowGeometry& g);
  // Offset of a window element from the window's first one.
  int64_t tap(const WindowGeometry& g, int64_t element) const;
  // Copies the input's floats; the padding is left unchanged.
  void fill(const WindowGeometry& g, const float* source, float* to) const;
};

}  // namespace arenascope::cpu
