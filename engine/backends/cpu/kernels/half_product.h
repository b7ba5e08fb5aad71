// SPDX-License-Identifier: MIT
// Products of float16 weights and many rows by dot products of pairs of bf16 numbers (AVX-512's VDPBF16PS), which are twice as
// many at once as float products: both sides are rounded to bf16, 2^-9 of each number, and summed as floats. A block of weights
// is rounded once for all rows and stays in the second-level cache; rows are packed once for each part.
#pragma once
#include "engine/backends/cpu/kernels/gemm.h"

namespace arenascope::cpu {

// Whether the processor has the instructions, and the node is such a product: one matrix of constant float16 weights.
bool is_half_product(const TensorImpl& node);
// Scratch of a part; 0: it is none.
Bytes half_product_work(const TensorImpl& node);

// c[r, n] = Σ left[r, k] · right[n, k] for all `rows` and the given columns. `left` are floats and `right` float16, both with
// neighbours side by side. False: they lie otherwise.
bool half_product(int64_t rows, Range columns, int64_t depth, const Lines& left, const Lines& right, std::byte* scratch,
                  float* c, int64_t c_stride);

}  // namespace arenascope::cpu
