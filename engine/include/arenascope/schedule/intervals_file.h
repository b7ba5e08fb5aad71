// SPDX-License-Identifier: MIT
// A CSV of buffers with lifetimes (minimalloc's) as something that can be shown and planned anew: a
// graph whose nodes are the buffers, with a node of no bytes at each point in time that holds them to their lifetimes.
// Whatever the order, two buffers are alive together exactly if the file says so.
#pragma once
#include <arenascope/planner/interval.h>
#include <arenascope/trace/session.h>

#include <filesystem>
#include <memory>
#include <string>

namespace arenascope {

// Whether the file's first line names a size, a beginning and an end.
bool is_intervals_file(const std::filesystem::path& path);

// The buffers in that order of time; a chain of nodes of the op TIME goes through them. Of the file's gaps nothing is
// kept.
trace::GraphInfo graph_of_intervals(const planner::Problem& problem, const std::string& name);

// Planned by `planner`; where the file says where each buffer lies, that is the plan.
// Errors: the file's, with its line; a planner that does not exist.
Result<std::shared_ptr<trace::Session>> open_intervals(const std::filesystem::path& path, const std::string& planner,
                                                       double budget_seconds);

}  // namespace arenascope
