// SPDX-License-Identifier: MIT
// Replays a recorded program's requests under other settings: the memory that the allocator would have reserved, and
// whether it would have fitted the device. With the recorded settings and initial state, each request should get its
// recorded address; everything else is simulated.
#pragma once
#include <arenascope/allocator_sim/allocator_program.h>

namespace arenascope::allocator_sim {

enum class Start : uint8_t {
  Recorded,  // with the segments and blocks that were there
  Empty,     // the blocks in use are allocated again, in address order
};

struct Experiment {
  Start start = Start::Recorded;
  CachingSettings settings;
  Bytes reserved_peak = 0;
  CachedBytes at_peak;       // at the time of the peak, for the stream and pool of the request
  Bytes allocated_peak = 0;  // at any time
  int64_t allocations = 0;   // by steps
  int64_t same_address = 0;  // of these
  int64_t segments_taken = 0, segments_released = 0, retries = 0;
  // Set if the device ran out of memory: the experiment ends there.
  struct Failure {
    int64_t allocation = 0;  // its number, from 0; -1: a block of the initial state
    Bytes asked = 0, reserved = 0, allocated = 0;
  };
  std::optional<Failure> failure;
};

// An error: a recorded start of a program whose segments grow.
Result<Experiment> run_experiment(const AllocatorProgram& program, const CachingSettings& settings, Start start);

}  // namespace arenascope::allocator_sim
