// SPDX-License-Identifier: MIT
// From offsets back to tensors.
#pragma once
#include <arenascope/schedule/memory_plan.h>

namespace arenascope {

// The memory plan that these offsets are of the order's intervals.
MemoryPlan fill_plan(const GraphIntervals& intervals, const planner::Plan& answer, std::vector<NodeId> order,
                     std::string_view order_name, const MemoryPlanOptions& options);

}  // namespace arenascope
