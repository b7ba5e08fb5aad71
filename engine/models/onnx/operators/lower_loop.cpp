// SPDX-License-Identifier: MIT
// ONNX's Loop: its body as often as it iterates. Where only a run tells whether it iterates once more, or the turns are too
// many to be written out, the turns so far are made, and the body is a model of its own that iterates behind them.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <limits>
#include <set>
#include <utility>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxNodes = 1 << 16;  // of all turns: more would make a graph that no node can look at
constexpr const char* kWhy = "its trip count is known only at run time";

struct Loop {
  const ir::Graph& body;
  int64_t before, most;  // turns
  ValuePtr condition;
  std::vector<ValuePtr> state;
  std::vector<ValuePtr> left;                 // by turns before: null where there were none
  std::vector<std::vector<ValuePtr>> leaves;  // by these turns, one a turn

  int64_t nodes() const { return static_cast<int64_t>(body.nodes.size()) + 1; }
};

bool is_known(const ValuePtr& condition) { return !condition || (condition->array && condition->array->count() == 1); }

// Whether it iterates once more; an error where only a run tells.
bool goes_on(OpCall& c, const ValuePtr& condition) {
  if (!condition) return true;
  if (!is_known(condition)) {
    size_t unknown = 0;  // the first source of which that may hang
    while (unknown < c.input_count() && (!c.has(unknown) || c.known(unknown))) ++unknown;
    c.wait_for(unknown, kWhy, true);
    return false;
  }
  if (condition->for_given_inputs) c.lowering().note_fixed_inputs();
  return condition->array->integer(0) != 0;
}

// What all turns so far left, each with a dimension in front, one after another; null where there was none.
ValuePtr stacked(OpCall& c, const Loop& loop, size_t which, const char* suffix) {
  std::vector<ValuePtr> parts;
  if (loop.left[which]) parts.push_back(loop.left[which]);
  const std::vector<ValuePtr>& iterations = loop.leaves[which];
  for (size_t t = 0; t < iterations.size() && c.ok(); ++t) {
    const int64_t turn = loop.before + static_cast<int64_t>(t);
    parts.push_back(c.with_axis(iterations[t], 0, fmt::format(":turn_{}_{}", turn, which)));
  }
  return c.ok() && !parts.empty() ? c.concat(parts, 0, suffix) : nullptr;
}

