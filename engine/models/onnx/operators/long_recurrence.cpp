// SPDX-License-Identifier: MIT
#include "engine/models/onnx/operators/long_recurrence.h"
#include <fmt/format.h>

#include <limits>
#include <utility>

namespace arenascope::models {
namespace {

using namespace ir::subgraph;

constexpr int64_t kStepsPerIteration = 256;  // per iteration; the states pass through the host once per iteration

class StepLoop {
 public:
  StepLoop(OpCall& c, const LongRecurrence& r)
      : c_(c),
        r_(r),
        iterations_(r.steps / kStepsPerIteration),
        left_(r.steps % kStepsPerIteration),
        prefix_(c.name_of(":steps")) {}

  void defer_as_loop() {
    const Lowering::Within all_iterations(c_.lowering(), c_.title());
    name_sources();
    ir::Node loop = loop_scope();
    if (!c_.ok()) return;
    std::vector<ir::Node> after;
    Nodes n(prefix_, after);
    const auto cut = loop.outputs.begin() + static_cast<std::ptrdiff_t>(r_.states.size());
    std::vector<std::string> states(loop.outputs.begin(), cut), results(cut, loop.outputs.end());
    for (size_t i = 0; i < results.size(); ++i) results[i] = of_all_iterations(n, i, results[i]);
    if (left_ > 0) take_last_steps(after, states, results);
    r_.end(n, results, states);
    for (ir::Node& node : after) node.within = c_.title();
    c_.defer_as_loop(std::move(loop), "its steps are too many to be unrolled", std::move(after));
  }

 private:
  // The inputs of each iteration's steps, [… iterations, steps, …], and those of the remaining steps.
  void name_sources() {
    const int64_t whole = iterations_ * kStepsPerIteration;
    for (size_t i = 0; i < r_.sources.size(); ++i) {
      if (!c_.ok() || !r_.sources[i].all) return;
      const SteppedSource& source = r_.sources[i];
      const auto part = [&](int64_t begin, int64_t end, const char* what) {
        return c_.slice(source.all, source.axis, begin, end, 1, fmt::format(":{}_{}", what, i).c_str());
      };
      Dims sizes;
      for (int d = 0; d < source.all->rank(); ++d) {
        if (d == source.axis) sizes.push_back(iterations_);
        sizes.push_back(d == source.axis ? kStepsPerIteration : source.all.sizes()[d]);
      }
      const int64_t begin = source.backwards ? left_ : 0;
      const std::string by_iteration = fmt::format(":by_iteration_{}", i);
      by_iteration_.push_back(name_tensor(
          c_, c_.reshape(part(begin, begin + whole, "whole_iterations"), sizes, by_iteration.c_str()), by_iteration));
      if (left_ == 0) continue;
      const int64_t from = source.backwards ? 0 : whole;
      last_.push_back(name_tensor(c_, part(from, from + left_, "last_steps"), fmt::format(":last_steps_{}", i)));
    }
  }

  ir::Node loop_scope() {
    ir::Node loop;
    loop.op = "Loop";
    loop.name = c_.node().name;
    loop.opset = 17;
    loop.continues = true;
    const std::string iterations = c_.name_of(":iterations");
    c_.lowering().name_value(iterations, c_.lowering().make_constant(iterations, HostArray::scalar(iterations_)));
    loop.inputs = {iterations, ""};
    for (size_t i = 0; i < r_.states.size() && c_.ok(); ++i)
      loop.inputs.push_back(name_tensor(c_, r_.states[i], fmt::format(":first_state_{}", i)));
    loop.attributes["body"] = of_graph(body());
    loop.attributes[kUnrolledIterations].i = 0;
    loop.attributes[kLoopScope].s = c_.lowering().layer();
    loop.attributes[kLoopLabel].s = c_.node().label();
    for (size_t i = 0; i < r_.states.size(); ++i) loop.outputs.push_back(fmt::format("{}/state_{}", prefix_, i));
    for (size_t i = 0; i < r_.results.size(); ++i) loop.outputs.push_back(fmt::format("{}/stacked_{}", prefix_, i));
    return loop;
  }

