// SPDX-License-Identifier: MIT
// ONNX operators that sample images at fractional coordinates.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <vector>

namespace arenascope::models {
namespace {

void grid_sample(OpCall& c) {
  const std::string mode = c.attr_string("mode", c.opset() < 20 ? "bilinear" : "linear");
  const std::string padding = c.attr_string("padding_mode", "zeros");
  GridSampleParams p{ResizeMode::Linear, GridPadding::Zeros, c.attr_int("align_corners", 0) != 0};
  if (mode == "nearest")
    p.mode = ResizeMode::Nearest;
  else if (mode == "bicubic" || mode == "cubic")
    p.mode = ResizeMode::Cubic;
  else if (mode != "bilinear" && mode != "linear")
    return c.fail(fmt::format("the mode '{}' is not supported", mode));
  if (padding == "border")
    p.padding = GridPadding::Border;
  else if (padding == "reflection")
    p.padding = GridPadding::Reflection;
  else if (padding != "zeros")
    return c.fail(fmt::format("the padding_mode '{}' is not supported", padding));
  c.out(0, c.op_with(Op::GridSample, {c.in(0), c.in(1)}, p));
}

// Normalised coordinates of `size` elements in [-1, 1]: at the elements' centres, or from corner to corner.
std::vector<double> indices(int64_t size, bool corners) {
  std::vector<double> out;
  for (int64_t i = 0; i < size; ++i)
    out.push_back(corners ? (size == 1 ? -1 : -1 + 2 * static_cast<double>(i) / static_cast<double>(size - 1))
                          : (2 * static_cast<double>(i) + 1) / static_cast<double>(size) - 1);
  return out;
}

// grid[n, …, :] = theta[n]·(…, y, x, 1), the innermost coordinate first.
void affine_grid(OpCall& c) {
  const Tensor theta = c.in_f32(0);
  const auto size = c.ints(1);
  if (!theta || !size) return;
  const int spatial = static_cast<int>(size->size()) - 2;
  if (spatial < 2 || spatial > 3 || theta->rank() != 3 ||
      !(theta.sizes() == Dims{(*size)[0], spatial, static_cast<int64_t>(spatial) + 1}))
    return c.fail(
        fmt::format("its matrices {} do not match {} output sizes: expected [N, 2, 3] with 4, or [N, 3, 4] with 5",
                    to_string(theta.sizes()), size->size()));
  Dims sizes;
  for (int d = 0; d < spatial; ++d) sizes.push_back((*size)[static_cast<size_t>(d) + 2]);
  auto count = checked_element_count(sizes);
  if (!count) return c.fail(count.error().message);
  std::vector<Tensor> coordinates;
  for (int d = spatial - 1; d >= 0; --d) {
    if (sizes[d] > HostArray::kMaxElements)
      return c.fail(fmt::format("a side of {} elements is not supported", sizes[d]));
    HostArray line = HostArray::make(DType::F32, {sizes[d]});
    const auto at = indices(sizes[d], c.attr_int("align_corners", 0) != 0);
    for (int64_t i = 0; i < sizes[d]; ++i) line.set(i, at[static_cast<size_t>(i)]);
    Dims along = Dims::filled(spatial + 1, 1), all = sizes;
    along[d] = sizes[d];
    all.push_back(1);
    const std::string suffix = fmt::format(":axis_{}", d);
    coordinates.push_back(
        c.expand(c.reshape(c.constant(std::move(line), suffix.c_str()), along, (suffix + "_line").c_str()), all,
                 (suffix + "_all").c_str()));
  }
  Dims ones = sizes;
  ones.push_back(1);
  OpParams one;
  one.set(FillParams{ones, DType::F32, 1, 0});
  coordinates.push_back(c.apply(Op::Fill, std::span<const Tensor>{}, one, ":ones"));
  const Tensor points = c.op_list(Op::Concat, std::span<const Tensor>(coordinates), AxisParams{spatial}, ":points");
  if (!points) return;
  // [N, count, spatial] = points [count, spatial + 1] times theta [N, spatial, spatial + 1].
  const Tensor grid = c.mul_mat(theta, c.reshape(points, {1, *count, spatial + 1}, ":flat"), {}, 1, ":grid");
  Dims result = {(*size)[0]};
  for (int d = 0; d < spatial; ++d) result.push_back(sizes[d]);
  result.push_back(spatial);
  const Tensor shaped = c.reshape(grid, result, ":shaped");
  c.out(0, c.cast(shaped, c.value(0).dtype));
}

constexpr HandlerEntry kSamplingHandlers[] = {
    {"AffineGrid", affine_grid},
    {"GridSample", grid_sample},
};

}  // namespace

std::span<const HandlerEntry> grid_sample_handlers() { return kSamplingHandlers; }

}  // namespace arenascope::models
