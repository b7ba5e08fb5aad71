// SPDX-License-Identifier: MIT
// Exports a plan of a session to a file for other runtimes; tensors are identified by name.
#pragma once
#include <arenascope/trace/info.h>

#include <string>

namespace arenascope {

enum class PlanFormat { Json, Csv };

// The formats of planner::plan_to_json and planner::write_csv. `graph` may be null: tensors are then identified by
// number. In a CSV no two tensors overlap in time and memory: a tensor that is aliased into another is omitted while
// both are live.
std::string plan_file(const trace::PlanInfo& plan, const trace::GraphInfo* graph, PlanFormat format);

}  // namespace arenascope
