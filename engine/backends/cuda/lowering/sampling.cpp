// SPDX-License-Identifier: MIT
// GRID_SAMPLE, and rounding to small floating-point formats.
#include "engine/backends/cuda/kernels/grid_sample.h"
#include "engine/backends/cuda/kernels/round_small.h"
#include "engine/backends/cuda/lowering/families.h"
#include "engine/backends/cuda/lowering/shapes.h"

namespace arenascope::cuda {
namespace {

void set_format(RoundSmallWork& work, SmallFloat format) {
  const auto set = [&](int digits, int least, double largest) {
    work.digits = digits;
    work.least = least;
    work.largest = largest;
  };
  switch (format) {
    case SmallFloat::E4M3FN: set(4, -6, 448); break;
    case SmallFloat::E4M3FNUZ: set(4, -7, 240); break;
    case SmallFloat::E5M2: set(3, -14, 57344); break;
    case SmallFloat::E5M2FNUZ: set(3, -15, 57344); break;
    case SmallFloat::E2M1: set(2, 0, 6); break;
    case SmallFloat::E8M0: set(0, -127, 0x1p127); break;
  }
  work.infinity = format == SmallFloat::E5M2;
  work.nan = format != SmallFloat::E2M1;
  work.negative_zero = format == SmallFloat::E4M3FN || format == SmallFloat::E5M2 || format == SmallFloat::E2M1;
}

}  // namespace

Status lower_round_small(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &x = *node.sources[0];
  const auto p = node.params.get<SmallFloatParams>();
  RoundSmallWork work;
  for (int d = node.rank() - 1; d >= 0; --d) add_dimension(work.indexer, node.sizes[d], {x.strides[d]});
  finish(work.indexer);
  work.out = bytes(node);
  work.in = bytes(x);
  work.out_type = node.dtype;
  work.type = x.dtype;
  work.rounding = static_cast<int32_t>(p.rounding);
  work.saturate = p.saturate;
  set_format(work, p.format);
  return request.queue.launch(
      class_of(node.dtype) == NumberClass::Double ? KernelId::round_small_f64 : KernelId::round_small_f32,
      grid_for(request.queue, work.indexer.count), work);
}

Status lower_grid_sample(const LaunchRequest& request) {
  const TensorImpl &node = request.node, &image = *node.sources[0], &grid = *node.sources[1];
  const auto p = node.params.get<GridSampleParams>();
  const int spatial = node.rank() - 2;
  int64_t positions = 1;
  for (int d = 0; d < spatial; ++d) positions *= node.sizes[d + 2];
  GridSampleWork work;
  work.channels = node.sizes[1];
  // One thread handles all channels of a position, unless the device would be underused.
  const int64_t threads_per_position =
      int64_t{request.queue.multiprocessors()} * 1024 / std::max<int64_t>(node.sizes[0] * positions, 1);
  work.together = std::max<int64_t>(work.channels / std::clamp<int64_t>(threads_per_position, 1, work.channels), 1);
  work.spatial = spatial;
  int64_t to = 1;
  for (int d = 2; d >= 0; --d) {
    const int own = d - (3 - spatial);
    add_dimension(work.indexer, own < 0 ? 1 : node.sizes[own + 2], {to, own < 0 ? 0 : grid.strides[own + 1]}, false);
    if (own < 0) continue;
    work.sizes[d] = image.sizes[own + 2];
    work.strides[d] = image.strides[own + 2];
    to *= node.sizes[own + 2];
  }
  work.out_channel = positions;
  const int64_t groups = (work.channels + work.together - 1) / work.together;
  add_dimension(work.indexer, groups, {work.together * positions, 0}, false);
  add_dimension(work.indexer, node.sizes[0], {work.channels * positions, grid.strides[0]}, false);
  finish(work.indexer);
  work.out = bytes(node);
  work.image = bytes(image);
  work.grid = bytes(grid);
  work.out_type = node.dtype;
  work.image_type = image.dtype;
  work.grid_type = grid.dtype;
  work.image_batch = image.strides[0];
  work.image_channel = image.strides[1];
  work.grid_coordinate = grid.strides.back();
  work.mode = static_cast<int32_t>(p.mode);
  work.padding = static_cast<int32_t>(p.padding);
  work.corners = p.align_corners;
  return request.queue.launch(
      class_of(node.dtype) == NumberClass::Double ? KernelId::grid_sample_f64 : KernelId::grid_sample_f32,
      grid_for(request.queue, work.indexer.count), work);
}

}  // namespace arenascope::cuda
