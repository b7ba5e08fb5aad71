// SPDX-License-Identifier: MIT
// Formats the parameters of an op for display.
#pragma once
#include <string>

#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

// "kernel 3×3 stride 2×2 pad 1×1 groups 1"; empty for a node without parameters. The text includes all parameters that
// affect the result.
std::string params_text(const TensorImpl& node);

}  // namespace arenascope
