// SPDX-License-Identifier: MIT
#include <arenascope/train/optimizer.h>

#include <cmath>
#include <unordered_set>

#include <fmt/format.h>

#include <arenascope/graph/lifetime.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/graph/optimizer_state.h>

namespace arenascope::train {
namespace {

float f32(double x) { return static_cast<float>(x); }

// Nodes that read a parameter and that nothing computes the new value from: it may be written behind them only.
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
      : g_(builder), graph_(graph), options_(options), numbers_(numbers), spoilt_(spoilt), states_(states) {}

  Tensor step(const Tensor& parameter, const Tensor& gradient) {
    return options_.kind == OptimizerKind::Sgd ? sgd(parameter, gradient) : adamw(parameter, gradient);
  }

 private:
  Tensor number(int64_t i) { return g_.slice(numbers_, 0, i, i + 1); }
  Tensor state(const Tensor& parameter, const char* what) {
    const std::string name = fmt::format("{} ({})", parameter.name(), what);
    Tensor tensor = g_.input(name, Dims(parameter.sizes().span()));
    if (!tensor) return tensor;
    tensor->flags |= kFlagOptimizerState;
    states_.push_back({name, tensor, MemoryKind::Persistent, {}});
    return tensor;
  }
  // `to` gets the new value, behind its other readers, unless the step is spoilt.
  Tensor write(const Tensor& to, const Tensor& value, const std::string& what) {
    if (!to || !value) return {};
    const Tensor kept =
        spoilt_ ? g_.op(Op::Where, {spoilt_, to, value}, {}, fmt::format("{} ({} kept)", to.name(), what)) : value;
    if (!kept) return {};
    std::vector<Tensor> sources{to, kept};
    for (const Tensor& reader : other_readers(graph_, *to, *kept)) sources.push_back(reader);
    OpParams params;
    params.set(SetRowsParams{0, false});
    return g_.op(Op::SetRows, sources, params, fmt::format("{} ({})", to.name(), what));
  }

  // Numbers: the learning rate.
  Tensor sgd(const Tensor& p, const Tensor& gradient) {
    Tensor g = gradient;
    if (options_.weight_decay > 0) g = g_.add(g, g_.scale(p, f32(options_.weight_decay)));
    if (options_.momentum > 0) {
      const Tensor v = state(p, "momentum");
      const Tensor next = g_.add(g_.scale(v, f32(options_.momentum)), g);
      written_.push_back(write(v, next, "next"));
      g = next;
    }
    return write(p, g_.op(Op::Sub, {p, g_.mul(g, number(0))}), "updated");
  }

  // Numbers: what decay leaves, the step divided by the first moment's correction, the second one's under the root.
  Tensor adamw(const Tensor& p, const Tensor& g) {
    const Tensor m = state(p, "first moment"), v = state(p, "second moment");
    const Tensor next_m = g_.add(g_.scale(m, f32(options_.beta1)), g_.scale(g, f32(1 - options_.beta1)));
    const Tensor next_v = g_.add(g_.scale(v, f32(options_.beta2)), g_.scale(g_.mul(g, g), f32(1 - options_.beta2)));
    written_.push_back(write(m, next_m, "next"));
    written_.push_back(write(v, next_v, "next"));
    const Tensor root = g_.mul(g_.op(Op::Sqrt, {next_v}), number(2));
    const Tensor move = g_.op(Op::Div, {next_m, g_.scale(root, 1, f32(options_.epsilon))});
    return write(p, g_.op(Op::Sub, {g_.mul(p, number(0)), g_.mul(move, number(1))}), "updated");
  }

 public:
  std::vector<Tensor> written_;  // states' last nodes

 private:
  GraphBuilder& g_;
  const Graph& graph_;
  const OptimizerOptions& options_;
  const Tensor numbers_, spoilt_;
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
  return {};
}

std::array<float, kOptimizerNumbers> numbers_of(const OptimizerOptions& o, int64_t step, double rate) {
  if (o.kind == OptimizerKind::Sgd) return {f32(rate), 0, 0};
  const auto n = static_cast<double>(step);
  return {f32(1 - rate * o.weight_decay), f32(rate / (1 - std::pow(o.beta1, n))),
          f32(1 / std::sqrt(1 - std::pow(o.beta2, n)))};
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
  out.insert(out.end(), steps.written_.begin(), steps.written_.end());
  return out;
}

}  // namespace arenascope::train
