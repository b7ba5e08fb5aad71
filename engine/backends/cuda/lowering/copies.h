// SPDX-License-Identifier: MIT
// Copies elements of 1, 2, 4, 8 or 16 bytes between two strided arrays of the same shape: eight adjacent elements at a
// time, in transposing tiles, or one by one.
#pragma once
#include "engine/backends/cuda/lowering/shapes.h"

namespace arenascope::cuda {

// One array of a copy: its first element, and its strides in elements, outermost first.
struct Strided {
  char* data;
  Dims strides;
};

Status copy_elements(Queue& queue, const Dims& sizes, const Strided& to, const Strided& from, int element_bytes);

}  // namespace arenascope::cuda
