// SPDX-License-Identifier: MIT
#include <arenascope/transform/mutation_analysis.h>

#include <algorithm>

#include <arenascope/graph/lifetime.h>
#include <arenascope/graph/op_params.h>

namespace arenascope {

MutationAnalysis::MutationAnalysis(const Graph& graph) : graph_(graph) {
  const auto nodes = graph.nodes();
  for (const TensorImpl* node : nodes)
    for (const TensorImpl* base : written_by(*node)) ++writes_[base];
  if (!any()) return;
  version_.resize(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!nodes[i]->is_view()) continue;
    const NodeId from = graph.find_node(*nodes[i]->sources[0]);
    version_[i] = (from.valid() ? version_[from.index()] : 0) + (info(nodes[i]->op).writes_source() ? 1 : 0);
  }
}

std::vector<const TensorImpl*> MutationAnalysis::written_by(const TensorImpl& node) {
  std::vector<const TensorImpl*> out;
  if (!info(node.op).writes_source()) return out;
  out.push_back(&base_of(node));
  const int32_t states = node.op == Op::OptimizerStep ? node.params.get<OptimizerStepParams>().states : 0;
  for (int32_t i = 0; i < states; ++i) out.push_back(&base_of(*node.sources[static_cast<size_t>(4 + i)]));
  return out;
}

bool MutationAnalysis::written(const TensorImpl& tensor) const { return any() && writes_.count(&base_of(tensor)) != 0; }

bool MutationAnalysis::passing(const TensorImpl& tensor) const {
  if (!any()) return false;
  const auto writes = writes_.find(&base_of(tensor));
  if (writes == writes_.end()) return false;
  const NodeId id = graph_.find_node(tensor);
  return (id.valid() ? version_[id.index()] : 0) < writes->second;
}

bool MutationAnalysis::pinned(const TensorImpl& node) const {
  if (!any()) return false;
  return info(node.op).writes_source() || passing(node) ||
         std::any_of(node.sources.begin(), node.sources.end(), [&](const TensorImpl* s) { return passing(*s); });
}

}  // namespace arenascope
