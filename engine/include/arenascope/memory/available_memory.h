// SPDX-License-Identifier: MIT
// Memory that the process may still allocate, limited by free memory of the machine, cgroups (version 1 and 2), the
// address space (ulimit -v). Large requests are compared with it before anything is filled, as the kernel ends a process that
// fills more.
#pragma once
#include <arenascope/base/ids.h>
#include <arenascope/base/result.h>

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>

namespace arenascope {

inline constexpr Bytes kUnknownMemory = std::numeric_limits<Bytes>::max();

struct AvailableMemory {
  Bytes bytes = kUnknownMemory;   // the smallest remainder of all limits; kUnknownMemory: no limit is known
  Bytes limit = kUnknownMemory;   // the total of that limit, or the machine's memory
  const char* source = "memory";  // the limit: "memory of the machine", "cgroup limit", "address-space limit"
};

// Reads the files of proc and cgroups below `root`, which tests make. A file that is missing or malformed limits nothing.
// `address_limit`: RLIMIT_AS, or kUnknownMemory.
AvailableMemory available_memory(const std::filesystem::path& root, Bytes address_limit);
// For this process, now.
AvailableMemory available_memory();

// RLIMIT_AS of this process, or kUnknownMemory.
Bytes address_space_limit();
// True if the system grants `bytes` more addresses now, or if there is no RLIMIT_AS.
bool addresses_left(Bytes bytes);

// Error if `needed` exceeds what is available: "WHAT needs 25.1 GiB of memory, and 19.8 GiB are free (memory of the machine,
// 22.4 GiB in all)". The caller adds alternatives that fit.
Status check_available(const std::string& what, Bytes needed, const AvailableMemory& available = available_memory());

}  // namespace arenascope
