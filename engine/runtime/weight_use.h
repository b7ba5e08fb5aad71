// SPDX-License-Identifier: MIT
// Which weights the prepared nodes of a plan read as they are.
#pragma once
#include <span>
#include <vector>

#include <arenascope/runtime/prepared.h>
#include <arenascope/schedule/execution_plan.h>

namespace arenascope {

// The graph's weights in main memory whose bytes some step reads; a packed copy replaces those of all others. `prepared`:
// by step of the plan; null for a step without work.
std::vector<TensorImpl*> unpacked_weights(const ExecutionPlan& plan, std::span<PreparedNode* const> prepared);

}  // namespace arenascope
