// SPDX-License-Identifier: MIT
#include "engine/backends/cuda/lowering/chains.h"

#include <algorithm>
#include <unordered_map>

#include "engine/backends/cuda/lowering/lower.h"

namespace arenascope::cuda {

Chains::Chains(std::span<const TensorImpl* const> nodes) {
  std::unordered_map<const TensorImpl*, int> uses;
  for (const TensorImpl* node : nodes) {
    for (const TensorImpl* source : node->sources) ++uses[source];
    if (node->is_view()) uses[node->view_source] += 2;
  }
  const auto only_user = [](const void* context, const TensorImpl& node) {
    const auto& all = *static_cast<const std::unordered_map<const TensorImpl*, int>*>(context);
    const auto found = all.find(&node);
    return !node.has(kFlagOutput) && found != all.end() && found->second == 1;
  };
  for (size_t i = 0; i < nodes.size();) {
    const size_t count = chain_length(nodes.subspan(i), only_user, &uses);
    parts_.push_back({i, count});
    i += count;
  }
}

int Chains::longer_than_one() const {
  return static_cast<int>(std::count_if(parts_.begin(), parts_.end(), [](const Part& part) { return part.count > 1; }));
}

}  // namespace arenascope::cuda
