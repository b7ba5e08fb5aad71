// SPDX-License-Identifier: MIT
#include <arenascope/train/training_step.h>

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include <arenascope/graph/autodiff.h>

namespace arenascope::train {
namespace {

using models::Model;

// Statistics are no parameters: they are measured, not trained.
std::unordered_set<const TensorImpl*> statistics_of(const Graph& graph) {
  std::unordered_set<const TensorImpl*> out;
  for (const TensorImpl* node : graph.nodes())
    if (node->op == Op::BatchNorm) out.insert({node->sources[3], node->sources[4]});
  return out;
}

// Weights become states, whose bytes the graph may write: the source's, copied.
std::vector<Tensor> take_parameters(Model& model) {
  const auto statistics = statistics_of(model.graph);
  std::vector<Tensor> out;
  std::vector<models::Weight> others;
  for (models::Weight& weight : model.weights) {
    TensorImpl& tensor = *weight.tensor;
    if (tensor.dtype != DType::F32 || tensor.rank() == 0 || statistics.count(&tensor)) {
      others.push_back(std::move(weight));
      continue;
    }
    tensor.flags = (tensor.flags & ~kFlagWeight) | kFlagParameter;
    model.states.push_back({std::string(tensor.name), weight.tensor, MemoryKind::Persistent,
                            [source = weight.source](std::byte* to) { return source.write(to); }});
    out.push_back(weight.tensor);
  }
  model.weights = std::move(others);
  return out;
}

struct Measured {
  Tensor loss, correct;
};

Measured add_loss(GraphBuilder& g, Model& model, const Tensor& logits) {
  g.layer("loss");
  const int64_t rows = logits.sizes()[0], classes = logits.sizes()[1];
  const Tensor targets = g.input(kTargets, {rows}, DType::I64);
  if (targets) model.inputs.push_back({kTargets, DType::I64, {rows}, targets, {}});
  const Tensor all = g.op_with(Op::Arange, {}, FillParams{{1, classes}, DType::I64, 0, 1}, "classes");
  const Tensor hits = g.op(Op::Equal, {g.reshape(targets, {rows, 1}), all}, {}, "is_target");
  const Tensor ones = g.op_with(Op::Cast, {hits}, CastParams{DType::F32}, "is_target_f32");
  const Tensor logs = g.op_with(Op::LogSoftMax, {logits}, SoftMaxParams{1, 1}, "log_likelihood");
  const Tensor sum = g.reduce(Op::ReduceSum, g.mul(logs, ones), {0, 1}, false, "likelihood");
  const Tensor counted = g.reduce(Op::ReduceSum, ones, {0, 1}, false, "rows_that_count");
  const Tensor least = g.op_with(Op::Fill, {}, FillParams{{}, DType::F32, 1, 0});
  const Tensor mean = g.op(Op::Div, {sum, g.op(Op::Max, {counted, least})});
  const Tensor best = g.op_with(Op::ArgMax, {logits}, ArgParams{1, false, false}, "best_class");
  const Tensor same = g.op_with(Op::Cast, {g.op(Op::Equal, {best, targets})}, CastParams{DType::F32}, "is_correct");
  return {g.scale(mean, -1, 0, kLoss), g.reduce(Op::ReduceSum, same, {0}, false, kCorrect)};
}

void add_output(GraphBuilder& g, Model& model, const Tensor& tensor) {
  if (!tensor) return;
  g.output(tensor);
  model.outputs.push_back({std::string(tensor.name()), tensor.dtype(), Dims(tensor.sizes().span()), tensor, {}});
}

Status add_updates(GraphBuilder& g, Model& model, const Measured& measured, std::span<const Tensor> parameters,
                   const OptimizerOptions& optimizer) {
  auto gradients = build_gradients(g, model.graph, measured.loss, parameters);
  if (!gradients) return gradients.error();
  if (std::none_of(gradients->begin(), gradients->end(), [](const Tensor& t) { return t.defined(); }))
    return Error{"its loss depends on no weight that could be trained"};
  g.layer("optimizer");
  const Tensor numbers = g.input(kOptimizerInput, {kOptimizerNumbers});
  if (numbers) model.inputs.push_back({kOptimizerInput, DType::F32, {kOptimizerNumbers}, numbers, {}});
  // Zero times what is not finite is not zero.
  const Tensor spoilt = g.op(Op::IsNan, {g.scale(measured.loss, 0)}, {}, "loss_is_not_finite");
  const auto written =
      add_optimizer(g, model.graph, {parameters, *gradients}, optimizer, numbers, spoilt, model.states);
  if (!g.ok()) return g.status();
  for (const Tensor& tensor : written) {
    add_output(g, model, tensor);
    if (auto ok = model.graph.expand(tensor); !ok) return ok;
  }
  return {};
}

}  // namespace

Result<Model> make_training_step(Model model, const std::optional<OptimizerOptions>& optimizer) {
  const auto refuse = [&](const std::string& why) {
    return Error{fmt::format("{} cannot be trained: {}", model.path.empty() ? model.name : model.path.string(), why)};
  };
  if (!model.runnable())
    return refuse(model.problems.empty() ? "some of its operators are not known" : model.problems.front());
  if (model.outputs.empty() || model.inputs.empty()) return refuse("it has no input or no output");
  const Tensor logits = model.outputs[0].tensor;
  if (logits.dtype() != DType::F32 || logits->rank() != 2)
    return refuse(fmt::format("its first output '{}' is {} {}, not a row of f32 logits for each picture",
                              model.outputs[0].name, name(logits.dtype()), to_string(logits.sizes())));
  for (const models::ValueInfo& output : model.outputs) output.tensor->flags &= ~kFlagOutput;
  const std::vector<Tensor> parameters = take_parameters(model);
  model.outputs.clear();
  GraphBuilder g(model.context);
  const Measured measured = add_loss(g, model, logits);
  add_output(g, model, measured.loss);
  add_output(g, model, measured.correct);
  if (!g.ok()) return refuse(g.status().error().message);
  auto graph = model.context.new_graph(2 * model.graph.nodes().size() + 64, true);
  if (!graph) return refuse(graph.error().message);
  model.graph = std::move(*graph);
  for (const Tensor& tensor : {measured.loss, measured.correct})
    if (auto ok = model.graph.expand(tensor); !ok) return refuse(ok.error().message);
  if (optimizer)
    if (auto ok = add_updates(g, model, measured, parameters, *optimizer); !ok) return refuse(ok.error().message);
  // A weight that the loss does not depend on is in no graph, and keeps its place in a checkpoint all the same.
  return model;
}

}  // namespace arenascope::train
