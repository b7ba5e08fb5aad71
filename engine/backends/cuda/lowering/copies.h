// SPDX-License-Identifier: MIT
// Copying elements of 1, 2, 4, 8 or 16 bytes between two strided arrays of one shape: eight neighbours at a time, in
// tiles where rows become columns, or one by one.
#pragma once
#include "engine/backends/cuda/lowering/shapes.h"

namespace arenascope::cuda {

// One array of a copy: where its first element lies, and its strides in elements, outermost first.
struct Strided {
  char* data;
  Dims strides;
};

Status copy_elements(Queue& queue, const Dims& sizes, const Strided& to, const Strided& from, int element_bytes);

}  // namespace arenascope::cuda
