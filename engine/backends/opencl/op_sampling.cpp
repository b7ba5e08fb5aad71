// SPDX-License-Identifier: MIT
#include <algorithm>

#include "engine/backends/opencl/ops.h"

namespace arenascope::opencl {
namespace {

// [N, d, h, w, coordinates]; missing outer spatial dimensions have size 1.
Layout grid_layout(const TensorImpl& grid) {
  const int missing = 5 - grid.rank();
  int64_t sizes[5], strides[5];
  for (int d = 0; d < 5; ++d) {
    const bool made = d > 0 && d <= missing;
    sizes[d] = made ? 1 : grid.sizes[d > 0 ? d - missing : 0];
    strides[d] = made ? 0 : grid.strides[d > 0 ? d - missing : 0];
  }
  return made_layout(grid.dtype, sizes, strides);
}

}  // namespace

Status run_sampling(KernelContext& ctx, const TensorImpl& node) {
  constexpr int64_t kEnough = 4096;  // work items; with more than that, each takes several channels
  const TensorImpl &image = *node.sources[0], &grid = *node.sources[1];
  const auto p = node.params.get<GridSampleParams>();
  const int64_t channels = node.sizes[1];
  const int64_t positions = channels > 0 ? node.element_count() / channels : 0;  // positions of all images
  const int64_t groups =
      std::clamp<int64_t>(kEnough / std::max<int64_t>(positions, 1), 1, std::max<int64_t>(channels, 1));
  const int64_t together = (channels + groups - 1) / groups;
  const int64_t n = together > 0 ? positions * ((channels + together - 1) / together) : 0;
  return Call(ctx, "sampling", "", "grid_sample")
      .tensor(image, five_dimensions(image))
      .tensor(grid, grid_layout(grid))
      .tensor(node, five_dimensions(node))
      .arg(cl_long(n))
      .arg(cl_int(node.rank() - 2))
      .arg(cl_int(together))
      .arg(static_cast<cl_int>(p.mode))
      .arg(static_cast<cl_int>(p.padding))
      .arg(cl_int(p.align_corners))
      .items(n);
}

}  // namespace arenascope::opencl
