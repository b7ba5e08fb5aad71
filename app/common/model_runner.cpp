// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/model_runner.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "app/common/backends.h"
#include "app/common/input_data.h"

#include <arenascope/models/testcase.h>
#include <arenascope/runtime/device_transfer.h>
#include <arenascope/runtime/split_backend.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/transform/fusion.h>
#include <arenascope/transform/image_layout.h>
#include <arenascope/transform/partition.h>

namespace arenascope::app {

ModelRunner::ModelRunner(models::Model model, RunnerOptions options)
    : model_(std::move(model)), options_(std::move(options)), given_(model_.graph) {
  for (const models::ValueInfo& output : model_.outputs) given_outputs_.push_back(output.tensor);
}

// The executor lets go of the graph's memory before the graph goes.
ModelRunner::~ModelRunner() { executor_.reset(); }

Result<models::Model> open_for_run(const std::string& spec, RunnerOptions& options) {
  if (options.progress) options.progress("opening");
  for (const auto& [input, file] : options.inputs) {
    auto tensor = models::read_tensor_file(file);
    if (!tensor) return tensor.error();
    options.open.inputs[input] = std::move(tensor->tensor);
  }
  if (options.open.inputs.empty() && !spec.starts_with("zoo:")) {
    std::error_code error;
    const std::filesystem::path path(spec);
    auto given = models::first_case_inputs(std::filesystem::is_directory(path, error) ? path : path.parent_path());
    if (given) options.open.inputs = std::move(*given);
  }
  return models::open_model(spec, options.open);
}

Status check_given_inputs(const models::Model& model, const RunnerOptions& options) {
  for (const auto& [name, file] : options.inputs) {
    const models::ValueInfo* taken = nullptr;
    std::string names;
    for (const auto& input : model.inputs) {
      names += fmt::format(" '{}'", input.name);
      if (input.name == name) taken = &input;
    }
    if (!taken) return Error{fmt::format("{} has no input '{}'; it has{}", model.name, name, names)};
    const auto given = options.open.inputs.find(name);
    if (given == options.open.inputs.end()) continue;
    const Dims& sizes = given->second.sizes();
    bool fits = given->second.dtype() == taken->dtype && sizes.rank() == taken->sizes.rank();
    for (int d = 0; fits && d < sizes.rank(); ++d) fits = taken->sizes[d] < 0 || taken->sizes[d] == sizes[d];
    if (!fits)
      return Error{fmt::format("{}: input '{}' takes {} {}, the file holds {} {}", file, name,
                               arenascope::name(taken->dtype), to_string(taken->sizes),
                               arenascope::name(given->second.dtype()), to_string(sizes))};
  }
  return {};
}

Result<std::unique_ptr<ModelRunner>> ModelRunner::open(const std::string& spec, const RunnerOptions& options) {
  RunnerOptions resolved = options;
  auto model = open_for_run(spec, resolved);
  if (!model) return model.error();
  return open(std::move(*model), resolved);
}

Result<std::unique_ptr<ModelRunner>> ModelRunner::open(models::Model model, const RunnerOptions& options) {
  if (!model.runnable()) {
    const std::string why = model.problems.empty() ? "some of its operators are not known" : model.problems.front();
    return Error{fmt::format("{} cannot be run: {}", model.path.empty() ? model.name : model.path.string(), why)};
  }
  std::unique_ptr<ModelRunner> runner(new ModelRunner(std::move(model), options));
  if (auto ok = runner->set_up(); !ok) return ok.error();
  return runner;
}

void ModelRunner::say(const char* phase) const {
  if (options_.progress) options_.progress(phase);
}

Status ModelRunner::set_up() {
  auto backend = open_backend(options_.backend, options_.backend_options);
  if (!backend) return backend.error();
  backend_ = std::move(*backend);
  context_ = make_cpu_context();
  if (options_.recorder) context_->set_observer(make_allocation_recorder(*options_.recorder));
  if (auto ok = backend_->register_memory(*context_); !ok) return ok;
  if (options_.threads == 0) options_.threads = usable_processors();
  if (auto ok = share_out_graph(); !ok) return ok;
  say("loading weights");
  if (auto ok = model_.load_weights(*context_); !ok) return ok;
  if (narrowed_)
    if (auto ok = convert_weights(*narrowed_, *context_); !ok) return ok;
  if (auto ok = bind_inputs(); !ok) return ok;
  if (auto ok = move_leafs(); !ok) return ok;
  return plan_and_prepare(options_.strategy);
}

Status ModelRunner::plan_and_prepare(MemoryStrategy strategy) {
  say("planning");
  MemoryPlanOptions plan_options;
  plan_options.alignment = backend_->alignment();
  plan_options.in_place = options_.in_place && strategy == MemoryStrategy::Planned;
  plan_options.join = strategy == MemoryStrategy::Planned;
  plan_options.planner.budget_seconds = options_.budget_seconds;
  OrderOptions order_options;
  order_options.budget_seconds = options_.budget_seconds;
  plan_options.capacity = options_.capacity;
  executor_.reset();  // lets go of the graph before it changes
  model_.graph = given_;
  for (size_t i = 0; i < given_outputs_.size(); ++i) model_.outputs[i].tensor = given_outputs_[i];
  remedies_.clear();
  auto memory = plan_memory(model_.graph, options_.planner, options_.order, plan_options, order_options);
  if (memory && options_.capacity && memory->arena_bytes > *options_.capacity)
    memory = fit(std::move(*memory), plan_options);
  if (!memory) return memory.error();
  const int threads = backend_->runs_on_host_threads() ? options_.threads : 1;
  auto plan = ExecutionPlan::make(model_.graph, std::move(*memory), *backend_, threads, options_.execution);
  if (!plan) return plan.error();
  ExecutorOptions executor_options{threads,     strategy, options_.recorder, true,
                                   model_.name, rings_,   options_.pool,     options_.polling};
  auto executor = Executor::create(*backend_, context_, std::move(executor_options));
  if (!executor) return executor.error();
  executor_ = std::move(*executor);
  if (executor_->rings().size() > rings_.size()) rings_ = executor_->rings();
  say("preparing");
  return executor_->prepare(std::move(*plan));
}

// What does not fit is made to: by the graph that what_if() writes.
Result<MemoryPlan> ModelRunner::fit(MemoryPlan plan, const MemoryPlanOptions& plan_options) {
  say("making it fit");
  WhatIfOptions options;
  options.capacity = *options_.capacity;
  options.planner = options_.planner;
  options.plan = plan_options;
  auto answer = what_if(given_, plan.order, plan.order_name, options);
  if (!answer) return answer.error();
  if (!answer->fits)
    return Error{fmt::format("{} does not fit in {} bytes: {}", model_.name, options.capacity, answer->why)};
  model_.graph = answer->graph;
  for (models::ValueInfo& output : model_.outputs)
    if (const NodeId node = given_.find_node(*output.tensor); node.valid()) output.tensor = answer->twins[node.index()];
  remedies_ = std::move(answer->steps);
  return std::move(answer->plan);
}

Status ModelRunner::replan(const std::string& planner, const std::string& order, MemoryStrategy strategy, int threads) {
  if (threads > 0) options_.threads = threads;
  options_.planner = planner;
  options_.order = order;
  options_.strategy = strategy;
  return plan_and_prepare(strategy);
}

Status ModelRunner::bind_inputs() {
  if (auto ok = check_given_inputs(model_, options_); !ok) return ok;
  for (const auto& input : model_.inputs) {
    TensorImpl& tensor = *input.tensor;
    auto storage = Storage::allocate(*context_, {}, MemoryKind::Default, tensor.byte_count());
    if (!storage) return storage.error();
    tensor.storage = std::move(*storage);
    if (tensor.byte_count() == 0) continue;
    const auto given = options_.open.inputs.find(input.name);
    auto filled = given != options_.open.inputs.end() ? copy_input(given->second, tensor)
                  : input.write_default               ? input.write_default(tensor.data())
                                                      : fill_seeded(tensor);
    if (!filled) return filled;
  }
  return {};
}

Status ModelRunner::set_input(const std::string& name, std::span<const std::byte> bytes) {
  for (const auto& input : model_.inputs) {
    if (input.name != name) continue;
    if (static_cast<Bytes>(bytes.size()) != input.tensor->byte_count())
      return Error{
          fmt::format("input '{}' has {} bytes, {} were given", name, input.tensor->byte_count(), bytes.size())};
    return write_tensor(*backend_, *input.tensor, bytes);
  }
  return Error{fmt::format("{} has no input '{}'", model_.name, name)};
}

Result<std::vector<std::byte>> ModelRunner::output(size_t index) { return read(*model_.outputs[index].tensor); }

Result<std::vector<std::byte>> ModelRunner::read(const TensorImpl& tensor) { return read_tensor(*backend_, tensor); }

void ModelRunner::take_over(const Graph& graph, const std::vector<Tensor>& twins) {
  for (Tensor& output : given_outputs_)
    if (const NodeId node = given_.find_node(*output); node.valid()) output = twins[node.index()];
  given_ = graph;
}

// In low precision a device's tensors are float16.
Status ModelRunner::convert_precision() {
  const auto precision = options_.backend_options.find("precision");
  if (precision == options_.backend_options.end() || precision->second != "low") return {};
  auto narrow = arenascope::convert_precision(given_);
  if (!narrow) return narrow.error();
  take_over(narrow->graph, narrow->twins);
  narrowed_ = std::move(*narrow);
  return {};
}

Status ModelRunner::fuse() {
  auto fused = fuse_graph(given_, *backend_, {[&](const TensorImpl& node) {
                            const auto is_node = [&](const Tensor& output) { return output.impl() == &node; };
                            return std::any_of(given_outputs_.begin(), given_outputs_.end(), is_node) ||
                                   (options_.watched && options_.watched(node));
                          }});
  if (!fused) return fused.error();
  if (!fused->fused.empty()) take_over(fused->graph, fused->twins);
  if (!options_.channels_last) return {};
  auto laid_out = lay_out_images(given_, *backend_);
  if (!laid_out) return laid_out.error();
  if (laid_out->channels_last > 0) take_over(laid_out->graph, laid_out->twins);
  return {};
}

// What the device cannot compute, or is told not to, runs on the CPU, with copies between.
Status ModelRunner::share_out_graph() {
  if (backend_->runs_on_host_threads()) return options_.fuse ? fuse() : Status();
  if (auto ok = convert_precision(); !ok) return ok;
  if (auto ok = pack_graph(); !ok) return ok;
  const auto must = [&](const TensorImpl& node) {
    return has_work(node) &&
           (!backend_->supports(node).ok() ||
            std::find(options_.host_ops.begin(), options_.host_ops.end(), node.op) != options_.host_ops.end());
  };
  const auto share = [&](bool small_ones_too) {
    return choose_sides(given_, [&](const TensorImpl& node) {
      const auto packed = [](const TensorImpl* t) { return t->has(kFlagPacked); };
      if (packed(&node) || std::any_of(node.sources.begin(), node.sources.end(), packed)) return Side::Main;
      return small_ones_too || !has_work(node) || must(node) ? side_for(node, must(node)) : Side::Main;
    });
  };
  auto on_host = share(true);
  // Copies are fewest where a small graph is the host's as a whole; the device that was asked for gets what it can do.
  const auto nodes = given_.nodes();
  const auto device_works = [&] {
    for (size_t i = 0; i < nodes.size(); ++i)
      if (on_host[i] == 0 && has_work(*nodes[i])) return true;
    return false;
  };
  if (!device_works()) on_host = share(false);
  if (std::find(on_host.begin(), on_host.end(), 1) == on_host.end()) return {};
  auto split = partition_graph(given_, on_host);
  if (!split) return split.error();
  auto host = open_backend("cpu");
  if (!host) return host.error();
  auto both = make_split_backend(std::move(backend_), std::move(*host), options_.threads);
  if (!both) return both.error();
  backend_ = std::move(*both);
  shared_out_ = true;
  device_leafs_ = split->main_leafs;
  take_over(split->graph, split->twins);
  return {};
}

// Nodes that the backend computes on packed tensors, with copies where others need plain ones.
Status ModelRunner::pack_graph() {
  PartitionOptions options{
      kFlagPacked, " (packed)", " (plain)",
      [&](const TensorImpl& node, int source) { return backend_->packing(node, source) == Side::Other; }, true};
  const auto packed = choose_sides(
      given_,
      [&](const TensorImpl& node) {
        const bool on_host =
            std::find(options_.host_ops.begin(), options_.host_ops.end(), node.op) != options_.host_ops.end();
        return node.has(kFlagOutput) || node.is_view() || on_host ? Side::Main : backend_->packing(node, -1);
      },
      options);
  if (std::find(packed.begin(), packed.end(), 1) == packed.end()) return {};
  auto split = partition_graph(given_, packed, options);
  if (!split) return split.error();
  take_over(split->graph, split->twins);
  return {};
}

// Weights and inputs, which were filled in host memory, go to where the backend computes.
Status ModelRunner::move_leafs() {
  if (backend_->device().is_cpu()) return {};
  say("moving weights");
  std::vector<TensorImpl*> weights, inputs;
  const auto wanted = [&](const TensorImpl* leaf) {
    return !shared_out_ || std::find(device_leafs_.begin(), device_leafs_.end(), leaf) != device_leafs_.end();
  };
  for (const auto& weight : model_.weights)
    if (wanted(weight.tensor.impl())) weights.push_back(weight.tensor.impl());
  if (narrowed_)
    for (const auto& weight : narrowed_->weights)
      if (wanted(weight.narrow.impl())) weights.push_back(weight.narrow.impl());
  for (const auto& input : model_.inputs)
    if (wanted(input.tensor.impl())) inputs.push_back(input.tensor.impl());
  if (auto ok = move_to_device(*backend_, *context_, weights, MemoryKind::Persistent); !ok) return ok;
  if (auto ok = move_to_device(*backend_, *context_, inputs, MemoryKind::Default); !ok) return ok;
  context_->release_cached({});
  return {};
}

}  // namespace arenascope::app
