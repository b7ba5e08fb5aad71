// SPDX-License-Identifier: GPL-3.0-or-later
// Which graph and plan of a snapshot are shown if no run selects them.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <memory>

namespace arenascope::views {

// The nodes of the model's file (GraphInfo::of_file); null if the session has none. It is never a default graph.
std::shared_ptr<const trace::GraphInfo> file_graph(const trace::Snapshot& snapshot);
// True for a file with several graphs, such as the methods of a program. A live session describes one graph again
// whenever it is replanned.
bool has_graph_choice(const trace::Snapshot& snapshot);
// The first graph with nodes of a file, the latest one of a live session; null if there is none.
std::shared_ptr<const trace::GraphInfo> default_graph(const trace::Snapshot& snapshot);
// The newest plan of a graph; in a live session without one, the newest of all.
std::shared_ptr<const trace::PlanInfo> default_plan(const trace::Snapshot& snapshot, const trace::GraphInfo* graph);

}  // namespace arenascope::views
