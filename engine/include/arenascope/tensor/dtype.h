// SPDX-License-Identifier: MIT
// Element types, the block-quantised ones included. A block type stores `block_elements` values in
// `block_bytes` bytes; for the others a block is one element.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace arenascope {

enum class DType : uint8_t {
  F32,
  F16,
  BF16,
  F64,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64,
  Bool,
  Q4_0,
  Q4_1,
  Q5_0,
  Q5_1,
  Q8_0,
  Q2_K,
  Q3_K,
  Q4_K,
  Q5_K,
  Q6_K,
};
inline constexpr int kDTypeCount = 23;

struct DTypeInfo {
  const char* name;        // as shown and as written in JSON
  int32_t block_elements;  // elements in a block
  int32_t block_bytes;     // bytes of a block
  bool floating;           // f32, f16, bf16, f64
  bool quantised;          // block_elements > 1
};

const DTypeInfo& info(DType type);
inline const char* name(DType type) { return info(type).name; }
// The type with that name, e.g. "f32" or "q4_0".
std::optional<DType> parse_dtype(std::string_view name);

// Bytes of one element of a type that is not quantised.
inline int64_t element_bytes(DType type) { return info(type).block_bytes; }

}  // namespace arenascope
