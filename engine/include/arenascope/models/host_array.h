// SPDX-License-Identifier: MIT
// A small array whose elements are known when a model is opened: shapes, indices, axes and values computed from them.
// Integers and booleans are stored as int64, floating-point elements as double (rounded to the type at each step).
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/tensor/shape.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::models {

struct HostArray {
  // Larger ones are weights: written at load, never computed with while opening.
  static constexpr int64_t kMaxElements = 1 << 16;

  DType dtype = DType::I64;
  Dims sizes;
  std::vector<int64_t> ints;   // of the types that are not floating
  std::vector<double> floats;  // of those that are

  bool floating() const { return info(dtype).floating; }
  int64_t count() const { return element_count(sizes); }
  double number(int64_t i) const {
    const auto at = static_cast<size_t>(i);
    return floating() ? floats[at] : static_cast<double>(ints[at]);
  }
  int64_t integer(int64_t i) const;  // truncated, saturated
  // Rounds to the type and keeps it.
  void set(int64_t i, double value);
  void set_integer(int64_t i, int64_t value);

  static HostArray make(DType dtype, const Dims& sizes);  // zeros; sizes are checked by the caller
  static HostArray of(std::vector<int64_t> values);       // i64, one dimension
  static HostArray scalar(int64_t value, DType dtype = DType::I64);
  static HostArray scalar_f32(double value);
  // From and to contiguous bytes in the type's own layout.
  static HostArray from_bytes(DType dtype, const Dims& sizes, const std::byte* bytes);
  void to_bytes(std::byte* out) const;
};

// Each element's index in `from` broadcast to `to`; sizes broadcast as NumPy has them.
std::vector<int64_t> broadcast_index(const Dims& from, const Dims& to);

// The part of a dimension that ONNX's Slice takes: `count` elements from `start` on, every `step`-th.
struct SliceRange {
  int64_t start, step, count;
};
Result<SliceRange> slice_range(int64_t size, int64_t start, int64_t end, int64_t step);

// The operators that can be folded when a model is opened, by ONNX name.
// Errors: sizes that do not match, an unsupported operator. Results have at most kMaxElements.
struct FoldCall {
  std::string_view op;
  int64_t opset = 0;
  std::span<const HostArray* const> inputs;  // null: omitted
  std::function<int64_t(const char* name, int64_t fallback)> integer;
  std::function<std::vector<int64_t>(const char* name)> integers;  // empty: not there
  std::function<bool(const char* name)> has;
  size_t outputs = 1;
};
bool can_fold(std::string_view op);
Result<std::vector<HostArray>> fold(const FoldCall& call);

// Conversions of single numbers.
float half_to_float(uint16_t bits);
uint16_t float_to_half(float value);  // to nearest, ties to even
float bfloat_to_float(uint16_t bits);
uint16_t float_to_bfloat(float value);

}  // namespace arenascope::models
