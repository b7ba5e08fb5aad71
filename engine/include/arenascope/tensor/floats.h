// SPDX-License-Identifier: MIT
// Conversion of a tensor's bytes to floats for display.
#pragma once
#include <arenascope/tensor/dtype.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace arenascope {

// The elements in order, each rounded to the nearest float; none for block-quantised types.
std::optional<std::vector<float>> floats_of(DType type, std::span<const std::byte> bytes);

// True if no element is NaN or infinite. `type` is a floating-point type.
bool all_finite(DType type, std::span<const std::byte> bytes);

struct NonFinite {
  int64_t nan = 0, plus_inf = 0, minus_inf = 0;
  int64_t count() const { return nan + plus_inf + minus_inf; }
};
// The elements that all_finite() looks for.
NonFinite count_non_finite(DType type, std::span<const std::byte> bytes);

}  // namespace arenascope