  std::shared_ptr<ir::Graph> body() {
    auto out = std::make_shared<ir::Graph>();
    Nodes n(prefix_ + "/iteration", out->nodes);
    const std::string iteration = n.name("number"), goes_on = n.name("goes_on");
    out->inputs = {value(iteration, kInt64), value(goes_on, kBool)};
    const std::string back = n.add("Sub", {n.number(iterations_ - 1, "last_number"), iteration}, "number_back");
    const std::string count = n.number(kStepsPerIteration, "count");
    Steps steps{n, kStepsPerIteration, n.add("Mul", {iteration, count}, "first"),
                n.add("Add", {n.add("Mul", {back, count}, "turns_back"), n.number(left_, "left")}, "first_back")};
    for (size_t i = 0; i < r_.sources.size() && i < by_iteration_.size(); ++i)
      steps.sources.push_back(n.add("Gather", {by_iteration_[i], r_.sources[i].backwards ? back : iteration},
                                    fmt::format("source_{}", i), along(r_.sources[i].axis)));
    for (size_t i = 0; i < r_.states.size(); ++i) {
      steps.states.push_back(n.name(fmt::format("state_{}", i)));
      out->inputs.push_back(value(steps.states[i], kFloat));
    }
    if (c_.ok()) r_.make(steps);
    out->outputs.push_back(value(goes_on, kBool));
    for (const std::string& state : steps.next) out->outputs.push_back(value(state, kFloat));
    for (const std::string& result : steps.results) out->outputs.push_back(value(result, kFloat));
    return out;
  }

  // The stacked results of the iterations, [iterations, …, steps, …], in the order of the steps.
  std::string of_all_iterations(Nodes& n, size_t i, std::string x) {
    const auto& [sizes, axis, backwards] = r_.results[i];
    const auto name = [&](const char* what) { return fmt::format("{}_{}", what, i); };
    if (backwards)
      x = n.add("Slice",
                {x, n.numbers({-1}, name("begin")), n.numbers({std::numeric_limits<int64_t>::min()}, name("end")),
                 n.numbers({0}, name("axis")), n.numbers({-1}, name("step"))},
                name("forwards"));
    if (axis > 0) {
      ir::Attribute perm;
      perm.kind = ir::Attribute::kInts;
      for (int d = 1; d <= sizes.rank(); ++d) perm.ints.push_back(d);
      perm.ints.insert(perm.ints.begin() + axis, 0);
      x = n.add("Transpose", {x}, name("steps_together"), {{"perm", std::move(perm)}});
    }
    std::vector<int64_t> all(sizes.begin(), sizes.end());
    all[static_cast<size_t>(axis)] = iterations_ * kStepsPerIteration;
    return n.add("Reshape", {x, n.numbers(std::move(all), name("sizes"))}, name("of_iterations"));
  }

  void take_last_steps(std::vector<ir::Node>& after, std::vector<std::string>& states,
                       std::vector<std::string>& results) {
    Nodes n(prefix_ + "/last", after);
    Steps steps{n,     left_, n.number(iterations_ * kStepsPerIteration, "first"), n.number(0, "first_back"),
                last_, states};
    r_.make(steps);
    for (size_t i = 0; i < results.size() && i < steps.results.size(); ++i) {
      std::vector<std::string> parts{results[i], steps.results[i]};
      if (r_.results[i].backwards) std::swap(parts[0], parts[1]);
      results[i] = n.add("Concat", std::move(parts), fmt::format("all_{}", i), along(r_.results[i].axis));
    }
    states = std::move(steps.next);
  }

  OpCall& c_;
  const LongRecurrence& r_;
  const int64_t iterations_, left_;  // left_: steps after the last whole iteration
  const std::string prefix_;
  std::vector<std::string> by_iteration_, last_;
};

int32_t type_code(const Value& value) {
  if (value.small != 0) return value.small;
  for (int32_t code = 1; code <= ir::kBFloat16Type; ++code)
    if (ir::to_dtype(code) == value.dtype) return code;
  return kFloat;
}

}  // namespace

void leave_steps(OpCall& c, const LongRecurrence& recurrence) {
  if (c.ok()) StepLoop(c, recurrence).defer_as_loop();
}

ir::Node same_node(const OpCall& c, std::vector<std::string> sources, std::vector<std::string> results,
                   std::initializer_list<const char*> without) {
  ir::Node node = c.node();
  node.continues = true;
  node.within.clear();
  node.inputs = std::move(sources);
  node.outputs = std::move(results);
  for (const char* name : without) node.attributes.erase(name);
  return node;
}

std::string name_value(OpCall& c, const ValuePtr& x, const std::string& suffix) {
  if (!c.ok() || !x) return {};
  const std::string name = c.name_of((suffix + "_named").c_str());
  c.lowering().name_value(name, x);
  return name;
}

std::string name_tensor(OpCall& c, const Tensor& x, const std::string& suffix) {
  return x ? name_value(c, tensor_value(c.name_of(suffix.c_str()), x), suffix) : std::string();
}

void give_result(const OpCall& c, Nodes& n, size_t i, const std::string& x, const Value& like) {
  if (!c.has_output(i)) return;
  const std::string name = fmt::format("given_{}", i);
  if (like.dtype == DType::F32 && like.small == 0)
    n.add("Identity", {x}, name);
  else
    n.cast(x, type_code(like), name);
  n.rename(c.node().outputs[i]);
}

}  // namespace arenascope::models
