// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/graphs.h>

#include <algorithm>

namespace arenascope::views {

std::shared_ptr<const trace::GraphInfo> latest_graph(const trace::Snapshot& snapshot, bool of_file) {
  const auto found = std::find_if(snapshot.graphs.rbegin(), snapshot.graphs.rend(),
                                  [&](const auto& graph) { return graph && graph->of_file == of_file; });
  return found == snapshot.graphs.rend() ? nullptr : *found;
}

}  // namespace arenascope::views
