// SPDX-License-Identifier: MIT
#include <arenascope/train/training_step.h>

#include <algorithm>
#include <unordered_set>

#include <fmt/format.h>

#include <arenascope/graph/autodiff.h>
#include <arenascope/transform/kept_precision.h>

namespace arenascope::train {
namespace {

using models::Model;

// Statistics are not parameters: they are measured, not trained.
std::unordered_set<const TensorImpl*> statistics_of(const Model& model) {
  std::unordered_set<const TensorImpl*> out;
  for (const TensorImpl* node : model.graph.nodes())
    if (node->op == Op::BatchNorm) out.insert({node->sources[3], node->sources[4]});
  for (const models::Statistic& statistic : model.statistics) out.insert(statistic.kept.impl());
  return out;
}

// Weights become states, copies that the graph may write. Statistics too, but they are not parameters.
std::vector<Tensor> take_parameters(Model& model) {
  const auto statistics = statistics_of(model);
  std::vector<Tensor> out;
  std::vector<models::Weight> others;
  for (models::Weight& weight : model.weights) {
    TensorImpl& tensor = *weight.tensor;
    if (tensor.dtype != DType::F32 || tensor.rank() == 0) {
      others.push_back(std::move(weight));
      continue;
    }
    const bool measured = statistics.count(&tensor) != 0;
    tensor.flags = (tensor.flags & ~kFlagWeight) | (measured ? 0U : static_cast<uint32_t>(kFlagParameter));
    model.states.push_back({std::string(tensor.name), weight.tensor, MemoryKind::Persistent,
                            [source = weight.source](std::byte* to) { return source.write(to); }});
    if (!measured) out.push_back(weight.tensor);
  }
  model.weights = std::move(others);
  return out;
}

struct Measured {
  Tensor loss, correct;
};

// One number a row: 0 where no class is its, since all of `hits` are 0 there.
Tensor row_losses(GraphBuilder& g, Loss loss, const Tensor& logits, const Tensor& hits) {
  if (loss == Loss::CrossEntropy) {
    const Tensor logs = g.op_with(Op::LogSoftMax, {logits}, SoftMaxParams{1, 1}, "log_likelihood");
    return g.scale(g.reduce(Op::ReduceSum, g.mul(logs, hits), {1}, true), -1, 0, "row_losses");
  }
  Tensor each;
  if (loss == Loss::SquaredError) {
    const Tensor off = g.op(Op::Sub, {logits, hits}, {}, "off");
    each = g.mul(off, off, "squares");
  } else {  // ln(1 + exp x) - x·hit
    each = g.op(Op::Sub, {g.op(Op::Softplus, {logits}), g.mul(logits, hits)}, {}, "unlikelihood");
  }
  const Tensor counts = g.reduce(Op::ReduceSum, hits, {1}, true, "row_counts");
  return g.mul(g.reduce(Op::ReduceMean, each, {1}, true), counts, "row_losses");
}

Measured add_loss(GraphBuilder& g, Model& model, const Tensor& logits, Loss loss) {
  g.layer("loss");
  const int64_t rows = logits.sizes()[0], classes = logits.sizes()[1];
  const Tensor targets = g.input(kTargets, {rows}, DType::I64);
  if (targets) model.inputs.push_back({kTargets, DType::I64, {rows}, targets, {}});
  const Tensor all = g.op_with(Op::Arange, {}, FillParams{{1, classes}, DType::I64, 0, 1}, "classes");
  const Tensor hits = g.op(Op::Equal, {g.reshape(targets, {rows, 1}), all}, {}, "is_target");
  const Tensor ones = g.op_with(Op::Cast, {hits}, CastParams{DType::F32}, "is_target_f32");
  const Tensor sum = g.reduce(Op::ReduceSum, row_losses(g, loss, logits, ones), {0, 1}, false, "all_losses");
  const Tensor counted = g.reduce(Op::ReduceSum, ones, {0, 1}, false, "rows_that_count");
  const Tensor least = g.op_with(Op::Fill, {}, FillParams{{}, DType::F32, 1, 0});
  const Tensor mean = g.op(Op::Div, {sum, g.op(Op::Max, {counted, least})}, {}, kLoss);
  const Tensor best = g.op_with(Op::ArgMax, {logits}, ArgParams{1, false, false}, "best_class");
  const Tensor same = g.op_with(Op::Cast, {g.op(Op::Equal, {best, targets})}, CastParams{DType::F32}, "is_correct");
  return {mean, g.reduce(Op::ReduceSum, same, {0}, false, kCorrect)};
}

void add_output(GraphBuilder& g, Model& model, const Tensor& tensor) {
  if (!tensor) return;
  g.output(tensor);
  model.outputs.push_back({std::string(tensor.name()), tensor.dtype(), Dims(tensor.sizes().span()), tensor, {}});
}

// Inputs for building one graph of a step.
class StepMaker {
 public:
  StepMaker(Model& model, const StepOptions& options)
      : model_(model), options_(options), g_(model.context), parameters_(take_parameters(model)) {}

