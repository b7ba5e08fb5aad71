// SPDX-License-Identifier: MIT
// MUL_MAT with block-quantised weights packed by prepare(): rows of activations are quantised on the fly and multiplied
// by integer dot products. quant_kernels.h states the error.
#pragma once
#include "engine/backends/cpu/kernels/gemm.h"
#include "engine/backends/cpu/quant/quant_kernels.h"

namespace arenascope::cpu {

// Packed layout of the weights of a MUL_MAT; false: they are not packed.
bool quant_layout(const TensorImpl& node, QuantLayout& layout);
// Scratch per chunk.
Bytes quant_product_work(const TensorImpl& node);
Bytes quant_rows_work(const QuantLayout& layout, int64_t rows);  // for that many rows
// C[rows, columns] = B·Wᵀ. False: a row has a non-finite value; the caller computes it in float.
bool quant_product(const QuantPanels& packed, Range rows, Range columns, const Lines& b, std::byte* scratch, float* c,
                   int64_t c_stride);

}  // namespace arenascope::cpu
