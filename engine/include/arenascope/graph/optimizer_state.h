// SPDX-License-Identifier: MIT
// What an optimiser keeps from step to step, momentum say, marked so that memory views can tell it from weights. Beside
// the flags of TensorImpl.
#pragma once
#include <arenascope/tensor/tensor_impl.h>

namespace arenascope {

inline constexpr uint32_t kFlagOptimizerState = 16;

constexpr bool is_optimizer_state(uint32_t flags) { return (flags & kFlagOptimizerState) != 0; }

}  // namespace arenascope
