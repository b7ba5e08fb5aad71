// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <arenascope/models/host_array.h>
#include <fmt/format.h>

#include "engine/run/pass.h"

namespace arenascope {
namespace {

using Weights = std::unordered_map<const TensorImpl*, const models::Weight*>;

Weights weights_of(const models::Model& model) {
  Weights out;
  for (const models::Weight& weight : model.weights) out.emplace(weight.tensor.impl(), &weight);
  return out;
}

std::vector<double> values_of(const models::Weight& weight) {
  const TensorImpl& tensor = *weight.tensor;
  if (info(tensor.dtype).quantised || !tensor.contiguous() || tensor.element_count() == 0) return {};
  std::vector<std::byte> bytes(static_cast<size_t>(tensor.byte_count()));
  if (!weight.source.write(bytes.data()).ok()) return {};
  const auto array = models::HostArray::from_bytes(tensor.dtype, Dims(tensor.sizes), bytes.data());
  std::vector<double> out;
  for (int64_t i = 0; i < array.count(); ++i) out.push_back(array.number(i));
  return out;
}

// A constant branch: nodes that depend on weights only. Its weights are loaded each time it is computed, and its memory is
// released afterwards, as storage would keep its allocators alive.
struct Branch {
  Graph graph;
  Tensor result;
  std::vector<models::Weight> weights;  // leaf tensors of the graph

  Status load(ExecutionContext& context) const {
    for (const models::Weight& weight : weights) {
      TensorImpl& leaf = *weight.tensor;
      auto storage = Storage::allocate(context, Device{}, MemoryKind::Default, leaf.byte_count());
      if (!storage) return storage.error();
      if (leaf.byte_count() > 0)
        if (auto written = weight.source.write(storage->data()); !written) return written;
      leaf.storage = std::move(*storage);
    }
    return {};
  }
  void release() const {
    for (TensorImpl* node : graph.nodes()) node->storage = {};
    for (const models::Weight& weight : weights) weight.tensor->storage = {};
  }
};

// Computes a branch on the host, on one thread.
Status compute(const Branch& branch, std::byte* out) {
  auto backend = open_backend("cpu");
  if (!backend) return backend.error();
  const auto context = make_cpu_context();
  if (auto ok = branch.load(*context); !ok) return ok;
  auto memory = plan_memory(branch.graph, "two-level", "depth-first");
  if (!memory) return memory.error();
  auto plan = ExecutionPlan::make(branch.graph, std::move(*memory), **backend, 1);
  if (!plan) return plan.error();
  ExecutorOptions options;
  options.strategy = MemoryStrategy::Planned;
  auto executor = Executor::create(**backend, context, std::move(options));
  if (!executor) return executor.error();
  if (auto ok = (*executor)->prepare(std::move(*plan)); !ok) return ok;
  if (auto report = (*executor)->run(); !report) return report.error();
  std::memcpy(out, branch.result->data(), static_cast<size_t>(branch.result->byte_count()));
  return {};
}

models::Weight weight_of(ConstantBranch constant, const Weights& weights) {
  Branch branch{std::move(constant.graph), std::move(constant.result), {}};
  for (const ConstantBranch::Given& given : constant.given)
    if (const auto weight = weights.find(given.from); weight != weights.end())
      branch.weights.push_back({given.leaf, weight->second->source});
  branch.release();
  return {std::move(constant.leaf), models::WeightSource([branch = std::move(branch)](std::byte* out) {
            const Status done = compute(branch, out);
            branch.release();
            return done;
          })};
}

}  // namespace

Result<std::string> rewrite_program(PassContext& context) {
  Program& program = context.program;
  const CompileOptions& options = context.options;
  const Weights weights = weights_of(*context.model);
  RewriteOptions rewrite;
  rewrite.numbers = [&](const TensorImpl& leaf) {
    const auto weight = weights.find(&leaf);
    return weight == weights.end() ? std::vector<double>() : values_of(*weight->second);
  };
  rewrite.keep = [&](const TensorImpl& node) {
    return std::any_of(program.transformed_outputs.begin(), program.transformed_outputs.end(),
                       [&](const Tensor& output) { return output.impl() == &node; }) ||
           (options.watched && options.watched(node));
  };
  rewrite.bytes =
      context.backend().runs_on_host_threads();  // vendor libraries of devices are used for float matmuls only
  if (options.prefer == Prefer::Memory) rewrite.max_folded_bytes = rewrite.max_constant_bytes = 0;
  auto rewritten = rewrite_graph(program.transformed, rewrite);
  if (!rewritten) return rewritten.error();
  replace_graph(program, rewritten->graph, rewritten->node_map);
  program.rewrites = std::move(rewritten->uses);
  for (ConstantBranch& branch : rewritten->constants)
    program.constants.push_back(weight_of(std::move(branch), weights));
  std::string change;
  for (const RuleUse& use : program.rewrites)
    change += fmt::format("{}{}: {} of {} nodes", change.empty() ? "" : ", ", use.rule->name, use.times, use.nodes);
  return change;
}

}  // namespace arenascope
