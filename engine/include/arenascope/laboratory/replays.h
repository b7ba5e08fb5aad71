// SPDX-License-Identifier: MIT
// What people ask of a recorded allocator at once: its own settings from where it was, from empty, and others from empty.
#pragma once
#include <arenascope/laboratory/experiment.h>

#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace arenascope::laboratory {

struct Replay {
  std::string settings;                  // as PYTORCH_CUDA_ALLOC_CONF has them, or "defaults"
  bool own = false;                      // those that it ran with
  std::optional<Experiment> experiment;  // nothing: as it was recorded
  // Under other settings, or from another start, than it ran with: what it says is no record.
  bool simulated() const { return experiment && experiment->start == Start::Empty; }
};

// In this order: as recorded; its own settings from the recorded start (not of a program whose segments grow), and from
// empty; each of `others` from empty. `device_memory`: what the device has, in those from empty; 0: as much as is asked for. An
// error names the setting that is none. Asked to stop, it returns those that were done.
Result<std::vector<Replay>> replays_of(const AllocatorProgram& program, std::span<const std::string> others,
                                       Bytes device_memory, const std::stop_token& stop = {});

}  // namespace arenascope::laboratory
