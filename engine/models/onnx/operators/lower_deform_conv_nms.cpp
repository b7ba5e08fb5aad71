// SPDX-License-Identifier: MIT
// ONNX operators of detectors: convolutions whose taps move, and boxes that stay.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace arenascope::models {
namespace {

// An f32 constant of shape `sizes`.
Tensor numbers(OpCall& c, const Dims& sizes, const std::vector<double>& values, const std::string& at) {
  HostArray out = HostArray::make(DType::F32, sizes);
  for (size_t i = 0; i < values.size(); ++i) out.set(static_cast<int64_t>(i), values[i]);
  return c.constant(std::move(out), at.c_str());
}

// A deformable convolution: the elements of each tap are sampled at its offset, then multiplied by the weight as a matmul.
struct Deform {
  Tensor x, w, offset, bias, mask;
  ConvParams p{};
  int64_t offset_groups = 1, taps = 1, out[2] = {};
};

bool read_deform(OpCall& c, Deform& d) {
  d.x = c.in_f32(0), d.w = c.in_f32(1), d.offset = c.in_f32(2);
  if (c.has(3)) d.bias = c.in_f32(3);
  if (c.has(4)) d.mask = c.in_f32(4);
  if (!c.ok() || !d.x || !d.w || !d.offset) return false;
  if (d.x->rank() != 4 || d.offset->rank() != 4) {
    c.fail(fmt::format("the input has {} dimensions, or its offset other than 4: expected 4", d.x->rank()));
    return false;
  }
  if (!read_convolution(c, d.x.sizes(), d.w.sizes(), d.p)) return false;
  const Dims &x = d.x.sizes(), &w = d.w.sizes(), &o = d.offset.sizes();
  d.offset_groups = c.attr_int("offset_group", 1);
  d.taps = w[2] * w[3];
  for (int i = 0; i < 2; ++i) {
    const int64_t reach = x[i + 2] + d.p.pads_begin[i] + d.p.pads_end[i] - (w[i + 2] - 1) * d.p.dilations[i] - 1;
    d.out[i] = reach < 0 ? 0 : reach / d.p.strides[i] + 1;
  }
  const int64_t groups = d.p.groups;
  const bool fits = d.offset_groups >= 1 && d.offset_groups <= x[1] && x[1] % d.offset_groups == 0 &&
                    x[1] == w[1] * groups && w[0] % groups == 0 && d.taps <= 1 << 12 &&
                    o == Dims{x[0], d.offset_groups * d.taps * 2, d.out[0], d.out[1]} && element_count(o) > 0 &&
                    (!d.mask || d.mask.sizes() == Dims{x[0], d.offset_groups * d.taps, d.out[0], d.out[1]}) &&
                    (!d.bias || d.bias.sizes() == Dims{w[0]});
  if (!fits)
    c.fail(fmt::format("the offsets {} do not match the input {} and the weight {}", to_string(o), to_string(x),
                       to_string(w)));
  if (d.taps * d.out[0] * d.out[1] > HostArray::kMaxElements * 16)
    c.fail(fmt::format("{} taps at {} × {} positions exceed the limit of a constant", d.taps, d.out[0], d.out[1]));
  return c.ok();
}

// Coordinates of the taps along one dimension as a sampling grid, [N·groups, taps, out, out, 1]: element e of n is (2e + 1)/n - 1.
Tensor tap_indices(OpCall& c, const Deform& d, const Tensor& offsets, int i, const std::string& name) {
  std::vector<double> base;
  const int64_t columns = d.w.sizes()[3];
  for (int64_t t = 0; t < d.taps; ++t)
    for (int64_t y = 0; y < d.out[0]; ++y)
      for (int64_t x = 0; x < d.out[1]; ++x)
        base.push_back(static_cast<double>((i == 0 ? t / columns : t % columns) * d.p.dilations[i] +
                                           (i == 0 ? y : x) * d.p.strides[i] - d.p.pads_begin[i]));
  const Tensor taps = numbers(c, {1, d.taps, d.out[0], d.out[1], 1}, base, name + "_taps");
  const Dims sizes{d.x.sizes()[0] * d.offset_groups, d.taps, d.out[0], d.out[1], 1};
  const Tensor own = c.reshape(
      c.op(Op::Cont, {c.slice(offsets, 2, i, i + 1, 1, (name + "_slice").c_str())}, (name + "_offsets").c_str()), sizes,
      (name + "_own").c_str());
  const auto length = static_cast<float>(d.x.sizes()[i + 2]);
  return c.op_with(Op::Scale, {c.op(Op::Add, {own, taps}, (name + "_element").c_str())},
                   ScaleParams{2 / length, 1 / length - 1}, name.c_str());
}

void deform_conv(OpCall& c) {
  Deform d;
  if (!read_deform(c, d)) return;
  const Dims &x = d.x.sizes(), &w = d.w.sizes();
  const int64_t n = x[0], each = n * d.offset_groups, indices = d.out[0] * d.out[1], groups = d.p.groups;
  const Tensor offsets = c.reshape(d.offset, {each, d.taps, 2, d.out[0], d.out[1]}, ":offsets");
  const Tensor both[] = {tap_indices(c, d, offsets, 1, ":x"), tap_indices(c, d, offsets, 0, ":y")};
  if (!c.ok()) return;
  const Tensor grid =
      c.reshape(c.op_list(Op::Concat, both, AxisParams{4}, ":places"), {each, d.taps * d.out[0], d.out[1], 2}, ":grid");
  const Tensor image = c.reshape(d.x, {each, x[1] / d.offset_groups, x[2], x[3]}, ":images");
  Tensor taps = c.op_with(Op::GridSample, {image, grid},
                          GridSampleParams{ResizeMode::Linear, GridPadding::Zeros, false}, ":sampled");
  if (d.mask && taps) {
    const Tensor cells = c.reshape(taps, {each, x[1] / d.offset_groups, d.taps, indices}, ":cells");
    taps = c.op(Op::Mul, {cells, c.reshape(d.mask, {each, 1, d.taps, indices}, ":mask")}, ":masked");
  }
  if (!taps) return;
  const int64_t terms = x[1] / groups * d.taps;
  const Tensor columns = c.reshape(taps, {n, groups, terms, indices}, ":columns");
  const Tensor rows = c.reshape(d.w, {1, groups, w[0] / groups, terms}, ":weights");
  if (!columns || !rows) return;
  Tensor y = c.reshape(c.mul_mat(c.op(Op::Transpose, {columns}, ":columns_t"), rows, {}, 1, ":made"),
                       {n, w[0], d.out[0], d.out[1]}, ":y_made");
  if (d.bias && y) y = c.op(Op::Add, {y, c.reshape(d.bias, {1, w[0], 1, 1}, ":bias")}, ":biased");
  if (y) c.out(0, c.cast(c.op(Op::Copy, {y}, c.value(0).dtype == DType::F32 ? "" : ":y"), c.value(0).dtype));
}

struct Box {
  double y1, x1, y2, x2;
  double area() const { return (y2 - y1) * (x2 - x1); }
};

Box box_at(const HostArray& boxes, int64_t first, bool by_center) {
  const double a = boxes.number(first), b = boxes.number(first + 1), p = boxes.number(first + 2),
               q = boxes.number(first + 3);
  if (by_center) return {b - q / 2, a - p / 2, b + q / 2, a + p / 2};
  return {std::min(a, p), std::min(b, q), std::max(a, p), std::max(b, q)};
}

double overlap(const Box& a, const Box& b) {
  const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1),
               width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (!(height > 0) || !(width > 0)) return 0;
  const double both = height * width, all = a.area() + b.area() - both;
  return all > 0 ? both / all : 0;
}

