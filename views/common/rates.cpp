// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/rates.h>

#include <QLocale>

#include <algorithm>
#include <cmath>

#include <views/common/recorded.h>

namespace arenascope::views {

std::optional<Bytes> moved_bytes(const trace::GraphInfo& graph, NodeId node) {
  const trace::TensorInfo& info = graph.nodes[node.index()];
  if (!has_size(info)) return std::nullopt;
  Bytes sum = info.bytes;
  std::vector<trace::TensorRef> sources = info.sources;
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  for (const trace::TensorRef source : sources) {
    if (!source.valid()) continue;
    const auto& list = source.is_leaf() ? graph.leafs : graph.nodes;
    if (source.index() >= list.size() || !has_size(list[source.index()])) return std::nullopt;
    sum += list[source.index()].bytes;
  }
  return sum;
}

NodeRates rates_of(const trace::GraphInfo& graph, NodeId node, const trace::NodeStats& stats) {
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

QString format_rate(double rate) {
  const double size = std::abs(rate);
  if (size > 0 && size < 0.9995)
    return QLocale().toString(rate, 'f', 2 - static_cast<int>(std::floor(std::log10(size))));
  return QLocale().toString(rate, 'f', size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

}  // namespace arenascope::views
