// SPDX-License-Identifier: GPL-3.0-or-later
// Element-wise comparison of two tensors.
#pragma once
#include <cstddef>
#include <span>

#include <arenascope/tensor/dtype.h>

namespace arenascope::app {

// Per element |a - b| ≤ atol + rtol·|b|; or, with relative_to_max > 0, max |a - b| ≤ relative_to_max · max |b|. An
// atol above 0 is at least 2^-24 of max |b|. NaN equals NaN, infinities equal themselves. Integers and booleans must
// be equal.
struct Tolerance {
  double rtol = 1e-3;  // default of onnx's own tests
  double atol = 1e-7;
  double relative_to_max = 0;
  double absolute =
      0;  // a floating-point tensor with a smaller maximum difference passes regardless of the other limits
};

struct Comparison {
  bool passed = true;
  double max_abs_error = 0;
  double max_rel_error = 0;  // max |a - b| ÷ max |b|
};

// Contiguous bytes of the same type; different sizes fail.
Comparison compare(DType dtype, std::span<const std::byte> got, std::span<const std::byte> expected,
                   const Tolerance& tolerance);

}  // namespace arenascope::app
