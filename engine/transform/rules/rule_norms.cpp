// SPDX-License-Identifier: MIT
// Normalisations and softmax emitted as several nodes.
#include <algorithm>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

bool is_quotient(const TensorImpl& root) {
  return root.dtype == DType::F32 && (root.op == Op::Mul || root.op == Op::Div);
}

// √(of + epsilon), broadcast.
struct Root {
  const TensorImpl* of;
  double epsilon;
};

std::optional<Root> root_of(const PatternMatcher& matcher, const TensorImpl& factor, double power) {
  const TensorImpl& t = matcher.spread(factor);
  if (t.op == Op::Pow) {
    const auto known = matcher.number(*t.sources[1]);
    if (!known || *known != power) return std::nullopt;
  } else if (t.op != Op::Sqrt || power < 0) {
    return std::nullopt;
  }
  const Affine a = matcher.affine(matcher.spread(*t.sources[0]));
  if (!near(a.scale, 1, 1e-6) || a.bias < 0) return std::nullopt;
  return Root{&matcher.spread(*a.of), a.bias};
}

// The factor 1 ÷ √(… + epsilon) of a product, and the other factors.
struct Quotient {
  const TensorImpl* root = nullptr;  // the factor
  Root under{};
  std::vector<const TensorImpl*> over;
};

std::optional<Quotient> quotient(const PatternMatcher& matcher, const TensorImpl& node) {
  Product p = matcher.product(node);
  if (!near(p.number, 1, 1e-6) || p.under.size() > 1) return std::nullopt;
  Quotient out;
  if (p.under.size() == 1) {
    const auto root = root_of(matcher, *p.under[0], 0.5);
    if (!root) return std::nullopt;
    out.root = p.under[0], out.under = *root;
  }
  for (const TensorImpl* factor : p.over) {
    const auto root = out.root ? std::nullopt : root_of(matcher, *factor, -0.5);
    if (root)
      out.root = factor, out.under = *root;
    else
      out.over.push_back(factor);
  }
  if (!out.root || out.over.empty()) return std::nullopt;
  return out;
}

// x minus its mean.
struct Centred {
  const TensorImpl* x;
  uint32_t axes;
};

std::optional<Centred> centred(const PatternMatcher& matcher, const TensorImpl& t) {
  if (t.op != Op::Sub) return std::nullopt;
  const auto mean = matcher.mean(*t.sources[1]);
  if (!mean || mean->of != t.sources[0] || !(t.sizes == mean->of->sizes) ||
      !matcher.broadcasts_along(*t.sources[1], t.sizes, mean->axes))
    return std::nullopt;
  return Centred{mean->of, mean->axes};
}

bool is_variance(const PatternMatcher& matcher, const TensorImpl& tensor, const Centred& of) {
  const TensorImpl* t = &matcher.spread(tensor);
  if (const auto limits = matcher.limits(*t); limits && limits->low == 0 && limits->high > 1e30)
    t = &matcher.spread(*limits->of);  // clamped at 0 against rounding
  if (const auto mean = matcher.mean(*t)) {
    const TensorImpl* from = matcher.square(*mean->of);
    const auto other = from ? centred(matcher, *from) : std::nullopt;
    return other && mean->axes == of.axes && other->x == of.x && other->axes == of.axes;
  }
  // The mean of squares minus the square of the mean.
  if (t->op != Op::Sub || !(t->sources[0]->sizes == t->sources[1]->sizes)) return false;
  const auto squares = matcher.mean(*t->sources[0]);
  const TensorImpl* mean_of = matcher.square(*t->sources[1]);
  const auto mean = mean_of ? matcher.mean(*mean_of) : std::nullopt;
  const TensorImpl* squared = squares ? matcher.square(*squares->of) : nullptr;
  return mean && squared == of.x && mean->of == of.x && squares->axes == of.axes && mean->axes == of.axes;
}

uint32_t trailing_axes(int first, int rank) { return ((1u << rank) - 1) & ~((1u << first) - 1); }

// The first of the axes, if they are the trailing ones.
std::optional<int> first_of_trailing(uint32_t axes, int rank) {
  for (int first = 0; first < rank; ++first)
    if (axes == trailing_axes(first, rank)) return first;
  return std::nullopt;
}

// The sizes of a factor that depends only on the dimensions from `axis` on; none if it depends on others.
std::optional<Dims> along(const TensorImpl& factor, const TensorImpl& x, int axis) {
  const int missing = x.rank() - factor.rank();
  if (missing < 0 || factor.dtype != x.dtype) return std::nullopt;
  Dims out;
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t size = i < missing ? 1 : factor.sizes[i - missing];
    if (i < axis ? size != 1 : size != 1 && size != x.sizes[i]) return std::nullopt;
    if (i >= axis) out.push_back(size);
  }
  return out;
}

