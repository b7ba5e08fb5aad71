// SPDX-License-Identifier: MIT
// Releases or copies weights in mapped files after a backend has packed its weights.
#pragma once
#include <span>

#include <arenascope/memory/execution_context.h>
#include <arenascope/runtime/prepared.h>
#include <arenascope/schedule/execution_plan.h>

namespace arenascope {

// `prepared`: by step of the plan; null for a step without work.
// - Mapped weights that no step reads: their pages are dropped.
// - Mapped weights that are read but misaligned, or smaller than the pages that reading them maps (if most weights are
//   packed): copied into Persistent memory, a slice at a time; their views follow.
// Returns the number of copied bytes. Errors: out of memory.
Result<Bytes> settle_mapped_weights(const ExecutionPlan& plan, std::span<PreparedNode* const> prepared,
                                    ExecutionContext& context);

}  // namespace arenascope
