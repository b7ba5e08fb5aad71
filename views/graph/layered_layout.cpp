// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_layout.h"

#include <algorithm>
#include <numeric>

namespace arenascope::views {
namespace {

constexpr double kGapX = 22, kGapY = 34;

struct Neighbours {
  std::vector<std::vector<size_t>> before, behind;  // edges that close a loop are left out
};

// Depth first with a stack of its own: a chain of any length is fine.
Neighbours without_loops(const FoldedGraph& graph) {
  const size_t n = graph.vertices.size();
  std::vector<std::vector<size_t>> out(n);
  for (const FoldedEdge& edge : graph.edges)
    out[static_cast<size_t>(edge.from)].push_back(static_cast<size_t>(edge.to));
  Neighbours result{std::vector<std::vector<size_t>>(n), std::vector<std::vector<size_t>>(n)};
  enum : char { New, Open, Done };
  std::vector<char> state(n, New);
  std::vector<std::pair<size_t, size_t>> stack;
  for (size_t root = 0; root < n; ++root) {
    if (state[root] != New) continue;
    state[root] = Open;
    stack.push_back({root, 0});
    while (!stack.empty()) {
      auto& [vertex, next] = stack.back();
      if (next == out[vertex].size()) {
        state[vertex] = Done;
        stack.pop_back();
        continue;
      }
      const size_t from = vertex, to = out[vertex][next++];
      if (state[to] == Open) continue;
      result.behind[from].push_back(to);
      result.before[to].push_back(from);
      if (state[to] == New) {
        state[to] = Open;
        stack.push_back({to, 0});
      }
    }
  }
  return result;
}

std::vector<size_t> ranks(const Neighbours& neighbours) {
  const size_t n = neighbours.before.size();
  std::vector<size_t> rank(n, 0), missing(n), ready;
  for (size_t v = 0; v < n; ++v)
    if ((missing[v] = neighbours.before[v].size()) == 0) ready.push_back(v);
  while (!ready.empty()) {
    const size_t v = ready.back();
    ready.pop_back();
    for (size_t to : neighbours.behind[v]) {
      rank[to] = std::max(rank[to], rank[v] + 1);
      if (--missing[to] == 0) ready.push_back(to);
    }
  }
  return rank;
}

void sweep(std::vector<std::vector<size_t>>& rows, std::vector<double>& x,
           const std::vector<std::vector<size_t>>& neighbours, bool down) {
  for (size_t i = 0; i < rows.size(); ++i) {
    std::vector<size_t>& row = rows[down ? i : rows.size() - 1 - i];
    std::vector<std::pair<double, size_t>> wanted;
    for (size_t v : row) {
      double sum = 0;
      for (size_t u : neighbours[v]) sum += x[u];
      wanted.push_back({neighbours[v].empty() ? x[v] : sum / static_cast<double>(neighbours[v].size()), v});
    }
    std::stable_sort(wanted.begin(), wanted.end(), [](auto& a, auto& b) { return a.first < b.first; });
    for (size_t k = 0; k < row.size(); ++k) row[k] = wanted[k].second;
    const double middle = static_cast<double>(row.size() - 1) / 2;
    for (size_t k = 0; k < row.size(); ++k) x[row[k]] = wanted[k].first * 0.5 + (static_cast<double>(k) - middle) * 0.5;
  }
}

}  // namespace

std::vector<QPointF> straight_curve(const QRectF& from, const QRectF& to) {
  const QPointF a(from.center().x(), from.bottom()), b(to.center().x(), to.top());
  const double bend = std::max(kGapY / 2, std::abs(b.y() - a.y()) / 2);
  return {a, a + QPointF(0, bend), b - QPointF(0, bend), b};
}

GraphLayout layered_layout(const FoldedGraph& graph, const std::vector<QSizeF>& sizes) {
  const size_t n = graph.vertices.size();
  GraphLayout layout;
  layout.sizes = sizes;
  layout.centres.resize(n);
  layout.curves.resize(graph.edges.size());
  if (n == 0) return layout;

  const Neighbours neighbours = without_loops(graph);
  const std::vector<size_t> rank = ranks(neighbours);
  std::vector<std::vector<size_t>> rows(*std::max_element(rank.begin(), rank.end()) + 1);
  for (size_t v = 0; v < n; ++v) rows[rank[v]].push_back(v);
  std::vector<double> x(n, 0);
  for (const auto& row : rows)
    for (size_t k = 0; k < row.size(); ++k) x[row[k]] = static_cast<double>(k);
  for (int i = 0; i < 4; ++i) sweep(rows, x, i % 2 == 0 ? neighbours.before : neighbours.behind, i % 2 == 0);

  double y = 0, widest = 0;
  std::vector<double> widths;
  for (const auto& row : rows) {
    double width = -kGapX;
    for (size_t v : row) width += sizes[v].width() + kGapX;
    widths.push_back(width);
    widest = std::max(widest, width);
  }
  for (size_t r = 0; r < rows.size(); ++r) {
    double height = 0, left = (widest - widths[r]) / 2;
    for (size_t v : rows[r]) height = std::max(height, sizes[v].height());
    for (size_t v : rows[r]) {
      layout.centres[v] = {left + sizes[v].width() / 2, y + height / 2};
      left += sizes[v].width() + kGapX;
    }
    y += height + kGapY;
  }
  layout.bounds = QRectF(0, 0, widest, y - kGapY);

  for (size_t e = 0; e < graph.edges.size(); ++e) {
    const auto from = static_cast<size_t>(graph.edges[e].from), to = static_cast<size_t>(graph.edges[e].to);
    const auto box = [&](size_t v) {
      return QRectF(layout.centres[v] - QPointF(sizes[v].width() / 2, sizes[v].height() / 2), sizes[v]);
    };
    layout.curves[e] = straight_curve(box(from), box(to));
  }
  return layout;
}

}  // namespace arenascope::views
