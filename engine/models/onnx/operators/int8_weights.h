// SPDX-License-Identifier: MIT
// Constant weights of 8 bits as products of bytes read them: integers from -128 to 127, and apart from them what their zero
// points take.
#pragma once
#include "engine/models/onnx/lowering.h"

#include <optional>

namespace arenascope::models {

struct Int8Weights {
  Tensor rows;          // I8 [N, K, 1, 1]; with one row more, of ones, where `rest` is there
  int64_t columns = 0;  // N
  Tensor
      rest;  // f32, one or [1, N, 1, 1]: as many times a line's sum as each zero point takes off; undefined: none takes any
};

// Of source w [K, N] of I8 or U8, whose zero point, one or one a column, is known where there is one. None: it is of other numbers.
std::optional<Int8Weights> int8_weights(OpCall& c, size_t w, size_t zero);
// The same of a convolution's [N, C, kernel], zero points for all or a filter each. None also: in groups, and zero points take something.
std::optional<Int8Weights> int8_filters(OpCall& c, size_t w, size_t zero, int64_t groups);
// `product` of one result more than there are columns, less what the zero points take.
Tensor less_zeros(OpCall& c, const Tensor& product, const Int8Weights& weights);
// The zero point's numbers, if they are known; one 0 where there is none.
std::optional<std::vector<double>> known_zero_points(OpCall& c, size_t i);

}  // namespace arenascope::models
