// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/shown_graph.h>

#include <algorithm>

namespace arenascope::views {

namespace {
bool is_file(const trace::Snapshot& s) { return !s.source.format.empty(); }
bool runs(const std::shared_ptr<const trace::GraphInfo>& graph) { return graph && !graph->of_file; }
}  // namespace

std::shared_ptr<const trace::GraphInfo> file_graph(const trace::Snapshot& snapshot) {
  const auto found = std::find_if(snapshot.graphs.rbegin(), snapshot.graphs.rend(),
                                  [](const auto& graph) { return graph && graph->of_file; });
  return found == snapshot.graphs.rend() ? nullptr : *found;
}

bool has_graph_choice(const trace::Snapshot& snapshot) {
  return is_file(snapshot) && std::count_if(snapshot.graphs.begin(), snapshot.graphs.end(), runs) > 1;
}

std::shared_ptr<const trace::GraphInfo> default_graph(const trace::Snapshot& snapshot) {
  const auto& graphs = snapshot.graphs;
  const auto latest = std::find_if(graphs.rbegin(), graphs.rend(), runs);
  if (latest == graphs.rend()) return nullptr;
  if (!is_file(snapshot)) return *latest;
  const auto first =
      std::find_if(graphs.begin(), graphs.end(), [](const auto& g) { return runs(g) && !g->nodes.empty(); });
  return first == graphs.end() ? *std::find_if(graphs.begin(), graphs.end(), runs) : *first;
}

std::shared_ptr<const trace::PlanInfo> default_plan(const trace::Snapshot& snapshot, const trace::GraphInfo* graph) {
  const auto& plans = snapshot.plans;
  const auto of_graph = [graph](const auto& plan) { return graph != nullptr && plan->graph == graph->id; };
  const auto newest = std::find_if(plans.rbegin(), plans.rend(), of_graph);
  if (newest != plans.rend()) return *newest;
  return is_file(snapshot) || plans.empty() ? nullptr : plans.back();
}

}  // namespace arenascope::views
