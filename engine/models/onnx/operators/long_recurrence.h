// SPDX-License-Identifier: MIT
// Recurrences with more steps than are unrolled: a Loop whose body has some of the steps and carries the states, followed
// by the remaining steps.
#pragma once
#include "engine/models/onnx/lowering.h"
#include "engine/models/onnx/subgraph_builder.h"

#include <functional>
#include <string>
#include <vector>

namespace arenascope::models {

inline constexpr int64_t kMaxStepsWritten = 8192;

using ir::subgraph::Nodes;

// An input with one slice per step along `axis`; the last one comes first if it is read backwards.
struct SteppedSource {
  Tensor all;
  int axis = 0;
  bool backwards = false;
};
struct SteppedResult {
  Dims sizes;
  int axis = 0;
  bool backwards = false;
};

// Some of the steps, as nodes: their names, and what these steps make.
struct Steps {
  Nodes& n;
  int64_t count;
  std::string first, first_backwards;  // the number of the first step, in storage order
  std::vector<std::string> sources = {}, states = {};
  std::vector<std::string> results = {}, next = {};
};

struct LongRecurrence {
  int64_t steps = 0;
  std::vector<SteppedSource> sources;
  std::vector<Tensor> states;
  std::vector<SteppedResult> results;  // f32, as the states are
  // Fills in `results` and `next`.
  std::function<void(Steps& steps)> make;
  // The node's own results, of those of all steps and the last states.
  std::function<void(Nodes& n, const std::vector<std::string>& results, const std::vector<std::string>& states)> end;
};

// The call's node is left as these nodes.
void leave_steps(OpCall& c, const LongRecurrence& recurrence);

// The call's node over other inputs and results, without some of its attributes.
ir::Node same_node(const OpCall& c, std::vector<std::string> sources, std::vector<std::string> results,
                   std::initializer_list<const char*> without);
// A name by which deferred nodes refer to the value, made unique by `suffix`.
std::string name_value(OpCall& c, const ValuePtr& x, const std::string& suffix);
std::string name_tensor(OpCall& c, const Tensor& x, const std::string& suffix);
// Result i of the call is `x`, of the type that `like` has.
void give_result(const OpCall& c, Nodes& n, size_t i, const std::string& x, const Value& like);

}  // namespace arenascope::models
