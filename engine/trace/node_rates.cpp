// SPDX-License-Identifier: MIT
#include <arenascope/trace/node_rates.h>
#include <arenascope/trace/recorded.h>

#include <algorithm>

namespace arenascope::trace {

std::optional<Bytes> moved_bytes(const GraphInfo& graph, NodeId node) {
  const TensorInfo& info = graph.nodes[node.index()];
  if (!has_size(info)) return std::nullopt;
  Bytes sum = info.bytes;
  std::vector<TensorRef> sources = info.sources;
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  for (const TensorRef source : sources) {
    if (!source.valid()) continue;
    const auto& list = source.is_leaf() ? graph.leafs : graph.nodes;
    if (source.index() >= list.size() || !has_size(list[source.index()])) return std::nullopt;
    sum += list[source.index()].bytes;
  }
  return sum;
}

NodeRates rates_of(const GraphInfo& graph, NodeId node, const NodeStats& stats) {
  NodeRates rates;
  const auto flops = static_cast<double>(graph.nodes[node.index()].flops);
  const std::optional<Bytes> bytes = moved_bytes(graph, node);
  const auto median = static_cast<double>(stats.median);  // FLOP per ns are GFLOP per s
  if (stats.runs > 0 && median > 0) {
    if (flops > 0) rates.gflops = flops / median;
    if (bytes && *bytes > 0) rates.bandwidth = static_cast<double>(*bytes) / median;
  }
  if (flops > 0 && bytes && *bytes > 0) rates.intensity = flops / static_cast<double>(*bytes);
  return rates;
}

}  // namespace arenascope::trace
