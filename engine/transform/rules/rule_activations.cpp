// SPDX-License-Identifier: MIT
// Activations as exporters spell them out: products of a number with a function of it, whose constants stand anywhere
// in the product.
#include <cmath>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

// The affine function of a factor that is `op` of something.
struct Inner {
  const TensorImpl* factor;
  Affine outer;            // of the function's result
  const TensorImpl* from;  // what the function is of
};

std::optional<Inner> factor_with(const Look& look, const Product& product, Op op) {
  for (const TensorImpl* factor : product.over)
    if (const Affine a = look.affine(*factor); a.of->op == op) return Inner{factor, a, a.of->sources[0]};
  return std::nullopt;
}

bool is_product(const TensorImpl& root) {
  return root.dtype == DType::F32 && (root.op == Op::Mul || root.op == Op::Div || root.op == Op::Scale);
}

// Whether the root is number · x · factor.
bool is_twice(const Look& look, const TensorImpl& root, const TensorImpl& x, const TensorImpl& factor, double& number) {
  if (!(x.sizes == root.sizes) || &x == &root) return false;
  const Product p = look.product(root, {&x, &factor});
  number = p.number;
  return p.under.empty() && p.over.size() == 2 &&
         ((p.over[0] == &x && p.over[1] == &factor) || (p.over[1] == &x && p.over[0] == &factor));
}

Found one_op(const TensorImpl& x, Op op) {
  return {{&x}, [&x, op](Maker& m) { return m.op(op, {m.twin(x)}); }};
}

Found one_op(const TensorImpl& x, Op op, double alpha, double beta) {
  const AlphaParams params{static_cast<float>(alpha), static_cast<float>(beta)};
  return {{&x}, [&x, op, params](Maker& m) { return m.op_with(op, {m.twin(x)}, params); }};
}

// x / 2 · (1 + f): the halves may stand on either side.
bool halves(const Inner& inner, double number) {
  return near(inner.outer.scale, inner.outer.bias) && near(number * inner.outer.scale, 0.5);
}

}  // namespace

std::optional<Found> find_gelu(const Look& look, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  const auto inner = factor_with(look, look.product(root), Op::Erf);
  if (!inner) return std::nullopt;
  for (const Affine& x : look.affine_ways(*inner->from)) {
    double number = 0;
    if (x.bias == 0 && near(x.scale, std::sqrt(0.5)) && is_twice(look, root, *x.of, *inner->factor, number) &&
        halves(*inner, number))
      return one_op(*x.of, Op::Gelu);
  }
  return std::nullopt;
}

std::optional<Found> find_gelu_tanh(const Look& look, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  const auto inner = factor_with(look, look.product(root), Op::Tanh);
  if (!inner) return std::nullopt;
  // c·(x + 0.044715·x³), of which x is one of the tensors that it is made of.
  std::vector<const TensorImpl*> candidates{inner->from};
  constexpr size_t kMost = 24;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const TensorImpl& x = *candidates[i];
    const auto polynomial = look.polynomial(*inner->from, x);
    double number = 0;
    const double c = std::sqrt(2 / std::acos(-1.0));
    if (polynomial && near((*polynomial)[1], c) && near((*polynomial)[3], c * 0.044715) && (*polynomial)[0] == 0 &&
        (*polynomial)[2] == 0 && is_twice(look, root, x, *inner->factor, number) && halves(*inner, number))
      return one_op(x, Op::GeluTanh);
    if (x.op == Op::Add || x.op == Op::Mul || x.op == Op::Sub || x.op == Op::Scale || x.op == Op::Pow)
      for (const TensorImpl* source : x.sources)
        if (candidates.size() < kMost) candidates.push_back(source);
  }
  return std::nullopt;
}

std::optional<Found> find_silu(const Look& look, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  const auto inner = factor_with(look, look.product(root), Op::Sigmoid);
  if (!inner || inner->outer.bias != 0) return std::nullopt;
  for (const Affine& x : look.affine_ways(*inner->from)) {
    double number = 0;
    if (x.scale == 1 && x.bias == 0 && is_twice(look, root, *x.of, *inner->factor, number) &&
        number * inner->outer.scale == 1)
      return one_op(*x.of, Op::Silu);
  }
  return std::nullopt;
}

std::optional<Found> find_mish(const Look& look, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  const auto inner = factor_with(look, look.product(root), Op::Tanh);
  if (!inner || inner->outer.bias != 0 || inner->from->op != Op::Softplus) return std::nullopt;
  const TensorImpl& x = *inner->from->sources[0];
  double number = 0;
  if (!is_twice(look, root, x, *inner->factor, number) || number * inner->outer.scale != 1) return std::nullopt;
  return one_op(x, Op::Mish);
}

std::optional<Found> find_softplus(const Look& look, const TensorImpl& root) {
  if (root.op != Op::Log || root.dtype != DType::F32) return std::nullopt;
  const Affine a = look.affine(*root.sources[0]);
  if (a.scale != 1 || a.bias != 1 || a.of->op != Op::Exp) return std::nullopt;
  return one_op(*a.of->sources[0], Op::Softplus);
}

// clamp(scale·x + bias, 0, high) · number with number · high = 1 is a hard sigmoid of x.
namespace {

struct Hard {
  const TensorImpl* x;
  double alpha, beta;
};

// The ways to take `tensor` times a number for one, by what counts as x.
std::vector<Hard> hard_ways(const Look& look, const TensorImpl& tensor, double number) {
  std::vector<Hard> out;
  if (tensor.op == Op::HardSigmoid && near(number, 1, 1e-6)) {
    const auto p = tensor.params.get<AlphaParams>();
    out.push_back({tensor.sources[0], static_cast<double>(p.alpha), static_cast<double>(p.beta)});
  }
  const auto limits = look.limits(tensor);
  if (!limits || limits->low != 0 || !near(number * limits->high, 1, 1e-6)) return out;
  for (const Affine& x : look.affine_ways(*limits->of)) out.push_back({x.of, x.scale * number, x.bias * number});
  return out;
}

}  // namespace

std::optional<Found> find_hard_swish(const Look& look, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  for (const TensorImpl* factor : look.product(root).over) {
    const auto limits = look.limits(*factor);
    const double wanted = factor->op != Op::HardSigmoid && limits && limits->high > 0 ? 1 / limits->high : 1;
    for (const Hard& way : hard_ways(look, *factor, wanted)) {
      double number = 0;
      if (is_twice(look, root, *way.x, *factor, number) && near(number, wanted, 1e-6))
        return one_op(*way.x, Op::HardSwish, way.alpha, way.beta);
    }
  }
  return std::nullopt;
}

std::optional<Found> find_hard_sigmoid(const Look& look, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  const Affine outer = look.affine(root);
  if (outer.bias != 0 || outer.of == &root || outer.of->op == Op::HardSigmoid) return std::nullopt;
  const auto ways = hard_ways(look, *outer.of, outer.scale);
  if (ways.empty()) return std::nullopt;
  return one_op(*ways.back().x, Op::HardSigmoid, ways.back().alpha, ways.back().beta);
}

}  // namespace arenascope::rewriting
