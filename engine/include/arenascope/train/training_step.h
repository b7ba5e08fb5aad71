// SPDX-License-Identifier: MIT
// Builds a training step from a model that computes logits: loss, gradients and optimiser update in one graph.
#pragma once
#include <arenascope/models/model.h>
#include <arenascope/train/optimizer.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::train {

// Names of the inputs and outputs that the step adds to a model.
inline constexpr const char* kTargets = "targets";  // I64 [N]: each row's class; -1: the row does not count
inline constexpr const char* kLoss = "loss";        // mean over the rows that count
inline constexpr const char* kCorrect = "correct";  // rows whose largest logit is their class's
// F32 [2]: factor of the accumulated gradients before new ones are added (0: restart), and factor of the new ones.
inline constexpr const char* kAccumulate = "accumulate";
inline constexpr const char* kGradientNorms =
    "gradient_norms";  // F32 [parameters that have a gradient], their L2 norms

// A step is one graph, or two: gradients of a part of a batch are accumulated in states, and after the last part the optimiser
// takes them from there.
enum class StepPart : uint8_t { Whole, Gradients, Update, Measure };

// Loss of the logits for a row's class: the cross entropy (negative log of the softmax); or relative to a one-hot vector
// the mean squared error, or the mean binary cross entropy of the sigmoids.
enum class Loss : uint8_t { CrossEntropy, SquaredError, BinaryCrossEntropy };
const char* name(Loss loss);
std::optional<Loss> parse_loss(std::string_view name);

// In what activations are kept for the backward pass (transform/kept_precision.h).
enum class ActivationPrecision : uint8_t { F32, BF16 };
const char* name(ActivationPrecision precision);
std::optional<ActivationPrecision> parse_activation_precision(std::string_view name);

struct StepOptions {
  StepPart part = StepPart::Whole;
  Loss loss = Loss::CrossEntropy;        // not of Update
  OptimizerOptions optimizer;            // of Whole and Update
  bool norms = false;                    // of Whole and Update: kGradientNorms is an output
  std::vector<std::string> accumulated;  // of Update: names of the parameters that Gradients has sums for
  ActivationPrecision precision = ActivationPrecision::F32;  // of Whole and Gradients
};

// A parameter's sum of gradients, as a state is called.
std::string gradient_sum_name(std::string_view parameter);

// The model's first output must be f32 logits [N, classes]. Its f32 weights that the loss depends on become states
// with the weights' names, which the optimizer's nodes write; all others stay. Outputs: loss and correct (not of Update), the
// norms if requested, then all written states; Measure writes nothing. A step (Whole) with a loss that is not finite has no
// effect. Errors: a model that cannot be run, other logits, an op without a gradient (by its name), nothing to train.
Result<models::Model> make_training_step(models::Model model, const StepOptions& options);

}  // namespace arenascope::train