  Status make(const Tensor& logits) {
    if (options_.part == StepPart::Update) return make_update();
    const Measured measured = add_loss(g_, model_, logits, options_.loss);
    add_output(g_, model_, measured.loss);
    add_output(g_, model_, measured.correct);
    if (auto ok = begin_graph({measured.loss, measured.correct}); !ok) return ok;
    if (options_.part == StepPart::Measure) return {};
    const bool whole = options_.part == StepPart::Whole;
    Tensor loss = measured.loss, accumulate;
    if (!whole) {
      accumulate = given(kAccumulate, 2);
      loss = g_.mul(loss, g_.reshape(g_.slice(accumulate, 0, 1, 2), {}), "loss_share");
      if (!g_.ok()) return g_.status();
      if (auto ok = model_.graph.expand(loss); !ok) return ok;
    }
    for (const models::Statistic& statistic : model_.statistics)
      if (auto ok = model_.graph.expand(statistic.next); !ok) return ok;
    const size_t forward = model_.graph.nodes().size();
    auto gradients = build_gradients(g_, model_.graph, loss, parameters_);
    if (!gradients) return gradients.error();
    if (std::none_of(gradients->begin(), gradients->end(), [](const Tensor& t) { return t.defined(); }))
      return Error{"its loss depends on no weight that could be trained"};
    g_.layer("optimizer");
    // Zero times a value that is not finite is not zero.
    const Tensor spoilt = g_.op(Op::IsNan, {g_.scale(loss, 0)}, {}, "loss_is_not_finite");
    const std::vector<Tensor> written = written_statistics(spoilt);
    const Status made = whole ? update(*gradients, spoilt, written) : add_sums(*gradients, accumulate, written);
    return made.ok() && options_.precision == ActivationPrecision::BF16 ? keep_small(*logits, forward) : made;
  }

 private:
  Status keep_small(const TensorImpl& logits, size_t forward) {
    auto kept = keep_in_bf16(model_.graph, logits, forward);
    if (!kept) return kept.error();
    for (models::ValueInfo& output : model_.outputs)
      output.tensor = kept->node_map[model_.graph.find_node(*output.tensor).index()];
    model_.graph = std::move(kept->graph);
    return {};
  }
  Status begin_graph(std::initializer_list<Tensor> ends) {
    if (!g_.ok()) return g_.status();
    auto graph = model_.context.new_graph(2 * model_.graph.nodes().size() + 64, true);
    if (!graph) return graph.error();
    model_.graph = std::move(*graph);
    for (const Tensor& tensor : ends)
      if (auto ok = model_.graph.expand(tensor); !ok) return ok;
    return {};
  }

  Tensor given(const char* name, int64_t count) {
    const Tensor tensor = g_.input(name, {count});
    if (tensor) model_.inputs.push_back({name, DType::F32, {count}, tensor, {}});
    return tensor;
  }

  Status finish(std::span<const Tensor> written) {
    if (!g_.ok()) return g_.status();
    for (const Tensor& tensor : written) {
      add_output(g_, model_, tensor);
      if (auto ok = model_.graph.expand(tensor); !ok) return ok;
    }
    return {};
  }

  // The L2 norm of each parameter's gradient, as one row.
  Tensor norms(std::span<const Tensor> gradients) {
    std::vector<Tensor> squares;
    for (const Tensor& gradient : gradients) {
      if (!gradient) continue;
      ReduceParams all{0, false};
      for (int i = 0; i < gradient->rank(); ++i) all.axes |= 1u << i;
      squares.push_back(g_.reshape(g_.op_with(Op::ReduceSum, {g_.mul(gradient, gradient)}, all), {1}));
    }
    return g_.op(Op::Sqrt, {squares.size() == 1 ? squares[0] : g_.concat(squares, 0)}, {}, kGradientNorms);
  }

  // Running statistics of batch normalisation after this batch.
  std::vector<Tensor> written_statistics(const Tensor& spoilt) {
    if (model_.statistics.empty()) return {};
    g_.layer("statistics");
    std::vector<Tensor> out;
    for (const auto& [kept, next] : model_.statistics) {
      OpParams params;
      params.set(SetRowsParams{0, false});
      out.push_back(g_.op(Op::SetRows, {kept, g_.op(Op::Where, {spoilt, kept, next})}, params,
                          fmt::format("{} (measured)", kept.name())));
    }
    return out;
  }

