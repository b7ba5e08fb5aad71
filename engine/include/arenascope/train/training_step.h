// SPDX-License-Identifier: MIT
// From a model that gives logits to one step of its training: loss, gradients, an optimiser's update, all in one graph.
#pragma once
#include <arenascope/models/model.h>
#include <arenascope/train/optimizer.h>

#include <optional>

namespace arenascope::train {

// Names of what the step adds to a model's inputs and outputs.
inline constexpr const char* kTargets = "targets";  // I64 [N]: each row's class; -1: the row does not count
inline constexpr const char* kLoss = "loss";        // mean cross entropy of the rows that count (natural logarithm)
inline constexpr const char* kCorrect = "correct";  // rows whose largest logit is their class's

// The model's first output must be f32 logits [N, classes]. Its f32 weights that the loss depends on become states
// with the weights' names, which the optimiser's nodes write; all others stay. Without an optimiser nothing is written: loss and
// correct alone, for measuring. Outputs: loss, correct, then what is written. A step whose loss is not finite changes
// nothing.
// Errors: a model that cannot be run, other logits, an op without a gradient (by its name), nothing to be trained.
Result<models::Model> make_training_step(models::Model model, const std::optional<OptimizerOptions>& optimizer);

}  // namespace arenascope::train
