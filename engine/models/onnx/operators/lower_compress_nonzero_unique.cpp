// SPDX-License-Identifier: MIT
// ONNX operators whose output size depends on values that must be known when the model is opened: selected, counted or
// located elements. The elements themselves are gathered at run time.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace arenascope::models {
namespace {

// `x` flattened, or unchanged if an axis is given.
Tensor lined_up(OpCall& c, const Tensor& x, int& axis) {
  if (!c.has_attr("axis")) {
    axis = 0;
    return c.reshape(x, {x->element_count()}, ":line");
  }
  axis = c.axis(c.attr_int("axis", 0), x->rank());
  return c.ok() ? x : Tensor();
}

void compress(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  if (!c.known(1)) return c.wait_for(1, "what it keeps must be known at compile time", true);
  const auto condition = c.ints(1);
  int axis = 0;
  const Tensor line = lined_up(c, x, axis);
  if (!line) return;
  if (static_cast<int64_t>(condition->size()) > line.sizes()[axis])
    return c.fail(fmt::format("found {} conditions for {} entries: expected at most one per entry", condition->size(),
                              line.sizes()[axis]));
  std::vector<int64_t> kept;
  for (size_t i = 0; i < condition->size(); ++i)
    if ((*condition)[i] != 0) kept.push_back(static_cast<int64_t>(i));
  c.out(0, c.op_with(Op::Gather, {line, c.constant(HostArray::of(std::move(kept)), ":kept")}, AxisParams{axis}));
}

void non_zero(OpCall& c) {
  const auto x = c.known(0);
  if (!x) return c.wait_for(0, "how many of its numbers are not zero must be known at compile time", true);
  std::vector<int64_t> indices;
  for (int64_t i = 0; i < x->count(); ++i)
    if (x->number(i) != 0) indices.push_back(i);
  const int rank = x->sizes.rank();
  const auto found = static_cast<int64_t>(indices.size());
  HostArray out = HostArray::make(DType::I64, {static_cast<int64_t>(rank), found});
  const Dims strides = contiguous_strides(x->sizes);
  for (int d = 0; d < rank; ++d)
    for (int64_t i = 0; i < found; ++i)
      out.set_integer(d * found + i, indices[static_cast<size_t>(i)] / strides[d] % x->sizes[d]);
  c.out(0, std::move(out));
}

// Entries along an axis that are alike, by their numbers in order.
struct Entries {
  const HostArray& x;
  int axis;  // -1: each element is an entry
  int64_t count, length;

  double number(int64_t entry, int64_t i) const {
    if (axis < 0) return x.number(entry);
    int64_t inner = 1;
    for (int d = axis + 1; d < x.sizes.rank(); ++d) inner *= x.sizes[d];
    return x.number((i / inner * count + entry) * inner + i % inner);
  }
  // -1, 0, 1; NaN comes last and is like itself.
  int compare(int64_t a, int64_t b) const {
    for (int64_t i = 0; i < length; ++i) {
      const double p = number(a, i), q = number(b, i);
      if (p == q || (std::isnan(p) && std::isnan(q))) continue;
      return std::isnan(q) || p < q ? -1 : 1;
    }
    return 0;
  }
};

void unique(OpCall& c) {
  const auto x = c.known(0);
  const Tensor source = c.in(0);
  if (!source) return;
  if (!x) return c.wait_for(0, "how many of its entries differ must be known at compile time", true);
  int axis = 0;
  const Tensor line = lined_up(c, source, axis);
  if (!line) return;
  const int64_t count = line.sizes()[axis];
  const Entries entries{*x, c.has_attr("axis") ? axis : -1, count, count == 0 ? 0 : x->count() / count};
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return entries.compare(a, b) < 0; });
  std::vector<std::vector<int64_t>> groups;  // indices of equal entries, ordered by the first one
  for (const int64_t entry : order) {
    if (groups.empty() || entries.compare(groups.back()[0], entry) != 0) groups.emplace_back();
    groups.back().push_back(entry);
  }
  if (c.attr_int("sorted", 1) == 0)
    std::sort(groups.begin(), groups.end(), [](const auto& a, const auto& b) { return a[0] < b[0]; });
  std::vector<int64_t> first, inverse(static_cast<size_t>(count)), counts;
  for (const auto& group : groups) {
    for (const int64_t entry : group) inverse[static_cast<size_t>(entry)] = static_cast<int64_t>(first.size());
    first.push_back(group[0]);
    counts.push_back(static_cast<int64_t>(group.size()));
  }
  c.out(0, c.op_with(Op::Gather, {line, c.constant(HostArray::of(first), ":first")}, AxisParams{axis}));
  if (c.has_output(1)) c.out(1, HostArray::of(std::move(first)));
  if (c.has_output(2)) c.out(2, HostArray::of(std::move(inverse)));
  if (c.has_output(3)) c.out(3, HostArray::of(std::move(counts)));
}

