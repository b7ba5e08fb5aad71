// SPDX-License-Identifier: MIT
#include <arenascope/tensor/dtype.h>

namespace arenascope {
namespace {

constexpr DTypeInfo kInfos[kDTypeCount] = {
    {"f32", 1, 4, true, false},      {"f16", 1, 2, true, false},      {"bf16", 1, 2, true, false},
    {"f64", 1, 8, true, false},      {"i8", 1, 1, false, false},      {"u8", 1, 1, false, false},
    {"i16", 1, 2, false, false},     {"u16", 1, 2, false, false},     {"i32", 1, 4, false, false},
    {"u32", 1, 4, false, false},     {"i64", 1, 8, false, false},     {"u64", 1, 8, false, false},
    {"bool", 1, 1, false, false},    {"q4_0", 32, 18, false, true},   {"q4_1", 32, 20, false, true},
    {"q5_0", 32, 22, false, true},   {"q5_1", 32, 24, false, true},   {"q8_0", 32, 34, false, true},
    {"q2_k", 256, 84, false, true},  {"q3_k", 256, 110, false, true}, {"q4_k", 256, 144, false, true},
    {"q5_k", 256, 176, false, true}, {"q6_k", 256, 210, false, true},
};

}  // namespace

const DTypeInfo& info(DType type) { return kInfos[static_cast<int>(type)]; }

std::optional<DType> parse_dtype(std::string_view text) {
  for (int i = 0; i < kDTypeCount; ++i)
    if (text == kInfos[i].name) return static_cast<DType>(i);
  return std::nullopt;
}

}  // namespace arenascope
