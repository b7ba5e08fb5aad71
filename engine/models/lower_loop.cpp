// SPDX-License-Identifier: MIT
// ONNX's Loop: its body as often as it goes round. Where only a run tells whether it goes round once more, the turns so far are
// made, and the others are a loop of the rest.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMostNodes = 1 << 16;  // of all turns: more would make a graph that nobody can look at
constexpr int64_t kMostTurns = 256;  // each of which a run must make before it is known whether there is another one
// Of the part of a loop that is left for then: the turns before it. What these left stands behind the states.
constexpr const char* kTurnsBefore = "turns before";

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

// Whether it goes round once more; an error where only a run tells.
bool goes_on(OpCall& c, const ValuePtr& condition) {
  if (!condition) return true;
  if (!is_known(condition)) {
    size_t unknown = 0;  // the first source of which that may hang
    while (unknown < c.input_count() && (!c.has(unknown) || c.known(unknown))) ++unknown;
    c.wait_for(unknown, "how often it goes round is only known while it runs", true);
    return false;
  }
  if (condition->for_given_inputs) c.lowering().note_fixed_inputs();
  return condition->array->integer(0) != 0;
}

// What all turns so far left, each with a dimension in front, behind each other; undefined where there was none.
Tensor stacked(OpCall& c, const Loop& loop, size_t which, const char* suffix) {
  std::vector<Tensor> parts;
  const auto tensor = [&](Value& value) {
    Status status;
    const Tensor one = c.lowering().materialise(value, status);
    if (!status.ok()) c.refuse(status.error().message);
    return one;
  };
  if (loop.left[which]) parts.push_back(tensor(*loop.left[which]));
  const std::vector<ValuePtr>& turns = loop.leaves[which];
  for (size_t t = 0; t < turns.size() && c.ok(); ++t) {
    if (turns[t]->words) c.refuse("it lays strings behind each other, turn by turn");
    const Tensor one = tensor(*turns[t]);
    if (!one) return {};
    if (one->rank() >= kMaxDims) {
      c.refuse(fmt::format("what is stacked has {} dimensions, of at most {}", one->rank(), kMaxDims - 1));
      return {};
    }
    Dims sizes{1};
    for (const int64_t size : one.sizes()) sizes.push_back(size);
    const int64_t turn = loop.before + static_cast<int64_t>(t);
    parts.push_back(c.reshape(one, sizes, fmt::format(":turn_{}_{}", turn, which).c_str()));
  }
  if (!c.ok() || parts.empty()) return {};
  return parts.size() == 1 ? parts[0] : c.op_list(Op::Concat, std::span<const Tensor>(parts), AxisParams{0}, suffix);
}

// The turns that are left, of which only a run tells whether there are any: a loop that begins with what these made.
void leave_rest(OpCall& c, const Loop& loop, int64_t done) {
  if (done >= kMostTurns)
    return c.refuse(fmt::format("after {} turns only a run tells whether there is another one", done));
  ir::Node later = c.node();
  const auto hand_on = [&](const std::string& what, ValuePtr value) {
    later.inputs.push_back(c.name_of(fmt::format(":after_{}_{}", done, what).c_str()));
    c.lowering().name_value(later.inputs.back(), std::move(value));
  };
  later.inputs.resize(1);
  hand_on("condition", loop.condition);
  for (size_t i = 0; i < loop.state.size(); ++i) hand_on(fmt::format("state_{}", i), loop.state[i]);
  for (size_t i = 0; i < loop.leaves.size() && c.ok(); ++i) {
    const std::string name = fmt::format("left_{}", i);
    hand_on(name, tensor_value(name, stacked(c, loop, i, fmt::format(":{}_{}", name, done).c_str())));
  }
  ir::Attribute before;
  before.i = done;
  later.attributes[kTurnsBefore] = std::move(before);
  c.leave(std::move(later), "how often it goes round is only known while it runs");
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
    return c.refuse("it does not go round once, and what a turn would leave is not known");
  Dims sizes{0};
  for (const int64_t size : one->sizes) sizes.push_back(size);
  c.out(result, HostArray::make(one->dtype, sizes));
}

