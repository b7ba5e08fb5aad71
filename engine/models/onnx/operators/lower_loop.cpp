// SPDX-License-Identifier: MIT
// ONNX's Loop. It is unrolled if its trip count is known and small enough; otherwise the first iterations are unrolled,
// and the body becomes a model of its own that runs for the remaining iterations.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxNodes = 1 << 16;  // nodes of all unrolled iterations together
constexpr const char* kWhy = "its trip count is known only at run time";

struct Loop {
  const ir::Graph& body;
  int64_t before, most;  // iterations done earlier, and the maximum
  ValuePtr condition;
  std::vector<ValuePtr> state;
  std::vector<ValuePtr> left;                 // scan outputs of earlier iterations; null if there were none
  std::vector<std::vector<ValuePtr>> leaves;  // scan outputs of these iterations, one per iteration

  int64_t nodes() const { return static_cast<int64_t>(body.nodes.size()) + 1; }
};

bool is_known(const ValuePtr& condition) { return !condition || (condition->array && condition->array->count() == 1); }

// True if another iteration follows; an error if that is known only at run time.
bool goes_on(OpCall& c, const ValuePtr& condition) {
  if (!condition) return true;
  if (!is_known(condition)) {
    size_t unknown = 0;  // the first input that is not known
    while (unknown < c.input_count() && (!c.has(unknown) || c.known(unknown))) ++unknown;
    c.wait_for(unknown, kWhy, true);
    return false;
  }
  c.lowering().note_fixed_inputs(*condition);
  return condition->array->integer(0) != 0;
}

// A scan output of all iterations so far, stacked along a new first dimension; null if there was no iteration.
ValuePtr stacked(OpCall& c, const Loop& loop, size_t which, const char* suffix) {
  std::vector<ValuePtr> parts;
  if (loop.left[which]) parts.push_back(loop.left[which]);
  const std::vector<ValuePtr>& iterations = loop.leaves[which];
  for (size_t t = 0; t < iterations.size() && c.ok(); ++t) {
    const int64_t iteration = loop.before + static_cast<int64_t>(t);
    parts.push_back(c.with_axis(iterations[t], 0, fmt::format(":iteration_{}_{}", iteration, which)));
  }
  return c.ok() && !parts.empty() ? c.concat(parts, 0, suffix) : nullptr;
}

// Defers the remaining iterations as a loop that continues from these states; its inputs after the states are the scan
// outputs so far, or missing.
void defer_remaining(OpCall& c, const Loop& loop, int64_t done, const char* why) {
  ir::Node later = c.node();
  const auto forward_value = [&](const std::string& what, ValuePtr value) {
    later.inputs.push_back(c.name_of(fmt::format(":after_{}_{}", done, what).c_str()));
    c.lowering().name_value(later.inputs.back(), std::move(value));
  };
  later.inputs.resize(1);
  later.inputs.emplace_back();
  if (loop.condition) {
    later.inputs.pop_back();
    forward_value("condition", loop.condition);
  }
  for (size_t i = 0; i < loop.state.size(); ++i) forward_value(fmt::format("state_{}", i), loop.state[i]);
  for (size_t i = 0; i < loop.leaves.size() && c.ok(); ++i) {
    const std::string name = fmt::format("left_{}", i);
    const ValuePtr all = stacked(c, loop, i, fmt::format(":{}_{}", name, done).c_str());
    if (all)
      forward_value(name, all);
    else
      later.inputs.emplace_back();
  }
  later.attributes[kUnrolledIterations].i = done;
  later.attributes[kLoopScope].s = c.lowering().layer();
  c.defer_as_loop(std::move(later), why);
}

// The inputs of an iteration: its number, the condition, and the states.
std::vector<ValuePtr> sources_of(OpCall& c, const Loop& loop, int64_t iteration) {
  const ValuePtr& condition = loop.condition;
  std::vector<ValuePtr> sources{
      c.lowering().make_constant(c.name_of(fmt::format(":iteration_{}", iteration).c_str()),
                                 HostArray::scalar(iteration)),
      condition ? condition : c.lowering().make_constant(c.name_of(":always"), HostArray::scalar(1, DType::Bool))};
  sources.insert(sources.end(), loop.state.begin(), loop.state.end());
  return sources;
}

