// SPDX-License-Identifier: MIT
// The vectorised loops against plain ones in double, over the whole range of floats, at every length and tail.
#include <doctest/doctest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "engine/backends/cpu/kernels/elements.h"
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

TEST_CASE("functions are accurate to a few ulp, or to 1e-7 near zero") {
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

// As in the standard library: the range of a result is symmetric, and its zero point when quantised is that of others.
TEST_CASE("tanh of large numbers is exactly 1") {
  std::vector<float> x = {9.02f, 9.1f, 9.25f, 9.5f, 12.0f, 20.0f, 88.0f, 1e30f, std::numeric_limits<float>::infinity()};
  for (const float z : std::vector<float>(x)) x.push_back(-z);
  for (const Simd* table : {&simd(), &portable_simd()}) {
    CAPTURE(table->name);
    std::vector<float> y(x.size());
    table->elements.tanh(y.data(), x.data(), static_cast<int64_t>(x.size()), 1, 0);
    for (size_t i = 0; i < x.size(); ++i) {
      CAPTURE(x[i]);
      CHECK(y[i] == std::copysign(1.0f, x[i]));
    }
    const std::vector<float> all = numbers();
    y.resize(all.size());
    table->elements.tanh(y.data(), all.data(), static_cast<int64_t>(all.size()), 1, 0);
    CHECK(std::ranges::all_of(y, [](float value) { return std::abs(value) <= 1; }));
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

TEST_CASE("the result of an element does not depend on its position") {
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

TEST_CASE("rows of all lengths") {
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

TEST_CASE("half precision: every bit pattern round-trips") {
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

namespace {

// Floats of all magnitudes, and those near integers.
std::vector<float> patterns() {
  std::vector<float> out;
  for (uint32_t i = 0; i < 65536; ++i) out.push_back(std::bit_cast<float>(i * 65537u + (i >> 3)));
  for (int i = -2000; i < 2000; ++i)
    for (const float by : {0.25f, 0.5f, 1.0f}) out.push_back(static_cast<float>(i) * by);
  for (const float x : {0x1p31f, -0x1p31f, 0x1p63f, -0x1p63f, 65504.0f, 65519.0f, 65520.0f}) out.push_back(x);
  return out;
}

// Stored in ranges of odd lengths, compared with the conversion of each number.
template <class T, class F>
void check_stores(arenascope::DType type, F&& expected) {
  const std::vector<float> x = patterns();
  std::vector<T> got(x.size());
  const auto store = storer<float>(type);
  for (size_t at = 0, n = 1; at < x.size(); at += n, n = n % 77 + 1) {
    n = std::min(n, x.size() - at);
    store(reinterpret_cast<std::byte*>(got.data() + at), 1, x.data() + at, static_cast<int64_t>(n));
  }
  int wrong = 0;
  for (size_t i = 0; i < x.size(); ++i) wrong += got[i] != expected(x[i]);
  CAPTURE(arenascope::name(type));
  CHECK(wrong == 0);
}

template <class T>
T cut_off(float x) {
  if (x != x) return 0;
  const double low = static_cast<double>(std::numeric_limits<T>::lowest()),
               high = static_cast<double>(std::numeric_limits<T>::max()), y = static_cast<double>(x);
  return y <= low ? std::numeric_limits<T>::lowest() : y >= high ? std::numeric_limits<T>::max() : static_cast<T>(y);
}

template <class T>
void check_loads(arenascope::DType type, T first, T step) {
  std::vector<T> x(1000);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = first, first = static_cast<T>(static_cast<uint64_t>(first) + static_cast<uint64_t>(step));
  for (const size_t n : {size_t{1}, size_t{15}, size_t{16}, size_t{999}}) {
    std::vector<float> got(n);
    loader<float>(type)(got.data(), reinterpret_cast<const std::byte*>(x.data()), 1, static_cast<int64_t>(n));
    int wrong = 0;
    for (size_t i = 0; i < n; ++i) wrong += got[i] != static_cast<float>(x[i]);
    CHECK(wrong == 0);
  }
}

}  // namespace

TEST_CASE("vector conversions to and from float equal scalar ones") {
  using arenascope::DType;
  check_stores<uint16_t>(DType::F16, [](float x) { return to_half(x).bits; });
  check_stores<uint16_t>(DType::BF16, [](float x) { return to_bfloat(x).bits; });
  check_stores<uint8_t>(DType::U8, cut_off<uint8_t>);
  check_stores<int8_t>(DType::I8, cut_off<int8_t>);
  check_stores<int32_t>(DType::I32, cut_off<int32_t>);
  check_stores<int64_t>(DType::I64, cut_off<int64_t>);
  check_stores<uint8_t>(DType::Bool, [](float x) { return static_cast<uint8_t>(x != 0); });
  check_loads<uint8_t>(DType::U8, 0, 1);
  check_loads<int8_t>(DType::I8, 0, 1);
  check_loads<int32_t>(DType::I32, -5, 4295012);
  check_loads<int64_t>(DType::I64, -5, 18446744073709551);
  std::vector<uint16_t> brain(65536);
  for (size_t i = 0; i < brain.size(); ++i) brain[i] = static_cast<uint16_t>(i);
  std::vector<float> wide(brain.size());
  loader<float>(DType::BF16)(wide.data(), reinterpret_cast<const std::byte*>(brain.data()), 1, 65536);
  int wrong = 0;
  for (size_t i = 0; i < brain.size(); ++i)
    wrong += std::bit_cast<uint32_t>(wide[i]) != std::bit_cast<uint32_t>(to_float(BFloat{brain[i]}));
  CHECK(wrong == 0);
}

TEST_CASE("vector quantisation equals division, rounding, shift and cast") {
  const std::vector<float> x = patterns();
  const auto check = [&](CastLoops::Quantise quantise, auto zero) {
    using T = decltype(zero);
    if (!quantise) return;
    std::vector<T> got(x.size());
    for (const float scale : {0.02f, 0.5f, -3.0f, 0x1p-140f, 0.0f})
      for (const float shift : {0.0f, 3.0f, -128.0f}) {
        for (size_t at = 0, n = 1; at < x.size(); at += n, n = n % 77 + 1) {
          n = std::min(n, x.size() - at);
          quantise(got.data() + at, x.data() + at, static_cast<int64_t>(n), scale, shift);
        }
        int wrong = 0;
        for (size_t i = 0; i < x.size(); ++i) wrong += got[i] != cut_off<T>(std::nearbyint(x[i] / scale) + shift);
        CHECK(wrong == 0);
      }
  };
  check(simd().casts.quantise_u8, uint8_t{});
  check(simd().casts.quantise_i8, int8_t{});
}

TEST_CASE("vector comparisons equal scalar ones") {
  const TruthLoops& truths = simd().truths;
  if (!truths.equal) return;
  const std::vector<float> a = patterns();
  std::vector<float> b = a;
  std::rotate(b.begin(), b.begin() + 3, b.end());
  for (size_t i = 0; i < b.size(); i += 2) b[i] = a[i];
  std::vector<uint8_t> equal(a.size()), less(a.size()), less_equal(a.size()), nan(a.size());
  const auto n = static_cast<int64_t>(a.size());
  truths.equal(equal.data(), a.data(), b.data(), n), truths.less(less.data(), a.data(), b.data(), n);
  truths.less_equal(less_equal.data(), a.data(), b.data(), n), truths.is_nan(nan.data(), a.data(), n);
  int wrong = 0;
  for (size_t i = 0; i < a.size(); ++i)
    wrong += equal[i] != (a[i] == b[i]) || less[i] != (a[i] < b[i]) || less_equal[i] != (a[i] <= b[i]) ||
             nan[i] != (a[i] != a[i]);
  CHECK(wrong == 0);
}

TEST_CASE("interleaved values are separated without out-of-bounds access") {
  for (const Simd* table : {&simd(), &portable_simd()})
    for (int64_t n = 0; n < 40; ++n) {
      CAPTURE(table->name);
      CAPTURE(n);
      std::vector<float> x(static_cast<size_t>(2 * n)), even(static_cast<size_t>(n) + 2, -1.0f), odd = even;
      for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
      table->halves(even.data(), odd.data(), x.data(), n);
      for (size_t i = 0; i < even.size(); ++i) {
        const bool inside = static_cast<int64_t>(i) < n;
        REQUIRE(even[i] == (inside ? static_cast<float>(2 * i) : -1.0f));
        REQUIRE(odd[i] == (inside ? static_cast<float>(2 * i + 1) : -1.0f));
      }
    }
}
