// SPDX-License-Identifier: GPL-3.0-or-later
// The graphs of a session: those that run, and the nodes of the model's file (GraphInfo::of_file).
#pragma once
#include <arenascope/trace/snapshot.h>

#include <memory>

namespace arenascope::views {

// The latest graph that runs, or the latest one of a file; null if there is none.
std::shared_ptr<const trace::GraphInfo> latest_graph(const trace::Snapshot& snapshot, bool of_file = false);

}  // namespace arenascope::views
