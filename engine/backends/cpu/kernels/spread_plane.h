// SPDX-License-Identifier: MIT
// A plane with its padding, and with every stride-th column side by side, so that each tap of a row of windows reads consecutive
// floats:
//
//   stride 2:  0 0 a b c d e f 0   →   0 a c e 0 …  |  0 b d f …
#pragma once
#include "engine/backends/cpu/kernels/windows.h"

namespace arenascope::cpu {

struct SpreadPlane {
  int64_t covered[3];  // padded extent that windows cover
  int64_t phase, row, slice,
      all;  // floats of a phase, a row, a plane of rows, everything with what may be read behind it

  explicit SpreadPlane(const WindowGeometry& g);
  // Where a window's element stands, counted along the window, from where its first one does.
  int64_t tap(const WindowGeometry& g, int64_t element) const;
  // The source's floats to their places; the padding is left as it is.
  void fill(const WindowGeometry& g, const float* source, float* to) const;
};

}  // namespace arenascope::cpu
