// SPDX-License-Identifier: MIT
#include "engine/run/rewritten.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <arenascope/models/host_array.h>

#include "engine/run/transforms.h"

namespace arenascope {
namespace {

using Weights = std::unordered_map<const TensorImpl*, const models::Weight*>;

Weights weights_of(const models::Model& model) {
  Weights out;
  for (const models::Weight& weight : model.weights) out.emplace(weight.tensor.impl(), &weight);
  return out;
}

std::vector<double> numbers_of(const models::Weight& weight) {
  const TensorImpl& tensor = *weight.tensor;
  if (info(tensor.dtype).quantised || !tensor.contiguous() || tensor.element_count() == 0) return {};
  std::vector<std::byte> bytes(static_cast<size_t>(tensor.byte_count()));
  if (!weight.source.write(bytes.data()).ok()) return {};
  const auto array = models::HostArray::from_bytes(tensor.dtype, Dims(tensor.sizes), bytes.data());
  std::vector<double> out;
  for (int64_t i = 0; i < array.count(); ++i) out.push_back(array.number(i));
  return out;
}

// Lends memory to the leafs of a branch that have none at the moment. In the end its nodes have none either: a node's bytes would
// keep the allocators that they came from.
class Lent {
 public:
  explicit Lent(const Graph& branch) : branch_(branch) {}
  Status bind(const std::vector<models::Weight>& weights, ExecutionContext& context) {
    for (const models::Weight& weight : weights) {
      TensorImpl& leaf = *weight.tensor;
      if (leaf.storage.allocated() || leaf.byte_count() == 0) continue;
      auto storage = Storage::allocate(context, Device{}, MemoryKind::Default, leaf.byte_count());
      if (!storage) return storage.error();
      if (auto written = weight.source.write(storage->data()); !written) return written;
      leaf.storage = std::move(*storage);
      leafs_.push_back(weight.tensor);
    }
    return {};
  }
  ~Lent() {
    for (TensorImpl* node : branch_.nodes()) node->storage = {};
    for (const Tensor& leaf : leafs_) leaf->storage = {};
  }

 private:
  const Graph& branch_;
  std::vector<Tensor> leafs_;
};

// Computes a branch on the host, on one thread.
Status compute(const ConstantBranch& branch, const std::vector<models::Weight>& weights, std::byte* out) {
  auto backend = open_backend("cpu");
  if (!backend) return backend.error();
  const auto context = make_cpu_context();
  Lent lent(branch.graph);
  if (auto ok = lent.bind(weights, *context); !ok) return ok;
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

models::Weight weight_of(ConstantBranch branch, const Weights& weights) {
  std::vector<models::Weight> read;
  for (const TensorImpl* leaf : branch.graph.leafs())
    if (const auto weight = weights.find(leaf); weight != weights.end()) read.push_back(*weight->second);
  Tensor leaf = branch.leaf;
  return {std::move(leaf), models::WeightSource([branch = std::move(branch), read = std::move(read)](std::byte* out) {
            return compute(branch, read, out);
          })};
}

}  // namespace

Status rewrite_program(Program& program, const models::Model& model, const CompileOptions& options) {
  const Weights weights = weights_of(model);
  RewriteOptions rewrite;
  rewrite.numbers = [&](const TensorImpl& leaf) {
    const auto weight = weights.find(&leaf);
    return weight == weights.end() ? std::vector<double>() : numbers_of(*weight->second);
  };
  rewrite.keep = [&](const TensorImpl& node) {
    return std::any_of(program.transformed_outputs.begin(), program.transformed_outputs.end(),
                       [&](const Tensor& output) { return output.impl() == &node; }) ||
           (options.watched && options.watched(node));
  };
  if (options.prefer == Prefer::Memory) rewrite.most_folded_bytes = rewrite.most_constant_bytes = 0;
  auto rewritten = rewrite_graph(program.transformed, rewrite);
  if (!rewritten) return rewritten.error();
  take_over(program, rewritten->graph, rewritten->twins);
  program.rewrites = std::move(rewritten->uses);
  for (ConstantBranch& branch : rewritten->constants)
    program.constants.push_back(weight_of(std::move(branch), weights));
  return {};
}

}  // namespace arenascope
