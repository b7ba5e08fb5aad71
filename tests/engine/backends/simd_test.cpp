// SPDX-License-Identifier: MIT
// The vectorised loops against plain ones in double, over the whole range of floats, at every length and tail.
#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "engine/backends/cpu/kernels/half.h"
#include "engine/backends/cpu/simd/simd.h"

using namespace arenascope::cpu;

namespace {

std::vector<float> numbers() {
  std::vector<float> v = {0.0f, -0.0f, 1e-40f, -1e-40f, 88.0f, 89.5f, -87.0f, -104.0f, -200.0f, 1e30f, -1e30f};
  for (int i = -2000; i <= 2000; ++i) v.push_back(static_cast<float>(i) * 0.0101f);
  for (int e = -30; e < 7; ++e) v.push_back(std::ldexp(1.3f, e)), v.push_back(-std::ldexp(1.7f, e));
  return v;
}

struct Function {
  const char* name;
  ElementLoops::Unary ElementLoops::*member;
  double (*exact)(double);
};

double softplus(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

const Function kFunctions[] = {
    {"exp", &ElementLoops::exp, [](double x) { return std::exp(x); }},
    {"log", &ElementLoops::log, [](double x) { return std::log(x); }},
    {"erf", &ElementLoops::erf, [](double x) { return std::erf(x); }},
    {"tanh", &ElementLoops::tanh, [](double x) { return std::tanh(x); }},
    {"sigmoid", &ElementLoops::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }},
    {"silu", &ElementLoops::silu, [](double x) { return x / (1 + std::exp(-x)); }},
    {"gelu", &ElementLoops::gelu, [](double x) { return x / 2 * (1 + std::erf(x / std::sqrt(2.0))); }},
    {"softplus", &ElementLoops::softplus, softplus},
    {"mish", &ElementLoops::mish, [](double x) { return x * std::tanh(softplus(x)); }},
    {"elu", &ElementLoops::elu, [](double x) { return x < 0 ? std::expm1(x) : x; }},
    {"relu", &ElementLoops::relu, [](double x) { return x < 0 ? 0 : x; }},
};

}  // namespace

TEST_CASE("functions are right to a few units in the last place, or to 1e-7 near zero") {
  const std::vector<float> x = numbers();
  for (const Simd* table : {&simd(), &portable_simd()})
    for (const Function& f : kFunctions) {
      CAPTURE(table->name);
      CAPTURE(f.name);
      std::vector<float> y(x.size());
      (table->elements.*f.member)(y.data(), x.data(), static_cast<int64_t>(x.size()), 1, 0);
      for (size_t i = 0; i < x.size(); ++i) {
        const double exact = f.exact(static_cast<double>(x[i]));
        const auto rounded = static_cast<float>(exact);
        CAPTURE(x[i]);
        CAPTURE(y[i]);
        CAPTURE(exact);
        if (std::isnan(rounded))
          CHECK(std::isnan(y[i]));
        else if (std::isinf(rounded))
          CHECK(y[i] == rounded);
        else
          CHECK(std::abs(static_cast<double>(y[i]) - exact) <=
                1e-6 * std::abs(exact) + 3e-7 * std::min(1.0, std::abs(static_cast<double>(x[i])) + 1e-3));
      }
    }
}

TEST_CASE("NaN stays NaN") {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Function& f : kFunctions) {
    CAPTURE(f.name);
    std::vector<float> v(37, nan);
    (simd().elements.*f.member)(v.data(), v.data(), 37, 1, 0);
    for (float y : v) CHECK(std::isnan(y));
  }
  for (auto member : {&ElementLoops::min, &ElementLoops::max}) {
    std::vector<float> a(37, nan), b(37, 1), out(37);
    (simd().elements.*member)(out.data(), a.data(), b.data(), 37);
    for (float y : out) CHECK(std::isnan(y));
    (simd().elements.*member)(out.data(), b.data(), a.data(), 37);
    for (float y : out) CHECK(std::isnan(y));
  }
  std::vector<float> row(100, 1);
  for (size_t i : {size_t{0}, size_t{50}, size_t{99}}) {
    row[i] = nan;
    CHECK(std::isnan(simd().lines.highest(row.data(), 100)));
    CHECK(std::isnan(simd().lines.lowest(row.data(), 100)));
    row[i] = 1;
  }
}

