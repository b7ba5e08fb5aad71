// SPDX-License-Identifier: MIT
// Number of usable processors: CPU affinity, limited by the quota of the control groups (containers).
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace arenascope {

// Processors that this process may use; at least 1.
int usable_processors();

// CPU quota of the control groups in processors: the minimum over the group of the process and its ancestors; none without a
// limit. `root`: mount point of the control groups (/sys/fs/cgroup). `own`: contents of /proc/self/cgroup.
// Reads version 2 (cpu.max) and version 1 (cpu/cpu.cfs_quota_us).
std::optional<double> processor_quota(const std::filesystem::path& root, const std::string& own);

}  // namespace arenascope
