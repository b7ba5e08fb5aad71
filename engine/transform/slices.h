// SPDX-License-Identifier: MIT
// Views that are a contiguous range of one dimension of a row-major tensor, as produced by SPLIT and SLICE.
#pragma once
#include <optional>

#include <arenascope/graph/op_params.h>
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

// The index along `axis` of the source at which such a view begins; none if the view is of another kind.
inline std::optional<int64_t> slice_begin(const TensorImpl& view, int axis) {
  if (view.op != Op::View || view.rank() != view.sources[0]->rank() || axis >= view.rank()) return std::nullopt;
  const TensorImpl& from = *view.sources[0];
  const auto p = view.params.get<ViewParams>();
  const Dims strides = contiguous_strides(Dims(from.sizes));
  if (!from.contiguous() || strides[axis] == 0 || !(p.strides == strides)) return std::nullopt;
  for (int d = 0; d < view.rank(); ++d)
    if (d != axis && view.sizes[d] != from.sizes[d]) return std::nullopt;
  const int64_t first = p.offset / strides[axis];
  if (p.offset % strides[axis] != 0 || first + view.sizes[axis] > from.sizes[axis]) return std::nullopt;
  return first;
}

}  // namespace arenascope
