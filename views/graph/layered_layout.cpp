// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <unordered_map>

#include "graph_layout.h"
#include "row_layout.h"

namespace arenascope::views {
namespace {

constexpr double kFrameMargin = 12, kFrameTitle = 18, kBadgeRoom = 18;

// The vertices of an open layer, laid out by themselves. What comes in from elsewhere and goes out to elsewhere passes
// its frame at a port: an item of no height in the first or the last row.
struct Group {
  int32_t layer = -1;
  std::vector<size_t> vertices;
  std::vector<RowItem> items;
  std::vector<RowLink> links;
  std::unordered_map<size_t, size_t> entry, exit;   // items, by the vertex that the edges come from
  std::unordered_map<size_t, size_t> link_of_edge;  // within the group, to an exit or from an entry
  std::unordered_map<size_t, size_t> exit_link;     // by vertex
  RowLayout layout;
  QSizeF size;     // with its frame
  QPointF origin;  // of the layout, in the picture

  QPointF inside(size_t item) const { return layout.centres[item] - layout.bounds.topLeft(); }
  double port(size_t item) const { return inside(item).x() + kFrameMargin - size.width() / 2; }
};

class Nested {
 public:
  Nested(const FoldedGraph& graph, const std::vector<QSizeF>& sizes) : graph_(graph), sizes_(sizes) {}

