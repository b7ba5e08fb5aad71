// SPDX-License-Identifier: MIT
// How the mean times of all nodes of one op are spread.
#include <algorithm>
#include <cmath>

#include "engine/audit/figure_query.h"

namespace arenascope::audit {

namespace {

constexpr size_t kMaxBins = 8;
constexpr double kNarrowest =
    1.001;  // of the longest to the shortest: where all are the same there is something to divide

// Non-zero times of all nodes with this op, ascending.
std::vector<double> times_of(const AuditContext& context, int32_t graph, const std::string& op) {
  const auto& nodes = context.raw.graphs.at(graph).nodes;
  std::vector<double> times;
  for (const NodeFigures& f : context.report.nodes)
    if (f.graph == graph && f.node >= 0 && static_cast<size_t>(f.node) < nodes.size() && f.mean > 0 &&
        nodes[static_cast<size_t>(f.node)].op == op)
      times.push_back(f.mean);
  std::sort(times.begin(), times.end());
  return times;
}

}  // namespace

// "graph.G.node.N.times", and "….bin.B.{from,to,nodes}": each bin as many times as long as the one before. A time on the
// edge of two is the upper one's.
Answered query_histogram(const AuditContext& context, int32_t graph, FigureIdReader reader) {
  const auto node = reader.number();
  const auto& nodes = context.raw.graphs.at(graph).nodes;
  if (!node || *node < 0 || static_cast<size_t>(*node) >= nodes.size()) return std::nullopt;
  const std::vector<double> times = times_of(context, graph, nodes[static_cast<size_t>(*node)].op);
  if (times.empty()) return std::nullopt;
  const std::string_view what = reader.next();
  if (what == "times") return in_count(static_cast<int64_t>(times.size()));
  const auto bin = reader.number();
  const size_t bins = std::min(kMaxBins, times.size());
  if (what != "bin" || !bin || *bin < 0 || static_cast<size_t>(*bin) >= bins) return std::nullopt;
  const double whole = std::max(times.back() / times.front(), kNarrowest);
  const auto edge = [&](size_t i) {
    return times.front() * std::pow(whole, static_cast<double>(i) / static_cast<double>(bins));
  };
  const auto own = static_cast<size_t>(*bin);
  const std::string_view part = reader.next();
  if (part == "from") return Answer{edge(own), Unit::Nanoseconds};
  if (part == "to") return Answer{edge(own + 1), Unit::Nanoseconds};
  if (part != "nodes") return std::nullopt;
  constexpr double kSlack = 1e-9;
  int64_t count = 0;
  for (const double t : times) {
    const bool above = own == 0 || t >= edge(own) * (1 - kSlack);
    const bool below = own + 1 == bins || t < edge(own + 1) * (1 - kSlack);
    count += above && below ? 1 : 0;
  }
  return in_count(count);
}

}  // namespace arenascope::audit
