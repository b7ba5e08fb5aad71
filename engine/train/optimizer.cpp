// SPDX-License-Identifier: MIT
#include <arenascope/train/optimizer.h>

#include <fnmatch.h>

#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include <arenascope/graph/lifetime.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/graph/optimizer_state.h>

namespace arenascope::train {
namespace {

float f32(double x) { return static_cast<float>(x); }

// Numbers of a step that do not depend on groups: the decay factor, and two of the optimizer.
constexpr int64_t kCommonNumbers = 3;

// The last group that a parameter belongs to; -1: none.
int64_t group_of(const OptimizerOptions& o, const Tensor& parameter) {
  const std::string name(parameter.name());
  for (auto i = static_cast<int64_t>(o.decays.size()); i-- > 0;)
    if (fnmatch(o.decays[static_cast<size_t>(i)].pattern.c_str(), name.c_str(), 0) == 0) return i;
  return -1;
}

// Nodes that read a parameter but do not lead to its new value: it may be written only after them.
std::vector<Tensor> other_readers(const Graph& graph, const TensorImpl& parameter, const TensorImpl& value) {
  std::unordered_set<const TensorImpl*> before{&value};
  std::vector<const TensorImpl*> open{&value};
  while (!open.empty()) {
    const TensorImpl* node = open.back();
    open.pop_back();
    for (const TensorImpl* source : node->sources)
      if (before.insert(source).second) open.push_back(source);
  }
  std::vector<Tensor> out;
  for (TensorImpl* node : graph.nodes()) {
    if (!has_work(*node) || before.count(node)) continue;
    for (const TensorImpl* source : node->sources)
      if (&base_of(*source) == &parameter) {
        out.emplace_back(node);
        break;
      }
  }
  return out;
}

class Steps {
 public:
  Steps(GraphBuilder& builder, const Graph& graph, const OptimizerOptions& options, const Tensor& numbers,
        const Tensor& spoilt, std::vector<models::State>& states)
      : g_(builder), graph_(graph), options_(options), numbers_(numbers), spoilt_(spoilt), states_(states) {
    if (!spoilt_) spoilt_ = g_.op_with(Op::Fill, {}, FillParams{{}, DType::Bool, 0, 0}, "never_spoilt");
  }

  Tensor step(const Tensor& parameter, const Tensor& gradient) {
    const int64_t group = group_of(options_, parameter);
    OptimizerStepParams p{};
    p.adaptive = options_.kind == OptimizerKind::AdamW;
    p.keep = static_cast<int32_t>(group < 0 ? 0 : kCommonNumbers + group);
    std::vector<Tensor> states;
    if (p.adaptive) {
      p.beta1 = f32(options_.beta1), p.rest1 = f32(1 - options_.beta1);
      p.beta2 = f32(options_.beta2), p.rest2 = f32(1 - options_.beta2);
      p.epsilon = f32(options_.epsilon);
      states = {state(parameter, "first moment"), state(parameter, "second moment")};
    } else {
      p.keep = 0;
      p.beta1 = f32(options_.momentum);
      p.decay = f32(group < 0 ? options_.weight_decay : options_.decays[static_cast<size_t>(group)].decay);
      if (options_.momentum > 0) states = {state(parameter, "momentum")};
    }
    p.states = static_cast<int32_t>(states.size());
    return write(parameter, gradient, p, states);
  }

 private:
  Tensor state(const Tensor& parameter, const char* what) {
    const std::string name = fmt::format("{} ({})", parameter.name(), what);
    Tensor tensor = g_.input(name, Dims(parameter.sizes().span()));
    if (!tensor) return tensor;
    tensor->flags |= kFlagOptimizerState;
    states_.push_back({name, tensor, MemoryKind::Persistent, {}});
    return tensor;
  }
  // The parameter and its states are written after the parameter's other readers.
  Tensor write(const Tensor& to, const Tensor& gradient, const OptimizerStepParams& p,
               const std::vector<Tensor>& states) {
    if (!to || !gradient) return {};
    const Tensor plain = gradient->contiguous() ? gradient : g_.cont(gradient);
    if (!plain) return {};
    std::vector<Tensor> sources{to, plain, numbers_, spoilt_};
    sources.insert(sources.end(), states.begin(), states.end());
    for (const Tensor& reader : other_readers(graph_, *to, *plain)) sources.push_back(reader);
    OpParams params;
    params.set(p);
    return g_.op(Op::OptimizerStep, sources, params, fmt::format("{} (updated)", to.name()));
  }

