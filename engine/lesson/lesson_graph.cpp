// SPDX-License-Identifier: MIT
// Builds a runnable model from a lesson's own graph.
#include <arenascope/graph/autodiff.h>
#include <arenascope/graph/graph_text.h>
#include <arenascope/lesson/stage.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "engine/lesson/quantise.h"
#include "engine/lesson/strings.h"

namespace arenascope::lesson {
namespace {

class ModelMaker {
 public:
  ModelMaker(const Lesson& lesson, Context context) : lesson_(lesson), g_(std::move(context)) {
    model_.name = lesson.title;
    model_.format = "lesson";
  }

  Result<models::Model> make() {
    for (const GraphLine& line : lesson_.graph) {
      auto made = node(line);
      if (made && g_.ok()) {
        tensors_[line.name] = *made;
        continue;
      }
      return error_at(lesson_, line.line, made ? g_.status().error().message : made.error().message);
    }
    return finish();
  }

 private:
  Result<Tensor> node(const GraphLine& line) {
    if (line.op == "input" || line.op == "weight" || line.op == "state") return given(line);
    std::vector<Tensor> sources;
    for (const std::string& name : line.sources) {
      sources.push_back(tensors_[name]);
      read_.insert(name);
    }
    return add_node(g_, {line.name, line.op, line.sources, line.arguments}, sources);
  }

  Result<Tensor> given(const GraphLine& line) {
    const auto type = line.arguments.empty() ? std::nullopt : parse_dtype(line.arguments.front());
    if (!type || line.arguments.size() < 2) return Error{"a given tensor requires a data type and sizes"};
    std::vector<int64_t> sizes;
    for (const std::string& text : std::span(line.arguments).subspan(1)) {
      const auto n = parse_integer(text);
      if (!n || *n < 1 || *n > (1 << 20)) return Error{fmt::format("invalid size '{}': expected 1 to 1048576", text)};
      sizes.push_back(*n);
    }
    auto given_dims = checked_dims(sizes);
    if (!given_dims) return given_dims.error();
    const Dims dims = *given_dims;
    auto count = checked_element_count(dims);
    if (count) elements_ += std::min<int64_t>(*count, kMaxElements + 1);
    if (!count || elements_ > kMaxElements)
      return Error{"the given tensors of a lesson have at most 16 million elements together"};
    auto bytes = bytes_of(line, *type, *count);
    if (!bytes) return bytes.error();
    const auto write = [bytes = std::move(*bytes)](std::byte* out) -> Status {
      std::memcpy(out, bytes.data(), bytes.size());
      return {};
    };
    const Tensor tensor = line.op == "weight" ? g_.weight(line.name, dims, *type) : g_.input(line.name, dims, *type);
    if (!tensor) return tensor;
    if (line.op == "weight") {
      model_.weights.push_back({tensor, models::WeightSource(write)});
      model_.parameter_bytes += tensor->byte_count();
    } else if (line.op == "state") {
      model_.states.push_back({line.name, tensor, MemoryKind::KVCache, {}});
    } else {
      model_.inputs.push_back({line.name, *type, dims, tensor, write});
    }
    return tensor;
  }

  // A given tensor's values: its own, those of another tensor, or a generated wave of small values of both signs
  // without equal neighbours.
  Result<std::vector<std::byte>> bytes_of(const GraphLine& line, DType type, int64_t count) {
    const auto n = static_cast<size_t>(count);
    if (type == DType::I64) {
      std::vector<std::byte> out(n * 8);
      for (size_t i = 0; i < n; ++i) {
        const auto value = static_cast<int64_t>(line.values.empty() ? 0 : line.values[i % line.values.size()]);
        std::memcpy(out.data() + i * 8, &value, 8);
      }
      return out;
    }
    std::vector<float> values(n);
    for (size_t i = 0; i < n; ++i)
      values[i] = line.values.empty() ? static_cast<float>(static_cast<int>(i * 37 % 19) - 9) / 8 : 0;
    if (!line.values.empty() && line.values.size() != n)
      return Error{fmt::format("'{}' has {} elements but {} values", line.name, n, line.values.size())};
    for (size_t i = 0; i < line.values.size(); ++i) values[i] = static_cast<float>(line.values[i]);
    if (!line.values_of.empty()) {
      const auto from = numbers_.find(line.values_of);
      if (from == numbers_.end() || from->second.size() != n)
        return Error{fmt::format("'{}' does not have {} values", line.values_of, n)};
      values = from->second;
    }
    numbers_[line.name] = values;
    return quantise(type, values);
  }