// A scan output of zero iterations: empty, with the shape that an iteration would have given.
void none_stacked(OpCall& c, const Loop& loop, size_t which, size_t result) {
  auto made = c.lowering().try_subgraph(loop.body, sources_of(c, loop, 0));
  const ValuePtr one = made ? (*made)[1 + loop.state.size() + which] : nullptr;
  if (!one || (one->kind != Value::Kind::Tensor && one->kind != Value::Kind::Constant) || one->sizes.rank() >= kMaxDims)
    return c.fail("its trip count is 0, and the shape of its scan output is unknown");
  Dims sizes{0};
  for (const int64_t size : one->sizes) sizes.push_back(size);
  c.out(result, HostArray::make(one->dtype, sizes));
}

Result<std::vector<ValuePtr>> lower_iteration(OpCall& c, const Loop& loop, int64_t iteration) {
  const Lowering::Within this_iteration(c.lowering(), fmt::format("iteration {}", iteration));
  return c.lowering().lower_subgraph(loop.body, sources_of(c, loop, iteration));
}

// The subgraph of a loop body that computes the loop condition, including the loop-carried states that it reads.
struct Condition {
  ir::Graph graph;
  std::vector<size_t> states;  // states that are the graph's results after the first
  bool counts = false;         // it reads the iteration number
  bool random = false;

  explicit Condition(const ir::Graph& body) {
    std::set<std::string> needed{body.outputs[0].name};
    std::vector<bool> taken(body.nodes.size());
    for (size_t before = 0; before != needed.size();) {
      before = needed.size();
      for (size_t i = body.nodes.size(); i-- > 0;) take(body.nodes[i], taken, i, needed);
      for (size_t i = 2; i < body.inputs.size(); ++i)
        if (needed.contains(body.inputs[i].name)) needed.insert(body.outputs[i - 1].name);
    }
    graph.name = body.name;
    graph.values = body.values;
    graph.inputs = body.inputs;
    graph.outputs = {body.outputs[0]};
    for (size_t i = 0; i < body.nodes.size(); ++i)
      if (taken[i]) graph.nodes.push_back(body.nodes[i]);
    for (const ir::TensorData& weight : body.weights)
      if (needed.contains(weight.name)) graph.weights.push_back(weight);
    for (size_t i = 2; i < body.inputs.size(); ++i) {
      if (!needed.contains(body.inputs[i].name)) continue;
      states.push_back(i - 2);
      graph.outputs.push_back(body.outputs[i - 1]);
    }
    counts = needed.contains(body.inputs[0].name);
  }

 private:
  void take(const ir::Node& node, std::vector<bool>& taken, size_t place, std::set<std::string>& needed) {
    const auto is_needed = [&](const std::string& name) { return !name.empty() && needed.contains(name); };
    if (taken[place] || std::none_of(node.outputs.begin(), node.outputs.end(), is_needed)) return;
    taken[place] = true;
    random = random || is_random(node);
    std::vector<std::string> read;
    collect_names(node, read);
    needed.insert(read.begin(), read.end());
  }
};

// True if the condition ends the loop within so many iterations, or if that cannot be determined.
bool ends_within(OpCall& c, Loop loop, int64_t iterations) {
  const Condition specified(loop.body);
  for (int64_t iteration = loop.before; iteration < loop.before + iterations; ++iteration) {
    if (!is_known(loop.condition) || specified.random) return true;
    if (loop.condition) c.lowering().note_fixed_inputs(*loop.condition);
    if (loop.condition && loop.condition->array->integer(0) == 0) return true;
    if (iteration > loop.before && !specified.counts && specified.states.empty())
      return false;  // it is the same in each iteration
    auto made = c.lowering().try_subgraph(specified.graph, sources_of(c, loop, iteration));
    if (!made) return true;
    loop.condition = (*made)[0];
    for (size_t i = 0; i < specified.states.size(); ++i) loop.state[specified.states[i]] = (*made)[i + 1];
  }
  return false;
}

