// SPDX-License-Identifier: MIT
// Conversion of block-quantised rows from and to floats. The layouts are ggml's blocks in memory, little endian.
#pragma once
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::cpu {

// `n` values, a multiple of the type's block size, from consecutive blocks.
void dequantise(DType type, const std::byte* blocks, float* to, int64_t n);

// `n` values, a multiple of 32, as q8_0: each block's largest magnitude becomes 127, all values are rounded to the
// nearest integer, halves away from zero.
void quantise_q8_0(const float* values, std::byte* to, int64_t n);

// The values of innermost row `row` of a quantised tensor (rows in row-major order over the other dimensions).
void dequantise_row(const TensorImpl& tensor, int64_t row, float* to);

}  // namespace arenascope::cpu
