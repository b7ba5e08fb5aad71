// SPDX-License-Identifier: MIT
// Backward rules of reductions and of ops along one axis.
#include "engine/graph/autodiff_rules.h"

#include <algorithm>

namespace arenascope::autodiff {
namespace {

// The sizes of the input with 1 in reduced dimensions, which broadcast to it, and the number of elements per
// reduction.
struct Kept {
  Dims sizes;
  int64_t count = 1;
};
Kept kept(const Backward& b) {
  const auto p = b.y->params.get<ReduceParams>();
  const Tensor x = b.source(0);
  Kept out;
  for (int i = 0; i < x->rank(); ++i) {
    const bool gone = (p.axes & (1u << i)) != 0;
    out.sizes.push_back(gone ? 1 : x.sizes()[i]);
    if (gone) out.count *= x.sizes()[i];
  }
  return out;
}

}  // namespace

void reduce(Backward& b) {
  const Kept k = kept(b);
  Tensor line = b.g.reshape(b.dy, k.sizes);
  if (b.y->op == Op::ReduceMean) line = b.scale(line, 1 / static_cast<double>(std::max<int64_t>(k.count, 1)));
  b.give(0, b.g.op_with(Op::Expand, {line}, ReshapeParams{b.source(0).sizes()}));
}

// Equal extremes share the gradient.
void reduce_extreme(Backward& b) {
  const Kept k = kept(b);
  const Tensor hits = b.truth(Op::Equal, b.source(0), b.g.reshape(b.y, k.sizes));
  const Tensor count = b.g.op_with(Op::ReduceSum, {hits}, ReduceParams{b.y->params.get<ReduceParams>().axes, true});
  b.give(0, b.mul(hits, b.op(Op::Div, {b.g.reshape(b.dy, k.sizes), count})));
}

// x ÷ y; 0 where the norm is 0.
void reduce_l2(Backward& b) {
  const Kept k = kept(b);
  const Tensor least = b.op(Op::Max, {b.g.reshape(b.y, k.sizes), b.constant(1e-30)});
  b.give(0, b.mul(b.source(0), b.op(Op::Div, {b.g.reshape(b.dy, k.sizes), least})));
}

// The product of all other elements, as the product of those before times that of those after, which avoids a division
// by 0.
void reduce_prod(Backward& b) {
  const Kept k = kept(b);
  const uint32_t axes = b.y->params.get<ReduceParams>().axes;
  const Tensor x = b.source(0);
  PermuteParams order{}, back{};
  Dims apart;
  int next = 0;
  for (const bool gone : {false, true})
    for (int i = 0; i < x->rank(); ++i)
      if (((axes >> i & 1u) != 0) == gone) {
        order.axes[next] = static_cast<int8_t>(i), back.axes[i] = static_cast<int8_t>(next++);
        apart.push_back(x.sizes()[i]);
      }
  const Tensor lines =
      b.g.reshape(b.g.op_with(Op::Permute, {x}, order), {x->element_count() / std::max<int64_t>(k.count, 1), k.count});
  const Tensor before = b.g.op_with(Op::CumProd, {lines}, CumSumParams{1, true, false});
  const Tensor after = b.g.op_with(Op::CumProd, {lines}, CumSumParams{1, true, true});
  const Tensor others = b.g.op_with(Op::Permute, {b.g.reshape(b.mul(before, after), apart)}, back);
  b.give(0, b.mul(b.g.reshape(b.dy, k.sizes), others));
}

void top_k(Backward& b) {
  const auto p = b.y->params.get<TopKParams>();
  const Tensor places = b.g.op_with(Op::TopKIndices, {b.source(0)}, p);
  b.give(0, b.to_own_places(b.dy, p.axis, places, b.source(0).sizes()[p.axis]));
}

void cum_sum(Backward& b) {
  auto p = b.y->params.get<CumSumParams>();
  p.reverse = !p.reverse;
  b.give(0, b.g.op_with(Op::CumSum, {b.dy}, p));
}

// For each element, the sum of the cumulative products that contain it, each computed with that element replaced by 1.
void cum_prod(Backward& b) {
  const auto p = b.y->params.get<CumSumParams>();
  const Tensor lines = b.axis_last(b.source(0), p.axis), share = b.axis_last(b.dy, p.axis);
  if (!lines || !share) return;
  const int64_t n = lines.sizes().back();
  Dims apart = lines.sizes();
  apart[apart.rank() - 1] = 1;
  apart.push_back(n);
  const auto line = [&](const Dims& sizes) { return b.g.op_with(Op::Arange, {}, FillParams{sizes, DType::I64, 0, 1}); };
  const Tensor own = b.op(Op::Equal, {line({n, 1}), line({1, n})});
  const Tensor without = b.op(Op::Where, {own, b.constant(1), b.g.reshape(lines, apart)});
  const Tensor products = b.g.op_with(Op::CumProd, {without}, CumSumParams{apart.rank() - 1, p.exclusive, p.reverse});
  const int64_t diagonal = p.exclusive ? (p.reverse ? -1 : 1) : 0;
  const Tensor theirs =
      b.g.op_with(Op::Tril, {b.mul(products, b.g.reshape(share, apart))}, TrilParams{diagonal, !p.reverse});
  b.give(0, b.axis_back(b.g.reduce(Op::ReduceSum, theirs, {apart.rank() - 1}, false), p.axis));
}

}  // namespace arenascope::autodiff
