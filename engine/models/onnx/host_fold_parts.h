// SPDX-License-Identifier: MIT
// Shared by the two halves of constant folding: operand checks, selection and shapes. Private to this module.
#pragma once
#include <arenascope/base/checked.h>
#include <arenascope/models/host_array.h>
#include <fmt/format.h>

#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arenascope::models::folding {

using Arrays = Result<std::vector<HostArray>>;

inline Arrays one(HostArray array) {
  std::vector<HostArray> out;
  out.push_back(std::move(array));
  return out;
}

inline Result<Dims> checked_sizes(std::span<const int64_t> sizes) {
  if (sizes.size() > kMaxDims)
    return Error{fmt::format("it has {} dimensions: at most {} are supported", sizes.size(), kMaxDims)};
  Dims dims(sizes);
  auto count = checked_element_count(dims);
  if (!count) return count.error();
  if (*count > HostArray::kMaxElements) return Error{fmt::format("{} numbers are too many to fold", *count)};
  return dims;
}

inline Result<int> axis_of(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return Error{fmt::format("axis {} is out of range for {} dimensions", axis, rank)};
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// The input's elements at `index`, in shape `sizes`.
inline HostArray picked(const HostArray& from, const Dims& sizes, const std::vector<int64_t>& index) {
  HostArray out = HostArray::make(from.dtype, sizes);
  for (size_t i = 0; i < index.size(); ++i) {
    const auto at = static_cast<size_t>(index[i]);
    if (from.floating())
      out.floats[i] = from.floats[at];
    else
      out.ints[i] = from.ints[at];
  }
  return out;
}

inline HostArray reshaped(const HostArray& from, const Dims& sizes) {
  HostArray out = from;
  out.sizes = sizes;
  return out;
}

inline const HostArray* input(const FoldCall& c, size_t i) { return i < c.inputs.size() ? c.inputs[i] : nullptr; }

inline std::vector<int64_t> axes_of(const FoldCall& c, size_t i) {
  if (const HostArray* given = input(c, i)) return given->ints;
  return c.integers("axes");
}

// Operators by name, each with the function that computes it.
using Table = std::unordered_map<std::string_view, Arrays (*)(const FoldCall&)>;
void add_arithmetic(Table& table);  // element by element, casts, reductions
void add_movement(Table& table);    // what only moves or makes numbers

}  // namespace arenascope::models::folding
