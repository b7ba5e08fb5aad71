// SPDX-License-Identifier: MIT
// Every kernel against an unrounded reference, to the bound that its op states: ordinary numbers, NaN, infinities,
// zeros of both signs and denormals, in every layout and type of the op cases; functions of one element over all 16-bit
// floats and an even sample of all 32-bit ones.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>

#include <arenascope/backends/cpu/cpu_backend.h>
#include "engine/backends/cpu/error_bound.h"
#include "engine/backends/reference/values.h"
#include "tests/support/built_case.h"

using namespace arenascope;
using reference::Real;

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

// Special values mixed into ordinary numbers. A row of a matmul has at most one of the first three kinds.
enum class Mix { Nothing, Nan, Infinity, MinusInfinity, Zeros, Denormals, Everything };
constexpr Mix kMixes[] = {Mix::Nothing, Mix::Nan,       Mix::Infinity,  Mix::MinusInfinity,
                          Mix::Zeros,   Mix::Denormals, Mix::Everything};
std::string name(Mix mix) {
  constexpr const char* kNames[] = {"numbers", "NaN", "infinity", "minus infinity", "zeros", "denormals", "everything"};
  return kNames[static_cast<int>(mix)];
}

struct Format {
  int digits;  // digits of a significand
  int least;   // exponent of the smallest denormal
  double largest;
};
Format format(DType type) {
  switch (type) {
    case DType::F16: return {11, -24, 65504};
    case DType::BF16: return {8, -133, 0x1.fep127};
    case DType::F64: return {53, -1074, std::numeric_limits<double>::max()};
    default: return {24, -149, static_cast<double>(std::numeric_limits<float>::max())};
  }
}
Real unit(const Format& f, Real x) {
  if (x == 0) return std::ldexp(Real{1}, f.least);
  return std::ldexp(Real{1}, std::max(std::ilogb(x) - (f.digits - 1), f.least));
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15u + 1) {}
  uint64_t below(uint64_t n) {
    state_ ^= state_ << 13, state_ ^= state_ >> 7, state_ ^= state_ << 17;
    return (state_ >> 11) % n;
  }

 private:
  uint64_t state_;
};

// Weights of a convolution and values of an attention are finite, because their products with padding and with masked keys
// are defined for finite numbers only; so are the parameters that BATCH_NORM folds into a factor and a shift,
// and the images of GRID_SAMPLE, some of whose weights are zeros of either sign except for rounding.
bool stays_finite(Op op, size_t input) {
  return ((op == Op::Conv || op == Op::ConvTranspose) && input == 1) || (op == Op::Attention && input == 2) ||
         (op == Op::GridSample && input == 0) || (op == Op::BatchNorm && input > 0);
}

void mix_in(const BuiltCase& built, Op op, Mix mix) {
  if (mix == Mix::Nothing) return;
  Random random(static_cast<uint64_t>(mix));
  for (size_t k = 0; k < built.inputs.size(); ++k) {
    const Tensor& tensor = built.inputs[k].tensor;
    if (!info(tensor.dtype()).floating || tensor->element_count() == 0) continue;
    const Format f = format(tensor.dtype());
    const double tiny = std::ldexp(1.0, f.least), normal = std::ldexp(1.0, f.least + f.digits - 1);
    std::vector<Real> v = reference::read(*tensor).v;
    const auto place = [&] { return static_cast<size_t>(random.below(v.size())); };
    const bool finite = stays_finite(op, k);
    if (mix == Mix::Nan && !finite) v[place()] = kNan;
    if (mix == Mix::Infinity && !finite) v[place()] = kInfinity;
    if (mix == Mix::MinusInfinity && !finite) v[place()] = -kInfinity;
    const double some[] = {kNan,      kInfinity,     -kInfinity,    0.0,    -0.0,    8 * tiny,
                           -8 * tiny, normal - tiny, tiny - normal, normal, -normal, 5 * tiny};
    for (Real& x : v) {
      if (mix == Mix::Zeros && random.below(2) == 0) x = random.below(2) ? 0.0 : -0.0;
      if (mix == Mix::Denormals) x = some[5 + random.below(7)] * (random.below(2) ? 1 : 0.5);
      if (mix == Mix::Everything && !finite && random.below(3) == 0) x = some[random.below(12)];
    }
    reference::write(*tensor, v);
  }
}

// The permitted results of a case, and the distance of a computed one as a fraction of its bound.
class Expected {
 public:
  explicit Expected(const TensorImpl& node) : node_(node), bound_(cpu::error_bound(node)) {
    auto exact = reference::evaluate(node);
    REQUIRE(exact.ok());
    exact_ = std::move(*exact);
    reference::write(node, exact_);
    rounded_ = reference::read_doubles(node);
    if (bound_.terms != 0) terms_ = terms();
    for (double x : rounded_)
      if (std::isfinite(x)) largest_ = std::max(largest_, std::abs(x));
  }

  // 0: equal; up to 1: within the bound. `place` is the worst element's.
  double compare(size_t& place) const {
    const std::vector<double> got = reference::read_doubles(node_);
    double worst = 0;
    for (size_t i = 0; i < got.size(); ++i) {
      const double x = got[i], y = rounded_[i];
      if (x == y || (std::isnan(x) && std::isnan(y))) continue;
      const double share = part(x, i);
      if (share > worst) worst = share, place = i;
    }
    return worst;
  }
  double exact(size_t i) const { return static_cast<double>(exact_[i]); }

