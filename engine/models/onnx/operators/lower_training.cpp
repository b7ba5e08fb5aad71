// SPDX-License-Identifier: MIT
// Gradients and optimizer steps of the domain ai.onnx.preview.training.
#include <arenascope/graph/autodiff.h>
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <string>
#include <vector>

namespace arenascope::models {
namespace {

// An optimiser's step over tensors in groups: X…, then gradients, then each kind of state. Scalars are f32 tensors.
struct Step {
  Tensor rate, count, x, gradient;
  std::vector<Tensor> states;
};

Tensor scaled(OpCall& c, const Tensor& x, float by, const std::string& at) {
  return c.op_with(Op::Scale, {x}, ScaleParams{by, 0}, at.c_str());
}
Tensor is_later(OpCall& c, const Step& s, const std::string& at) {
  return c.op(Op::Greater, {s.count, c.scalar(0, DType::F32, (at + "_zero").c_str())}, at.c_str());
}
Tensor regular(OpCall& c, const Step& s, const std::string& at) {
  return c.op(Op::Add, {scaled(c, s.x, c.attr_float("norm_coefficient", 0), at + "_norm"), s.gradient},
              (at + "_g").c_str());
}

// `one` gives the new x and the new states of a group; `kinds` is how many states there are.
template <class F>
void optimise(OpCall& c, size_t kinds, F&& one) {
  const size_t per = 2 + kinds, sources = c.input_count();
  if (sources < 2 + per || (sources - 2) % per != 0) return c.fail("its inputs are not a multiple of a group");
  const size_t groups = (sources - 2) / per;
  const Tensor rate = c.in_f32(0), count = c.cast(c.in(1), DType::F32, ":count");
  for (size_t i = 0; i < groups && c.ok(); ++i) {
    Step s{c.reshape(rate, {}, fmt::format(":rate_{}", i).c_str()),
           c.reshape(count, {}, fmt::format(":t_{}", i).c_str()),
           c.in(2 + i),
           c.in(2 + groups + i),
           {}};
    for (size_t k = 0; k < kinds; ++k) s.states.push_back(c.in(2 + (2 + k) * groups + i));
    if (!c.ok()) return;
    const std::vector<Tensor> made = one(s, fmt::format(":{}", i));
    for (size_t k = 0; k < made.size(); ++k) c.out(k * groups + i, made[k]);
  }
}

void momentum(OpCall& c) {
  const std::string mode = c.attr_string("mode", "standard");
  if (mode != "standard" && mode != "nesterov")
    return c.fail(fmt::format("the mode '{}' is not supported: expected standard or nesterov", mode));
  const float alpha = c.attr_float("alpha", 0), beta = c.attr_float("beta", 0);
  optimise(c, 1, [&](const Step& s, const std::string& at) -> std::vector<Tensor> {
    const Tensor g = regular(c, s, at);
    const Tensor share =
        c.op(Op::Where, {is_later(c, s, at + "_later"), scaled(c, g, beta, at + "_less"), g}, (at + "_share").c_str());
    const Tensor v = c.op(Op::Add, {scaled(c, s.states[0], alpha, at + "_kept"), share}, (at + "_v").c_str());
    const Tensor step =
        mode == "standard" ? v : c.op(Op::Add, {g, scaled(c, v, alpha, at + "_ahead")}, (at + "_step").c_str());
    return {c.op(Op::Sub, {s.x, c.op(Op::Mul, {s.rate, step}, (at + "_moved").c_str())}, (at + "_x").c_str()), v};
  });
}

void adagrad(OpCall& c) {
  const float decay = c.attr_float("decay_factor", 0), epsilon = c.attr_float("epsilon", 0);
  optimise(c, 1, [&](const Step& s, const std::string& at) -> std::vector<Tensor> {
    const Tensor g = regular(c, s, at);
    const Tensor h = c.op(Op::Add, {s.states[0], c.op(Op::Mul, {g, g}, (at + "_gg").c_str())}, (at + "_h").c_str());
    const Tensor root = c.op_with(Op::Scale, {c.op(Op::Sqrt, {h}, (at + "_root").c_str())}, ScaleParams{1, epsilon},
                                  (at + "_over").c_str());
    const Tensor rate =
        c.op(Op::Div, {s.rate, c.op_with(Op::Scale, {s.count}, ScaleParams{decay, 1}, (at + "_age").c_str())},
             (at + "_rate").c_str());
    const Tensor step = c.op(Op::Div, {c.op(Op::Mul, {rate, g}, (at + "_rg").c_str()), root}, (at + "_step").c_str());
    return {c.op(Op::Sub, {s.x, step}, (at + "_x").c_str()), h};
  });
}

// 1 - base^t.
Tensor unbiased(OpCall& c, const Tensor& t, float base, const std::string& at) {
  const Tensor power = c.op(Op::Pow, {c.scalar(static_cast<double>(base), DType::F32, (at + "_base").c_str()), t},
                            (at + "_power").c_str());
  return c.op_with(Op::Scale, {power}, ScaleParams{-1, 1}, at.c_str());
}

void adam(OpCall& c) {
  const float alpha = c.attr_float("alpha", 0.9f), beta = c.attr_float("beta", 0.999f),
              epsilon = c.attr_float("epsilon", 0);
  optimise(c, 2, [&](const Step& s, const std::string& at) -> std::vector<Tensor> {
    const Tensor g = regular(c, s, at);
    const auto mixed = [&](const Tensor& old, const Tensor& now, float keep, const std::string& name) {
      return c.op(Op::Add, {scaled(c, old, keep, name + "_old"), scaled(c, now, 1 - keep, name + "_new")},
                  name.c_str());
    };
    const Tensor v = mixed(s.states[0], g, alpha, at + "_v");
    const Tensor h = mixed(s.states[1], c.op(Op::Mul, {g, g}, (at + "_gg").c_str()), beta, at + "_h");
    const Tensor root = c.op_with(Op::Scale, {c.op(Op::Sqrt, {h}, (at + "_root").c_str())}, ScaleParams{1, epsilon},
                                  (at + "_over").c_str());
    const Tensor late =
        c.op(Op::Div,
             {c.op(Op::Mul, {s.rate, c.op(Op::Sqrt, {unbiased(c, s.count, beta, at + "_b")}, (at + "_br").c_str())},
                   (at + "_rb").c_str()),
              unbiased(c, s.count, alpha, at + "_a")},
             (at + "_late").c_str());
    const Tensor rate = c.op(Op::Where, {is_later(c, s, at + "_later"), late, s.rate}, (at + "_rate").c_str());
    const Tensor step = c.op(Op::Mul, {rate, c.op(Op::Div, {v, root}, (at + "_vr").c_str())}, (at + "_step").c_str());
    const Tensor x = c.op(Op::Sub, {s.x, step}, (at + "_moved").c_str());
    return {scaled(c, x, 1 - c.attr_float("norm_coefficient_post", 0), at + "_x"), v, h};
  });
}

// A floating-point tensor named by an attribute; undefined, with an error, if there is none.
Tensor named(OpCall& c, const std::string& name) {
  const ValuePtr value = c.lowering().value_named(name);
  Status status;
  const Tensor tensor =
      value && value->kind == Value::Kind::Tensor ? c.lowering().materialise(*value, status) : Tensor();
  if (!status.ok())
    c.fail(status.error().message);
  else if (!tensor || !info(tensor.dtype()).floating)
    c.fail(fmt::format("'{}' must be a floating-point tensor computed before this node", name));
  return tensor;
}

// How the sum of a tensor's elements changes with others before it, at the values that they have in the graph.
void gradient(OpCall& c) {
  const auto *xs = c.attr("xs"), *zs = c.attr("zs");
  if (!xs || xs->strings.empty()) return c.fail("it lacks xs, the tensors to differentiate with respect to");
  std::vector<std::string> names = xs->strings;
  if (zs) names.insert(names.end(), zs->strings.begin(), zs->strings.end());
  if (names.size() != c.input_count() || xs->strings.size() != c.output_count())
    return c.fail(fmt::format("xs and zs name {} tensors and xs names {}: expected {}, as inputs, and {}, as outputs",
                              names.size(), xs->strings.size(), c.input_count(), c.output_count()));
  std::vector<Tensor> variables;
  for (size_t i = 0; i < names.size() && c.ok(); ++i) {
    if (c.lowering().value_named(names[i]) != c.inputs()[i])
      return c.fail(fmt::format("input {} is another value than '{}'", i, names[i]));
    if (i < xs->strings.size()) variables.push_back(named(c, names[i]));
  }
  const Tensor y = c.ok() ? named(c, c.attr_string("y", "")) : Tensor();
  if (!c.ok()) return;
  Tensor sum = c.cast(y, DType::F32, ":y");
  if (y->rank() > 0) sum = c.op_with(Op::ReduceSum, {sum}, ReduceParams{(1u << y->rank()) - 1, false}, ":sum");
  const Lowering::Within whole(c.lowering(), c.title());
  auto graph = c.lowering().context().new_graph(8 * c.lowering().context().use().objects + 256, true);
  if (!c.ok() || !graph) return c.fail(graph ? "" : graph.error().message);
  if (auto added = graph->expand(sum); !added) return c.fail(added.error().message);
  auto made = build_gradients(c.g(), *graph, sum, variables);
  if (!made) return c.fail(made.error().message);
  for (size_t i = 0; i < variables.size() && c.ok(); ++i) {
    const Tensor by =
        (*made)[i] ? (*made)[i] : c.op_with(Op::Fill, {}, FillParams{variables[i].sizes(), DType::F32, 0, 0}, ":none");
    c.out(i, c.cast(by, variables[i].dtype()));
  }
}

constexpr HandlerEntry kTrainingHandlers[] = {
    {"ai.onnx.preview.training::Adagrad", adagrad},
    {"ai.onnx.preview.training::Adam", adam},
    {"ai.onnx.preview.training::Gradient", gradient},
    {"ai.onnx.preview.training::Momentum", momentum},
};

}  // namespace

std::span<const HandlerEntry> training_handlers() { return kTrainingHandlers; }

}  // namespace arenascope::models
