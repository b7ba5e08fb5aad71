// SPDX-License-Identifier: MIT
// An op's parameters in words, for people.
#pragma once
#include <string>

#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

// "kernel 3×3 stride 2×2 pad 1×1 groups 1"; empty where the node has none. Every op that has parameters tells all that
// change what it computes.
std::string params_text(const TensorImpl& node);

}  // namespace arenascope
