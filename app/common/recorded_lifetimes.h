// SPDX-License-Identifier: GPL-3.0-or-later
// What a recorded program allocated, as a problem for planners: how small could an arena be that serves it?
#pragma once
#include <filesystem>

#include <arenascope/planner/interval.h>
#include <arenascope/trace/snapshot.h>

namespace arenascope::app {

struct RecordedLifetimes {
  std::string space;         // whose allocations these are
  planner::Problem problem;  // an interval an allocation; steps count the space's allocations and frees
  Bytes live_peak = 0;       // the most that was live at a time, in bytes as they were asked for
  Bytes reserved_peak = 0;   // the most that the space had from the system; 0: not told
};

// Whether the file is a recording or another tool's trace, by how it begins.
bool is_recording(const std::filesystem::path& path);

// The allocations of the space with this name; "": of the one with the highest peak. What was never freed lives to the
// end. An error says that nothing was allocated, or which spaces there are.
Result<RecordedLifetimes> recorded_lifetimes(const trace::Snapshot& snapshot, const std::string& space);

// The tensors of a graph from where to where the program's own plan has them, by the graph's names. Of two that share bytes
// at a step, as one that is computed in place of the other, the older ends there.
RecordedLifetimes recorded_lifetimes(const trace::GraphInfo& graph, const trace::PlanInfo& plan);

}  // namespace arenascope::app