// Adds overlapping blocks back into the image that they were cut from: a transposed convolution with a kernel that places
// each element of a block.
void col2im(OpCall& c) {
  const Tensor x = c.in(0);
  const auto image = c.ints(1), block = c.ints(2);
  if (!x || !image || !block) return;
  const size_t spatial = image->size();
  const auto numbers = [&](const char* name, size_t count, int64_t fallback) {
    auto given = c.attr_ints(name);
    if (given.empty()) given.assign(count, fallback);
    if (given.size() != count) c.fail(fmt::format("its {} have {} numbers", name, given.size()));
    for (const int64_t v : given)
      if (v < fallback || v > 1 << 24)
        c.fail(fmt::format("its {} contain {}: expected {} to {}", name, v, fallback, 1 << 24));
    given.resize(count);
    return given;
  };
  if (x->rank() != 3 || spatial < 1 || spatial > 3 || block->size() != spatial)
    return c.fail(fmt::format("the input {} does not match blocks of {} dimensions", to_string(x.sizes()), spatial));
  const auto dilations = numbers("dilations", spatial, 1), strides = numbers("strides", spatial, 1);
  const auto pads = numbers("pads", 2 * spatial, 0);
  if (!c.ok()) return;
  ConvParams p{static_cast<int32_t>(spatial), {1, 1, 1}, {1, 1, 1}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}, 1};
  int64_t in_block = 1, blocks = 1;
  Dims kernel, grid, out;
  for (size_t d = 0; d < spatial; ++d) {
    const int64_t k = (*block)[d], size = (*image)[d];
    if (k < 1 || k > 1024 || size < 1 || size > 1 << 24)
      return c.fail(fmt::format("a block size of {} in an image of {} is not supported", k, size));
    const int64_t reach = size + pads[d] + pads[d + spatial] - dilations[d] * (k - 1) - 1;
    if (reach < 0) return c.fail(fmt::format("blocks of {} exceed the padded image of {}", k, size));
    const int64_t count = reach / strides[d] + 1;
    p.strides[d] = static_cast<int32_t>(strides[d]), p.dilations[d] = static_cast<int32_t>(dilations[d]);
    p.pads_begin[d] = static_cast<int32_t>(pads[d]), p.pads_end[d] = static_cast<int32_t>(pads[d + spatial]);
    p.output_padding[d] = static_cast<int32_t>(reach % strides[d]);
    in_block *= k, blocks *= count;
    kernel.push_back(k), grid.push_back(count), out.push_back(size);
  }
  if (in_block > 256 || x.sizes()[1] % in_block != 0 || x.sizes()[2] != blocks)
    return c.fail(fmt::format("{} are not {} blocks of {}", to_string(x.sizes()), blocks, in_block));
  const int64_t channels = x.sizes()[1] / in_block;
  Dims in_sizes = {x.sizes()[0] * channels, in_block}, weight_sizes = {in_block, 1}, result = {x.sizes()[0], channels};
  for (int d = 0; d < static_cast<int>(spatial); ++d)
    in_sizes.push_back(grid[d]), weight_sizes.push_back(kernel[d]), result.push_back(out[d]);
  HostArray weight = HostArray::make(DType::F32, weight_sizes);
  for (int64_t i = 0; i < in_block; ++i) weight.set(i * in_block + i, 1);
  const Tensor laid = c.op_with(
      Op::ConvTranspose,
      {c.reshape(c.cast(x, DType::F32, ":f32"), in_sizes, ":blocks"), c.constant(std::move(weight), ":places")}, p,
      ":laid");
  if (laid) c.out(0, c.cast(c.reshape(laid, result, x.dtype() == DType::F32 ? "" : ":y"), x.dtype()));
}

constexpr HandlerEntry kChoiceHandlers[] = {
    {"Col2Im", col2im},
    {"Compress", compress},
    {"NonZero", non_zero},
    {"Unique", unique},
};

}  // namespace

std::span<const HandlerEntry> compress_nonzero_unique_handlers() { return kChoiceHandlers; }

}  // namespace arenascope::models
