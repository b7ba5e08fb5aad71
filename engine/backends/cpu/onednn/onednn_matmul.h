// SPDX-License-Identifier: MIT
// Matmuls with constant bf16 weights by oneDNN, which packs them once. Activations are rounded to bf16 (8 bits) too and
// products are summed in float: the error is at most 2^-8 · Σ |a·b|.
#pragma once
#include <memory>

#include "engine/backends/cpu/kernels/gemm.h"

namespace arenascope::cpu {

class OnednnMatmul {
 public:
  virtual ~OnednnMatmul() = default;
  virtual Bytes packed_bytes() const = 0;
  virtual bool pack(const TensorImpl& weight, std::byte* to) = 0;
  // True if that many rows in that many chunks, each a range of rows, are worth it.
  virtual bool takes(int64_t rows, int parts) const = 0;
  // c[rows, columns of the weights] = b · weightsᵀ. Scratch: onednn_matmul_work(). False: not computed.
  virtual bool compute(Range rows, const Lines& b, const std::byte* packed, std::byte* scratch, float* c) = 0;
};

// Null if the library is absent or not faster.
std::unique_ptr<OnednnMatmul> make_onednn_matmul(const TensorImpl& node);
// Scratch per chunk; 0 for matmuls that never use the library.
Bytes onednn_matmul_work(const TensorImpl& node);

}  // namespace arenascope::cpu
