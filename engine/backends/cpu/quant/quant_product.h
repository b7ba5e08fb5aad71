// SPDX-License-Identifier: MIT
// MUL_MAT with block-quantised weights that prepare() has packed: rows of activations are quantised on the fly, and
// integer dot products do the rest. See quant_kernels.h for the error.
#pragma once
#include "engine/backends/cpu/kernels/gemm.h"
#include "engine/backends/cpu/quant/quant_kernels.h"

namespace arenascope::cpu {

// How the weights of a MUL_MAT are packed; false: they are not.
bool quant_layout(const TensorImpl& node, QuantLayout& layout);
// Scratch of one part.
Bytes quant_product_work(const TensorImpl& node);
Bytes quant_rows_work(const QuantLayout& layout, int64_t rows);  // the same of so many rows
// C[rows, columns] = B·Wᵀ. False: a row holds what is not finite, and the caller has to do it in floats.
bool quant_product(const QuantPanels& packed, Range rows, Range columns, const Lines& b, std::byte* scratch, float* c,
                   int64_t c_stride);

}  // namespace arenascope::cpu
