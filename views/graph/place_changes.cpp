// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <unordered_map>

#include "graph_layout.h"

namespace arenascope::views {
namespace {

constexpr double kFrameMargin = 14, kFrameTitle = 20;
constexpr size_t kMostChanges = 16;

// What a vertex is, in any folding of the same graph: a layer, or a node.
int64_t key_of(const Vertex& vertex) { return vertex.folded ? -1 - int64_t{vertex.layer} : vertex.node.value; }

std::unordered_map<int64_t, size_t> by_key(const FoldedGraph& graph) {
  std::unordered_map<int64_t, size_t> out;
  out.reserve(graph.vertices.size());
  for (size_t v = 0; v < graph.vertices.size(); ++v) out.emplace(key_of(graph.vertices[v]), v);
  return out;
}

QRectF box(const QPointF& centre, const QSizeF& size) {
  return {centre - QPointF(size.width() / 2, size.height() / 2), size};
}

// A layer that was opened or closed: where it lay, and what lies there now.
struct Change {
  int32_t layer = -1;
  bool opened = false;
  QRectF before;
  QSizeF after;                  // with its frame, where it was opened
  FoldedGraph inside;            // of an opened one
  std::vector<size_t> vertices;  // in the new graph, as those of `inside`
  std::vector<size_t> edges;     // in the new graph, as those of `inside`
  GraphLayout layout;            // of `inside`
};

// What makes room: all below moves down, what stands beside moves aside, what is above stays.
struct Room {
  QRectF before;
  QSizeF after;
  QPointF shift(const QPointF& p) const {
    if (p.y() >= before.bottom() - 1) return {0, after.height() - before.height()};
    const double aside = (after.width() - before.width()) / 2;
    if (p.y() <= before.top() + 1 || aside == 0) return {};
    return {p.x() < before.center().x() ? -aside : aside, 0};
  }
  // A box goes as one: by its top where that is below, else by its middle.
  QPointF shift(const QRectF& r) const {
    if (r.top() >= before.bottom() - 1) return {0, after.height() - before.height()};
    return r.bottom() <= before.top() + 1 ? QPointF() : shift(QPointF(r.center().x(), before.center().y()));
  }
};

// The layers that were opened or closed between two foldings, the lowest first.
std::vector<Change> changes_between(const FoldedGraph& before, const GraphLayout& old, const FoldedGraph& now,
                                    const std::unordered_map<int64_t, size_t>& place_before) {
  std::map<int32_t, Change> by_layer;
  for (size_t v = 0; v < now.vertices.size(); ++v) {
    const Vertex& vertex = now.vertices[v];
    if (vertex.layer < 0 || place_before.contains(key_of(vertex))) continue;
    Change& change = by_layer[vertex.layer];
    change.layer = vertex.layer;
    change.opened = !vertex.folded;
    change.vertices.push_back(v);
    if (change.opened) change.inside.vertices.push_back(vertex);
  }
  std::vector<Change> out;
  for (auto& [layer, change] : by_layer) {
    if (change.opened) {
      const auto was = place_before.find(-1 - int64_t{layer});
      if (was == place_before.end()) return {};
      change.before = box(old.centres[was->second], old.sizes[was->second]);
    } else if (const auto frame = old.layers.find(layer); frame != old.layers.end()) {
      change.before = frame->second;
    } else {
      for (size_t v = 0; v < before.vertices.size(); ++v)
        if (before.vertices[v].layer == layer) change.before |= box(old.centres[v], old.sizes[v]);
    }
    out.push_back(std::move(change));
  }
  std::sort(out.begin(), out.end(), [](const Change& a, const Change& b) { return a.before.top() > b.before.top(); });
  return out;
}

void lay_inside(Change& change, const FoldedGraph& now, const std::vector<QSizeF>& sizes) {
  if (!change.opened) {
    change.after = sizes[change.vertices.front()];
    return;
  }
  std::unordered_map<int32_t, int32_t> index;
  std::vector<QSizeF> inner;
  for (size_t i = 0; i < change.vertices.size(); ++i) {
    index[static_cast<int32_t>(change.vertices[i])] = static_cast<int32_t>(i);
    inner.push_back(sizes[change.vertices[i]]);
  }
  for (size_t e = 0; e < now.edges.size(); ++e) {
    const auto from = index.find(now.edges[e].from), to = index.find(now.edges[e].to);
    if (from == index.end() || to == index.end()) continue;
    FoldedEdge edge = now.edges[e];
    edge.from = from->second;
    edge.to = to->second;
    change.inside.edges.push_back(edge);
    change.edges.push_back(e);
  }
  change.layout = layered_layout(change.inside, inner);
  change.after = change.layout.bounds.size() + QSizeF(2 * kFrameMargin, 2 * kFrameMargin + kFrameTitle);
}

}  // namespace

std::optional<GraphLayout> place_changes(const FoldedGraph& before, const GraphLayout& old, const FoldedGraph& now,
                                         const std::vector<QSizeF>& sizes) {
  if (old.centres.size() != before.vertices.size() || old.curves.size() != before.edges.size()) return std::nullopt;
  const auto place_before = by_key(before), place_now = by_key(now);
  std::vector<Change> changes = changes_between(before, old, now, place_before);
  if (changes.empty() || changes.size() > kMostChanges) return std::nullopt;

  GraphLayout layout;
  layout.sizes = sizes;
  layout.centres.resize(now.vertices.size());
  layout.curves.resize(now.edges.size());
  std::vector<char> placed(now.vertices.size(), 0), drawn(now.edges.size(), 0);
  for (size_t v = 0; v < now.vertices.size(); ++v) {
    const auto was = place_before.find(key_of(now.vertices[v]));
    if (was == place_before.end()) continue;
    layout.centres[v] = old.centres[was->second];
    placed[v] = 1;
  }
  const auto ends = [](int64_t from, int64_t to) { return std::pair(from, to); };
  std::map<std::pair<int64_t, int64_t>, size_t> edges_before;
  for (size_t e = 0; e < before.edges.size(); ++e)
    edges_before[ends(key_of(before.vertices[static_cast<size_t>(before.edges[e].from)]),
                      key_of(before.vertices[static_cast<size_t>(before.edges[e].to)]))] = e;
  for (size_t e = 0; e < now.edges.size(); ++e) {
    const auto was = edges_before.find(ends(key_of(now.vertices[static_cast<size_t>(now.edges[e].from)]),
                                            key_of(now.vertices[static_cast<size_t>(now.edges[e].to)])));
    if (was == edges_before.end()) continue;
    layout.curves[e] = old.curves[was->second];
    drawn[e] = 1;
  }
  for (const auto& [layer, frame] : old.layers)
    if (std::none_of(changes.begin(), changes.end(), [&](const Change& c) { return c.layer == layer; }))
      layout.layers[layer] = frame;

  for (size_t i = 0; i < changes.size(); ++i) {
    Change& change = changes[i];
    lay_inside(change, now, sizes);
    const Room room{change.before, change.after};
    std::vector<QPointF> moved(now.vertices.size());
    for (size_t v = 0; v < now.vertices.size(); ++v)
      if (placed[v]) layout.centres[v] += moved[v] = room.shift(box(layout.centres[v], sizes[v]));
    for (size_t e = 0; e < now.edges.size(); ++e) {
      if (!drawn[e] || layout.curves[e].empty()) continue;
      auto& curve = layout.curves[e];
      const QPointF first = curve.front() + moved[static_cast<size_t>(now.edges[e].from)];
      const QPointF last = curve.back() + moved[static_cast<size_t>(now.edges[e].to)];
      for (QPointF& p : curve) p += room.shift(p);
      curve.front() = first;
      curve.back() = last;
    }
    for (auto& [layer, frame] : layout.layers) {
      const QPointF top = room.shift(QRectF(frame.topLeft(), QSizeF(frame.width(), 1)));
      const QPointF bottom = room.shift(QRectF(frame.left(), frame.bottom(), frame.width(), 1));
      frame.setTopLeft(frame.topLeft() + top);
      frame.setBottomRight(frame.bottomRight() + bottom);
    }
    for (size_t k = i + 1; k < changes.size(); ++k) changes[k].before.translate(room.shift(changes[k].before));

    const QRectF there(QPointF(change.before.center().x() - change.after.width() / 2, change.before.top()),
                       change.after);
    if (change.opened) {
      layout.layers[change.layer] = there;
      const QPointF origin =
          there.topLeft() + QPointF(kFrameMargin, kFrameMargin + kFrameTitle) - change.layout.bounds.topLeft();
      for (size_t v = 0; v < change.vertices.size(); ++v)
        layout.centres[change.vertices[v]] = change.layout.centres[v] + origin;
      for (size_t e = 0; e < change.edges.size(); ++e) {
        auto& curve = layout.curves[change.edges[e]] = change.layout.curves[e];
        for (QPointF& p : curve) p += origin;
        drawn[change.edges[e]] = 1;
      }
    } else {
      layout.centres[change.vertices.front()] = there.center();
    }
    for (size_t v : change.vertices) placed[v] = 1;
  }
  // What leads into a changed layer or out of it has new ends.
  for (size_t e = 0; e < now.edges.size(); ++e) {
    if (drawn[e]) continue;
    const auto from = static_cast<size_t>(now.edges[e].from), to = static_cast<size_t>(now.edges[e].to);
    layout.curves[e] = straight_curve(box(layout.centres[from], sizes[from]), box(layout.centres[to], sizes[to]));
  }
  if (!std::all_of(placed.begin(), placed.end(), [](char p) { return p; })) return std::nullopt;
  for (size_t v = 0; v < now.vertices.size(); ++v) layout.bounds |= box(layout.centres[v], sizes[v]);
  for (const auto& [layer, frame] : layout.layers) layout.bounds |= frame;
  return layout;
}

}  // namespace arenascope::views
