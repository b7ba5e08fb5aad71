// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/categories.h>

#include <algorithm>
#include <vector>

namespace arenascope::views {

std::map<std::string, uint32_t> categories_of(const trace::GraphInfo& graph, std::string trace::TensorInfo::*text,
                                              uint32_t count) {
  std::map<std::string, int> frequency;
  for (const trace::TensorInfo& node : graph.nodes)
    if (!(node.*text).empty()) ++frequency[node.*text];
  std::vector<std::pair<int, std::string>> order;
  for (const auto& [name, n] : frequency) order.push_back({-n, name});
  std::sort(order.begin(), order.end());
  std::map<std::string, uint32_t> categories;
  for (size_t i = 0; i < order.size(); ++i) categories[order[i].second] = std::min(static_cast<uint32_t>(i), count - 1);
  return categories;
}

}  // namespace arenascope::views
