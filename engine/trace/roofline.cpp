// SPDX-License-Identifier: MIT
#include <arenascope/trace/recorded.h>
#include <arenascope/trace/roofline.h>
#include "engine/trace/chosen_runs.h"

#include <algorithm>

namespace arenascope::trace {

namespace {

// Nodes with work that a device measured in a run that the statistics of the graph include.
std::vector<bool> device_nodes(const Snapshot& snapshot, const GraphInfo& graph) {
  std::vector<bool> out(graph.nodes.size());
  for (const RunTable* table : choose_runs(snapshot, graph.id).tables)
    for (size_t n = 0; n < std::min(table->nodes.size(), out.size()); ++n)
      out[n] = out[n] || table->nodes[n].device.count > 0;
  return out;
}

std::string processor_of(const Snapshot& snapshot, GraphId graph) {
  for (size_t i = snapshot.runs.size(); i-- > snapshot.forgotten_runs;)
    if (snapshot.runs[i].info.graph == graph) return snapshot.runs[i].info.processor;
  return {};
}

RooflineGap gap_of(const GraphInfo& graph, NodeId node) {
  const TensorInfo& info = graph.nodes[node.index()];
  if (!has_flops(info)) return RooflineGap::UnknownFlops;
  if (info.flops <= 0) return RooflineGap::NoOperations;
  return moved_bytes(graph, node).value_or(0) > 0 ? RooflineGap::UnknownTime : RooflineGap::UnknownBytes;
}

}  // namespace

size_t Roofline::count(RooflineGap reason) const {
  return static_cast<size_t>(std::ranges::count(missing, reason, &RooflineMissing::reason));
}

Roofline roofline_of(const Snapshot& snapshot, GraphId id) {
  Roofline out;
  out.graph = id;
  const GraphInfo* graph = snapshot.graph(id);
  if (graph == nullptr) return out;
  out.processor = processor_of(snapshot, id);
  const std::vector<NodeStats> stats = snapshot.stats(id);
  const std::vector<bool> on_device = device_nodes(snapshot, *graph);
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    const NodeId node(i);
    const NodeRates rates = rates_of(*graph, node, stats[i]);
    if (!rates.gflops || !rates.intensity) {
      out.missing.push_back({node, gap_of(*graph, node)});
      continue;
    }
    out.points.push_back({node, *rates.intensity, *rates.gflops, stats[i].median, stats[i].runs, on_device[i]});
    out.times.runs = std::max(out.times.runs, stats[i].runs);
    out.times.cold = out.times.cold || stats[i].cold;
    out.times.incomplete = out.times.incomplete || stats[i].incomplete;
  }
  return out;
}

double Roofs::attainable(double intensity) const { return std::min(gflops, intensity * bandwidth); }

}  // namespace arenascope::trace
