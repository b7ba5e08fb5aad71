// SPDX-License-Identifier: MIT
// Memory layout of a tensor, in the form that kernels take (the same struct as in kernels/common.cl).
#pragma once
#include <span>

#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::opencl {

struct Layout {
  int64_t offset = 0;  // in elements, from the buffer's start
  int64_t size[8] = {};
  int64_t stride[8] = {};  // in elements
  int32_t rank = 0;
  int32_t type = 0;

  int64_t count() const {
    int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= size[d];
    return n;
  }
};
static_assert(sizeof(Layout) == 144);

// The tensor's layout; its offset is set when its buffer is known.
Layout layout_of(const TensorImpl& tensor);
// The tensor broadcast to `sizes`: aligned at the innermost dimension, stride 0 where it repeats.
Layout broadcast_layout(const TensorImpl& tensor, const Dims& sizes);
// Two leading and three spatial dimensions; missing outer spatial ones have size 1.
Layout five_dimensions(const TensorImpl& tensor);
// A layout with explicit sizes and strides.
Layout made_layout(DType type, std::span<const int64_t> sizes, std::span<const int64_t> strides);
// Bytes that MNN's onAcquire requests from its buffer pool for a tensor [N, C, H, W], whose kernels read full vectors
// of channels, rows and columns beyond the end; with subgroups in blocks of `pack` channels, with rows of multiples of
// four.
Bytes padded_bytes(const Dims& sizes, Bytes element_bytes, int pack = 0);
// The layout without one dimension, whose stride is returned.
Layout without(Layout layout, int axis, int64_t* stride);
// Layouts over the same sizes: drops dimensions of size 1 and merges neighbours that are contiguous in all of them.
void collapse(std::initializer_list<Layout*> layouts);

}  // namespace arenascope::opencl
