// SPDX-License-Identifier: MIT
// Products with constant f32 and bf16 weights given to oneDNN, which packs them once. Like bf16 weights, the numbers
// that are multiplied with them are rounded to bf16 (8 bits), products are summed in floats: a result's error is then
// at most 2^-8 · Σ |a·b|.
#pragma once
#include <memory>

#include "engine/backends/cpu/kernels/gemm.h"

namespace arenascope::cpu {

class LibraryProduct {
 public:
  virtual ~LibraryProduct() = default;
  virtual Bytes packed_bytes() const = 0;
  virtual bool pack(const TensorImpl& weight, std::byte* to) = 0;
  // Whether so many rows in so many parts, each a run of rows, are worth it.
  virtual bool takes(int64_t rows, int parts) const = 0;
  // c[rows, columns of the weights] = b · weightsᵀ. Scratch: library_product_work(). False: not done.
  virtual bool compute(Range rows, const Lines& b, const std::byte* packed, std::byte* scratch, float* c) = 0;
};

// Null where the library is absent, or does it no better.
std::unique_ptr<LibraryProduct> make_library_product(const TensorImpl& node);
// Scratch of one part; 0 for products that the library never gets.
Bytes library_product_work(const TensorImpl& node);

}  // namespace arenascope::cpu
