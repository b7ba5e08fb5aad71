// SPDX-License-Identifier: MIT
// Normalisations and softmax as exporters spell them out.
#include <algorithm>

#include "engine/transform/rules/rule.h"

namespace arenascope::rewriting {
namespace {

bool is_quotient(const TensorImpl& root) {
  return root.dtype == DType::F32 && (root.op == Op::Mul || root.op == Op::Div);
}

// √(of + epsilon), which is broadcast.
struct Root {
  const TensorImpl* of;
  double epsilon;
};

std::optional<Root> root_of(const Look& look, const TensorImpl& factor, double power) {
  const TensorImpl& t = look.spread(factor);
  if (t.op == Op::Pow) {
    const auto known = look.number(*t.sources[1]);
    if (!known || *known != power) return std::nullopt;
  } else if (t.op != Op::Sqrt || power < 0) {
    return std::nullopt;
  }
  const Affine a = look.affine(look.spread(*t.sources[0]));
  if (!near(a.scale, 1, 1e-6) || a.bias < 0) return std::nullopt;
  return Root{&look.spread(*a.of), a.bias};
}

// The factor 1 ÷ √(… + epsilon) of a product, and what else it multiplies.
struct Quotient {
  const TensorImpl* root = nullptr;  // the factor
  Root under{};
  std::vector<const TensorImpl*> over;
};

std::optional<Quotient> quotient(const Look& look, const TensorImpl& node) {
  Product p = look.product(node);
  if (!near(p.number, 1, 1e-6) || p.under.size() > 1) return std::nullopt;
  Quotient out;
  if (p.under.size() == 1) {
    const auto root = root_of(look, *p.under[0], 0.5);
    if (!root) return std::nullopt;
    out.root = p.under[0], out.under = *root;
  }
  for (const TensorImpl* factor : p.over) {
    const auto root = out.root ? std::nullopt : root_of(look, *factor, -0.5);
    if (root)
      out.root = factor, out.under = *root;
    else
      out.over.push_back(factor);
  }
  if (!out.root || out.over.empty()) return std::nullopt;
  return out;
}

// x less its mean.
struct Centred {
  const TensorImpl* x;
  uint32_t axes;
};

std::optional<Centred> centred(const Look& look, const TensorImpl& t) {
  if (t.op != Op::Sub) return std::nullopt;
  const auto mean = look.mean(*t.sources[1]);
  if (!mean || mean->of != t.sources[0] || !(t.sizes == mean->of->sizes) ||
      !look.broadcasts_along(*t.sources[1], t.sizes, mean->axes))
    return std::nullopt;
  return Centred{mean->of, mean->axes};
}

bool is_variance(const Look& look, const TensorImpl& tensor, const Centred& of) {
  const TensorImpl* t = &look.spread(tensor);
  if (const auto limits = look.limits(*t); limits && limits->low == 0 && limits->high > 1e30)
    t = &look.spread(*limits->of);  // rounding must not make it negative
  if (const auto mean = look.mean(*t)) {
    const TensorImpl* from = look.square(*mean->of);
    const auto other = from ? centred(look, *from) : std::nullopt;
    return other && mean->axes == of.axes && other->x == of.x && other->axes == of.axes;
  }
  // The mean of squares less the square of the mean.
  if (t->op != Op::Sub || !(t->sources[0]->sizes == t->sources[1]->sizes)) return false;
  const auto squares = look.mean(*t->sources[0]);
  const TensorImpl* mean_of = look.square(*t->sources[1]);
  const auto mean = mean_of ? look.mean(*mean_of) : std::nullopt;
  const TensorImpl* squared = squares ? look.square(*squares->of) : nullptr;
  return mean && squared == of.x && mean->of == of.x && squares->axes == of.axes && mean->axes == of.axes;
}

uint32_t trailing_axes(int first, int rank) { return ((1u << rank) - 1) & ~((1u << first) - 1); }

// The first of the axes, where they are the last ones.
std::optional<int> first_of_trailing(uint32_t axes, int rank) {
  for (int first = 0; first < rank; ++first)
    if (axes == trailing_axes(first, rank)) return first;
  return std::nullopt;
}

// The sizes of a factor that only depends on the dimensions from `axis` on; none if it is not such a one.
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

// The single axis of a set that is not the last one.
std::optional<int> inner_axis(uint32_t axes, int rank) {
  for (int i = 0; i + 1 < rank; ++i)
    if (axes == 1u << i) return i;
  return std::nullopt;
}

// `node` over x, then the other factors one after the other; one of them goes into the node where it fits.
Found norm_of(const TensorImpl& x, Op op, int axis, double epsilon, std::vector<const TensorImpl*> factors) {
  const TensorImpl* gain = nullptr;
  Dims gain_sizes;
  for (auto f = factors.begin(); f != factors.end(); ++f)
    if (const auto sizes = along(**f, x, axis)) {
      gain = *f, gain_sizes = *sizes;
      factors.erase(f);
      break;
    }
  Found found{factors, {}};
  found.reads.push_back(&x);
  if (gain) found.reads.push_back(gain);
  found.make = [=, &x](Maker& m) {
    const NormParams params{axis, static_cast<float>(epsilon)};
    const bool last = factors.empty();
    Tensor y =
        gain ? m.op_with(op, {m.twin(x), m.reshape(m.twin(*gain), gain_sizes, ":gain")}, params, last ? "" : ":norm")
             : m.op_with(op, {m.twin(x)}, params, last ? "" : ":norm");
    for (size_t i = 0; i < factors.size(); ++i)
      y = m.op(Op::Mul, {y, m.twin(*factors[i])}, i + 1 < factors.size() ? ":factor" : "");
    return y;
  };
  return found;
}

// Whether a factor depends on one dimension alone.
bool along_axis(const TensorImpl& factor, const TensorImpl& x, int axis) {
  const int missing = x.rank() - factor.rank();
  for (int i = 0; i < x.rank(); ++i)
    if ((i < missing ? 1 : factor.sizes[i - missing]) != (i == axis ? x.sizes[i] : 1)) return false;
  return missing >= 0 && factor.dtype == x.dtype;
}

// Over an axis in between: turned round so that it is the last one, and back. The turns are views, which often meet
// others of their kind. None where other factors vary otherwise.
std::optional<Found> turned_norm(const TensorImpl& x, Op op, int axis, double epsilon,
                                 const std::vector<const TensorImpl*>& factors) {
  if (factors.size() > 1 || (factors.size() == 1 && !along_axis(*factors[0], x, axis))) return std::nullopt;
  Found found{factors, {}};
  found.reads.push_back(&x);
  found.make = [=, &x](Maker& m) {
    std::vector<int> turn, back(static_cast<size_t>(x.rank()));
    for (int i = 0; i < x.rank(); ++i)
      if (i != axis) turn.push_back(i);
    turn.push_back(axis);
    for (size_t i = 0; i < turn.size(); ++i) back[static_cast<size_t>(turn[i])] = static_cast<int>(i);
    const Tensor turned = m.contiguous(m.permute(m.twin(x), turn, ":turned"), ":turned");
    const NormParams params{x.rank() - 1, static_cast<float>(epsilon)};
    const Tensor y = factors.empty() ? m.op_with(op, {turned}, params, ":norm")
                                     : m.op_with(op, {turned, m.reshape(m.twin(*factors[0]), {x.sizes[axis]}, ":gain")},
                                                 params, ":norm");
    return m.contiguous(m.permute(y, back, ":back"));
  };
  return found;
}

std::optional<Found> any_norm(const TensorImpl& x, Op op, uint32_t axes, double epsilon,
                              std::vector<const TensorImpl*> factors) {
  if (const auto axis = first_of_trailing(axes, x.rank())) return norm_of(x, op, *axis, epsilon, std::move(factors));
  if (const auto axis = inner_axis(axes, x.rank())) return turned_norm(x, op, *axis, epsilon, factors);
  return std::nullopt;
}

}  // namespace

std::optional<Found> find_layer_norm(const Look& look, const TensorImpl& root) {
  if (!is_quotient(root)) return std::nullopt;
  auto q = quotient(look, root);
  if (!q) return std::nullopt;
  for (auto factor = q->over.begin(); factor != q->over.end(); ++factor) {
    const auto of = centred(look, **factor);
    if (!of || !(of->x->sizes == root.sizes) || !look.broadcasts_along(*q->root, of->x->sizes, of->axes) ||
        !is_variance(look, *q->under.of, *of))
      continue;
    q->over.erase(factor);
    return any_norm(*of->x, Op::Norm, of->axes, q->under.epsilon, std::move(q->over));
  }
  return std::nullopt;
}

std::optional<Found> find_rms_norm(const Look& look, const TensorImpl& root) {
  if (!is_quotient(root)) return std::nullopt;
  auto q = quotient(look, root);
  if (!q) return std::nullopt;
  const auto mean = look.mean(*q->under.of);
  const TensorImpl* x = mean ? look.square(*mean->of) : nullptr;
  const auto factor = std::find(q->over.begin(), q->over.end(), x);
  if (!x || factor == q->over.end() || !(x->sizes == root.sizes) ||
      !look.broadcasts_along(*q->root, x->sizes, mean->axes))
    return std::nullopt;
  const auto axis = first_of_trailing(mean->axes, x->rank());
  if (!axis) return std::nullopt;
  q->over.erase(factor);
  return norm_of(*x, Op::RmsNorm, *axis, q->under.epsilon, std::move(q->over));
}

// NORM(x, gain) + bias; the turned one of an axis in between, too.
std::optional<Found> find_norm_bias(const Look& look, const TensorImpl& root) {
  if (root.op != Op::Add || root.dtype != DType::F32) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const TensorImpl &norm = *root.sources[i], &bias = *root.sources[1 - i];
    if (norm.op != Op::Norm || norm.sources.size() != 2 || !look.sole(norm) || !(norm.sizes == root.sizes)) continue;
    const auto params = norm.params.get<NormParams>();
    const auto sizes = along(bias, norm, params.axis);
    if (!sizes) continue;
    const TensorImpl &x = *norm.sources[0], &gain = *norm.sources[1];
    return Found{
        {&x, &gain, &bias}, [&, params, sizes = *sizes](Maker& m) {
          return m.op_with(Op::Norm, {m.twin(x), m.twin(gain), m.reshape(m.twin(bias), sizes, ":bias")}, params);
        }};
  }
  return std::nullopt;
}

