// SPDX-License-Identifier: MIT
// Nodes prepared for the CPU. Each holds its kernel and its packed weights, which are shared by nodes that read the
// same weight in the same way.
#pragma once
#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/runtime/prepared.h>
#include "engine/backends/cpu/packed.h"

namespace arenascope::cpu {

// Weights that `previous` has packed are reused. Errors: a node without a kernel, out of memory.
Result<std::unique_ptr<PreparedGraph>> prepare_kernels(std::span<const TensorImpl* const> nodes,
                                                       ExecutionContext& context, const PreparedGraph* previous,
                                                       const CpuOptions& options);

}  // namespace arenascope::cpu