// The turns that are left: a loop that begins with what these made. After its states stands what they left, or nothing.
void leave_rest(OpCall& c, const Loop& loop, int64_t done, const char* why) {
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

// What each turn is given: its number, whether it goes on, and the states.
std::vector<ValuePtr> sources_of(OpCall& c, const Loop& loop, int64_t turn) {
  const ValuePtr& condition = loop.condition;
  std::vector<ValuePtr> sources{
      c.lowering().make_constant(c.name_of(fmt::format(":turn_{}", turn).c_str()), HostArray::scalar(turn)),
      condition ? condition : c.lowering().make_constant(c.name_of(":always"), HostArray::scalar(1, DType::Bool))};
  sources.insert(sources.end(), loop.state.begin(), loop.state.end());
  return sources;
}

// What is stacked of no turns: nothing, of the sizes that a turn would have left.
void none_stacked(OpCall& c, const Loop& loop, size_t which, size_t result) {
  auto made = c.lowering().try_subgraph(loop.body, sources_of(c, loop, 0));
  const ValuePtr one = made ? (*made)[1 + loop.state.size() + which] : nullptr;
  if (!one || (one->kind != Value::Kind::Tensor && one->kind != Value::Kind::Constant) || one->sizes.rank() >= kMaxDims)
    return c.fail("its trip count is 0, and the shape of its scan output is unknown");
  Dims sizes{0};
  for (const int64_t size : one->sizes) sizes.push_back(size);
  c.out(result, HostArray::make(one->dtype, sizes));
}

Result<std::vector<ValuePtr>> lower_turn(OpCall& c, const Loop& loop, int64_t turn) {
  const Lowering::Within this_turn(c.lowering(), fmt::format("turn {}", turn));
  return c.lowering().lower_subgraph(loop.body, sources_of(c, loop, turn));
}

// Of a body what tells whether it goes on, alone: its condition, and the states on which that hangs from turn to turn.
struct Condition {
  ir::Graph graph;
  std::vector<size_t> states;  // of the graph's results behind the first
  bool counts = false;         // it reads the turn's number
  bool draws = false;

  explicit Condition(const ir::Graph& body) {
    std::set<std::string> wanted{body.outputs[0].name};
    std::vector<bool> taken(body.nodes.size());
    for (size_t before = 0; before != wanted.size();) {
      before = wanted.size();
      for (size_t i = body.nodes.size(); i-- > 0;) take(body.nodes[i], taken, i, wanted);
      for (size_t i = 2; i < body.inputs.size(); ++i)
        if (wanted.contains(body.inputs[i].name)) wanted.insert(body.outputs[i - 1].name);
    }
    graph.name = body.name;
    graph.values = body.values;
    graph.inputs = body.inputs;
    graph.outputs = {body.outputs[0]};
    for (size_t i = 0; i < body.nodes.size(); ++i)
      if (taken[i]) graph.nodes.push_back(body.nodes[i]);
    for (const ir::TensorData& weight : body.weights)
      if (wanted.contains(weight.name)) graph.weights.push_back(weight);
    for (size_t i = 2; i < body.inputs.size(); ++i) {
      if (!wanted.contains(body.inputs[i].name)) continue;
      states.push_back(i - 2);
      graph.outputs.push_back(body.outputs[i - 1]);
    }
    counts = wanted.contains(body.inputs[0].name);
  }

 private:
  void take(const ir::Node& node, std::vector<bool>& taken, size_t place, std::set<std::string>& wanted) {
    const auto is_wanted = [&](const std::string& name) { return !name.empty() && wanted.contains(name); };
    if (taken[place] || std::none_of(node.outputs.begin(), node.outputs.end(), is_wanted)) return;
    taken[place] = true;
    draws = draws || is_random(node);
    std::vector<std::string> read;
    collect_names(node, read);
    wanted.insert(read.begin(), read.end());
  }
};

// Whether its condition ends it before it has gone round so often; also where that is not known after some turns.
bool ends_within(OpCall& c, Loop loop, int64_t iterations) {
  const Condition specified(loop.body);
  for (int64_t turn = loop.before; turn < loop.before + iterations; ++turn) {
    if (!is_known(loop.condition) || specified.draws) return true;
    if (loop.condition && loop.condition->array->integer(0) == 0) return true;
    if (turn > loop.before && !specified.counts && specified.states.empty())
      return false;  // it is the same in each turn
    auto made = c.lowering().try_subgraph(specified.graph, sources_of(c, loop, turn));
    if (!made) return true;
    loop.condition = (*made)[0];
    for (size_t i = 0; i < specified.states.size(); ++i) loop.state[specified.states[i]] = (*made)[i + 1];
  }
  return false;
}

// What iterates no more often than can be written out is written out; of other loops the first turn is.
void go_round(OpCall& c, Loop& loop) {
  const int64_t can_be = std::max<int64_t>(kMaxNodes / loop.nodes(), 1);
  const bool few = loop.most - loop.before <= can_be || (!c.lowering().trying() && ends_within(c, loop, can_be));
  const int64_t written = few ? can_be : 1;
  for (int64_t turn = loop.before; turn < loop.most && c.ok(); ++turn) {
    const bool first = turn == loop.before;
    if (!first && !is_known(loop.condition)) return leave_rest(c, loop, turn, kWhy);
    if (!goes_on(c, loop.condition)) return;
    if (turn - loop.before >= written) return leave_rest(c, loop, turn, "its iterations are too many to be unrolled");
    auto made = lower_turn(c, loop, turn);
    if (!made && c.lowering().subgraph_needs_runtime_value())
      return leave_rest(c, loop, turn, "what its body makes hangs on values of the run");
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
  // A loop that goes on has a source for each of its results; else there is one for each state.
  const bool continued = c.node().continues;
  const size_t states = !continued ? given : body.inputs.size() - std::min<size_t>(body.inputs.size(), 2);
  const size_t stacks = body.outputs.size() - std::min(body.outputs.size(), states + 1);
  if (body.inputs.size() != states + 2 || body.outputs.size() < states + 1 ||
      c.output_count() != body.outputs.size() - 1 || given < states || given > states + stacks)
    return c.fail("its body has a different number of inputs or outputs");
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
  go_round(c, loop);
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
