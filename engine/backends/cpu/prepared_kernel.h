// SPDX-License-Identifier: MIT
// Nodes made ready for the CPU: each holds its kernel and its packed weights, which it shares with other nodes that read
// the same weight in the same way.
#pragma once
#include <arenascope/runtime/prepared.h>
#include "engine/backends/cpu/packed.h"

namespace arenascope::cpu {

// What `previous` packed of the same weights is taken over. `rounds`: as CpuOptions has it. Errors: a node without a kernel, no
// memory.
Result<std::unique_ptr<PreparedRun>> prepare_kernels(std::span<const TensorImpl* const> nodes,
                                                     ExecutionContext& context, const PreparedRun* previous,
                                                     bool rounds);

}  // namespace arenascope::cpu
