// SPDX-License-Identifier: MIT
// Backward rules of matmul and convolutions.
#include "engine/graph/autodiff_rules.h"

namespace arenascope::autodiff {

// y = s·b·aᵀ + c with a [N, K], b [M, K]: da = s·dyᵀ·b, db = s·dy·a, dc = the sum of dy's rows.
void mul_mat(Backward& b) {
  const auto p = b.y->params.get<MulMatParams>();
  const Tensor left = b.source(0), right = b.source(1);
  if (b.wants(0)) b.give(0, b.g.op_with(Op::MulMat, {b.g.transpose(right), b.g.transpose(b.dy)}, p));
  if (b.wants(1)) b.give(1, b.g.op_with(Op::MulMat, {b.g.transpose(left), b.dy}, p));
  if (b.wants(2)) b.give(2, b.dy);
}

namespace {

// A view with batch and channel dimension swapped.
Tensor exchanged(Backward& b, const Tensor& x) {
  PermuteParams p{};
  for (int i = 0; i < kMaxDims; ++i) p.axes[i] = static_cast<int8_t>(i < 2 ? 1 - i : i);
  return b.g.op_with(Op::Permute, {x}, p);
}
Tensor swapped(Backward& b, const Tensor& x) { return b.g.cont(exchanged(b, x)); }

// The gradient of a convolution's weight [M, C/groups, kernel…] for input `x` [N, C, …] and gradient `dy` [N, M, …]:
// per group the convolution of x with dy, with strides and dilations swapped and batch and channel dimensions swapped.
Tensor weight_share(Backward& b, const Tensor& x, const Tensor& dy, const ConvParams& p, const Dims& kernel) {
  ConvParams turned = p;
  turned.groups = 1;
  for (int i = 0; i < p.spatial; ++i) {
    turned.output_padding[i] = 0;
    turned.strides[i] = p.dilations[i];
    turned.dilations[i] = p.strides[i];
  }
  const int64_t from = x.sizes()[1] / p.groups, to = dy.sizes()[1] / p.groups;
  // Kernels with few output positions are computed along their rows, in any layout.
  bool in_place = p.spatial == 2 && dy->contiguous();
  for (int i = 0; i < p.spatial; ++i)
    in_place = in_place && p.strides[i] == 1 && p.dilations[i] == 1 && kernel[i + 2] <= 4 && dy.sizes()[i + 2] >= 8;
  std::vector<Tensor> parts;
  for (int64_t g = 0; g < p.groups && b.g.ok(); ++g) {
    const bool whole = p.groups == 1;
    const Tensor images = exchanged(b, whole ? x : b.g.slice(x, 1, g * from, (g + 1) * from));
    const Tensor theirs = whole ? dy : b.g.slice(dy, 1, g * to, (g + 1) * to);
    const Tensor window = in_place && whole ? exchanged(b, theirs) : swapped(b, theirs);
    Tensor dw = b.g.op_with(Op::Conv, {images, window}, turned);
    // Rows that are not the start of any window make the result larger than the kernel; they are cut off.
    for (int i = 0; dw && i < p.spatial; ++i)
      if (dw.sizes()[i + 2] > kernel[i + 2]) dw = b.g.slice(dw, i + 2, 0, kernel[i + 2]);
    parts.push_back(swapped(b, dw));
  }
  return parts.size() == 1 ? parts[0] : b.g.concat(parts, 0);
}

// With stride 1, a transposed convolution is a convolution with the flipped weight.
Tensor source_share(Backward& b, const ConvParams& p, const Tensor& x, const Tensor& w) {
  ConvParams back = p;
  bool by_ones = p.groups == 1;
  for (int i = 0; i < p.spatial; ++i) {
    const int64_t reach = (w.sizes()[i + 2] - 1) * p.dilations[i];
    const int64_t made = (b.y.sizes()[i + 2] - 1) * p.strides[i] + reach + 1 - p.pads_begin[i] - p.pads_end[i];
    back.output_padding[i] = static_cast<int32_t>(x.sizes()[i + 2] - made);
    by_ones = by_ones && p.strides[i] == 1 && reach >= p.pads_begin[i] && reach >= p.pads_end[i];
  }
  if (!by_ones) return b.g.op_with(Op::ConvTranspose, {b.dy, w}, back);
  Tensor turned = exchanged(b, w);
  for (int i = 0; i < p.spatial; ++i) {
    const auto reach = static_cast<int32_t>((w.sizes()[i + 2] - 1) * p.dilations[i]);
    back.pads_begin[i] = reach - p.pads_begin[i], back.pads_end[i] = reach - p.pads_end[i];
    back.output_padding[i] = 0;
    turned = b.g.slice(turned, i + 2, w.sizes()[i + 2] - 1, -1, -1);
  }
  return b.g.op_with(Op::Conv, {b.dy, b.g.cont(turned)}, back);
}

Tensor channel_sums(Backward& b, int spatial) {
  ReduceParams sum{1, false};
  for (int i = 0; i < spatial; ++i) sum.axes |= 4u << i;
  return b.g.op_with(Op::ReduceSum, {b.dy}, sum);
}

}  // namespace

// The input's gradient is the transposed convolution of dy with the weight.
void conv(Backward& b) {
  const auto p = b.y->params.get<ConvParams>();
  const Tensor x = b.source(0), w = b.source(1);
  if (b.wants(0)) b.give(0, source_share(b, p, x, w));
  if (b.wants(1)) b.give(1, weight_share(b, x, b.dy, p, w.sizes()));
  if (b.wants(2)) b.give(2, channel_sums(b, p.spatial));
}

// Inverse of conv(): the input's gradient is the convolution of dy with the weight.
void conv_transpose(Backward& b) {
  const auto p = b.y->params.get<ConvParams>();
  const Tensor x = b.source(0), w = b.source(1);
  if (b.wants(0)) {
    ConvParams forth = p;
    for (int32_t& padding : forth.output_padding) padding = 0;
    Tensor dx = b.g.op_with(Op::Conv, {b.dy, w}, forth);
    for (int i = 0; dx && i < p.spatial; ++i)
      if (dx.sizes()[i + 2] > x.sizes()[i + 2]) dx = b.g.slice(dx, i + 2, 0, x.sizes()[i + 2]);
    b.give(0, dx);
  }
  if (b.wants(1)) b.give(1, weight_share(b, b.dy, x, p, w.sizes()));
  if (b.wants(2)) b.give(2, channel_sums(b, p.spatial));
}

}  // namespace arenascope::autodiff
