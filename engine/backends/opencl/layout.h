// SPDX-License-Identifier: MIT
// Where a tensor's elements lie, in the form that kernels take (kernels/common.cl has the same struct).
#pragma once
#include <span>

#include <arenascope/tensor/tensor_impl.h>

namespace arenascope::opencl {

struct Layout {
  int64_t offset = 0;  // elements from the buffer's start
  int64_t size[8] = {};
  int64_t stride[8] = {};  // elements
  int32_t rank = 0;
  int32_t type = 0;

  int64_t count() const {
    int64_t n = 1;
    for (int d = 0; d < rank; ++d) n *= size[d];
    return n;
  }
};
static_assert(sizeof(Layout) == 144);

// The tensor as it is; its offset is set when its buffer is known.
Layout layout_of(const TensorImpl& tensor);
// The tensor as it is read when broadcast to `sizes`: aligned at the innermost, stride 0 where it repeats.
Layout broadcast_layout(const TensorImpl& tensor, const Dims& sizes);
// Two leading dimensions and three spatial ones, with ones in front of the spatial ones where there are fewer.
Layout five_dimensions(const TensorImpl& tensor);
// Sizes and strides made up by the caller.
Layout made_layout(DType type, std::span<const int64_t> sizes, std::span<const int64_t> strides);
// What MNN's onAcquire asks of a buffer pool for a tensor [N, C, H, W], as its kernels read whole vectors of channels, and
// of rows and columns, beyond the end; with subgroups in blocks of `pack` channels, rows of whole fours. Bytes.
Bytes packed_room(const Dims& sizes, Bytes element_bytes, int pack = 0);
// Without one dimension, whose stride is returned.
Layout without(Layout layout, int axis, int64_t* stride);
// Layouts over the same sizes: drops dimensions of size 1 and joins neighbours that all of them step through evenly.
void collapse(std::initializer_list<Layout*> layouts);

}  // namespace arenascope::opencl