// Unrolls all iterations if there are few enough of them, otherwise only the first.
void unroll(OpCall& c, Loop& loop) {
  const int64_t can_be = std::max<int64_t>(kMaxNodes / loop.nodes(), 1);
  const bool few = loop.most - loop.before <= can_be || (!c.lowering().trying() && ends_within(c, loop, can_be));
  const int64_t written = few ? can_be : 1;
  for (int64_t iteration = loop.before; iteration < loop.most && c.ok(); ++iteration) {
    const bool first = iteration == loop.before;
    if (!first && !is_known(loop.condition)) return defer_remaining(c, loop, iteration, kWhy);
    if (!goes_on(c, loop.condition)) return;
    if (iteration - loop.before >= written)
      return defer_remaining(c, loop, iteration, "its iterations are too many to be unrolled");
    auto made = lower_iteration(c, loop, iteration);
    if (!made && c.lowering().subgraph_needs_runtime_value())
      return defer_remaining(c, loop, iteration, "its body depends on values known only at run time");
    if (!made) return c.fail(made.error().message);
    loop.condition = (*made)[0];
    for (size_t i = 0; i < loop.state.size(); ++i) loop.state[i] = (*made)[i + 1];
    for (size_t i = 0; i < loop.leaves.size(); ++i) loop.leaves[i].push_back((*made)[1 + loop.state.size() + i]);
  }
}

void loop(OpCall& c) {
  const auto* a = c.attr("body");
  if (!a || !a->graph) return c.fail("it lacks a body");
  const ir::Graph& body = *a->graph;
  const int64_t before = c.node().continues ? c.attr_int(kUnrolledIterations, 0) : 0;
  const size_t given = c.input_count() > 2 ? c.input_count() - 2 : 0;
  // A continued loop has one input per result, other loops one per state.
  const bool continued = c.node().continues;
  const size_t states = !continued ? given : body.inputs.size() - std::min<size_t>(body.inputs.size(), 2);
  const size_t stacks = body.outputs.size() - std::min(body.outputs.size(), states + 1);
  if (body.inputs.size() != states + 2 || body.outputs.size() < states + 1 ||
      c.output_count() != body.outputs.size() - 1 || given < states || given > states + stacks)
    return c.fail(fmt::format("its body has {} inputs and {} outputs, which do not match the node's {} and {}",
                              body.inputs.size(), body.outputs.size(), c.input_count(), c.output_count()));
  if (c.has(0) && !c.known(0)) c.wait_for(0, fmt::format("'{}' must be known at compile time", c.value(0).name), true);
  const auto iterations = c.ints(0);
  if (!c.ok() || (iterations && iterations->size() != 1))
    return c.fail(fmt::format("its trip count must have one element, not {}", iterations->size()));
  for (size_t i = 2; i < states + 2; ++i)
    if (!c.has(i)) return c.fail(fmt::format("input {} is missing", i));
  Loop loop{body, before, iterations ? (*iterations)[0] : std::numeric_limits<int64_t>::max(),
            c.has(1) ? c.inputs()[1] : nullptr};
  for (size_t i = 0; i < states; ++i) loop.state.push_back(c.inputs()[i + 2]);
  for (size_t i = 0; i < stacks; ++i) loop.left.push_back(c.has(i + 2 + states) ? c.inputs()[i + 2 + states] : nullptr);
  loop.leaves.resize(stacks);
  const Lowering::Within all_iterations(c.lowering(), c.title());
  unroll(c, loop);
  if (!c.ok()) return;
  for (size_t i = 0; i < states; ++i) c.out(i, loop.state[i]);
  for (size_t i = 0; i < stacks && c.ok(); ++i) {
    if (!c.has_output(states + i)) continue;
    if (const ValuePtr all = stacked(c, loop, i, fmt::format(":{}", states + i).c_str()))
      c.out(states + i, all);
    else if (c.ok())
      none_stacked(c, loop, i, states + i);
  }
}

constexpr HandlerEntry kLoopHandlers[] = {{"Loop", loop}};

}  // namespace

std::span<const HandlerEntry> loop_handlers() { return kLoopHandlers; }

}  // namespace arenascope::models
