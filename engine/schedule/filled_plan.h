// SPDX-License-Identifier: MIT
// Converts planned offsets to a memory plan of tensors.
#pragma once
#include <arenascope/schedule/memory_plan.h>

namespace arenascope {

// The memory plan for the intervals of the order with these offsets.
MemoryPlan fill_plan(const GraphIntervals& intervals, const planner::Plan& answer, std::vector<NodeId> order,
                     std::string_view order_name, const MemoryPlanOptions& options);

}  // namespace arenascope
