// SPDX-License-Identifier: MIT
// Input values from a given tensor, or generated from a seed.
#pragma once
#include <arenascope/tensor/tensor.h>

namespace arenascope {

// Copies the elements of `given` to a bound, contiguous tensor. Errors: different type or shape.
Status copy_input(const Tensor& given, TensorImpl& tensor);

// Fills a bound, contiguous tensor with pseudorandom values seeded by its name: floats in [-1, 1), integers 0.
Status fill_seeded(TensorImpl& tensor);

}  // namespace arenascope
