// SPDX-License-Identifier: MIT
// A plan of a session as the file that another runtime reads, under the names of its tensors.
#pragma once
#include <arenascope/trace/info.h>

#include <string>

namespace arenascope {

enum class PlanFormat { Json, Csv };

// As planner::plan_to_json and planner::write_csv have them; `graph` may be null: then tensors are told by their numbers.
// In a CSV each place is one tensor's at a time: what lies in the bytes of another that lives with it is left out as long
// as both live.
std::string plan_file(const trace::PlanInfo& plan, const trace::GraphInfo* graph, PlanFormat format);

}  // namespace arenascope
