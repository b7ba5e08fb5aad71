// SPDX-License-Identifier: MIT
// What becomes of weights that are borrowed from mapped files once a backend has packed what it packs.
#pragma once
#include <span>

#include <arenascope/memory/execution_context.h>
#include <arenascope/runtime/prepared.h>
#include <arenascope/schedule/execution_plan.h>

namespace arenascope {

// `prepared`: by step of the plan; null where there is no work. Gives back the pages of mapped weights that no step reads, and
// copies those that are read, and misaligned or (where most of the weights are packed) so small that their pages are mostly of
// others, into Persistent memory, a slice at a time, for their views too. Bytes copied. Errors: no memory.
Result<Bytes> settle_mapped_weights(const ExecutionPlan& plan, std::span<PreparedNode* const> prepared,
                                    ExecutionContext& context);

}  // namespace arenascope
