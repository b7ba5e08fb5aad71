// SPDX-License-Identifier: MIT
// Whether kernels may read a tensor's elements as what they are: bytes that are borrowed from a file may lie anywhere.
#pragma once
#include <arenascope/tensor/dtype.h>
#include <arenascope/tensor/tensor_impl.h>

#include <cstddef>
#include <cstdint>

namespace arenascope {

// What an element's address is a multiple of. Blocks of quantised types begin with 16-bit scales.
inline size_t element_alignment(DType dtype) {
  return info(dtype).quantised ? 2 : static_cast<size_t>(element_bytes(dtype));
}

inline bool is_aligned(const TensorImpl& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data()) % element_alignment(tensor.dtype) == 0;
}

}  // namespace arenascope
