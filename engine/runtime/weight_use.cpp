// SPDX-License-Identifier: MIT
#include "engine/runtime/weight_use.h"

#include <unordered_map>

namespace arenascope {

std::vector<TensorImpl*> unpacked_weights(const ExecutionPlan& plan, std::span<PreparedNode* const> prepared) {
  std::unordered_map<const TensorImpl*, bool> read;
  for (const TensorImpl* leaf : plan.graph.leafs())
    if (leaf->has(kFlagWeight) && leaf->storage.allocated() && leaf->storage.device().is_cpu()) read[leaf] = false;
  for (const TensorImpl* node : plan.graph.nodes())  // readers of views are not tracked: assume that they read it
    if (node->is_view())
      if (const auto viewed = read.find(node->view_source); viewed != read.end()) viewed->second = true;
  for (size_t at = 0; at < plan.steps.size(); ++at) {
    const PlannedStep& step = plan.steps[at];
    const TensorImpl& node = plan.graph.node(step.node);
    if (node.is_view() || !prepared[at]) continue;
    for (size_t i = 0; i < node.sources.size(); ++i)
      if (const auto use = read.find(node.sources[i]); use != read.end() && !use->second)
        use->second = prepared[at]->reads_weight(static_cast<int>(i), step.parts);
  }
  std::vector<TensorImpl*> out;
  for (TensorImpl* leaf : plan.graph.leafs())
    if (const auto use = read.find(leaf); use != read.end() && use->second) out.push_back(leaf);
  return out;
}

}  // namespace arenascope
