// SPDX-License-Identifier: GPL-3.0-or-later
// Distribution of the times of all nodes of one op, with the bin of the selected node marked.
#include "facts_builder.h"

#include <algorithm>
#include <cmath>

namespace arenascope::views::inspector {

namespace {
constexpr size_t kMinNodes = 4;
constexpr int kMaxBins = 8;
constexpr double kNarrowest =
    1.001;  // minimum ratio of the longest to the shortest time, so that bins exist if all are equal
constexpr double kSlack = 1e-8;  // fraction of a bin: a value on an edge belongs to the upper bin
}  // namespace

// Bins are equal steps of the logarithm, because times of one op span decades.
void op_histogram(FactsBuilder& facts, NodeId node) {
  const trace::GraphInfo& graph = *facts.in.graph;
  const std::string& op = graph.nodes[node.index()].op;
  const std::vector<trace::NodeStats> stats = facts.in.snapshot->stats(graph.id);
  std::vector<double> times;
  for (size_t i = 0; i < graph.nodes.size() && i < stats.size(); ++i)
    if (graph.nodes[i].op == op && stats[i].runs > 0 && stats[i].mean > 0) times.push_back(stats[i].mean);
  const bool ran = node.index() < stats.size() && stats[node.index()].mean > 0;
  if (op.empty() || times.size() < kMinNodes || !ran) return;
  const auto [low, high] = std::minmax_element(times.begin(), times.end());
  const double least = *low, span = std::log(std::max(*high / least, kNarrowest));
  const int bins = std::min(kMaxBins, static_cast<int>(times.size()));
  const auto bin_of = [&](double t) {
    return std::clamp(static_cast<int>(std::log(t / least) / span * bins + kSlack), 0, bins - 1);
  };
  std::vector<int> counts(static_cast<size_t>(bins), 0);
  for (double t : times) ++counts[static_cast<size_t>(bin_of(t))];
  const int most = *std::max_element(counts.begin(), counts.end()), own = bin_of(stats[node.index()].mean);
  facts.section(Texts::tr("Times of %1, %n node(s)", nullptr, static_cast<int>(times.size())).arg(to_text(op)));
  const auto of_bin = [&](int bin, const char* what, double value, FigureUnit unit) {
    return figure(figure_id("graph", graph.id.value, "node", node.value, "bin", bin, what), value, unit);
  };
  for (int b = 0; b < bins; ++b) {
    const auto edge = [&](int i) { return least * std::exp(span * i / bins); };
    const int count = counts[static_cast<size_t>(b)];
    const Figure from = of_bin(b, "from", edge(b), FigureUnit::Time),
                 to = of_bin(b, "to", edge(b + 1), FigureUnit::Time);
    FactValue bin(of_bin(b, "nodes", count, FigureUnit::Number));
    if (b == own) bin.text.add(plain_text(Texts::tr("this one")), QStringLiteral(" ◂ "));
    bin.text.figures.push_back(from), bin.text.figures.push_back(to);  // of the key
    bin.bar = FactBar{0, static_cast<double>(count) / most};
    facts.row(from.text + QStringLiteral(" – ") + to.text, bin);
  }
}

}  // namespace arenascope::views::inspector
