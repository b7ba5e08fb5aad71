// SPDX-License-Identifier: MIT
// Matmuls and convolutions of int8, compared with sums of integers: weights with and without zero points, one or one per
// column, zero points known only at run time, and operands dequantised before a matmul.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "own_operators.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

struct Line {
  std::vector<int> numbers;
  std::string bytes() const {
    std::string out;
    for (const int n : numbers) out += static_cast<char>(n);
    return out;
  }
  Numbers doubles() const { return {numbers.begin(), numbers.end()}; }
};

// Every byte, in an order that repeats late.
Line bytes_of(size_t count, bool is_signed, uint32_t state) {
  Line out;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    out.numbers.push_back(static_cast<int>(state >> 24) - (is_signed ? 128 : 0));
  }
  return out;
}

constexpr size_t kRows = 3, kDepth = 37, kColumns = 5;

}  // namespace

TEST_CASE("int8 matmul sums are exact for all types and zero points") {
  for (const bool w_signed : {false, true})
    for (const bool by_column : {false, true})
      for (const bool x_known : {false, true})
        for (const int zero : {0, 119, 128}) {
          CAPTURE(w_signed);
          CAPTURE(by_column);
          CAPTURE(x_known);
          CAPTURE(zero);
          const Line x = bytes_of(kRows * kDepth, false, 5), w = bytes_of(kDepth * kColumns, w_signed, 6);
          Line zeros;
          for (size_t n = 0; n < (by_column ? kColumns : 1); ++n)
            zeros.numbers.push_back((w_signed ? zero % 128 : zero) - static_cast<int>(n));
          if (zero == 0 && !w_signed) zeros.numbers.assign(zeros.numbers.size(), 0);
          const int w_type = w_signed ? kInt8 : kUint8;
          const int x_zero = 142;
          OnnxMaker m(21);
          m.input("x", {kRows, kDepth}, kUint8).output("y", {}, kInt32);
          m.raw_weight("w", {kDepth, kColumns}, w.bytes(), w_type);
          m.raw_weight("w_zero", by_column ? Ints{kColumns} : Ints{}, zeros.bytes(), w_type);
          std::vector<Given> given{{"x", x.doubles()}};
          if (x_known)
            m.raw_weight("x_zero", {}, std::string(1, static_cast<char>(x_zero)), kUint8);
          else
            m.input("x_zero", {}, kUint8), given.push_back({"x_zero", {static_cast<double>(x_zero)}});
          m.node("MatMulInteger", {"x", "w", "x_zero", "w_zero"}, {"y"});
          Numbers expected;
          for (size_t r = 0; r < kRows; ++r)
            for (size_t n = 0; n < kColumns; ++n) {
              int sum = 0;
              for (size_t k = 0; k < kDepth; ++k)
                sum += (x.numbers[r * kDepth + k] - x_zero) *
                       (w.numbers[k * kColumns + n] - zeros.numbers[by_column ? n : 0]);
              expected.push_back(sum);
            }
          const Results made = run_file(m, given);
          CHECK(made.refused == "");
          if (made.refused.empty()) CHECK(made.numbers.at("y") == expected);
        }
}

TEST_CASE("int8 convolutions pad with the zero point, also with a computed one") {
  for (const bool w_signed : {false, true})
    for (const int w_zero : {0, 121})
      for (const bool x_known : {false, true})
        for (const int64_t pad : {0, 1}) {
          CAPTURE(w_signed);
          CAPTURE(w_zero);
          CAPTURE(x_known);
          CAPTURE(pad);
          constexpr int64_t kChannels = 2, kSide = 5, kFilters = 3, kKernel = 3;
          const int x_zero = 28;
          const Line x = bytes_of(kChannels * kSide * kSide, false, 7),
                     w = bytes_of(kFilters * kChannels * kKernel * kKernel, w_signed, 8);
          OnnxMaker m(21);
          m.input("x", {1, kChannels, kSide, kSide}, kUint8).output("y", {}, kInt32);
          m.raw_weight("w", {kFilters, kChannels, kKernel, kKernel}, w.bytes(), w_signed ? kInt8 : kUint8);
          m.raw_weight("w_zero", {}, std::string(1, static_cast<char>(w_zero)), w_signed ? kInt8 : kUint8);
          std::vector<Given> given{{"x", x.doubles()}};
          if (x_known)
            m.raw_weight("x_zero", {}, std::string(1, static_cast<char>(x_zero)), kUint8);
          else
            m.input("x_zero", {}, kUint8), given.push_back({"x_zero", {static_cast<double>(x_zero)}});
          m.node("ConvInteger", {"x", "w", "x_zero", "w_zero"}, {"y"}, {{"pads", Ints{pad, pad, pad, 0}}});
          Numbers expected;
          const int64_t high = kSide + 2 * pad - kKernel + 1, wide = kSide + pad - kKernel + 1;
          for (int64_t f = 0; f < kFilters; ++f)
            for (int64_t i = 0; i < high; ++i)
              for (int64_t j = 0; j < wide; ++j) {
                int sum = 0;
                for (int64_t c = 0; c < kChannels; ++c)
                  for (int64_t a = 0; a < kKernel; ++a)
                    for (int64_t b = 0; b < kKernel; ++b) {
                      const int64_t row = i + a - pad, column = j + b - pad;
                      if (row < 0 || row >= kSide || column < 0 || column >= kSide) continue;
                      const auto at = static_cast<size_t>((c * kSide + row) * kSide + column);
                      const auto of = static_cast<size_t>(((f * kChannels + c) * kKernel + a) * kKernel + b);
                      sum += (x.numbers[at] - x_zero) * (w.numbers[of] - w_zero);
                    }
                expected.push_back(sum);
              }
          const Results made = run_file(m, given);
          CHECK(made.refused == "");
          if (made.refused.empty()) CHECK(made.numbers.at("y") == expected);
        }
}

TEST_CASE("dequantised matmul operands are multiplied as int8: sums that f32 rounds are exact") {
  constexpr int64_t kLong = 4096;  // 4,096 times 255 times 127 is beyond what floats count in ones
  const std::string ones(static_cast<size_t>(kLong), static_cast<char>(127));
  OnnxMaker m(21);
  m.input("x", {1, kLong}, kUint8).output("y");
  m.weight("one", {}, Floats{1}).raw_weight("none", {}, std::string(1, '\0'), kUint8);
  m.raw_weight("w", {kLong, 1}, ones, kInt8).weight("scale", {1}, Floats{0.5f});
  m.node("DequantizeLinear", {"x", "one", "none"}, {"x_open"});
  m.node("DequantizeLinear", {"w", "scale"}, {"w_open"}, {whole("axis", 1)});
  m.node("MatMul", {"x_open", "w_open"}, {"y"});
  const Results made = run_file(m, {{"x", Numbers(static_cast<size_t>(kLong), 255)}});
  REQUIRE(made.refused == "");
  CHECK(made.numbers.at("y") == Numbers{static_cast<double>(kLong) * 255 * 127 / 2});
}
