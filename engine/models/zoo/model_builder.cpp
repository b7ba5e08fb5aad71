// SPDX-License-Identifier: MIT
#include "engine/models/zoo/model_builder.h"
#include <arenascope/graph/autodiff.h>
#include <fmt/format.h>

#include "engine/models/batch_statistics.h"

#include <algorithm>
#include <cstring>

namespace arenascope::models {

Context ModelBuilder::make_context(Status& status) {
  auto context = Context::create({.no_alloc = true, .grow = true});
  if (context) return std::move(*context);
  status = context.error();
  return {};
}

ModelBuilder::ModelBuilder(std::string name, Context context) : builder_(std::move(context)) {
  model_.name = std::move(name);
  model_.format = "zoo";
}

ModelBuilder::ModelBuilder(std::string name) : builder_(make_context(pool_)) {
  model_.name = std::move(name);
  model_.format = "zoo";
  if (!pool_.ok()) builder_.fail(pool_.error());
}

Tensor ModelBuilder::weight(const std::string& name, const Dims& sizes, Range range) {
  Tensor tensor = builder_.weight(name, sizes);
  if (!tensor) return tensor;
  model_.parameter_bytes += tensor->byte_count();
  model_.weights.push_back({tensor, SeededNumbers(name, DType::F32, tensor->element_count(), range)});
  trained_.push_back(tensor);
  return tensor;
}

Tensor ModelBuilder::constant(const std::string& name, const Dims& sizes, std::function<Status(std::byte*)> writer) {
  Tensor tensor = builder_.weight(name, sizes);
  if (tensor) model_.weights.push_back({tensor, std::move(writer)});
  return tensor;
}

Tensor ModelBuilder::matmul_weight(const std::string& name, const Dims& sizes, int64_t fan_in, double gain) {
  const double bound = std::sqrt(gain * 3 / static_cast<double>(std::max<int64_t>(fan_in, 1)));
  return weight(name, sizes, {-bound, bound});
}

Tensor ModelBuilder::input(const std::string& name, const Dims& sizes, Range range, DType dtype) {
  auto count = checked_element_count(sizes);
  return input(name, sizes, dtype, SeededNumbers(name, dtype, count ? *count : 0, range));
}

Tensor ModelBuilder::input(const std::string& name, const Dims& sizes, DType dtype,
                           std::function<Status(std::byte*)> writer) {
  Tensor tensor = builder_.input(name, sizes, dtype);
  if (tensor) model_.inputs.push_back({name, dtype, sizes, tensor, std::move(writer)});
  return tensor;
}

Tensor ModelBuilder::state(const std::string& name, const Dims& sizes, MemoryKind kind, DType dtype) {
  Tensor tensor = builder_.input(name, sizes, dtype);
  if (tensor) model_.states.push_back({name, tensor, kind, {}});
  return tensor;
}

void ModelBuilder::output(const std::string& name, const Tensor& tensor) {
  if (!tensor) return;
  tensor.set_name(name);
  builder_.output(tensor);
  model_.outputs.push_back({name, tensor.dtype(), tensor.sizes(), tensor, {}});
}

Tensor ModelBuilder::linear(const std::string& name, const Tensor& x, int64_t to, bool with_bias, double gain) {
  if (!x) return {};
  const int64_t from = x.sizes().back();
  const Tensor w = matmul_weight(name + ".weight", {to, from}, from, gain);
  const Tensor b = with_bias ? bias(name + ".bias", to) : Tensor();
  return builder_.mul_mat(w, x, b, name);
}

Tensor ModelBuilder::conv(const std::string& name, const Tensor& x, int64_t to, int kernel, int stride, int pad,
                          int groups, bool with_bias, double gain) {
  if (!x) return {};
  const int64_t from = x.sizes()[1] / groups;
  const Tensor w = matmul_weight(name + ".weight", {to, from, kernel, kernel}, from * kernel * kernel, gain);
  const Tensor b = with_bias ? bias(name + ".bias", to) : Tensor();
  return builder_.conv2d(x, w, b, stride, pad, groups, 1, name);
}

Tensor ModelBuilder::batch_norm(const std::string& name, const Tensor& x, Range gain, float epsilon) {
  if (!x) return {};
  const Dims channels{x.sizes()[1]};
  const Tensor scale = weight(name + ".weight", channels, gain);
  const Tensor shift = weight(name + ".bias", channels, {-0.1, 0.1});
  const Tensor mean = weight(name + ".running_mean", channels, {-0.1, 0.1});
  const Tensor variance = weight(name + ".running_var", channels, {0.8, 1.2});
  const BatchNormParams params{epsilon};
  if (!learning_) return builder_.op_with(Op::BatchNorm, {x, scale, shift, mean, variance}, params, name);
  constexpr float kMomentum = 0.9f;
  const auto [m, v] = batch_statistics(builder_, x, name);
  model_.statistics.push_back({mean, next_statistic(builder_, mean, m, kMomentum, name + ":running_mean")});
  model_.statistics.push_back({variance, next_statistic(builder_, variance, v, kMomentum, name + ":running_variance")});
  return builder_.op_with(Op::BatchNorm, {x, scale, shift, m, v}, params, name);
}

Tensor ModelBuilder::dropped(const Tensor& x, const std::string& name) {
  if (dropout_ == 0 || !x) return x;
  if (!dropout_input_)
    dropout_input_ = input(kDropoutInput, {2}, DType::I64, [](std::byte* to) {
      std::memset(to, 0, 2 * sizeof(int64_t));
      return Status();
    });
  return builder_.op_with(Op::Dropout, {x, dropout_input_}, DropoutParams{static_cast<float>(dropout_), dropouts_++},
                          name);
}

Tensor ModelBuilder::layer_norm(const std::string& name, const Tensor& x, float epsilon) {
  if (!x) return {};
  const Dims last{x.sizes().back()};
  const Tensor gain = weight(name + ".weight", last, {0.9, 1.1});
  const Tensor shift = weight(name + ".bias", last, {-0.02, 0.02});
  return builder_.norm(x, x->rank() - 1, epsilon, gain, shift, name);
}

void ModelBuilder::train(const Tensor& logits) {
  if (!logits) return;
  GraphBuilder& g = builder_;
  const int64_t rows = logits.sizes()[0], classes = logits.sizes()[1];
  layer("loss");
  const Tensor targets = input("targets", {rows}, {0, static_cast<double>(classes)}, DType::I64);
  const Tensor all = g.op_with(Op::Arange, {}, FillParams{{1, classes}, DType::I64, 0, 1}, "classes");
  const Tensor hits = g.op(Op::Equal, {g.reshape(targets, {rows, 1}), all}, {}, "is_target");
  const Tensor ones = g.op_with(Op::Cast, {hits}, CastParams{DType::F32}, "is_target_f32");
  const Tensor logs = g.op_with(Op::LogSoftMax, {logits}, SoftMaxParams{1, 1}, "log_likelihood");
  const Tensor sum = g.reduce(Op::ReduceSum, g.mul(logs, ones), {0, 1}, false, "likelihood");
  loss_ = g.scale(sum, -1.0f / static_cast<float>(std::max<int64_t>(rows, 1)), 0, "loss");
  output("loss", loss_);
}

Status ModelBuilder::add_gradients() {
  auto gradients = build_gradients(builder_, model_.graph, loss_, trained_);
  if (!gradients) return gradients.error();
  for (size_t i = 0; i < trained_.size(); ++i)
    if ((*gradients)[i]) output(std::string(trained_[i].name()) + " (gradient)", (*gradients)[i]);
  return {};
}

Result<Model> ModelBuilder::finish() {
  const std::string label = model_.format == "zoo" ? "zoo:" + model_.name : model_.name;
  if (!builder_.ok()) return Error{fmt::format("{}: {}", label, builder_.status().error().message)};
  // Before the graph is collected, so that they are nodes of it.
  if (loss_)
    for (const Tensor& weight : trained_) weight.set_flag(kFlagParameter);
  auto graph = builder_.context().new_graph(builder_.context().use().objects, loss_.defined());
  if (!graph) return Error{fmt::format("{}: {}", label, graph.error().message)};
  for (const ValueInfo& output : model_.outputs)
    if (auto done = graph->expand(output.tensor); !done)
      return Error{fmt::format("{}: {}", label, done.error().message)};
  model_.context = builder_.context();
  model_.graph = std::move(*graph);
  if (loss_)
    if (auto done = add_gradients(); !done) return Error{fmt::format("{}: {}", label, done.error().message)};
  for (const TensorImpl* node : model_.graph.nodes()) {
    if (node->op == Op::None) continue;
    ++model_.ops[arenascope::name(node->op)];
    ++model_.node_count;
  }
  return std::move(model_);
}

}  // namespace arenascope::models
