// SPDX-License-Identifier: MIT
// What of a training step's memory activations take that are kept for the backward pass, and what computing them again
// would spare: bytes against operations, each a plan that can be run.
#pragma once
#include <arenascope/train/trainer.h>

#include <stop_token>

namespace arenascope::train {

struct FrontierPoint {
  Bytes arena = 0;          // of a real plan: RunnerOptions::capacity of as many bytes gives it
  int64_t extra_flops = 0;  // that are computed again
  int64_t flops = 0;        // of the step without them
};

// From the step that keeps everything down to where nothing more can be spared; fewer bytes cost more. Errors: a model
// that cannot be read or trained, a planner that does not exist. Stopped, it gives the points so far.
Result<std::vector<FrontierPoint>> checkpoint_frontier(const std::string& spec, const TrainerOptions& options,
                                                       std::stop_token stop = {});

}  // namespace arenascope::train