void go_round(OpCall& c, Loop& loop) {
  bool first = true;
  for (int64_t turn = loop.before; turn < loop.most && c.ok(); ++turn, first = false) {
    if (!first && !is_known(loop.condition)) return leave_rest(c, loop, turn);
    if (!goes_on(c, loop.condition)) return;
    if ((turn - loop.before + 1) * loop.nodes() > kMostNodes)
      return c.refuse(fmt::format("more than {} turns of {} nodes", turn - loop.before, loop.nodes() - 1));
    const Lowering::Within this_turn(c.lowering(), fmt::format("turn {}", turn));
    auto made = c.lowering().lower_subgraph(loop.body, sources_of(c, loop, turn));
    if (!made) return c.refuse(made.error().message);
    loop.condition = (*made)[0];
    for (size_t i = 0; i < loop.state.size(); ++i) loop.state[i] = (*made)[i + 1];
    for (size_t i = 0; i < loop.leaves.size(); ++i) loop.leaves[i].push_back((*made)[1 + loop.state.size() + i]);
  }
}

void loop(OpCall& c) {
  const auto* a = c.attr("body");
  if (!a || !a->graph) return c.refuse("it lacks a body");
  const ir::Graph& body = *a->graph;
  const int64_t before = c.node().continues ? c.attr_int(kTurnsBefore, 0) : 0;
  const size_t given = c.input_count() > 2 ? c.input_count() - 2 : 0;
  // A loop that goes on has a source for each of its results; else there is one for each state.
  const size_t states = before == 0 ? given : body.inputs.size() - std::min<size_t>(body.inputs.size(), 2);
  const size_t stacks = body.outputs.size() - std::min(body.outputs.size(), states + 1);
  if (body.inputs.size() != states + 2 || body.outputs.size() < states + 1 ||
      c.output_count() != body.outputs.size() - 1 || (before > 0 && given != states + stacks))
    return c.refuse("its body has another number of sources or results");
  if (c.has(0) && !c.known(0)) c.wait_for(0, fmt::format("'{}' must be known before it runs", c.value(0).name), true);
  const auto turns = c.ints(0);
  if (!c.ok() || (turns && turns->size() != 1)) return c.refuse("how often it goes round must be one number");
  for (size_t i = 2; i < c.input_count(); ++i)
    if (!c.has(i)) return c.refuse(fmt::format("its source {} is missing", i));
  Loop loop{body, before, turns ? (*turns)[0] : std::numeric_limits<int64_t>::max(),
            c.has(1) ? c.inputs()[1] : nullptr};
  for (size_t i = 0; i < states; ++i) loop.state.push_back(c.inputs()[i + 2]);
  for (size_t i = 0; i < stacks; ++i) loop.left.push_back(before > 0 ? c.inputs()[i + 2 + states] : nullptr);
  loop.leaves.resize(stacks);
  const Lowering::Within all_turns(c.lowering(), c.title());
  go_round(c, loop);
  if (!c.ok()) return;
  for (size_t i = 0; i < states; ++i) c.out(i, loop.state[i]);
  for (size_t i = 0; i < stacks && c.ok(); ++i) {
    if (!c.wants(states + i)) continue;
    const Tensor all = stacked(c, loop, i, fmt::format(":{}", states + i).c_str());
    if (all)
      c.out(states + i, all);
    else if (c.ok())
      none_stacked(c, loop, i, states + i);
  }
}

constexpr HandlerEntry kLoopHandlers[] = {{"Loop", loop}};

}  // namespace

std::span<const HandlerEntry> loop_handlers() { return kLoopHandlers; }

}  // namespace arenascope::models
