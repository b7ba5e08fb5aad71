// SPDX-License-Identifier: MIT
// The standard set of replays of a recorded allocator: its own settings from the recorded state and from empty, and other
// settings from empty.
#pragma once
#include <arenascope/allocator_sim/experiment.h>

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace arenascope::allocator_sim {

struct Replay {
  std::string settings;                  // in the syntax of PYTORCH_CUDA_ALLOC_CONF, or "defaults"
  bool own = false;                      // the recorded settings
  std::optional<Experiment> experiment;  // empty: the recorded program itself
  // Run with other settings, or from another initial state, than the recording: the result is a simulation.
  bool simulated() const { return experiment && experiment->start == Start::Empty; }
};

// In this order: as recorded; its own settings from the recorded start (not of a program whose segments grow), and from
// empty; each of `others` from empty. `device_memory`: what the device has, in those from empty; 0: unlimited. An
// error names the invalid setting. If stopped, it returns the finished replays.
Result<std::vector<Replay>> replays_of(const AllocatorProgram& program, std::span<const std::string> others,
                                       Bytes device_memory, const std::stop_token& stop = {});

}  // namespace arenascope::allocator_sim
