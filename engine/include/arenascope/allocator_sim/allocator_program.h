// SPDX-License-Identifier: MIT
// The requests that a program made to PyTorch's caching allocator, read from a memory snapshot: allocations and frees, the
// initial state, and the settings. A snapshot contains only the newest requests, so the state before them is reconstructed
// backwards from the final state.
#pragma once
#include <arenascope/allocator_sim/caching_model.h>

#include <filesystem>

namespace arenascope::allocator_sim {

struct AllocatorStep {
  bool allocates = false;  // else it frees what was allocated at the address
  uint64_t address = 0;    // as recorded
  Bytes asked = 0;
  uint32_t stream = 0, pool = 0;
};

struct AllocatorProgram {
  uint32_t device = 0;
  CachingSettings settings;             // of the recorded program, as far as the snapshot has them
  std::vector<CachedSegment> segments;  // before the first step, by address
  std::vector<UsedBlock> blocks;        // that were in use then, by address
  int64_t worked_out = 0;               // of these: whose size is not in the snapshot
  std::vector<AllocatorStep> steps;
  std::vector<std::pair<uint64_t, Bytes>> segments_taken;  // while it ran, in order
  Bytes reserved_peak = 0;                                 // as recorded
  bool grows = false;  // recorded with expandable segments: its initial state cannot be reconstructed
};

// One program per device with entries. Errors name the file: it cannot be read, is not a snapshot, or an entry is
// inconsistent.
Result<std::vector<AllocatorProgram>> read_allocator_programs(const std::filesystem::path& snapshot);

}  // namespace arenascope::allocator_sim