  // Adds a gradient accumulator with zeros, as before the first part of a batch.
  void add_accumulator(const Graph& graph, const Tensor& weight) {
    const Tensor sum(graph.grad_accumulator(*weight));
    if (!sum) return;
    const auto zeros = [bytes = static_cast<size_t>(sum->byte_count())](std::byte* out) -> Status {
      std::memset(out, 0, bytes);
      return {};
    };
    model_.inputs.push_back({std::string(sum.name()), sum.dtype(), sum.sizes(), sum, zeros});
  }

  Result<models::Model> finish() {
    const bool trains = !lesson_.loss.empty();
    for (const GraphLine& line : lesson_.graph) {
      const bool given = line.op == "input" || line.op == "weight" || line.op == "state";
      if (given || (trains ? line.name != lesson_.loss : read_.count(line.name) != 0)) continue;
      g_.output(tensors_[line.name]);
      const Tensor& t = tensors_[line.name];
      model_.outputs.push_back({line.name, t.dtype(), t.sizes(), t, {}});
    }
    std::vector<Tensor> trained;
    if (trains)
      for (const models::Weight& weight : model_.weights) trained.push_back(weight.tensor.set_flag(kFlagParameter));
    auto graph = g_.context().new_graph(std::max<size_t>(g_.context().use().objects, 1), trains);
    if (!graph) return error_at(lesson_, 1, graph.error().message);
    for (const models::ValueInfo& output : model_.outputs)
      if (auto done = graph->expand(output.tensor); !done) return error_at(lesson_, 1, done.error().message);
    if (trains) {
      if (model_.outputs.empty()) return error_at(lesson_, 1, fmt::format("the graph has no node '{}'", lesson_.loss));
      auto gradients = build_gradients(g_, *graph, model_.outputs[0].tensor, trained, {.accumulate = true});
      if (!gradients) return error_at(lesson_, 1, gradients.error().message);
      for (size_t i = 0; i < trained.size(); ++i) {
        const Tensor& gradient = (*gradients)[i];
        if (!gradient) continue;
        gradient.set_name(fmt::format("{}_gradient", trained[i].name()));
        g_.output(gradient);
        add_accumulator(*graph, trained[i]);
        model_.outputs.push_back({std::string(gradient.name()), gradient.dtype(), gradient.sizes(), gradient, {}});
      }
    }
    model_.context = g_.context();
    model_.graph = std::move(*graph);
    for (const TensorImpl* node : model_.graph.nodes())
      if (node->op != Op::None) ++model_.ops[arenascope::name(node->op)], ++model_.node_count;
    return std::move(model_);
  }

  static constexpr int64_t kMaxElements = 1 << 24;

  const Lesson& lesson_;
  int64_t elements_ = 0;  // of the given tensors
  GraphBuilder g_;
  models::Model model_;
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::vector<float>> numbers_;  // values of the given tensors
  std::set<std::string> read_;
};

}  // namespace

Result<models::Model> lesson_model(const Lesson& lesson) {
  if (!lesson.computes()) return error_at(lesson, 1, "the lesson has no graph that can be computed");
  auto context = Context::create({.no_alloc = true, .grow = true});
  if (!context) return context.error();
  return ModelMaker(lesson, std::move(*context)).make();
}

Result<std::vector<FrontierPoint>> lesson_frontier(const Lesson& lesson, std::stop_token stop) {
  auto model = lesson_model(lesson);
  if (!model) return model.error();
  const RunnerOptions run = runner_options(lesson.settings);
  MemoryPlanOptions options;
  options.planner.budget_seconds = run.budget_seconds;
  options.planner.stop = std::move(stop);
  return memory_frontier(model->graph, run.planner, run.order, options);
}

RunnerOptions runner_options(const Settings& settings) {
  RunnerOptions options;
  options.backend = settings.backend;
  options.threads = settings.threads;
  options.planner = settings.planner;
  options.order = settings.order;
  options.strategy = parse_memory_strategy(settings.strategy).value_or(MemoryStrategy::Planned);
  options.fuse = settings.fuse;
  options.in_place = settings.in_place;
  if (!settings.tuning.empty()) options.backend_options["tuning"] = settings.tuning;
  for (const std::string& name : split(settings.host, ","))
    if (const auto op = parse_op(name)) options.host_ops.push_back(*op);
  options.budget_seconds = 0.05;
  options.force_multithreaded = true;
  return options;
}

}  // namespace arenascope::lesson
