// SPDX-License-Identifier: MIT
// Dense matmuls by oneDNN; each call computes one thread's slice on that thread alone. Without the library every
// function here declines, and the kernels compute the node.
#pragma once
#include <memory>

#include "engine/backends/cpu/kernels/gemm.h"

namespace arenascope::cpu {

// True if the build has oneDNN.
bool onednn_present();

// C[rows, columns] = L·Rᵀ, where row i of `right` is column i of the result. False: not computed.
bool onednn_matmul(Range rows, Range columns, int64_t depth, const Lines& left, const Lines& right, float* c,
                   int64_t c_stride);

}  // namespace arenascope::cpu
