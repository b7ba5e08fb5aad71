// SPDX-License-Identifier: MIT
// How many processors there are to use: what the affinity allows, and what a container's quota leaves of it.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace arenascope {

// Processors that this process may use; at least 1.
int usable_processors();

// Processor seconds a second that control groups allow, the least of the process's own group and all above it; none
// where nothing limits it. `root` is where groups are mounted (/sys/fs/cgroup), `own` what /proc/self/cgroup says.
// Reads version 2 (cpu.max) and version 1 (cpu/cpu.cfs_quota_us).
std::optional<double> processor_quota(const std::filesystem::path& root, const std::string& own);

}  // namespace arenascope
