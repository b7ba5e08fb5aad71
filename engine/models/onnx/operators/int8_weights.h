// SPDX-License-Identifier: MIT
// Constant 8-bit weights as int8 matmuls read them: values from -128 to 127, and separately the factors of their zero
// points.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <optional>

namespace arenascope::models {

struct Int8Weights {
  Tensor rows;          // I8 [N, K, 1, 1]; with an additional row of ones if `rest` is defined
  int64_t columns = 0;  // N
  Tensor
      rest;  // f32, one or [1, N, 1, 1]: as many times a line's sum as each zero point takes off; undefined: none takes any
};

// Weights of input w [K, N], I8 or U8, with a constant zero point, one or one per column. None: it has another form.
std::optional<Int8Weights> int8_weights(OpCall& c, size_t w, size_t zero);
// The same for a convolution's [N, C, kernel], with one zero point or one per filter. None also: nonzero zero points with groups.
std::optional<Int8Weights> int8_filters(OpCall& c, size_t w, size_t zero, int64_t groups);
// `product` has one more result than there are columns, the row sum; subtracts its multiples by the zero points.
Tensor less_zeros(OpCall& c, const Tensor& product, const Int8Weights& weights);
// The zero point's values if they are known; a single 0 if there is none.
std::optional<std::vector<double>> known_zero_points(OpCall& c, size_t i);

}  // namespace arenascope::models
