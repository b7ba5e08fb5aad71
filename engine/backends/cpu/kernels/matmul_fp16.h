// SPDX-License-Identifier: MIT
// Matmul of float16 weights with many rows by bf16 pair dot products (AVX-512 VDPBF16PS), at twice the rate of float
// FMA. Both sides are rounded to bf16 (relative error 2^-9) and summed in float. A block of weights is rounded once for
// all rows and stays in L2; rows are packed once per chunk.
#pragma once
#include "engine/backends/cpu/kernels/gemm.h"

namespace arenascope::cpu {

// True if the CPU has the instructions and the node is such a matmul: one matrix of constant float16 weights.
bool is_fp16_matmul(const TensorImpl& node);
// Scratch per chunk; 0: not such a matmul.
Bytes fp16_matmul_work(const TensorImpl& node);

// c[r, n] = Σ left[r, k] · right[n, k] for all `rows` and the given columns. `left` is float and `right` float16, both
// with stride 1. False: another layout.
bool fp16_matmul(int64_t rows, Range columns, int64_t depth, const Lines& left, const Lines& right, std::byte* scratch,
                 float* c, int64_t c_stride);

}  // namespace arenascope::cpu
