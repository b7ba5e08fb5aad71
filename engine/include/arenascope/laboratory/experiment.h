// SPDX-License-Identifier: MIT
// A recorded program's requests once more, under settings of one's choice: what the allocator would have reserved, and
// whether it would have fitted the device. With its own settings and from the state that it was recorded in, each request
// should lie where it was recorded; all else is simulated.
#pragma once
#include <arenascope/laboratory/allocator_program.h>

namespace arenascope::laboratory {

enum class Start : uint8_t {
  Recorded,  // with the segments and blocks that were there
  Empty,     // what was in use is asked for anew, by address, and nothing else is there
};

struct Experiment {
  Start start = Start::Recorded;
  CachingSettings settings;
  Bytes reserved_peak = 0;
  CachedBytes at_peak;       // when it was reached, for the stream and pool that asked
  Bytes allocated_peak = 0;  // at any time
  int64_t allocations = 0;   // by steps
  int64_t same_address = 0;  // of these
  int64_t segments_taken = 0, segments_released = 0, retries = 0;
  // Where the device's memory did not suffice: the experiment ended there.
  struct Failure {
    int64_t allocation = 0;  // the number of it, from 0; -1: what was there before the first
    Bytes asked = 0, reserved = 0, allocated = 0;
  };
  std::optional<Failure> failure;
};

// An error: a recorded start of a program whose segments grow.
Result<Experiment> run_experiment(const AllocatorProgram& program, const CachingSettings& settings, Start start);

}  // namespace arenascope::laboratory
