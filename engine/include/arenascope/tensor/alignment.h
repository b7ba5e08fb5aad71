// SPDX-License-Identifier: MIT
// Alignment checks for typed access to a tensor's elements: bytes borrowed from a file may have any alignment.
#pragma once
#include <arenascope/tensor/dtype.h>
#include <arenascope/tensor/tensor_impl.h>

#include <cstddef>
#include <cstdint>

namespace arenascope {

// The alignment of an element in bytes. Blocks of quantised types begin with 16-bit scales.
inline size_t element_alignment(DType dtype) {
  return info(dtype).quantised ? 2 : static_cast<size_t>(element_bytes(dtype));
}

inline bool is_aligned(const TensorImpl& tensor) {
  return reinterpret_cast<uintptr_t>(tensor.data()) % element_alignment(tensor.dtype) == 0;
}

}  // namespace arenascope
