// SPDX-License-Identifier: MIT
// Nodes that are one loop over f32 rows lying as they should: no iteration space to work out, no conversion. What is
// computed is what the general kernel computes; tiny nodes take a tenth of its time.
#pragma once
#include <arenascope/runtime/prepared.h>
#include <arenascope/tensor/tensor_impl.h>
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {

using StraightLoop = void (*)(const TensorImpl& node, const Simd& simd, const ComputeParams& params);

// Null: there is no such way for the node.
StraightLoop straight_loop(const TensorImpl& node);

}  // namespace arenascope::cpu
