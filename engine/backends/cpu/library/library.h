// SPDX-License-Identifier: MIT
// Dense work given to oneDNN, each call for one thread's slice and on that thread alone. Without the library every
// function here declines, and the kernels do it themselves.
#pragma once
#include <memory>

#include "engine/backends/cpu/kernels/gemm.h"

namespace arenascope::cpu {

// Whether there is one.
bool library_present();

// C[rows, columns] = L·Rᵀ where both sides are lines of floats (line i of `right` is column i). False: not done.
bool library_product(Range rows, Range columns, int64_t depth, const Lines& left, const Lines& right, float* c,
                     int64_t c_stride);

}  // namespace arenascope::cpu
