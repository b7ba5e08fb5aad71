// SPDX-License-Identifier: MIT
// Ops of one source, element by element: vectorised for float, plain loops for the other types.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/rows.h"
#include "engine/backends/cpu/kernels/steps.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

// The function's two parameters, if it has any.
struct Two {
  double p = 0, q = 0;
};

Two parameters(const TensorImpl& node) {
  switch (node.op) {
    case Op::LeakyRelu:
    case Op::Elu:
    case Op::HardSigmoid:
    case Op::HardSwish: {
      const auto p = node.params.get<AlphaParams>();
      return {p.alpha, p.beta};
    }
    case Op::Clamp: {
      const auto p = node.params.get<ClampParams>();
      return {p.low, p.high};
    }
    case Op::Scale: {
      const auto p = node.params.get<ScaleParams>();
      return {p.scale, p.bias};
    }
    default: return {};
  }
}

Simd::Unary vectorised(const Simd& s, Op op) {
  switch (op) {
    case Op::Scale: return s.affine;
    case Op::Clamp: return s.clamp;
    case Op::Relu: return s.relu;
    case Op::LeakyRelu: return s.leaky_relu;
    case Op::Elu: return s.elu;
    case Op::Exp: return s.exp;
    case Op::Log: return s.log;
    case Op::Erf: return s.erf;
    case Op::Tanh: return s.tanh;
    case Op::Sigmoid: return s.sigmoid;
    case Op::Silu: return s.silu;
    case Op::Gelu: return s.gelu;
    case Op::GeluTanh: return s.gelu_tanh;
    case Op::Softplus: return s.softplus;
    case Op::Mish: return s.mish;
    case Op::HardSigmoid: return s.hard_sigmoid;
    case Op::HardSwish: return s.hard_swish;
    case Op::Sqrt: return s.sqrt;
    case Op::Reciprocal: return s.reciprocal;
    default: return nullptr;
  }
}

template <class R>
R floating(Op op, R x, R p, R q) {
  switch (op) {
    case Op::Sqrt: return std::sqrt(x);
    case Op::Reciprocal: return 1 / x;
    case Op::Exp: return std::exp(x);
    case Op::Log: return std::log(x);
    case Op::Erf: return std::erf(x);
    case Op::Sin: return std::sin(x);
    case Op::Cos: return std::cos(x);
    case Op::Tanh: return std::tanh(x);
    case Op::Sigmoid: return 1 / (1 + std::exp(-x));
    case Op::LeakyRelu: return x < 0 ? p * x : x;
    case Op::Elu: return x < 0 ? p * std::expm1(x) : x;
    case Op::Softplus: return std::max(x, R{0}) + std::log1p(std::exp(-std::abs(x)));
    case Op::Softsign: return x / (1 + std::abs(x));
    case Op::Gelu: return x / 2 * (1 + std::erf(x * R{0.70710678118654752}));
    case Op::GeluTanh: return x / 2 * (1 + std::tanh(R{0.79788456080286536} * (x + R{0.044715} * x * x * x)));
    case Op::Silu: return x / (1 + std::exp(-x));
    case Op::Mish: return x * std::tanh(std::max(x, R{0}) + std::log1p(std::exp(-std::abs(x))));
    case Op::HardSigmoid: return std::clamp(p * x + q, R{0}, R{1});
    case Op::HardSwish: return x * std::clamp(p * x + q, R{0}, R{1});
    case Op::Scale: return p * x + q;
    case Op::Floor: return std::floor(x);
    case Op::Ceil: return std::ceil(x);
    case Op::Round: return std::nearbyint(x);  // halves to even
    default: return x;
  }
}

// One element of any type. Integers stay as they are where rounding would change floating-point numbers only.
template <class C>
C one(Op op, C x, Two two) {
  switch (op) {
    case Op::Neg: return std::is_integral_v<C> ? static_cast<C>(0 - static_cast<uint64_t>(convert<int64_t>(x))) : -x;
    case Op::Abs:
      if constexpr (std::is_same_v<C, int64_t>)
        return static_cast<C>(x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x));
      else if constexpr (std::is_same_v<C, uint64_t>)
        return x;
      else
        return std::abs(x);
    case Op::Sign: return x != x ? x : static_cast<C>((x > C{0}) - (x < C{0}));
    case Op::Relu: return x < C{0} ? C{0} : x;
    case Op::Not: return x == C{0} ? C{1} : C{0};
    case Op::Clamp: {
      if (x != x) return x;
      const C low = convert<C>(two.p), high = convert<C>(two.q);
      return std::min(std::max(x, low), high);
    }
    default:
      if constexpr (std::is_floating_point_v<C>)
        return floating(op, x, static_cast<C>(two.p), static_cast<C>(two.q));
      else
        return x;
  }
}

template <class C>
void run(const Job& job) {
  const Op op = job.node.op;
  const Two two = parameters(job.node);
  const Nest nest(job.node, {&job.source(0)});
  Reader<C> source(job.source(0), nest.inner_stride(1));
  Writer<C> out(job.node);
  const Functions functions(job.node);
  const Simd::Unary fast = std::is_same_v<C, float> ? vectorised(*functions, op) : nullptr;
  nest.rows(job.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    const C* x = source.piece(at[1], n);
    C* to = out.piece(at[0]);
    if constexpr (std::is_same_v<C, float>)
      if (fast) fast(to, x, n, static_cast<float>(two.p), static_cast<float>(two.q));
    if (!fast)
      for (int64_t i = 0; i < n; ++i) to[i] = one(op, x[i], two);
    out.done(at[0], n);
  });
}

template <class C>
void is_nan(const Job& job) {
  const Nest nest(job.node.sizes, {&job.node, &job.source(0)});
  Reader<C> source(job.source(0), nest.inner_stride(1));
  Writer<int64_t> out(job.node);
  nest.rows(job.part(nest.count(), 64), kPiece, [&](const int64_t* at, int64_t n) {
    const C* x = source.piece(at[1], n);
    int64_t* to = out.piece(at[0]);
    for (int64_t i = 0; i < n; ++i) to[i] = x[i] != x[i];
    out.done(at[0], n);
  });
}

}  // namespace

void unary_row(const Simd& s, Op op, float* out, const float* x, int64_t n, float p, float q) {
  if (const Simd::Unary fast = vectorised(s, op)) return fast(out, x, n, p, q);
  for (int64_t i = 0; i < n; ++i) out[i] = one(op, x[i], Two{p, q});
}

Status unary(const Job& job) {
  with_compute_type(job.source(0).dtype, [&](auto zero) {
    if (job.node.op == Op::IsNan)
      is_nan<decltype(zero)>(job);
    else
      run<decltype(zero)>(job);
  });
  return {};
}

}  // namespace arenascope::cpu
