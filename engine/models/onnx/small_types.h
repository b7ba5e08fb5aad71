// SPDX-License-Identifier: MIT
// ONNX's numbers of one byte and less that no tensor here holds: integers of 2 and 4 bits and small floating-point
// formats. Their tensors hold the same numbers in a wider type, and each value remembers which it was.
#pragma once
#include <arenascope/graph/op_params.h>
#include <arenascope/tensor/dtype.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace arenascope::models::ir {

struct SmallType {
  int32_t code;  // the file's
  DType stored;  // I8, U8 or F32
  int bits;
  bool floating;
  SmallFloat format;  // of floating-point ones

  bool is_signed() const { return stored == DType::I8; }
  double low() const { return is_signed() ? -static_cast<double>(1 << (bits - 1)) : 0; }
  double high() const { return static_cast<double>((1 << (is_signed() ? bits - 1 : bits)) - 1); }
};

// Null: it is none of them.
const SmallType* small_type(int32_t code);
// The code itself where tensors hold such numbers as those of another type, a small one or COMPLEX64; else 0.
int32_t remembered_type(int32_t code);
// What tensors of that type hold here: its own type, or the wider one.
std::optional<DType> stored_dtype(int32_t code);

// The bytes that `count` packed numbers take in a file; several lie in a byte, the first in its lowest bits.
int64_t packed_bytes(const SmallType& type, int64_t count);
// As contiguous numbers of type.stored. `packed` has packed_bytes() of them.
std::vector<std::byte> unpack(const SmallType& type, std::span<const std::byte> packed, int64_t count);

}  // namespace arenascope::models::ir
