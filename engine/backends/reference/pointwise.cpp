// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "engine/backends/reference/values.h"

namespace arenascope::reference {
namespace {

Real integer_power(Real base, Real exponent) {
  Real result = 1;
  for (Real i = 0; i < exponent; ++i) result *= base;
  return result;
}

Real two(Op op, DType type, Real a, Real b) {
  const bool whole = !info(type).floating;
  switch (op) {
    case Op::Add: return a + b;
    case Op::Sub: return a - b;
    case Op::Mul: return a * b;
    case Op::Div: return whole ? (b == 0 ? 0 : std::trunc(a / b)) : a / b;
    case Op::Pow: return whole && b >= 0 && b == std::floor(b) ? integer_power(a, b) : std::pow(a, b);
    case Op::Min: return std::isnan(a) || a < b ? a : b;
    case Op::Max: return std::isnan(a) || a > b ? a : b;
    case Op::Mod: return whole ? (b == 0 ? 0 : a - b * std::floor(a / b)) : std::fmod(a, b);
    case Op::Equal: return a == b;
    case Op::Less: return a < b;
    case Op::LessEqual: return a <= b;
    case Op::Greater: return a > b;
    case Op::GreaterEqual: return a >= b;
    case Op::And: return a != 0 && b != 0;
    case Op::Or: return a != 0 || b != 0;
    default: return (a != 0) != (b != 0);  // XOR
  }
}

Real softplus(Real x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

Real one(const TensorImpl& node, Real x) {
  const auto alpha = node.params.get<AlphaParams>();
  const auto hard = [&] {
    return std::clamp<Real>(static_cast<Real>(alpha.alpha) * x + static_cast<Real>(alpha.beta), 0, 1);
  };
  switch (node.op) {
    case Op::Neg: return -x;
    case Op::Abs: return std::abs(x);
    case Op::Sign: return std::isnan(x) ? x : (x > 0) - (x < 0);
    case Op::Floor: return std::floor(x);
    case Op::Ceil: return std::ceil(x);
    case Op::Round: return std::nearbyint(x);
    case Op::Sqrt: return std::sqrt(x);
    case Op::Reciprocal: return 1 / x;
    case Op::Exp: return std::exp(x);
    case Op::Log: return std::log(x);
    case Op::Erf: return std::erf(x);
    case Op::Sin: return std::sin(x);
    case Op::Cos: return std::cos(x);
    case Op::Tanh: return std::tanh(x);
    case Op::Sigmoid: return 1 / (1 + std::exp(-x));
    case Op::Relu: return x < 0 ? 0 : x;
    case Op::LeakyRelu: return x < 0 ? static_cast<Real>(alpha.alpha) * x : x;
    case Op::Elu: return x < 0 ? static_cast<Real>(alpha.alpha) * std::expm1(x) : x;
    case Op::Softplus: return softplus(x);
    case Op::Softsign: return x / (1 + std::abs(x));
    case Op::Gelu: return x / 2 * (1 + std::erf(x / std::sqrt(Real{2})));
    case Op::GeluTanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / Real{3.14159265358979323846L}) * (x + Real{0.044715L} * x * x * x)));
    case Op::Silu: return x / (1 + std::exp(-x));
    case Op::Mish: return x * std::tanh(softplus(x));
    case Op::HardSigmoid: return hard();
    case Op::HardSwish: return x * hard();
    case Op::Clamp: {
      const auto p = node.params.get<ClampParams>();
      return std::isnan(x) ? x : std::min(std::max(x, static_cast<Real>(p.low)), static_cast<Real>(p.high));
    }
    case Op::Scale: {
      const auto p = node.params.get<ScaleParams>();
      return static_cast<Real>(p.scale) * x + static_cast<Real>(p.bias);
    }
    case Op::Not: return x == 0;
    default: return std::isnan(x);  // IS_NAN
  }
}

}  // namespace

Result<std::vector<Real>> pointwise(const TensorImpl& node, const Sources& sources) {
  std::vector<Real> out(static_cast<size_t>(node.element_count()));
  for (size_t i = 0; i < out.size(); ++i) {
    const Dims index = unravel(static_cast<int64_t>(i), node.sizes);
    const auto at = [&](size_t s) { return broadcast_at(sources[s], index); };
    if (node.op == Op::BatchNorm) {
      const int64_t c = index[1];
      const Real deviation = std::sqrt(sources[4][c] + static_cast<Real>(node.params.get<BatchNormParams>().epsilon));
      out[i] = (at(0) - sources[3][c]) / deviation * sources[1][c] + sources[2][c];
    } else if (sources.size() == 1) {
      out[i] = one(node, at(0));
    } else if (sources.size() == 2) {
      out[i] = two(node.op, node.sources[0]->dtype, at(0), at(1));
    } else if (node.op == Op::Where) {
      out[i] = at(0) != 0 ? at(1) : at(2);
    } else {
      return Error{fmt::format("{} is unknown to the reference", name(node.op))};
    }
  }
  return out;
}

}  // namespace arenascope::reference
