// SPDX-License-Identifier: MIT
#include "engine/backends/opencl/layout.h"

#include <algorithm>

namespace arenascope::opencl {

Layout layout_of(const TensorImpl& tensor) {
  return made_layout(tensor.dtype, tensor.sizes.span(), tensor.strides.span());
}

Layout broadcast_layout(const TensorImpl& tensor, const Dims& sizes) {
  Layout out;
  out.type = static_cast<int32_t>(tensor.dtype);
  out.rank = sizes.rank();
  const int shift = sizes.rank() - tensor.rank();
  for (int d = 0; d < sizes.rank(); ++d) {
    out.size[d] = sizes[d];
    out.stride[d] = d < shift || tensor.sizes[d - shift] == 1 ? 0 : tensor.strides[d - shift];
  }
  return out;
}

Layout five_dimensions(const TensorImpl& tensor) {
  Layout in = layout_of(tensor), out = in;
  const int missing = 5 - in.rank;
  out.rank = 5;
  for (int d = 4; d >= 2; --d) {
    out.size[d] = d - missing >= 2 ? in.size[d - missing] : 1;
    out.stride[d] = d - missing >= 2 ? in.stride[d - missing] : 0;
  }
  return out;
}

Layout made_layout(DType type, std::span<const int64_t> sizes, std::span<const int64_t> strides) {
  Layout out;
  out.type = static_cast<int32_t>(type);
  out.rank = static_cast<int32_t>(sizes.size());
  std::copy(sizes.begin(), sizes.end(), out.size);
  std::copy(strides.begin(), strides.end(), out.stride);
  return out;
}

Layout without(Layout layout, int axis, int64_t* stride) {
  *stride = layout.stride[axis];
  for (int d = axis; d + 1 < layout.rank; ++d) {
    layout.size[d] = layout.size[d + 1];
    layout.stride[d] = layout.stride[d + 1];
  }
  --layout.rank;
  return layout;
}

void collapse(std::initializer_list<Layout*> layouts) {
  const Layout& first = **layouts.begin();
  int kept = 0;
  const int rank = first.rank;
  for (int d = 0; d < rank; ++d) {
    const int64_t size = first.size[d];
    if (size == 1) continue;
    const bool joins = kept > 0 && std::all_of(layouts.begin(), layouts.end(), [&](const Layout* l) {
                         return l->stride[kept - 1] == l->stride[d] * size;
                       });
    if (!joins) ++kept;
    const int64_t joined = joins ? first.size[kept - 1] * size : size;
    for (Layout* l : layouts) {
      l->size[kept - 1] = joined;
      l->stride[kept - 1] = l->stride[d];
    }
  }
  for (Layout* l : layouts) l->rank = kept;
}

Bytes padded_bytes(const Dims& sizes, Bytes element_bytes, int pack) {
  const auto up = [](int64_t n, int64_t unit) { return (n + unit - 1) / unit * unit; };
  const int rank = sizes.rank();
  const auto size = [&](int d) { return d < rank ? sizes[d] : int64_t{1}; };
  const int64_t n = size(0), c = size(1), h = size(2), w = size(3);
  int64_t count = up(element_count(sizes), 4);
  if (rank > 4) return count * element_bytes;  // MNN has no such tensors
  if (rank >= 2) {
    const int64_t rows = up(h + 3, 4) - h, columns = up(w + 3, 4) - w;
    count = n * up(c, 8) * w * h + rows * w * 4 + columns * 4;
  }
  if (pack > 0) count = up((c + pack - 1) / pack, 2) * up(w, 4) * (n * h) * pack;
  return count * element_bytes;
}

}  // namespace arenascope::opencl