namespace {

// x less its largest number along an axis; max(-inf, …) is that too.
const TensorImpl* less_largest(const Look& look, const TensorImpl& t, uint32_t axes) {
  if (t.op != Op::Sub) return nullptr;
  const TensorImpl* most = &look.spread(*t.sources[1]);
  if (const auto limits = look.limits(*most); limits && limits->low < -1e30 && limits->high > 1e30)
    most = &look.spread(*limits->of);
  if (most->op != Op::ReduceMax || most->sources[0] != t.sources[0] || most->params.get<ReduceParams>().axes != axes ||
      !look.broadcasts_along(*t.sources[1], t.sizes, axes))
    return nullptr;
  return t.sources[0];
}

std::optional<int> single_axis(uint32_t axes, int rank) {
  for (int i = 0; i < rank; ++i)
    if (axes == 1u << i) return i;
  return std::nullopt;
}

}  // namespace

std::optional<Found> find_soft_max(const Look& look, const TensorImpl& root) {
  if (!is_quotient(root)) return std::nullopt;
  const Product p = look.product(root);
  if (p.number != 1 || p.over.size() != 1 || p.under.size() != 1 || p.over[0]->op != Op::Exp) return std::nullopt;
  const TensorImpl& e = *p.over[0];
  const auto sum = look.reduced(*p.under[0]);
  if (!sum || sum->op != Op::ReduceSum || sum->factor != 1 || sum->of != &e || !(e.sizes == root.sizes) ||
      !look.broadcasts_along(*p.under[0], e.sizes, sum->axes))
    return std::nullopt;
  const auto axis = single_axis(sum->axes, e.rank());
  if (!axis) return std::nullopt;
  const TensorImpl* x = less_largest(look, *e.sources[0], sum->axes);
  if (!x) x = e.sources[0];
  return Found{{x}, [x, axis](Maker& m) { return m.op_with(Op::SoftMax, {m.twin(*x)}, SoftMaxParams{*axis, 1.0f}); }};
}

std::optional<Found> find_log_soft_max(const Look& look, const TensorImpl& root) {
  if (root.op != Op::Sub || root.dtype != DType::F32) return std::nullopt;
  const TensorImpl &less = *root.sources[0], &log = look.spread(*root.sources[1]);
  if (log.op != Op::Log) return std::nullopt;
  const auto sum = look.reduced(*log.sources[0]);
  if (!sum || sum->op != Op::ReduceSum || sum->factor != 1 || sum->of->op != Op::Exp || sum->of->sources[0] != &less ||
      !look.broadcasts_along(*root.sources[1], less.sizes, sum->axes))
    return std::nullopt;
  const auto axis = single_axis(sum->axes, less.rank());
  const TensorImpl* x = less_largest(look, less, sum->axes);
  if (!axis || !x || !(x->sizes == root.sizes)) return std::nullopt;
  return Found{{x}, [x, axis](Maker& m) {
                 return m.op_with(Op::LogSoftMax, {m.twin(*x)}, SoftMaxParams{*axis, 1.0f});
               }};
}

}  // namespace arenascope::rewriting
