// SPDX-License-Identifier: MIT
// Imports a CSV of buffers with lifetimes (the format of minimalloc), so that it can be shown and re-planned: a graph
// whose nodes are the buffers, with an empty node at each point in time that enforces the lifetimes. In every order,
// two buffers overlap in time exactly if they do in the file.
#pragma once
#include <arenascope/planner/interval.h>
#include <arenascope/trace/session.h>

#include <filesystem>
#include <memory>
#include <string>

namespace arenascope {

// True if the header line of the file has columns for size, start and end.
bool is_intervals_file(const std::filesystem::path& path);

// A graph of the buffers in order of time, connected by a chain of TIME nodes. Gaps of the file are ignored.
trace::GraphInfo graph_of_intervals(const planner::Problem& problem, const std::string& name);

// True for such a graph: its nodes are buffers and points in time, and none of them computes anything.
bool is_buffer_list(const trace::GraphInfo& graph);

// Plans the buffers with `planner`; if the file contains offsets for all buffers, they are the plan instead.
// Errors: an invalid file, with the line number; an unknown planner.
Result<std::shared_ptr<trace::Session>> open_intervals(const std::filesystem::path& path, const std::string& planner,
                                                       double budget_seconds);

}  // namespace arenascope