// The only axis of the set, if it is not the last one.
std::optional<int> inner_axis(uint32_t axes, int rank) {
  for (int i = 0; i + 1 < rank; ++i)
    if (axes == 1u << i) return i;
  return std::nullopt;
}

// `node` applied to x, then the other factors in sequence; one that fits becomes the node's gain.
Replacement norm_of(const TensorImpl& x, Op op, int axis, double epsilon, std::vector<const TensorImpl*> factors) {
  const TensorImpl* gain = nullptr;
  Dims gain_sizes;
  for (auto f = factors.begin(); f != factors.end(); ++f)
    if (const auto sizes = along(**f, x, axis)) {
      gain = *f, gain_sizes = *sizes;
      factors.erase(f);
      break;
    }
  Replacement found{factors, {}};
  found.reads.push_back(&x);
  if (gain) found.reads.push_back(gain);
  found.make = [=, &x](ReplacementBuilder& m) {
    const NormParams params{axis, static_cast<float>(epsilon)};
    const bool last = factors.empty();
    Tensor y = gain ? m.op_with(op, {m.mapped(x), m.reshape(m.mapped(*gain), gain_sizes, ":gain")}, params,
                                last ? "" : ":norm")
                    : m.op_with(op, {m.mapped(x)}, params, last ? "" : ":norm");
    for (size_t i = 0; i < factors.size(); ++i)
      y = m.op(Op::Mul, {y, m.mapped(*factors[i])}, i + 1 < factors.size() ? ":factor" : "");
    return y;
  };
  return found;
}

// True if a factor depends on one dimension alone.
bool along_axis(const TensorImpl& factor, const TensorImpl& x, int axis) {
  const int missing = x.rank() - factor.rank();
  for (int i = 0; i < x.rank(); ++i)
    if ((i < missing ? 1 : factor.sizes[i - missing]) != (i == axis ? x.sizes[i] : 1)) return false;
  return missing >= 0 && factor.dtype == x.dtype;
}

// Over an inner axis: transposed so that it is the last one, and back. The transposes are views, which often cancel
// others. None if the other factors vary along further dimensions.
std::optional<Replacement> transposed_norm(const TensorImpl& x, Op op, int axis, double epsilon,
                                           const std::vector<const TensorImpl*>& factors) {
  if (factors.size() > 1 || (factors.size() == 1 && !along_axis(*factors[0], x, axis))) return std::nullopt;
  Replacement found{factors, {}};
  found.reads.push_back(&x);
  found.make = [=, &x](ReplacementBuilder& m) {
    std::vector<int> turn, back(static_cast<size_t>(x.rank()));
    for (int i = 0; i < x.rank(); ++i)
      if (i != axis) turn.push_back(i);
    turn.push_back(axis);
    for (size_t i = 0; i < turn.size(); ++i) back[static_cast<size_t>(turn[i])] = static_cast<int>(i);
    const Tensor transposed = m.contiguous(m.permute(m.mapped(x), turn, ":turned"), ":turned");
    const NormParams params{x.rank() - 1, static_cast<float>(epsilon)};
    const Tensor y =
        factors.empty()
            ? m.op_with(op, {transposed}, params, ":norm")
            : m.op_with(op, {transposed, m.reshape(m.mapped(*factors[0]), {x.sizes[axis]}, ":gain")}, params, ":norm");
    return m.contiguous(m.permute(y, back, ":back"));
  };
  return found;
}

std::optional<Replacement> any_norm(const TensorImpl& x, Op op, uint32_t axes, double epsilon,
                                    std::vector<const TensorImpl*> factors) {
  if (const auto axis = first_of_trailing(axes, x.rank())) return norm_of(x, op, *axis, epsilon, std::move(factors));
  if (const auto axis = inner_axis(axes, x.rank())) return transposed_norm(x, op, *axis, epsilon, factors);
  return std::nullopt;
}

}  // namespace

std::optional<Replacement> find_layer_norm(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!is_quotient(root)) return std::nullopt;
  auto q = quotient(matcher, root);
  if (!q) return std::nullopt;
  for (auto factor = q->over.begin(); factor != q->over.end(); ++factor) {
    const auto of = centred(matcher, **factor);
    if (!of || !(of->x->sizes == root.sizes) || !matcher.broadcasts_along(*q->root, of->x->sizes, of->axes) ||
        !is_variance(matcher, *q->under.of, *of))
      continue;
    q->over.erase(factor);
    return any_norm(*of->x, Op::Norm, of->axes, q->under.epsilon, std::move(q->over));
  }
  return std::nullopt;
}

