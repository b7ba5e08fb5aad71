// SPDX-License-Identifier: MIT
// The flag for optimiser state (momentum, for example), which memory views distinguish from weights. It complements the
// flags of TensorImpl.
#pragma once
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

inline constexpr uint32_t kFlagOptimizerState = 16;

constexpr bool is_optimizer_state(uint32_t flags) { return (flags & kFlagOptimizerState) != 0; }

}  // namespace arenascope