TEST_CASE("an element's result does not depend on where it stands") {
  const std::vector<float> x = numbers();
  for (const Function& f : kFunctions) {
    std::vector<float> whole(x.size()), parts(x.size());
    (simd().elements.*f.member)(whole.data(), x.data(), static_cast<int64_t>(x.size()), 1, 0);
    for (size_t at = 0; at < x.size(); at += 7) {
      const auto n = static_cast<int64_t>(std::min<size_t>(7, x.size() - at));
      (simd().elements.*f.member)(parts.data() + at, x.data() + at, n, 1, 0);
    }
    CAPTURE(f.name);
    for (size_t i = 0; i < x.size(); ++i) CHECK((whole[i] == parts[i] || std::isnan(whole[i])));
  }
}

TEST_CASE("rows of every length") {
  for (int64_t n = 1; n < 200; n += n < 70 ? 1 : 13) {
    std::vector<float> a(static_cast<size_t>(n)), b(a.size()), out(a.size());
    double sum = 0, squares = 0, dot = 0, powers = 0;
    float highest = -100, lowest = 100;
    for (size_t i = 0; i < a.size(); ++i) {
      a[i] = std::sin(static_cast<float>(i) * 1.7f) + 0.1f;
      b[i] = std::cos(static_cast<float>(i));
      const double x = static_cast<double>(a[i]);
      sum += x;
      squares += (x - 0.5) * (x - 0.5);
      dot += x * static_cast<double>(b[i]);
      powers += std::exp(2 * x - 1);
      highest = std::max(highest, a[i]);
      lowest = std::min(lowest, a[i]);
    }
    CAPTURE(n);
    CHECK(simd().lines.sum(a.data(), n) == doctest::Approx(sum).epsilon(1e-5));
    CHECK(simd().lines.square_sum(a.data(), 0.5f, n) == doctest::Approx(squares).epsilon(1e-5));
    CHECK(static_cast<double>(simd().lines.dot(a.data(), b.data(), n)) == doctest::Approx(dot).epsilon(1e-5));
    CHECK(simd().lines.exp_sum(out.data(), a.data(), 2, 1, n) == doctest::Approx(powers).epsilon(1e-5));
    CHECK(simd().lines.highest(a.data(), n) == highest);
    CHECK(simd().lines.lowest(a.data(), n) == lowest);
  }
}

TEST_CASE("half precision: every pattern there and back") {
  std::vector<uint16_t> bits(65536);
  std::vector<float> values(65536);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  simd().half_to_float(values.data(), bits.data(), 65536);
  for (size_t i = 0; i < bits.size(); ++i) {
    const float plain = to_float(Half{bits[i]});
    if (std::isnan(plain)) {
      CHECK(std::isnan(values[i]));
      CHECK(std::isnan(to_float(to_half(plain))));
      continue;
    }
    REQUIRE(values[i] == plain);
    REQUIRE(to_half(plain).bits == bits[i]);
    // Halfway to the next one goes to the even one.
    if ((bits[i] & 0x7fff) < 0x7bff) {
      const float next = to_float(Half{static_cast<uint16_t>(bits[i] + 1)});
      REQUIRE(to_half((plain + next) / 2).bits == bits[i] + (bits[i] & 1));
    }
  }
  CHECK(to_half(65520.0f).bits == 0x7c00);
  CHECK(to_bfloat(1.00390625f).bits == 0x3f80);
  CHECK(to_bfloat(1.01171875f).bits == 0x3f82);
}