std::optional<Replacement> find_rms_norm(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!is_quotient(root)) return std::nullopt;
  auto q = quotient(matcher, root);
  if (!q) return std::nullopt;
  const auto mean = matcher.mean(*q->under.of);
  const TensorImpl* x = mean ? matcher.square(*mean->of) : nullptr;
  const auto factor = std::find(q->over.begin(), q->over.end(), x);
  if (!x || factor == q->over.end() || !(x->sizes == root.sizes) ||
      !matcher.broadcasts_along(*q->root, x->sizes, mean->axes))
    return std::nullopt;
  const auto axis = first_of_trailing(mean->axes, x->rank());
  if (!axis) return std::nullopt;
  q->over.erase(factor);
  return norm_of(*x, Op::RmsNorm, *axis, q->under.epsilon, std::move(q->over));
}

// NORM(x, gain) + bias, also for the transposed form of an inner axis.
std::optional<Replacement> find_norm_bias(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.op != Op::Add || root.dtype != DType::F32) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const TensorImpl &norm = *root.sources[i], &bias = *root.sources[1 - i];
    if (norm.op != Op::Norm || norm.sources.size() != 2 || !matcher.sole(norm) || !(norm.sizes == root.sizes)) continue;
    const auto params = norm.params.get<NormParams>();
    const auto sizes = along(bias, norm, params.axis);
    if (!sizes) continue;
    const TensorImpl &x = *norm.sources[0], &gain = *norm.sources[1];
    return Replacement{
        {&x, &gain, &bias}, [&, params, sizes = *sizes](ReplacementBuilder& m) {
          return m.op_with(Op::Norm, {m.mapped(x), m.mapped(gain), m.reshape(m.mapped(bias), sizes, ":bias")}, params);
        }};
  }
  return std::nullopt;
}

namespace {

// The x of "x minus its maximum along an axis"; max(-inf, …) counts too.
const TensorImpl* minus_max(const PatternMatcher& matcher, const TensorImpl& t, uint32_t axes) {
  if (t.op != Op::Sub) return nullptr;
  const TensorImpl* most = &matcher.spread(*t.sources[1]);
  if (const auto limits = matcher.limits(*most); limits && limits->low < -1e30 && limits->high > 1e30)
    most = &matcher.spread(*limits->of);
  if (most->op != Op::ReduceMax || most->sources[0] != t.sources[0] || most->params.get<ReduceParams>().axes != axes ||
      !matcher.broadcasts_along(*t.sources[1], t.sizes, axes))
    return nullptr;
  return t.sources[0];
}

std::optional<int> single_axis(uint32_t axes, int rank) {
  for (int i = 0; i < rank; ++i)
    if (axes == 1u << i) return i;
  return std::nullopt;
}

}  // namespace

std::optional<Replacement> find_soft_max(const PatternMatcher& matcher, const TensorImpl& root) {
  if (!is_quotient(root)) return std::nullopt;
  const Product p = matcher.product(root);
  if (p.number != 1 || p.over.size() != 1 || p.under.size() != 1 || p.over[0]->op != Op::Exp) return std::nullopt;
  const TensorImpl& e = *p.over[0];
  const auto sum = matcher.reduced(*p.under[0]);
  if (!sum || sum->op != Op::ReduceSum || sum->factor != 1 || sum->of != &e || !(e.sizes == root.sizes) ||
      !matcher.broadcasts_along(*p.under[0], e.sizes, sum->axes))
    return std::nullopt;
  const auto axis = single_axis(sum->axes, e.rank());
  if (!axis) return std::nullopt;
  const TensorImpl* x = minus_max(matcher, *e.sources[0], sum->axes);
  if (!x) x = e.sources[0];
  return Replacement{{x}, [x, axis](ReplacementBuilder& m) {
                       return m.op_with(Op::SoftMax, {m.mapped(*x)}, SoftMaxParams{*axis, 1.0f});
                     }};
}

std::optional<Replacement> find_log_soft_max(const PatternMatcher& matcher, const TensorImpl& root) {
  if (root.op != Op::Sub || root.dtype != DType::F32) return std::nullopt;
  const TensorImpl &less = *root.sources[0], &log = matcher.spread(*root.sources[1]);
  if (log.op != Op::Log) return std::nullopt;
  const auto sum = matcher.reduced(*log.sources[0]);
  if (!sum || sum->op != Op::ReduceSum || sum->factor != 1 || sum->of->op != Op::Exp || sum->of->sources[0] != &less ||
      !matcher.broadcasts_along(*root.sources[1], less.sizes, sum->axes))
    return std::nullopt;
  const auto axis = single_axis(sum->axes, less.rank());
  const TensorImpl* x = minus_max(matcher, less, sum->axes);
  if (!axis || !x || !(x->sizes == root.sizes)) return std::nullopt;
  return Replacement{{x}, [x, axis](ReplacementBuilder& m) {
                       return m.op_with(Op::LogSoftMax, {m.mapped(*x)}, SoftMaxParams{*axis, 1.0f});
                     }};
}

}  // namespace arenascope::rewriting
