// SPDX-License-Identifier: GPL-3.0-or-later
// Two tensors' elements compared as numbers.
#pragma once
#include <cstddef>
#include <span>

#include <arenascope/tensor/dtype.h>

namespace arenascope::app {

// Element by element |a - b| ≤ atol + rtol·|b|, or, with relative_to_max > 0, the largest |a - b| at most that part
// of the largest |b|. An atol above 0 is at least 2^-24 of the largest |b|. NaN equals NaN, infinities equal
// themselves. Whole numbers and booleans must be equal.
struct Tolerance {
  double rtol = 1e-3;  // what onnx's own tests use
  double atol = 1e-7;
  double relative_to_max = 0;
  double absolute = 0;  // a floating tensor that differs by no more than this anywhere passes, whatever the others say
};

struct Comparison {
  bool passed = true;
  double max_abs_error = 0;
  double max_rel_error = 0;  // largest |a - b| ÷ largest |b|
};

// Contiguous bytes of the same type; a shorter one fails.
Comparison compare(DType dtype, std::span<const std::byte> got, std::span<const std::byte> expected,
                   const Tolerance& tolerance);

}  // namespace arenascope::app
