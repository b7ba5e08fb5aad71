// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>
#include <unordered_map>

#include "graph_layout.h"
#include "row_layout.h"

namespace arenascope::views {
namespace {

constexpr double kFrameMargin = 12, kFrameTitle = 18, kBadgeRoom = 18;

// The content of an expanded layer, or of the top level: vertices, and nested expanded layers as one item each. Edges
// from and to other groups cross the frame at a port: an item of zero height in the first or last row.
struct Group {
  int32_t layer = -1;
  size_t around = SIZE_MAX, item = SIZE_MAX;  // the enclosing group, and its item there
  int depth = 0;
  std::vector<RowItem> items;
  std::vector<size_t> groups;  // per item: the group that it represents, or none
  std::vector<RowLink> links;
  std::unordered_map<size_t, size_t> entry, exit;   // items, by the vertex where the edges start
  std::unordered_map<size_t, size_t> link_of_edge;  // within the group, including links to an exit or from an entry
  std::unordered_map<size_t, size_t> exit_link;     // by vertex
  RowLayout layout;
  QSizeF size;     // including its frame
  QPointF origin;  // origin of the layout in the picture

  QPointF inside(size_t port) const { return layout.centres[port] - layout.bounds.topLeft(); }
  double port(size_t at) const { return inside(at).x() + kFrameMargin - size.width() / 2; }
  size_t add(RowItem one, size_t group = SIZE_MAX) {
    items.push_back(one);
    groups.push_back(group);
    return items.size() - 1;
  }
};

class Nested {
 public:
  Nested(const FoldedGraph& graph, const std::vector<QSizeF>& sizes) : graph_(graph), sizes_(sizes) {}

  GraphLayout run() {
    groups_.emplace_back();
    find_groups();
    for (size_t e = 0; e < graph_.edges.size(); ++e) add_edge(e);
    lay_groups();
    place_groups();
    return finish();
  }

 private:
  static constexpr size_t kNone = SIZE_MAX;

  size_t from(size_t e) const { return static_cast<size_t>(graph_.edges[e].from); }
  size_t to(size_t e) const { return static_cast<size_t>(graph_.edges[e].to); }
  double room(size_t e) const { return graph_.edges[e].views.empty() ? 0 : kBadgeRoom; }

  // The outermost group represents no layer.
  size_t group_of_layer(int32_t layer) {
    if (layer < 0) return 0;
    if (const auto found = by_layer_.find(layer); found != by_layer_.end()) return found->second;
    const size_t around = group_of_layer(graph_.parents[static_cast<size_t>(layer)]), made = groups_.size();
    groups_.emplace_back();
    groups_[made].layer = layer;
    groups_[made].around = around;
    groups_[made].depth = groups_[around].depth + 1;
    groups_[made].item = groups_[around].add({}, made);
    by_layer_[layer] = made;
    return made;
  }

  void find_groups() {
    for (size_t v = 0; v < graph_.vertices.size(); ++v) {
      const Vertex& vertex = graph_.vertices[v];
      const bool closed = vertex.folded && vertex.layer >= 0;
      group_of_.push_back(group_of_layer(closed ? graph_.parents[static_cast<size_t>(vertex.layer)] : vertex.layer));
      item_of_.push_back(groups_[group_of_[v]].add({sizes_[v]}));
    }
  }

  // Splits an edge into one link per group: out of groups up to the lowest common one, across it, and into groups.
  void add_edge(size_t e) {
    const size_t a = from(e);
    size_t out = group_of_[a], in = group_of_[to(e)], out_item = item_of_[a], in_item = item_of_[to(e)];
    bool arrives = true;  // true for the last link, which ends at the vertex
    while (out != in) {
      if (groups_[out].depth >= groups_[in].depth) {
        leave(e, out, out_item);
        out_item = groups_[out].item, out = groups_[out].around;
      } else {
        enter(e, in, in_item, arrives);
        in_item = groups_[in].item, in = groups_[in].around;
        arrives = false;
      }
    }
    add_link(e, groups_[out], {out_item, in_item, 0, 0, a, arrives ? room(e) : 0});
  }

  void add_link(size_t e, Group& g, RowLink link) {
    g.link_of_edge[e] = g.links.size();
    g.links.push_back(link);
  }

  void leave(size_t e, size_t group, size_t item) {
    Group& g = groups_[group];
    const size_t a = from(e);
    if (const auto found = g.exit_link.find(a); found != g.exit_link.end()) {
      g.link_of_edge[e] = found->second;
      return;
    }
    const size_t port = g.exit[a] = g.add({QSizeF(8, 0), RowItem::Pin::Last});
    g.exit_link[a] = g.links.size();
    add_link(e, g, {item, port, 0, 0, a, 0});
  }