  GraphBuilder& g_;
  const Graph& graph_;
  const OptimizerOptions& options_;
  const Tensor numbers_;
  Tensor spoilt_;
  std::vector<models::State>& states_;
};

// The norm of all gradients together scales them down to `most` (Pascanu 2013).
std::vector<Tensor> clipped(GraphBuilder& g, std::span<const Tensor> gradients, double most) {
  std::vector<Tensor> out(gradients.begin(), gradients.end());
  if (most <= 0) return out;
  Tensor sum;
  for (const Tensor& gradient : gradients) {
    if (!gradient) continue;
    ReduceParams all{0, false};
    for (int i = 0; i < gradient->rank(); ++i) all.axes |= 1u << i;
    const Tensor square = g.op_with(Op::ReduceSum, {g.mul(gradient, gradient)}, all);
    sum = sum ? g.add(sum, square) : square;
  }
  if (!sum) return out;
  const Tensor norm = g.op(Op::Sqrt, {sum}, {}, "gradient norm");
  const Tensor share =
      g.op(Op::Div, {g.op_with(Op::Fill, {}, FillParams{{}, DType::F32, most, 0}), g.scale(norm, 1, 1e-6f)});
  const Tensor factor = g.op_with(Op::Clamp, {share}, ClampParams{0, 1}, "clip");
  for (Tensor& gradient : out)
    if (gradient) gradient = g.mul(gradient, factor);
  return out;
}

}  // namespace

const char* name(OptimizerKind kind) { return kind == OptimizerKind::Sgd ? "sgd" : "adamw"; }

std::optional<OptimizerKind> parse_optimizer(std::string_view text) {
  for (OptimizerKind kind : {OptimizerKind::Sgd, OptimizerKind::AdamW})
    if (text == name(kind)) return kind;
  return std::nullopt;
}

Status check(const OptimizerOptions& o) {
  const auto in = [](double x, double low, double high) { return x >= low && x < high; };
  if (!in(o.learning_rate, 0, 1e9)) return Error{fmt::format("a learning rate of {}", o.learning_rate)};
  if (!in(o.momentum, 0, 1)) return Error{fmt::format("a momentum of {} is not in [0, 1)", o.momentum)};
  if (!in(o.beta1, 0, 1) || !in(o.beta2, 0, 1))
    return Error{fmt::format("betas of {} and {} are not in [0, 1)", o.beta1, o.beta2)};
  if (!in(o.epsilon, 0, 1e9) || !in(o.weight_decay, 0, 1e9) || !in(o.clip, 0, 1e30))
    return Error{
        fmt::format("an epsilon of {}, a weight decay of {}, a norm of {}", o.epsilon, o.weight_decay, o.clip)};
  for (const DecayGroup& group : o.decays)
    if (!in(group.decay, 0, 1e9)) return Error{fmt::format("a weight decay of {} of '{}'", group.decay, group.pattern)};
  return {};
}

int64_t number_count(const OptimizerOptions& o) { return kCommonNumbers + static_cast<int64_t>(o.decays.size()); }

std::vector<float> numbers_of(const OptimizerOptions& o, int64_t step, double rate) {
  std::vector<float> out(static_cast<size_t>(number_count(o)), 0.0f);
  if (o.kind == OptimizerKind::Sgd) {
    out[0] = f32(rate);
    return out;
  }
  const auto n = static_cast<double>(step);
  out[0] = f32(1 - rate * o.weight_decay);
  out[1] = f32(rate / (1 - std::pow(o.beta1, n)));
  out[2] = f32(1 / std::sqrt(1 - std::pow(o.beta2, n)));
  for (size_t i = 0; i < o.decays.size(); ++i) out[kCommonNumbers + i] = f32(1 - rate * o.decays[i].decay);
  return out;
}

std::vector<Tensor> add_optimizer(GraphBuilder& builder, const Graph& graph, const Trained& trained,
                                  const OptimizerOptions& options, const Tensor& numbers, const Tensor& spoilt,
                                  std::vector<models::State>& states) {
  builder.layer("optimizer");
  const std::vector<Tensor> gradients = clipped(builder, trained.gradients, options.clip);
  Steps steps(builder, graph, options, numbers, spoilt, states);
  std::vector<Tensor> out;
  for (size_t i = 0; i < trained.parameters.size(); ++i)
    if (gradients[i]) out.push_back(steps.step(trained.parameters[i], gradients[i]));
  return out;
}

}  // namespace arenascope::train
