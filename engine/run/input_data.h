// SPDX-License-Identifier: MIT
// Where a run's inputs come from when a file or nothing is given.
#pragma once
#include <arenascope/tensor/tensor.h>

namespace arenascope {

// Fills a bound, contiguous tensor with another one's elements. Errors: another type or shape.
Status copy_input(const Tensor& given, TensorImpl& tensor);

// Fills a bound, contiguous tensor with numbers that depend on its name alone: floats in [-1, 1), whole numbers 0.
Status fill_seeded(TensorImpl& tensor);

}  // namespace arenascope
