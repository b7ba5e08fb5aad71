// SPDX-License-Identifier: MIT
// A tensor's bytes as numbers that can be shown.
#pragma once
#include <arenascope/tensor/dtype.h>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace arenascope {

// The elements in order, each as the nearest float; none for types in blocks, which only their kernels can read.
std::optional<std::vector<float>> floats_of(DType type, std::span<const std::byte> bytes);

// Whether no element is NaN or infinite, of a floating type.
bool all_finite(DType type, std::span<const std::byte> bytes);

}  // namespace arenascope
