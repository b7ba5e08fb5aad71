// SPDX-License-Identifier: MIT
// Optimisers as nodes of the graph: their memory consists of states, which the last node of each parameter writes.
#pragma once
#include <arenascope/graph/builder.h>
#include <arenascope/models/model.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arenascope::train {

enum class OptimizerKind : uint8_t { Sgd, AdamW };
const char* name(OptimizerKind kind);
std::optional<OptimizerKind> parse_optimizer(std::string_view name);

// Parameters whose names match the pattern (as a shell's: * ? []) and what their decay is.
struct DecayGroup {
  std::string pattern;
  double decay = 0;
};

// SGD with momentum (Sutskever 2013, in PyTorch's form: v = momentum·v + g, p -= rate·v), AdamW (Loshchilov and Hutter
// 2019: moments with bias correction, decoupled weight decay).
struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::AdamW;
  double learning_rate = 3e-3;
  double momentum = 0.9;  // SGD
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  double weight_decay = 0.01;
  std::vector<DecayGroup> decays;  // of some parameters otherwise; the last one that matches counts
  double clip = 0;                 // gradients together are scaled down to this norm; 0: they stay
};

// Error: a number that makes no sense.
Status check(const OptimizerOptions& options);

// Values that change from step to step, for the input kOptimizerInput.
inline constexpr const char* kOptimizerInput = "optimizer";
int64_t number_count(const OptimizerOptions& options);
// `step` counts from 1; `rate` is the learning rate of that step.
std::vector<float> numbers_of(const OptimizerOptions& options, int64_t step, double rate);

// Parameters and their gradients, in the same order.
struct Trained {
  std::span<const Tensor> parameters;
  std::span<const Tensor> gradients;
};

// Adds the nodes of one step to the builder, and the optimizer's states to `states`. If `spoilt` (one boolean; undefined:
// never) is true, parameters and states are unchanged. `graph` has all other readers of the parameters. Returns the last
// nodes of the parameters, which the caller makes outputs.
std::vector<Tensor> add_optimizer(GraphBuilder& builder, const Graph& graph, const Trained& trained,
                                  const OptimizerOptions& options, const Tensor& numbers, const Tensor& spoilt,
                                  std::vector<models::State>& states);

}  // namespace arenascope::train