 private:
  double part(double x, size_t i) const {
    if (!info(node_.dtype).floating) return kInfinity;
    const Format own = format(node_.dtype), computed = format(node_.dtype == DType::F64 ? DType::F64 : DType::F32);
    Real y = exact_[i];
    if (std::isnan(x) || std::isnan(y)) return kInfinity;
    // Infinity is the neighbour of the largest number.
    const Real end = own.largest + static_cast<Real>(unit(own, own.largest)) / 2;
    const Real got = std::isinf(x) ? std::copysign(end, static_cast<Real>(x)) : static_cast<Real>(x);
    if (std::isinf(y) || std::abs(y) > end) y = std::copysign(end, y);
    const Real epsilon = std::ldexp(Real{1}, 1 - computed.digits);
    Real allowed = unit(own, y) / 2 + bound_.ulps * unit(computed, y) + bound_.largest * epsilon * largest_;
    if (bound_.terms != 0 && std::isfinite(terms_[i])) allowed += bound_.terms * epsilon * terms_[i];
    allowed += bound_.least;
    return static_cast<double>(std::abs(got - y) / (allowed * (1 + 1e-6L)));
  }
  std::vector<Real> terms() const {
    if (!info(node_.op).is_pointwise()) return *reference::evaluate(node_, reference::Reading::Magnitudes);
    std::vector<Real> v = reference::read(*node_.sources[0], reference::Reading::Magnitudes).v;
    if (node_.op == Op::Scale)
      for (Real& x : v) x *= std::abs(static_cast<Real>(node_.params.get<ScaleParams>().scale));
    return v;
  }

  const TensorImpl& node_;
  ErrorBound bound_;
  std::vector<Real> exact_, terms_;
  std::vector<double> rounded_;
  double largest_ = 0;
};

// A node that writes into its first input leaves the other elements of its result unchanged.
void clear_result(const Tensor& t) {
  if (!t->is_view()) test::fill_with_pattern(t);
}

}  // namespace

TEST_CASE("every op keeps its error bound, also with NaN, infinities, zeros and denormals") {
  auto cpu = cpu::make_cpu_backend();
  auto memory = make_cpu_context();
  int64_t compared = 0;
  for (const OpCase& c : op_cases())
    for (Mix mix : kMixes) {
      const test::Built b = test::build(c, 11);
      mix_in(b.built, c.op, mix);
      const Tensor& out = b.built.output;
      if (out->byte_count() == 0 || c.op == Op::OptimizerStep)
        continue;  // each run continues from the state of the last one
      if ((c.op == Op::ReduceProd || c.op == Op::CumProd) && out.dtype() == DType::F64 && mix == Mix::Everything)
        continue;  // a double's own range
      const Expected expected(*out);
      const auto check = [&](Backend& backend, int parts, const std::string& how) {
        clear_result(out);
        REQUIRE(compute_in_parts(backend, *out, parts).ok());
        size_t place = 0;
        const double share = expected.compare(place);
        CHECK_MESSAGE(share <= 1, c.name << " with " << name(mix) << ", " << parts << " parts" << how << ": " << share
                                         << " times the bound at " << place << ", "
                                         << reference::read_doubles(*out)[place] << " for " << expected.exact(place));
        ++compared;
      };
      check(*cpu, 1, "");
      check(*cpu, 3, "");
      const bool recurrence = c.op == Op::Lstm || c.op == Op::Gru || c.op == Op::Rnn;
      if (c.op != Op::Conv && c.op != Op::MulMat && !recurrence) continue;
      out->sources[c.op == Op::MulMat ? 0 : 1]->flags |= kFlagWeight;
      if (recurrence) out->sources[2]->flags |= kFlagWeight;
      check(*cpu, 2, ", packed weights");
    }
  MESSAGE(compared << " comparisons");
}

TEST_CASE("unary functions keep their error bound over all floats") {
  auto cpu = cpu::make_cpu_backend();
  for (int o = 0; o < kOpCount; ++o) {
    const Op op = static_cast<Op>(o);
    const OpInfo& known = info(op);
    if (!known.is_pointwise() || known.min_sources != 1 || known.max_sources != 1 || op == Op::Tril ||
        op == Op::LogSoftMax || op == Op::BitNot)
      continue;
    for (DType type : {DType::F32, DType::F16, DType::BF16}) {
      CAPTURE(std::string(name(op)));
      CAPTURE(arenascope::name(type));
      auto context = Context::create({.mem_size = size_t{1} << 21});
      REQUIRE(context);
      GraphBuilder builder(*context);
      const Tensor x = builder.input("x", {65536}, type);
      OpParams params;
      if (op == Op::LeakyRelu || op == Op::Elu || op == Op::HardSigmoid || op == Op::HardSwish)
        params.set(AlphaParams{0.2f, 0.5f});
      if (op == Op::Clamp) params.set(ClampParams{-1, 3});
      if (op == Op::Scale) params.set(ScaleParams{-1.5f, 0});
      const Tensor sources[] = {x};
      const Tensor out = builder.op(op, sources, params);
      REQUIRE(builder.ok());
      for (uint32_t i = 0; i < 65536; ++i) {
        if (type == DType::F32)
          x->data_as<uint32_t>()[i] = i * 65537u + (i >> 3);
        else
          x->data_as<uint16_t>()[i] = static_cast<uint16_t>(i);
      }
      const Expected expected(*out);
      clear_result(out);
      REQUIRE(compute_in_parts(*cpu, *out, 2).ok());
      size_t place = 0;
      const double share = expected.compare(place);
      CHECK_MESSAGE(share <= 1, std::string(name(op))
                                    << " of " << std::string(arenascope::name(type)) << ": " << share
                                    << " times the bound at " << reference::read_doubles(*x)[place] << ", "
                                    << reference::read_doubles(*out)[place] << " for " << expected.exact(place));
    }
  }
}