  void enter(size_t e, size_t group, size_t item, bool arrives) {
    Group& g = groups_[group];
    const size_t a = from(e);
    const auto [port, is_new] = g.entry.try_emplace(a, g.items.size());
    if (is_new) g.add({QSizeF(8, 0), RowItem::Pin::First});
    add_link(e, g, {port->second, item, 0, 0, a, arrives ? room(e) : 0});
  }

  // Innermost groups first: a group's size depends on its content, and its links end at its ports.
  void lay_groups() {
    for (size_t i = groups_.size(); i-- > 0;) {
      Group& g = groups_[i];  // nested groups have higher indices
      for (RowLink& link : g.links) {
        if (const size_t inner = g.groups[link.from]; inner != kNone)
          link.from_port = groups_[inner].port(groups_[inner].exit.at(link.bundle));
        if (const size_t inner = g.groups[link.to]; inner != kNone)
          link.to_port = groups_[inner].port(groups_[inner].entry.at(link.bundle));
      }
      g.layout = lay_rows(g.items, g.links);
      g.size = g.layout.bounds.size() + QSizeF(2 * kFrameMargin, 2 * kFrameMargin + kFrameTitle);
      if (i > 0) groups_[g.around].items[g.item].size = g.size;
    }
  }

  void place_groups() {
    for (size_t i = 1; i < groups_.size(); ++i) {
      Group& g = groups_[i];
      const Group& around = groups_[g.around];
      g.origin = around.origin + around.layout.centres[g.item] - QPointF(g.size.width(), g.size.height()) / 2 +
                 QPointF(kFrameMargin, kFrameMargin + kFrameTitle) - g.layout.bounds.topLeft();
    }
  }

  static void append(std::vector<QPointF>& curve, const std::vector<QPointF>& more) {
    if (more.empty()) return;
    if (curve.empty()) {
      curve = more;
      return;
    }
    // Bridges the gap between a port and the frame.
    const QPointF a = curve.back(), b = more.front();
    curve.insert(curve.end(), {a + (b - a) / 3, b - (b - a) / 3, b});
    curve.insert(curve.end(), more.begin() + 1, more.end());
  }

  std::vector<QPointF> curve_in(size_t group, size_t e) const {
    const Group& g = groups_[group];
    std::vector<QPointF> curve = g.layout.curves[g.link_of_edge.at(e)];
    for (QPointF& p : curve) p += g.origin;
    return curve;
  }

  std::vector<QPointF> curve_of(size_t e) const {
    std::vector<QPointF> curve;
    std::vector<size_t> inwards;
    size_t out = group_of_[from(e)], in = group_of_[to(e)];
    while (out != in) {
      if (groups_[out].depth >= groups_[in].depth) {
        append(curve, curve_in(out, e));
        out = groups_[out].around;
      } else {
        inwards.push_back(in);
        in = groups_[in].around;
      }
    }
    append(curve, curve_in(out, e));
    for (size_t i = inwards.size(); i-- > 0;) append(curve, curve_in(inwards[i], e));
    return curve;
  }

  GraphLayout finish() const {
    GraphLayout layout;
    layout.sizes = sizes_;
    layout.bounds = groups_[0].layout.bounds;
    for (size_t v = 0; v < graph_.vertices.size(); ++v) {
      const Group& g = groups_[group_of_[v]];
      layout.centres.push_back(g.layout.centres[item_of_[v]] + g.origin);
    }
    for (size_t i = 1; i < groups_.size(); ++i) {
      const Group& g = groups_[i];
      layout.layers[g.layer] =
          QRectF(g.origin + g.layout.bounds.topLeft() - QPointF(kFrameMargin, kFrameMargin + kFrameTitle), g.size);
    }
    for (size_t e = 0; e < graph_.edges.size(); ++e) layout.curves.push_back(curve_of(e));
    return layout;
  }

  const FoldedGraph& graph_;
  const std::vector<QSizeF>& sizes_;
  std::vector<Group> groups_;  // the first: the top level
  std::map<int32_t, size_t> by_layer_;
  std::vector<size_t> group_of_, item_of_;  // per vertex; the item is an index in its group
};

}  // namespace

GraphLayout layered_layout(const FoldedGraph& graph, const std::vector<QSizeF>& sizes) {
  return Nested(graph, sizes).run();
}

}  // namespace arenascope::views
