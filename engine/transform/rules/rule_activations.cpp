// SPDX-License-Identifier: MIT
// Activation functions emitted as several nodes: a product of x and a function of x, whose constant factors may be
// anywhere in the product.
#include <cmath>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

// A factor that is an affine function of op(from).
struct Inner {
  const TensorImpl* factor;
  Affine outer;            // applied to the result of the function
  const TensorImpl* from;  // argument of the function
};

std::optional<Inner> factor_with(const PatternMatcher& matcher, const Product& product, Op op) {
  for (const TensorImpl* factor : product.over)
    if (const Affine a = matcher.affine(*factor); a.of->op == op) return Inner{factor, a, a.of->sources[0]};
  return std::nullopt;
}

bool is_product(const TensorImpl& root) {
  return root.dtype == DType::F32 && (root.op == Op::Mul || root.op == Op::Div || root.op == Op::Scale);
}

// True if the root is number · x · factor.
bool is_twice(const PatternMatcher& matcher, const TensorImpl& root, const TensorImpl& x, const TensorImpl& factor,
              double& number) {
  if (!(x.sizes == root.sizes) || &x == &root) return false;
  const Product p = matcher.product(root, {&x, &factor});
  number = p.number;
  return p.under.empty() && p.over.size() == 2 &&
         ((p.over[0] == &x && p.over[1] == &factor) || (p.over[1] == &x && p.over[0] == &factor));
}

Replacement one_op(const TensorImpl& x, Op op) {
  return {{&x}, [&x, op](ReplacementBuilder& m) { return m.op(op, {m.mapped(x)}); }};
}

Replacement one_op(const TensorImpl& x, Op op, double alpha, double beta) {
  const AlphaParams params{static_cast<float>(alpha), static_cast<float>(beta)};
  return {{&x}, [&x, op, params](ReplacementBuilder& m) { return m.op_with(op, {m.mapped(x)}, params); }};
}

// x / 2 · (1 + f): the 1/2 may be part of either factor.
bool halves(const Inner& inner, double number) {
  return near(inner.outer.scale, inner.outer.bias) && near(number * inner.outer.scale, 0.5);
}

}  // namespace

std::optional<Replacement> find_gelu(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  const auto inner = factor_with(matcher, matcher.product(root), Op::Erf);
  if (!inner) return std::nullopt;
  for (const Affine& x : matcher.affine_forms(*inner->from)) {
    double number = 0;
    if (x.bias == 0 && near(x.scale, std::sqrt(0.5)) && is_twice(matcher, root, *x.of, *inner->factor, number) &&
        halves(*inner, number))
      return one_op(*x.of, Op::Gelu);
  }
  return std::nullopt;
}

std::optional<Replacement> find_gelu_tanh(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  const auto inner = factor_with(matcher, matcher.product(root), Op::Tanh);
  if (!inner) return std::nullopt;
  // c·(x + 0.044715·x³), where x is one of the tensors that it is computed from.
  std::vector<const TensorImpl*> candidates{inner->from};
  constexpr size_t kMaxCandidates = 24;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const TensorImpl& x = *candidates[i];
    const auto polynomial = matcher.polynomial(*inner->from, x);
    double number = 0;
    const double c = std::sqrt(2 / std::acos(-1.0));
    if (polynomial && near((*polynomial)[1], c) && near((*polynomial)[3], c * 0.044715) && (*polynomial)[0] == 0 &&
        (*polynomial)[2] == 0 && is_twice(matcher, root, x, *inner->factor, number) && halves(*inner, number))
      return one_op(x, Op::GeluTanh);
    if (x.op == Op::Add || x.op == Op::Mul || x.op == Op::Sub || x.op == Op::Scale || x.op == Op::Pow)
      for (const TensorImpl* source : x.sources)
        if (candidates.size() < kMaxCandidates) candidates.push_back(source);
  }
  return std::nullopt;
}

std::optional<Replacement> find_silu(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  const auto inner = factor_with(matcher, matcher.product(root), Op::Sigmoid);
  if (!inner || inner->outer.bias != 0) return std::nullopt;
  for (const Affine& x : matcher.affine_forms(*inner->from)) {
    double number = 0;
    if (x.scale == 1 && x.bias == 0 && is_twice(matcher, root, *x.of, *inner->factor, number) &&
        number * inner->outer.scale == 1)
      return one_op(*x.of, Op::Silu);
  }
  return std::nullopt;
}

std::optional<Replacement> find_mish(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  const auto inner = factor_with(matcher, matcher.product(root), Op::Tanh);
  if (!inner || inner->outer.bias != 0 || inner->from->op != Op::Softplus) return std::nullopt;
  const TensorImpl& x = *inner->from->sources[0];
  double number = 0;
  if (!is_twice(matcher, root, x, *inner->factor, number) || number * inner->outer.scale != 1) return std::nullopt;
  return one_op(x, Op::Mish);
}

std::optional<Replacement> find_softplus(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.op != Op::Log || root.dtype != DType::F32) return std::nullopt;
  const Affine a = matcher.affine(*root.sources[0]);
  if (a.scale != 1 || a.bias != 1 || a.of->op != Op::Exp) return std::nullopt;
  return one_op(*a.of->sources[0], Op::Softplus);
}

// clamp(scale·x + bias, 0, high) · number with number · high = 1 is a hard sigmoid of x.
namespace {

struct Hard {
  const TensorImpl* x;
  double alpha, beta;
};

// All readings of `tensor` times a number as a hard sigmoid, one per choice of x.
std::vector<Hard> hard_sigmoid_forms(const PatternMatcher& matcher, const TensorImpl& tensor, double number) {
  std::vector<Hard> out;
  if (tensor.op == Op::HardSigmoid && near(number, 1, 1e-6)) {
    const auto p = tensor.params.get<AlphaParams>();
    out.push_back({tensor.sources[0], static_cast<double>(p.alpha), static_cast<double>(p.beta)});
  }
  const auto limits = matcher.limits(tensor);
  if (!limits || limits->low != 0 || !near(number * limits->high, 1, 1e-6)) return out;
  for (const Affine& x : matcher.affine_forms(*limits->of)) out.push_back({x.of, x.scale * number, x.bias * number});
  return out;
}

}  // namespace

std::optional<Replacement> find_hard_swish(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  for (const TensorImpl* factor : matcher.product(root).over) {
    const auto limits = matcher.limits(*factor);
    const double needed = factor->op != Op::HardSigmoid && limits && limits->high > 0 ? 1 / limits->high : 1;
    for (const Hard& way : hard_sigmoid_forms(matcher, *factor, needed)) {
      double number = 0;
      if (is_twice(matcher, root, *way.x, *factor, number) && near(number, needed, 1e-6))
        return one_op(*way.x, Op::HardSwish, way.alpha, way.beta);
    }
  }
  return std::nullopt;
}

std::optional<Replacement> find_hard_sigmoid(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!is_product(root)) return std::nullopt;
  const Affine outer = matcher.affine(root);
  if (outer.bias != 0 || outer.of == &root || outer.of->op == Op::HardSigmoid) return std::nullopt;
  const auto ways = hard_sigmoid_forms(matcher, *outer.of, outer.scale);
  if (ways.empty()) return std::nullopt;
  return one_op(*ways.back().x, Op::HardSigmoid, ways.back().alpha, ways.back().beta);
}

}  // namespace arenascope::rewriting
