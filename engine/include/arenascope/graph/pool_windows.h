// SPDX-License-Identifier: MIT
// Non-overlapping windows that cover the whole source. Each element belongs to exactly one window, so the result of a
// window may be written in place once the window has been read.
#pragma once
#include <arenascope/graph/op.h>
#include <arenascope/graph/op_params.h>

namespace arenascope {

// `node` is a MAX_POOL_BACK(x, dy).
inline bool windows_are_apart(const TensorImpl& node) {
  const auto p = node.params.get<PoolParams>();
  const TensorImpl &x = *node.sources[0], &dy = *node.sources[1];
  for (int i = 0; i < p.spatial; ++i)
    if (p.kernel[i] != p.strides[i] || p.dilations[i] != 1 || p.pads_begin[i] != 0 || p.pads_end[i] != 0 ||
        x.sizes[i + 2] != p.kernel[i] * dy.sizes[i + 2])
      return false;
  return true;
}

}  // namespace arenascope