// Boxes in order of descending score, without those that overlap a better one. The output size depends on the values, so
// that they must be known.
void non_max_suppression(OpCall& c) {
  const auto boxes = c.known(0), scores = c.known(1);
  if (!boxes || !scores) return c.wait_for(boxes ? 1 : 0, "how many boxes stay must be known at compile time", true);
  const Dims &b = boxes->sizes, &s = scores->sizes;
  if (b.rank() != 3 || s.rank() != 3 || b[2] != 4 || b[0] != s[0] || b[1] != s[2])
    return c.fail(fmt::format("the boxes {} do not match the scores {}", to_string(b), to_string(s)));
  const auto number = [&](size_t i, double fallback) {
    const auto given = c.floats(i);
    return given && given->size() == 1 ? (*given)[0] : fallback;
  };
  const double most = number(2, 0), threshold = number(3, 0);
  const bool min_known = c.has(4);
  const double least = number(4, 0);
  const bool by_center = c.attr_int("center_point_box", 0) != 0;
  if (!c.ok()) return;
  std::vector<int64_t> rows;
  for (int64_t batch = 0; batch < s[0]; ++batch)
    for (int64_t kind = 0; kind < s[1]; ++kind) {
      const int64_t first = (batch * s[1] + kind) * s[2];
      std::vector<int64_t> order;
      for (int64_t i = 0; i < s[2]; ++i)
        if (!min_known || scores->number(first + i) > least) order.push_back(i);
      const auto key = [&](int64_t i) {  // NaN comes last
        const double score = scores->number(first + i);
        return std::isnan(score) ? -std::numeric_limits<double>::infinity() : score;
      };
      std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) { return key(x) > key(y); });
      std::vector<Box> kept;
      for (const int64_t i : order) {
        if (static_cast<double>(kept.size()) >= most) break;
        const Box box = box_at(*boxes, (batch * s[2] + i) * 4, by_center);
        if (std::any_of(kept.begin(), kept.end(), [&](const Box& k) { return overlap(k, box) > threshold; })) continue;
        kept.push_back(box);
        rows.insert(rows.end(), {batch, kind, i});
      }
    }
  HostArray out = HostArray::of(rows);
  out.sizes = {static_cast<int64_t>(rows.size() / 3), 3};
  c.out(0, std::move(out));
}

constexpr HandlerEntry kRegionsHandlers[] = {
    {"DeformConv", deform_conv},
    {"NonMaxSuppression", non_max_suppression},
};

}  // namespace

std::span<const HandlerEntry> deform_conv_nms_handlers() { return kRegionsHandlers; }

}  // namespace arenascope::models
