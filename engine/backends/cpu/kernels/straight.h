// SPDX-License-Identifier: MIT
// Nodes that are one loop over f32 rows lying as they should: no iteration space to work out, no conversion. What is
// computed is what the general kernel computes; tiny nodes take a tenth of its time.
#pragma once
#include <arenascope/runtime/backend.h>

namespace arenascope::cpu {

// Null: there is no such way for the node. The launch's `detail` must be &simd().
Launch::Function straight_launch(const TensorImpl& node);

}  // namespace arenascope::cpu
