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
  SmallFloat format;  // format of floating-point types

  bool is_signed() const { return stored == DType::I8; }
  double low() const { return is_signed() ? -static_cast<double>(1 << (bits - 1)) : 0; }
  double high() const { return static_cast<double>((1 << (is_signed() ? bits - 1 : bits)) - 1); }
};

// Null: not a small type.
const SmallType* small_type(int32_t code);
// The code itself if its elements are stored in a tensor of another type (small types, COMPLEX64); else 0.
int32_t remembered_type(int32_t code);
// The type that stores such elements: the type itself, or a wider one.
std::optional<DType> stored_dtype(int32_t code);

// The bytes of `count` packed elements in a file; a byte holds several, the first in its lowest bits.
int64_t packed_bytes(const SmallType& type, int64_t count);
// Unpacks to contiguous elements of type.stored. `packed` has packed_bytes() bytes.
std::vector<std::byte> unpack(const SmallType& type, std::span<const std::byte> packed, int64_t count);

}  // namespace arenascope::models::ir
