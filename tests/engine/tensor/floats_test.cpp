// SPDX-License-Identifier: MIT
#include <arenascope/tensor/floats.h>

#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include <doctest/doctest.h>

namespace arenascope {
namespace {

template <class... T>
std::vector<std::byte> bytes(T... values) {
  const std::array all{values...};
  std::vector<std::byte> b(sizeof(all));
  std::memcpy(b.data(), all.data(), b.size());
  return b;
}
using V = std::vector<float>;

}  // namespace

TEST_CASE("elements of unblocked types convert to the nearest float") {
  CHECK(*floats_of(DType::F32, bytes(1.5F, -2.0F)) == V{1.5F, -2.0F});
  CHECK(*floats_of(DType::F64, bytes(0.25)) == V{0.25F});
  CHECK(*floats_of(DType::F16, bytes(uint16_t{0x3C00}, uint16_t{0xC100}, uint16_t{1})) ==
        V{1.0F, -2.5F, std::ldexp(1.0F, -24)});
  CHECK(*floats_of(DType::BF16, bytes(uint16_t{0x3FC0})) == V{1.5F});
  CHECK(*floats_of(DType::I64, bytes(int64_t{-7})) == V{-7.0F});
  CHECK(*floats_of(DType::U8, bytes(uint8_t{200})) == V{200.0F});
  CHECK(*floats_of(DType::Bool, bytes(uint8_t{2}, uint8_t{0})) == V{1.0F, 0.0F});
  CHECK(!floats_of(DType::Q4_0, {}));
  CHECK(std::isinf(floats_of(DType::F16, bytes(uint16_t{0x7C00}))->front()));
  CHECK(std::isnan(floats_of(DType::F16, bytes(uint16_t{0x7E00}))->front()));
}

TEST_CASE("non-finite values are found by their exponent") {
  CHECK(all_finite(DType::F16, bytes(uint16_t{0x7BFF}, uint16_t{0})));
  CHECK_FALSE(all_finite(DType::F16, bytes(uint16_t{0}, uint16_t{0x7C01})));
  CHECK(all_finite(DType::F32, bytes(3e38F)));
  CHECK_FALSE(all_finite(DType::F32, bytes(1.0F, std::nanf(""))));
  CHECK_FALSE(all_finite(DType::BF16, bytes(uint16_t{0xFF80})));
  CHECK_FALSE(all_finite(DType::F64, bytes(std::nan(""))));
}

}  // namespace arenascope
