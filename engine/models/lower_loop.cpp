// SPDX-License-Identifier: MIT
// ONNX's Loop, whose number of turns is known while opening: its body as often as it goes round.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <limits>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMostNodes = 1 << 12;  // of all turns: more would make a graph that nobody can look at

// Whether it goes round once more; an error where only a run tells.
bool goes_on(OpCall& c, const ValuePtr& condition) {
  if (!condition) return true;
  if (!condition->array || condition->array->count() != 1) {
    size_t unknown = 0;  // the first source of which that may hang
    while (unknown < c.input_count() && (!c.has(unknown) || c.known(unknown))) ++unknown;
    c.wait_for(unknown, "how often it goes round is only known while it runs");
    return false;
  }
  if (condition->for_given_inputs) c.lowering().note_fixed_inputs();
  return condition->array->integer(0) != 0;
}

// What a turn leaves, each with a dimension in front, behind each other.
void stack(OpCall& c, size_t output, const std::vector<ValuePtr>& turns) {
  std::vector<Tensor> parts;
  for (size_t t = 0; t < turns.size() && c.ok(); ++t) {
    Status status;
    const Tensor one = c.lowering().materialise(*turns[t], status);
    if (!status.ok()) c.refuse(status.error().message);
    if (!one) return;
    Dims sizes{1};
    for (const int64_t size : one.sizes()) sizes.push_back(size);
    parts.push_back(c.reshape(one, sizes, fmt::format(":turn_{}_{}", t, output).c_str()));
  }
  if (parts.empty()) return c.refuse("it does not go round once, and its results are stacked");
  c.out(output,
        c.op_list(Op::Concat, std::span<const Tensor>(parts), AxisParams{0}, fmt::format(":{}", output).c_str()));
}

void loop(OpCall& c) {
  const auto* a = c.attr("body");
  if (!a || !a->graph) return c.refuse("it lacks a body");
  const ir::Graph& body = *a->graph;
  const size_t states = c.input_count() > 2 ? c.input_count() - 2 : 0;
  if (body.inputs.size() != states + 2 || body.outputs.size() < states + 1 ||
      c.output_count() != body.outputs.size() - 1)
    return c.refuse("its body has another number of sources or results");
  const auto given = c.ints(0);
  if (!c.ok() || (given && given->size() != 1)) return c.refuse("how often it goes round must be one number");
  const int64_t most = given ? (*given)[0] : std::numeric_limits<int64_t>::max();
  ValuePtr condition = c.has(1) ? c.inputs()[1] : nullptr;
  std::vector<ValuePtr> state;
  for (size_t i = 0; i < states; ++i) {
    if (!c.has(i + 2)) return c.refuse(fmt::format("its source {} is missing", i + 2));
    state.push_back(c.inputs()[i + 2]);
  }
  std::vector<std::vector<ValuePtr>> stacked(body.outputs.size() - 1 - states);
  const int64_t nodes = static_cast<int64_t>(body.nodes.size()) + 1;
  for (int64_t turn = 0; turn < most && goes_on(c, condition) && c.ok(); ++turn) {
    if ((turn + 1) * nodes > kMostNodes)
      return c.refuse(fmt::format("more than {} turns of {} nodes", turn, nodes - 1));
    std::vector<ValuePtr> sources{
        c.lowering().make_constant(c.name_of(fmt::format(":turn_{}", turn).c_str()), HostArray::scalar(turn)),
        condition ? condition : c.lowering().make_constant(c.name_of(":always"), HostArray::scalar(1, DType::Bool))};
    sources.insert(sources.end(), state.begin(), state.end());
    auto made = c.lowering().lower_subgraph(body, sources);
    if (!made) return c.refuse(made.error().message);
    condition = (*made)[0];
    for (size_t i = 0; i < states; ++i) state[i] = (*made)[i + 1];
    for (size_t i = 0; i < stacked.size(); ++i) stacked[i].push_back((*made)[1 + states + i]);
  }
  if (!c.ok()) return;
  for (size_t i = 0; i < states; ++i) c.out(i, state[i]);
  for (size_t i = 0; i < stacked.size() && c.ok(); ++i)
    if (c.wants(states + i)) stack(c, states + i, stacked[i]);
}

constexpr HandlerEntry kLoopHandlers[] = {{"Loop", loop}};

}  // namespace

std::span<const HandlerEntry> loop_handlers() { return kLoopHandlers; }

}  // namespace arenascope::models
