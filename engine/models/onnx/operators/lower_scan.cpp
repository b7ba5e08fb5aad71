// SPDX-License-Identifier: MIT
// ONNX's Scan: runs its body for each element of sequences, with loop-carried states. If there are too many iterations to
// unroll, or the body depends on values known only at run time, it becomes a Loop (lower_loop.cpp, deferred_subgraph.cpp).
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace arenascope::models {
namespace {

constexpr int64_t kMaxScanned = 1 << 16;  // nodes of all iterations together

// One slice of a sequence, without its axis.
ValuePtr element(OpCall& c, const ValuePtr& from, int axis, int64_t i, const std::string& at) {
  const Tensor slice = c.slice(c.tensor_of(from), axis, i, i + 1, 1, (at + "_slice").c_str());
  if (!slice) return nullptr;
  Dims sizes;
  for (int d = 0; d < slice->rank(); ++d)
    if (d != axis) sizes.push_back(slice.sizes()[d]);
  const Tensor made = c.reshape(slice, sizes, at.c_str());
  return made ? value_like(*from, c.name_of(at.c_str()), made) : nullptr;
}

int64_t number_at(const std::vector<int64_t>& numbers, size_t i) { return i < numbers.size() ? numbers[i] : 0; }

struct Scanned {
  std::vector<ValuePtr> states;
  std::vector<std::vector<ValuePtr>> outputs;  // by output and iteration
};

bool scan_iteration(OpCall& c, const ir::Graph& body, const std::vector<ValuePtr>& inputs, int64_t iteration,
                    int64_t iterations, const std::vector<int64_t>& axes, const std::vector<int64_t>& directions,
                    Scanned& s) {
  const Lowering::Within this_iteration(c.lowering(), fmt::format("iteration {}", iteration));
  std::vector<ValuePtr> given = s.states;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const int axis = c.axis(number_at(axes, i), inputs[i]->sizes.rank());
    const int64_t at = number_at(directions, i) != 0 ? iterations - 1 - iteration : iteration;
    given.push_back(c.ok() ? element(c, inputs[i], axis, at, fmt::format(":iteration_{}_{}", iteration, i)) : nullptr);
    if (!given.back()) return false;
  }
  auto made = c.lowering().lower_subgraph(body, given);
  if (!made) {
    if (!c.lowering().subgraph_needs_runtime_value()) c.fail(made.error().message);
    return false;
  }
  for (size_t i = 0; i < made->size(); ++i) {
    if (i < s.states.size()) {
      s.states[i] = (*made)[i];
      continue;
    }
    if ((*made)[i]->kind == Value::Kind::Sequence) c.fail("scan outputs that are sequences are not supported");
    s.outputs[i - s.states.size()].push_back((*made)[i]);
  }
  return c.ok();
}

// A scan output: the results of all iterations, stacked.
ValuePtr scan_output(OpCall& c, std::vector<ValuePtr> iterations, int64_t axis, bool backwards, const std::string& at) {
  const int place = c.axis(axis, iterations[0]->sizes.rank() + 1);
  if (!c.ok()) return nullptr;
  if (backwards) std::reverse(iterations.begin(), iterations.end());
  for (size_t i = 0; i < iterations.size() && c.ok(); ++i)
    iterations[i] = c.with_axis(iterations[i], place, fmt::format("{}_{}", at, i));
  return c.ok() ? c.concat(iterations, place, at.c_str()) : nullptr;
}

ir::Node made_node(const char* op, std::vector<std::string> inputs, std::string output) {
  ir::Node node;
  node.op = op;
  node.opset = 13;
  node.continues = true;
  node.inputs = std::move(inputs);
  node.outputs.push_back(std::move(output));
  return node;
}

std::string named_constant(OpCall& c, const std::string& at, HostArray array) {
  std::string name = c.name_of(at.c_str());
  c.lowering().name_value(name, c.lowering().make_constant(name, std::move(array)));
  return name;
}

// The body in the form of a Loop's body: it takes the iteration number and gathers the elements of the sequences itself.
std::shared_ptr<ir::Graph> body_of_loop(OpCall& c, const ir::Graph& body, const std::vector<ValuePtr>& sequences,
                                        int64_t iterations) {
  const size_t states = body.inputs.size() - sequences.size();
  ir::ValueType iteration, goes_on;
  iteration.name = c.name_of(":iteration"), goes_on.name = c.name_of(":goes_on");
  const std::string back = c.name_of(":iteration_back");
  const auto axes = c.attr_ints("scan_input_axes"), directions = c.attr_ints("scan_input_directions");
  std::vector<ir::Node> nodes{made_node(
      "Sub", {named_constant(c, ":last_iteration", HostArray::scalar(iterations - 1)), iteration.name}, back)};
  for (size_t i = 0; i < sequences.size(); ++i) {
    nodes.push_back(made_node("Gather",
                              {c.node().inputs[states + i], number_at(directions, i) != 0 ? back : iteration.name},
                              body.inputs[states + i].name));
    nodes.back().attributes["axis"].i = c.axis(number_at(axes, i), sequences[i]->sizes.rank());
  }
  auto out = std::make_shared<ir::Graph>(body);
  out->inputs.resize(states);
  out->inputs.insert(out->inputs.begin(), {iteration, goes_on});
  out->outputs.insert(out->outputs.begin(), goes_on);
  out->nodes.insert(out->nodes.begin(), nodes.begin(), nodes.end());
  return out;
}

// The rank of a result: one more than that of an iteration's output.
int rank_of_result(OpCall& c, const ir::Graph& body, const std::vector<ValuePtr>& sequences, size_t result) {
  std::vector<ValuePtr> given = c.inputs();
  given.resize(body.inputs.size() - sequences.size());
  const auto axes = c.attr_ints("scan_input_axes");
  for (size_t i = 0; i < sequences.size() && c.ok(); ++i)
    given.push_back(element(c, sequences[i], c.axis(number_at(axes, i), sequences[i]->sizes.rank()), 0,
                            fmt::format(":tried_{}", i)));
  if (!c.ok()) return 0;
  const auto made = c.lowering().try_subgraph(body, given);
  if (made) return (*made)[result]->sizes.rank() + 1;
  if (!body.outputs[result].has_shape)
    c.fail(fmt::format("output {} of its body has no shape, and its number of dimensions is not inferable", result));
  return static_cast<int>(body.outputs[result].sizes.size()) + 1;
}

// Scan outputs in reverse order or along an axis other than the first: nodes after the loop that rearrange them.
void rearrange_output(OpCall& c, int64_t axis, bool backwards, int rank, std::string from, const std::string& to,
                      std::vector<ir::Node>& after) {
  const int place = c.axis(axis, rank);
  if (!c.ok()) return;
  if (backwards) {
    const auto number = [&](const char* what, int64_t value) {
      return named_constant(c, fmt::format(":{}_{}", from, what), HostArray::of({value}));
    };
    const std::string transposed = place == 0 ? to : from + ":forwards";
    after.push_back(made_node("Slice",
                              {from, number("first", -1), number("end", std::numeric_limits<int64_t>::min()),
                               number("axis", 0), number("step", -1)},
                              transposed));
    from = transposed;
  }
  if (place == 0) return;
  after.push_back(made_node("Transpose", {from}, to));
  std::vector<int64_t>& perm = after.back().attributes["perm"].ints;
  for (int i = 1; i < rank; ++i) perm.push_back(i);
  perm.insert(perm.begin() + place, 0);
}

// Defers all iterations as a Loop.
void defer_iterations(OpCall& c, const ir::Graph& body, const std::vector<ValuePtr>& sequences, int64_t iterations,
                      const char* why) {
  const size_t states = body.inputs.size() - sequences.size();
  ir::Node loop = c.node();
  loop.op = "Loop";
  loop.attributes.clear();
  loop.attributes["body"].graph = body_of_loop(c, body, sequences, iterations);
  loop.attributes[kUnrolledIterations].i = 0;
  loop.attributes[kLoopScope].s = c.lowering().layer();
  loop.attributes[kLoopLabel].s = c.node().label();
  loop.inputs.resize(states);
  loop.inputs.insert(loop.inputs.begin(), {named_constant(c, ":iterations", HostArray::scalar(iterations)), ""});
  std::vector<ir::Node> after;
  for (size_t i = states; i < loop.outputs.size() && c.ok(); ++i) {
    const int64_t axis = number_at(c.attr_ints("scan_output_axes"), i - states);
    const bool backwards = number_at(c.attr_ints("scan_output_directions"), i - states) != 0;
    if ((axis == 0 && !backwards) || loop.outputs[i].empty()) continue;
    const std::string to = std::exchange(loop.outputs[i], c.name_of(fmt::format(":stacked_{}", i).c_str()));
    const int rank = rank_of_result(c, body, sequences, i);
    if (c.ok()) rearrange_output(c, axis, backwards, rank, loop.outputs[i], to, after);
  }
  c.defer_as_loop(std::move(loop), why, std::move(after));
}

// One batch: `parts` are its states and sequences, and become its results.
bool scan_sequence(OpCall& c, const ir::Graph& graph, std::vector<ValuePtr>& parts, size_t states, int64_t batch) {
  const bool batched = c.opset() < 9;
  const auto axes = batched ? std::vector<int64_t>() : c.attr_ints("scan_input_axes");
  const auto directions = c.attr_ints(batched ? "directions" : "scan_input_directions");
  const std::vector<ValuePtr> sequences(parts.begin() + static_cast<std::ptrdiff_t>(states), parts.end());
  Scanned s;
  s.states.assign(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(states));
  s.outputs.resize(c.output_count() - states);
  const int axis = c.axis(number_at(axes, 0), sequences[0]->sizes.rank());
  if (!c.ok()) return false;
  const int64_t iterations = sequences[0]->sizes[axis];
  if (iterations < 1) c.fail("its sequences are empty");
  for (size_t i = 1; i < sequences.size() && c.ok(); ++i) {
    const int own = c.axis(number_at(axes, i), sequences[i]->sizes.rank());
    if (c.ok() && sequences[i]->sizes[own] != iterations) c.fail("its sequences differ in length");
  }
  if (!c.ok()) return false;
  if (iterations > kMaxScanned / batch / static_cast<int64_t>(graph.nodes.size() + 1)) {
    if (batched)
      c.fail(fmt::format("{} iterations of {} nodes are too many to be unrolled", iterations, graph.nodes.size()));
    else
      defer_iterations(c, graph, sequences, iterations, "its iterations are too many to be unrolled");
    return false;
  }
  for (int64_t t = 0; t < iterations && c.ok(); ++t)
    if (!scan_iteration(c, graph, sequences, t, iterations, axes, directions, s)) {
      if (c.lowering().subgraph_needs_runtime_value() && !batched)
        defer_iterations(c, graph, sequences, iterations, "its body depends on values known only at run time");
      return false;
    }
  parts.assign(c.output_count(), nullptr);
  for (size_t i = 0; i < parts.size() && c.ok(); ++i)
    parts[i] = i < states
                   ? s.states[i]
                   : scan_output(c, s.outputs[i - states], number_at(c.attr_ints("scan_output_axes"), i - states),
                                 number_at(c.attr_ints("scan_output_directions"), i - states) != 0,
                                 fmt::format(":result_{}", i));
  return c.ok();
}

void scan(OpCall& c) {
  const auto* body = c.attr("body");
  const int64_t count = c.attr_int("num_scan_inputs", 0);
  const bool batched = c.opset() < 9;  // sequence_lens come first, and every tensor has a batch in front
  const size_t first = batched ? 1 : 0;
  if (!body || !body->graph || count < 1 || c.input_count() < first + static_cast<size_t>(count))
    return c.fail("it lacks a body or a sequence");
  const size_t states = c.input_count() - first - static_cast<size_t>(count);
  const ir::Graph& graph = *body->graph;
  if (graph.inputs.size() != states + static_cast<size_t>(count) || graph.outputs.size() != c.output_count() ||
      graph.outputs.size() < states)
    return c.fail(fmt::format("its body has {} inputs and {} outputs, which do not match the node's {} and {}",
                              graph.inputs.size(), graph.outputs.size(), c.input_count(), c.output_count()));
  if (batched && c.has(0)) return c.fail("its sequences differ in length");
  std::vector<ValuePtr> given;
  for (size_t i = first; i < c.input_count(); ++i) {
    if (!c.has(i) || c.inputs()[i]->kind == Value::Kind::Sequence)
      return c.fail(fmt::format("input {} is not a tensor", i));
    given.push_back(c.inputs()[i]);
  }
  const Lowering::Within all_iterations(c.lowering(), c.title());
  const int64_t batch = batched ? given[0]->sizes.rank() > 0 ? given[0]->sizes[0] : 0 : 1;
  std::vector<std::vector<ValuePtr>> results(c.output_count());
  for (int64_t b = 0; b < batch; ++b) {
    std::vector<ValuePtr> parts = given;
    if (batched)
      for (size_t i = 0; i < parts.size() && c.ok(); ++i)
        parts[i] = element(c, parts[i], 0, b, fmt::format(":batch_{}_{}", b, i));
    if (!c.ok() || !scan_sequence(c, graph, parts, states, batch)) return;
    for (size_t i = 0; i < results.size(); ++i) {
      if (batched) parts[i] = c.with_axis(parts[i], 0, fmt::format(":one_{}_{}", b, i));
      if (!c.ok()) return;
      results[i].push_back(parts[i]);
    }
  }
  for (size_t i = 0; i < results.size() && c.ok(); ++i)
    if (c.has_output(i) && !results[i].empty()) c.out(i, c.concat(results[i], 0, fmt::format(":{}", i).c_str()));
}

constexpr HandlerEntry kScanHandlers[] = {{"Scan", scan}};

}  // namespace

std::span<const HandlerEntry> scan_handlers() { return kScanHandlers; }

}  // namespace arenascope::models
