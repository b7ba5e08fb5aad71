// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/backends/reference/values.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // an op that is missing here is a compile error

namespace arenascope::reference {
namespace {

Real integer_power(Real base, Real exponent) {
  Real result = 1;
  for (Real i = 0; i < exponent; ++i) result *= base;
  return result;
}

// The result for an op that no switch handles; supports() has rejected such ops.
constexpr Real kUnknown = std::numeric_limits<Real>::quiet_NaN();

// Two's complement, as wide as the type.
uint64_t bits_of(Real x) { return x < 0 ? static_cast<uint64_t>(static_cast<int64_t>(x)) : static_cast<uint64_t>(x); }
Real number_of(DType type, uint64_t bits) {
  const int width = 8 * info(type).block_bytes;
  const bool is_signed = type == DType::I8 || type == DType::I16 || type == DType::I32 || type == DType::I64;
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  const bool negative = is_signed && (bits >> (width - 1) & 1) != 0;
  return static_cast<Real>(bits) - (negative ? std::ldexp(Real{1}, width) : 0);
}

Real calculated(BinaryOp op, DType type, Real a, Real b) {
  const bool whole = !info(type).floating;
  switch (op) {
    case BinaryOp::Add: return a + b;
    case BinaryOp::Sub: return a - b;
    case BinaryOp::Mul: return a * b;
    case BinaryOp::Div: return whole ? (b == 0 ? 0 : std::trunc(a / b)) : a / b;
    case BinaryOp::Pow: return whole && b >= 0 && b == std::floor(b) ? integer_power(a, b) : std::pow(a, b);
    case BinaryOp::Min: return std::isnan(a) || a < b ? a : b;
    case BinaryOp::Max: return std::isnan(a) || a > b ? a : b;
    case BinaryOp::Mod: return whole ? (b == 0 ? 0 : a - b * std::floor(a / b)) : std::fmod(a, b);
    case BinaryOp::BitAnd: return number_of(type, bits_of(a) & bits_of(b));
    case BinaryOp::BitOr: return number_of(type, bits_of(a) | bits_of(b));
    case BinaryOp::BitXor: return number_of(type, bits_of(a) ^ bits_of(b));
    case BinaryOp::ShiftLeft: return b < 64 ? number_of(type, bits_of(a) << bits_of(b)) : 0;
    case BinaryOp::ShiftRight: return std::floor(a / std::exp2(b));
  }
  return kUnknown;
}

bool compared(ComparisonOp op, Real a, Real b) {
  switch (op) {
    case ComparisonOp::Equal: return a == b;
    case ComparisonOp::Less: return a < b;
    case ComparisonOp::LessEqual: return a <= b;
    case ComparisonOp::Greater: return a > b;
    case ComparisonOp::GreaterEqual: return a >= b;
    case ComparisonOp::And: return a != 0 && b != 0;
    case ComparisonOp::Or: return a != 0 || b != 0;
    case ComparisonOp::Xor: return (a != 0) != (b != 0);
  }
  return false;
}

Real softplus(Real x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

Real one(const TensorImpl& node, Real x) {
  const auto alpha = node.params.get<AlphaParams>();
  const auto hard = [&] {
    return std::clamp<Real>(static_cast<Real>(alpha.alpha) * x + static_cast<Real>(alpha.beta), 0, 1);
  };
  switch (static_cast<UnaryOp>(node.op)) {
    case UnaryOp::Neg: return -x;
    case UnaryOp::Abs: return std::abs(x);
    case UnaryOp::Sign: return std::isnan(x) ? x : (x > 0) - (x < 0);
    case UnaryOp::Floor: return std::floor(x);
    case UnaryOp::Ceil: return std::ceil(x);
    case UnaryOp::Round: return std::nearbyint(x);
    case UnaryOp::Sqrt: return std::sqrt(x);
    case UnaryOp::Reciprocal: return 1 / x;
    case UnaryOp::Exp: return std::exp(x);
    case UnaryOp::Log: return std::log(x);
    case UnaryOp::Erf: return std::erf(x);
    case UnaryOp::Sin: return std::sin(x);
    case UnaryOp::Cos: return std::cos(x);
    case UnaryOp::Tan: return std::tan(x);
    case UnaryOp::Asin: return std::asin(x);
    case UnaryOp::Acos: return std::acos(x);
    case UnaryOp::Atan: return std::atan(x);
    case UnaryOp::Sinh: return std::sinh(x);
    case UnaryOp::Cosh: return std::cosh(x);
    case UnaryOp::Asinh: return std::asinh(x);
    case UnaryOp::Acosh: return std::acosh(x);
    case UnaryOp::Atanh: return std::atanh(x);
    case UnaryOp::BitNot: return number_of(node.dtype, ~bits_of(x));
    case UnaryOp::Tanh: return std::tanh(x);
    case UnaryOp::Sigmoid: return 1 / (1 + std::exp(-x));
    case UnaryOp::Relu: return x < 0 ? 0 : x;
    case UnaryOp::LeakyRelu: return x < 0 ? static_cast<Real>(alpha.alpha) * x : x;
    case UnaryOp::Elu: return x < 0 ? static_cast<Real>(alpha.alpha) * std::expm1(x) : x;
    case UnaryOp::Softplus: return softplus(x);
    case UnaryOp::Softsign: return x / (1 + std::abs(x));
    case UnaryOp::Gelu: return x / 2 * (1 + std::erf(x / std::sqrt(Real{2})));
    case UnaryOp::GeluTanh:
      return x / 2 * (1 + std::tanh(std::sqrt(2 / Real{3.14159265358979323846L}) * (x + Real{0.044715L} * x * x * x)));
    case UnaryOp::Silu: return x / (1 + std::exp(-x));
    case UnaryOp::Mish: return x * std::tanh(softplus(x));
    case UnaryOp::HardSigmoid: return hard();
    case UnaryOp::HardSwish: return x * hard();
    case UnaryOp::Clamp: {
      const auto p = node.params.get<ClampParams>();
      return std::isnan(x) ? x : std::min(std::max(x, static_cast<Real>(p.low)), static_cast<Real>(p.high));
    }
    case UnaryOp::Scale: {
      const auto p = node.params.get<ScaleParams>();
      return static_cast<Real>(p.scale) * x + static_cast<Real>(p.bias);
    }
    case UnaryOp::Not: return x == 0;
    case UnaryOp::IsNan: return std::isnan(x);
  }
  return kUnknown;
}

}  // namespace

std::vector<Real> pointwise(const TensorImpl& node, const Sources& sources) {
  std::vector<Real> out(static_cast<size_t>(node.element_count()));
  const OpFamily family = info(node.op).family;
  for (size_t i = 0; i < out.size(); ++i) {
    const Dims index = unravel(static_cast<int64_t>(i), node.sizes);
    const auto at = [&](size_t s) { return broadcast_at(sources[s], index); };
    if (family == OpFamily::Unary)
      out[i] = one(node, at(0));
    else if (family == OpFamily::Binary)
      out[i] = calculated(static_cast<BinaryOp>(node.op), node.sources[0]->dtype, at(0), at(1));
    else if (family == OpFamily::Comparison)
      out[i] = compared(static_cast<ComparisonOp>(node.op), at(0), at(1));
    else
      out[i] = at(0) != 0 ? at(1) : at(2);  // WHERE, the only choice
  }
  return out;
}

}  // namespace arenascope::reference
