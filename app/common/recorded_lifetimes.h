// SPDX-License-Identifier: GPL-3.0-or-later
// The allocations of a recorded program as a planning problem: the smallest arena that could serve them.
#pragma once
#include <filesystem>

#include <arenascope/planner/interval.h>
#include <arenascope/trace/snapshot.h>

namespace arenascope::app {

struct RecordedLifetimes {
  std::string space;         // name of the allocator space
  planner::Problem problem;  // one interval per allocation; steps count the allocations and frees of the space
  Bytes live_peak = 0;       // largest sum of live requested bytes
  Bytes reserved_peak = 0;   // largest number of reserved bytes; 0: unknown
};

// True if the file starts like a recording or a trace of another tool.
bool is_recording(const std::filesystem::path& path);

// The allocations of the space with this name; an empty name selects the space with the highest peak. Allocations
// without a free live to the end. Errors: no allocations, or an unknown space.
Result<RecordedLifetimes> recorded_lifetimes(const trace::Snapshot& snapshot, const std::string& space);

// The tensors of a graph with their lifetimes in the recorded plan, named as in the graph. If two tensors share bytes
// at a step, such as an in-place result and its input, the older one ends there.
RecordedLifetimes recorded_lifetimes(const trace::GraphInfo& graph, const trace::PlanInfo& plan);

}  // namespace arenascope::app
