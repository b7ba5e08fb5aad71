// SPDX-License-Identifier: MIT
// The trade-off of a training step between the memory of activations that are kept for the backward pass and the
// operations of rematerialising them; each point is a plan that can be run.
#pragma once
#include <arenascope/schedule/frontier.h>
#include <arenascope/train/trainer.h>

#include <stop_token>

namespace arenascope::train {

// The frontier (schedule/frontier.h) of a model's training step. Errors: a model that cannot be read or trained, and as
// memory_frontier()'s. Stopped, it gives the points so far.
Result<std::vector<FrontierPoint>> checkpoint_frontier(const std::string& spec, const TrainerOptions& options,
                                                       std::stop_token stop = {});

}  // namespace arenascope::train