  // Outputs: the norms, all states that the optimizer writes, and `others`.
  Status update(std::span<const Tensor> gradients, const Tensor& spoilt, std::span<const Tensor> others) {
    g_.layer("optimizer");
    std::vector<Tensor> ends;
    if (options_.norms) ends.push_back(norms(gradients));
    const Tensor numbers = given(kOptimizerInput, number_count(options_.optimizer));
    const auto written =
        add_optimizer(g_, model_.graph, {parameters_, gradients}, options_.optimizer, numbers, spoilt, model_.states);
    ends.insert(ends.end(), written.begin(), written.end());
    ends.insert(ends.end(), others.begin(), others.end());
    return finish(ends);
  }

  Tensor sum_of(const Tensor& parameter) {
    const std::string name = gradient_sum_name(parameter.name());
    const Tensor sum = g_.input(name, Dims(parameter.sizes().span()));
    if (sum) model_.states.push_back({name, sum, MemoryKind::Persistent, {}});
    return sum;
  }

  Status add_sums(std::span<const Tensor> gradients, const Tensor& accumulate, std::vector<Tensor> written) {
    g_.layer("gradient sums");
    const Tensor kept = g_.slice(accumulate, 0, 0, 1);
    for (size_t i = 0; i < parameters_.size(); ++i) {
      if (!gradients[i]) continue;
      const Tensor sum = sum_of(parameters_[i]);
      if (!sum) return g_.status();
      OpParams params;
      params.set(SetRowsParams{0, false});
      written.push_back(g_.op(Op::SetRows, {sum, g_.add(g_.mul(sum, kept), gradients[i])}, params,
                              fmt::format("{} (next)", sum.name())));
      sums_[i] = sum;
    }
    return note_sums(finish(written));
  }

  // Registers the accumulator of each parameter's gradients in the graph.
  Status note_sums(Status done) {
    for (size_t i = 0; done.ok() && i < parameters_.size(); ++i)
      if (sums_[i]) model_.graph.set_grad_accumulator(*parameters_[i], sums_[i].impl());
    return done;
  }

  Status make_update() {
    if (auto ok = begin_graph({}); !ok) return ok;
    model_.inputs.clear();
    std::vector<Tensor> gradients;
    for (const Tensor& parameter : parameters_) {
      const bool has = std::find(options_.accumulated.begin(), options_.accumulated.end(), parameter.name()) !=
                       options_.accumulated.end();
      gradients.push_back(has ? sum_of(parameter) : Tensor());
    }
    sums_ = gradients;
    return note_sums(update(gradients, {}, {}));
  }

  Model& model_;
  const StepOptions& options_;
  GraphBuilder g_;
  const std::vector<Tensor> parameters_;
  std::vector<Tensor> sums_ = std::vector<Tensor>(parameters_.size());  // accumulated gradients; none: not accumulated
};

}  // namespace

const char* name(Loss loss) {
  switch (loss) {
    case Loss::CrossEntropy: return "cross-entropy";
    case Loss::SquaredError: return "squared-error";
    case Loss::BinaryCrossEntropy: return "binary-cross-entropy";
  }
  return "";
}

std::optional<Loss> parse_loss(std::string_view text) {
  for (Loss loss : {Loss::CrossEntropy, Loss::SquaredError, Loss::BinaryCrossEntropy})
    if (text == name(loss)) return loss;
  return std::nullopt;
}

const char* name(ActivationPrecision precision) { return precision == ActivationPrecision::F32 ? "f32" : "bf16"; }

std::optional<ActivationPrecision> parse_activation_precision(std::string_view text) {
  for (ActivationPrecision precision : {ActivationPrecision::F32, ActivationPrecision::BF16})
    if (text == name(precision)) return precision;
  return std::nullopt;
}

std::string gradient_sum_name(std::string_view parameter) { return fmt::format("{} (sum of gradients)", parameter); }

Result<Model> make_training_step(Model model, const StepOptions& options) {
  const auto refuse = [&](const std::string& why) {
    return Error{fmt::format("{} cannot be trained: {}", model.path.empty() ? model.name : model.path.string(), why)};
  };
  if (!model.runnable()) return refuse(model.why_not_runnable());
  if (model.outputs.empty() || model.inputs.empty()) return refuse("it has no input or no output");
  const Tensor logits = model.outputs[0].tensor;
  if (logits.dtype() != DType::F32 || logits->rank() != 2)
    return refuse(fmt::format("its first output '{}' is {} {}, not a row of f32 logits for each example",
                              model.outputs[0].name, name(logits.dtype()), to_string(logits.sizes())));
  for (const models::ValueInfo& output : model.outputs) output.tensor->flags &= ~kFlagOutput;
  model.outputs.clear();
  // A weight that the loss does not depend on is in no graph, but is kept in checkpoints.
  if (auto ok = StepMaker(model, options).make(logits); !ok) return refuse(ok.error().message);
  return model;
}

}  // namespace arenascope::train
