// SPDX-License-Identifier: MIT
// Backward rules of pooling and LRN.
#include "engine/graph/autodiff_rules.h"

#include <algorithm>

namespace arenascope::autodiff {

// The gradient of each window goes to its largest element. After a RELU it is 0 where that element is 0, which includes
// the gradient of the RELU.
void max_pool(Backward& b) {
  const Tensor share = b.source(0)->op == Op::Relu ? b.mul(b.dy, b.op(Op::Sign, {b.y})) : b.dy;
  b.give(0, b.g.op_with(Op::MaxPoolBack, {b.source(0), share}, b.y->params.get<PoolParams>()));
}

namespace {

Tensor filled(Backward& b, const Dims& sizes) { return b.g.op_with(Op::Fill, {}, FillParams{sizes, DType::F32, 1, 0}); }

}  // namespace

// The gradient of each window, divided by its element count, goes to all its elements: a transposed convolution with
// ones.
void avg_pool(Backward& b) {
  const auto p = b.y->params.get<PoolParams>();
  const Dims from = b.source(0).sizes(), to = b.y.sizes();
  ConvParams walk{}, back{};
  walk.spatial = back.spatial = p.spatial, walk.groups = back.groups = 1;
  PadParams counted{};  // padding is included in the count
  counted.value = 1;
  Dims image{1, 1}, window{1, 1}, few{from[0] * from[1], 1};
  for (int i = 0; i < p.spatial; ++i) {
    const int64_t reach = (to[i + 2] - 1) * p.strides[i] + (p.kernel[i] - 1) * p.dilations[i] + 1;
    const auto end = static_cast<int32_t>(std::max<int64_t>(p.pads_end[i], reach - from[i + 2] - p.pads_begin[i]));
    for (ConvParams* c : {&walk, &back}) {
      c->strides[i] = p.strides[i], c->dilations[i] = p.dilations[i];
      c->pads_begin[i] = p.pads_begin[i], c->pads_end[i] = end;
    }
    back.output_padding[i] = static_cast<int32_t>(from[i + 2] - (reach - p.pads_begin[i] - end));
    if (p.count_include_pad) {
      counted.begin[i + 2] = p.pads_begin[i], counted.end[i + 2] = p.pads_end[i];
      walk.pads_begin[i] = 0, walk.pads_end[i] = end - p.pads_end[i];
    }
    image.push_back(from[i + 2]), window.push_back(p.kernel[i]), few.push_back(to[i + 2]);
  }
  Tensor ones = filled(b, image);
  if (p.count_include_pad) ones = b.g.op_with(Op::Pad, {ones}, counted);
  const Tensor counts = b.op(Op::Max, {b.g.op_with(Op::Conv, {ones, filled(b, window)}, walk), b.constant(1)});
  const Tensor share = b.g.reshape(b.op(Op::Div, {b.dy, counts}), few);
  b.give(0, b.g.reshape(b.g.op_with(Op::ConvTranspose, {share, filled(b, window)}, back), from));
}

// With s = bias + alpha/n·Σ x² over n channels, y = x·s^-beta: dy·s^-beta - 2·alpha·beta/n·x·Σ dy·y/s, where the last
// sum is over the channels whose window contains x.
void lrn(Backward& b) {
  const auto p = b.y->params.get<LrnParams>();
  const Tensor x = b.source(0);
  const Dims s = x.sizes();
  const Dims image{s[0], 1, s[1], std::max<int64_t>(x->element_count() / std::max<int64_t>(s[0] * s[1], 1), 1)};
  const int32_t before = (p.size - 1) / 2, after = p.size / 2;
  const auto summed = [&](const Tensor& given, int32_t above, int32_t below) {
    const ConvParams walk{2, {1, 1, 1}, {1, 1, 1}, {above, 0, 0}, {below, 0, 0}, {0, 0, 0}, 1};
    return b.g.reshape(b.g.op_with(Op::Conv, {b.g.reshape(given, image), filled(b, {1, 1, p.size, 1})}, walk), s);
  };
  const double share = static_cast<double>(p.alpha) / p.size, beta = static_cast<double>(p.beta);
  const Tensor base = b.scale(summed(b.mul(x, x), before, after), share, static_cast<double>(p.bias));
  const Tensor power = b.op(Op::Exp, {b.scale(b.op(Op::Log, {base}), -beta)});
  const Tensor others = summed(b.op(Op::Div, {b.mul(b.dy, b.y), base}), after, before);
  b.give(0, b.sub(b.mul(b.dy, power), b.scale(b.mul(x, others), 2 * share * beta)));
}

}  // namespace arenascope::autodiff
