// SPDX-License-Identifier: MIT
// Nodes made ready for the CPU: each holds its kernel and its packed weights, which it shares with other nodes that read
// the same weight in the same way.
#pragma once
#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/runtime/prepared.h>
#include "engine/backends/cpu/packed.h"

namespace arenascope::cpu {

// What `previous` packed of the same weights is taken over. Errors: a node without a kernel, no memory.
Result<std::unique_ptr<PreparedRun>> prepare_kernels(std::span<const TensorImpl* const> nodes,
                                                     ExecutionContext& context, const PreparedRun* previous,
                                                     const CpuOptions& options);

}  // namespace arenascope::cpu
