// SPDX-License-Identifier: MIT
// A tensor's sizes and strides as ggml writes them, for display and for recordings.
#pragma once
#include <array>

#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

// ne[0] is the innermost size, nb[i] the stride of dimension i in bytes; missing dimensions have size 1.
struct GgmlShape {
  std::array<int64_t, kMaxDims> ne, nb;
};
GgmlShape ggml_shape(const TensorImpl& tensor);

}  // namespace arenascope