  GraphLayout run() {
    find_groups();
    for (size_t e = 0; e < graph_.edges.size(); ++e) add_inside(e);
    for (Group& group : groups_) lay_inside(group);
    lay_outside();
    return finish();
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  size_t from(size_t e) const { return static_cast<size_t>(graph_.edges[e].from); }
  size_t to(size_t e) const { return static_cast<size_t>(graph_.edges[e].to); }
  double room(size_t e) const { return graph_.edges[e].views.empty() ? 0 : kBadgeRoom; }

  void find_groups() {
    std::unordered_map<int32_t, size_t> by_layer;
    group_of_.assign(graph_.vertices.size(), kNone);
    item_of_.assign(graph_.vertices.size(), kNone);
    for (size_t v = 0; v < graph_.vertices.size(); ++v) {
      const Vertex& vertex = graph_.vertices[v];
      if (vertex.folded || vertex.layer < 0) continue;
      const auto [it, is_new] = by_layer.try_emplace(vertex.layer, groups_.size());
      if (is_new) groups_.emplace_back().layer = vertex.layer;
      Group& group = groups_[it->second];
      group_of_[v] = it->second;
      item_of_[v] = group.items.size();
      group.items.push_back({sizes_[v]});
      group.vertices.push_back(v);
    }
  }

  // What of an edge lies within groups.
  void add_inside(size_t e) {
    const size_t a = from(e), b = to(e), ga = group_of_[a], gb = group_of_[b];
    if (ga != kNone && ga == gb) {
      groups_[ga].link_of_edge[e] = groups_[ga].links.size();
      groups_[ga].links.push_back({item_of_[a], item_of_[b], 0, 0, a, room(e)});
      return;
    }
    if (ga != kNone) {
      Group& g = groups_[ga];
      const auto [it, is_new] = g.exit.try_emplace(a, g.items.size());
      if (is_new) {
        g.items.push_back({QSizeF(8, 0), RowItem::Pin::Last});
        g.exit_link[a] = g.links.size();
        g.links.push_back({item_of_[a], it->second, 0, 0, a, 0});
      }
      g.link_of_edge[e] = g.exit_link[a];
    }
    if (gb != kNone) {
      Group& g = groups_[gb];
      const auto [it, is_new] = g.entry.try_emplace(a, g.items.size());
      if (is_new) g.items.push_back({QSizeF(8, 0), RowItem::Pin::First});
      g.link_of_edge[e] = g.links.size();
      g.links.push_back({it->second, item_of_[b], 0, 0, a, room(e)});
    }
  }

  static void lay_inside(Group& group) {
    group.layout = lay_rows(group.items, group.links);
    group.size = group.layout.bounds.size() + QSizeF(2 * kFrameMargin, 2 * kFrameMargin + kFrameTitle);
  }

  // Groups and the vertices that are in none, and the edges between them.
  void lay_outside() {
    std::vector<RowItem> items;
    std::vector<RowLink> links;
    std::vector<size_t> outer_group(groups_.size());
    for (size_t g = 0; g < groups_.size(); ++g) {
      outer_group[g] = items.size();
      items.push_back({groups_[g].size});
    }
    for (size_t v = 0; v < graph_.vertices.size(); ++v) {
      if (group_of_[v] != kNone) continue;
      item_of_[v] = items.size();
      items.push_back({sizes_[v]});
    }
    outer_link_.assign(graph_.edges.size(), kNone);
    for (size_t e = 0; e < graph_.edges.size(); ++e) {
      const size_t a = from(e), b = to(e), ga = group_of_[a], gb = group_of_[b];
      if (ga != kNone && ga == gb) continue;
      outer_link_[e] = links.size();
      links.push_back({ga != kNone ? outer_group[ga] : item_of_[a], gb != kNone ? outer_group[gb] : item_of_[b],
                       ga != kNone ? groups_[ga].port(groups_[ga].exit[a]) : 0,
                       gb != kNone ? groups_[gb].port(groups_[gb].entry[a]) : 0, a, gb == kNone ? room(e) : 0});
    }
    outer_ = lay_rows(items, links);
    for (size_t g = 0; g < groups_.size(); ++g) {
      const QSizeF size = groups_[g].size;
      groups_[g].origin = outer_.centres[outer_group[g]] - QPointF(size.width(), size.height()) / 2 +
                          QPointF(kFrameMargin, kFrameMargin + kFrameTitle) - groups_[g].layout.bounds.topLeft();
    }
  }

  std::vector<QPointF> inner_curve(size_t g, size_t e) const {
    const Group& group = groups_[g];
    std::vector<QPointF> curve = group.layout.curves[group.link_of_edge.at(e)];
    for (QPointF& p : curve) p += group.origin;
    return curve;
  }

  static void append(std::vector<QPointF>& curve, const std::vector<QPointF>& more) {
    if (more.empty()) return;
    if (curve.empty()) {
      curve = more;
      return;
    }
    // Over the gap between a port and the frame.
    const QPointF a = curve.back(), b = more.front();
    curve.insert(curve.end(), {a + (b - a) / 3, b - (b - a) / 3, b});
    curve.insert(curve.end(), more.begin() + 1, more.end());
  }

  GraphLayout finish() {
    GraphLayout layout;
    layout.sizes = sizes_;
    layout.bounds = outer_.bounds;
    layout.centres.resize(graph_.vertices.size());
    for (size_t v = 0; v < graph_.vertices.size(); ++v) {
      const size_t g = group_of_[v];
      layout.centres[v] =
          g == kNone ? outer_.centres[item_of_[v]] : groups_[g].layout.centres[item_of_[v]] + groups_[g].origin;
    }
    for (const Group& group : groups_)
      layout.layers[group.layer] = QRectF(
          group.origin + group.layout.bounds.topLeft() - QPointF(kFrameMargin, kFrameMargin + kFrameTitle), group.size);
    for (size_t e = 0; e < graph_.edges.size(); ++e) {
      const size_t ga = group_of_[from(e)], gb = group_of_[to(e)];
      std::vector<QPointF> curve;
      if (ga != kNone) curve = inner_curve(ga, e);
      if (outer_link_[e] != kNone) {
        append(curve, outer_.curves[outer_link_[e]]);
        if (gb != kNone) append(curve, inner_curve(gb, e));
      }
      layout.curves.push_back(std::move(curve));
    }
    return layout;
  }

  const FoldedGraph& graph_;
  const std::vector<QSizeF>& sizes_;
  std::vector<Group> groups_;
  std::vector<size_t> group_of_, item_of_;  // of each vertex; the item is of its group, or of all
  std::vector<size_t> outer_link_;          // of each edge
  RowLayout outer_;
};

}  // namespace

GraphLayout layered_layout(const FoldedGraph& graph, const std::vector<QSizeF>& sizes) {
  return Nested(graph, sizes).run();
}

}  // namespace arenascope::views
