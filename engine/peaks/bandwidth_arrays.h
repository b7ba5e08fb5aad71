// SPDX-License-Identifier: MIT
// Sizes of the arrays that are read to measure the memory bandwidth: they exceed the caches and fit into memory.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>
#include <arenascope/memory/available_memory.h>

#include <filesystem>
#include <vector>

namespace arenascope {

// Data caches that `threads` threads on these processors can fill together: of each level the largest ones, at most one per
// thread. Reads sys/devices/system/cpu below `root`; 0: unknown.
Bytes cache_bytes(const std::vector<int>& processors, int threads, const std::filesystem::path& root = "/");

// Bytes of the array of each thread: all together at least four times the caches, and if possible not more than half of the
// available memory. An error if less is available than four times the caches.
Result<Bytes> array_bytes(int threads, Bytes caches, const AvailableMemory& available);

}  // namespace arenascope
