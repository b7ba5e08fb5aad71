// SPDX-License-Identifier: MIT
// Backward rules of products and convolutions.
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

Tensor swapped(Backward& b, const Tensor& x) {
  PermuteParams p{};
  for (int i = 0; i < kMaxDims; ++i) p.axes[i] = static_cast<int8_t>(i < 2 ? 1 - i : i);
  return b.g.cont(b.g.op_with(Op::Permute, {x}, p));
}

}  // namespace

// The weight's gradient is the convolution of the source by dy, strides and dilations having changed places, with
// images and channels exchanged; the source's is the transposed convolution of dy by the weight.
void conv(Backward& b) {
  const auto p = b.y->params.get<ConvParams>();
  const Tensor x = b.source(0), w = b.source(1);
  if (p.groups != 1 && b.wants(1)) return b.refuse("it works in groups");
  if (b.wants(0)) {
    ConvParams back = p;
    for (int i = 0; i < p.spatial; ++i) {
      const int64_t made = (b.y.sizes()[i + 2] - 1) * p.strides[i] + (w.sizes()[i + 2] - 1) * p.dilations[i] + 1 -
                           p.pads_begin[i] - p.pads_end[i];
      back.output_padding[i] = static_cast<int32_t>(x.sizes()[i + 2] - made);
    }
    b.give(0, b.g.op_with(Op::ConvTranspose, {b.dy, w}, back));
  }
  if (b.wants(1)) {
    ConvParams turned = p;
    for (int i = 0; i < p.spatial; ++i) {
      turned.strides[i] = p.dilations[i];
      turned.dilations[i] = p.strides[i];
    }
    Tensor dw = b.g.op_with(Op::Conv, {swapped(b, x), swapped(b, b.dy)}, turned);
    // Rows that no window began at make it larger than the kernel.
    for (int i = 0; dw && i < p.spatial; ++i)
      if (dw.sizes()[i + 2] > w.sizes()[i + 2]) dw = b.g.slice(dw, i + 2, 0, w.sizes()[i + 2]);
    b.give(1, swapped(b, dw));
  }
  if (b.wants(2)) {
    ReduceParams sum{1, false};
    for (int i = 0; i < p.spatial; ++i) sum.axes |= 4u << i;
    b.give(2, b.g.op_with(Op::ReduceSum, {b.dy}, sum));
  }
}

}  // namespace arenascope::autodiff
