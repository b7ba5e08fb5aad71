// SPDX-License-Identifier: GPL-3.0-or-later
// Colours the graph by the differences to the other side of the comparison: slower or faster there, larger or smaller
// if nothing ran, or missing there.
#include <views/common/format.h>
#include <QCoreApplication>

#include <algorithm>
#include <cmath>

#include "graph_scene.h"

namespace arenascope::views {
namespace {

struct GraphComparisonTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::GraphView)
};

constexpr double kSame = 0.05;  // differences below 5 % are ignored

// The value of a vertex on both sides; no value there: it exists only here.
struct Pair {
  double ours = 0, theirs = 0;
  size_t matched = 0;
};

Pair times(const Vertex& vertex, const Comparison& c, const std::vector<trace::NodeStats>& ours,
           const std::vector<trace::NodeStats>& theirs) {
  Pair pair;
  for (NodeId id : vertex.nodes) {
    const trace::TensorRef other = c.match.to_other(trace::TensorRef::node(id));
    if (!other.is_node()) continue;
    ++pair.matched;
    if (id.index() < ours.size()) pair.ours += ours[id.index()].mean;
    if (other.index() < theirs.size()) pair.theirs += theirs[other.index()].mean;
  }
  return pair;
}

Pair bytes(const Vertex& vertex, const Comparison& c, const trace::GraphInfo& info) {
  Pair pair;
  for (NodeId id : vertex.nodes) {
    const trace::TensorRef other = c.match.to_other(trace::TensorRef::node(id));
    if (!other.is_node() || other.index() >= c.other.graph->nodes.size()) continue;
    ++pair.matched;
    pair.ours += static_cast<double>(info.nodes[id.index()].bytes);
    pair.theirs += static_cast<double>(c.other.graph->nodes[other.index()].bytes);
  }
  return pair;
}

// Each node that exists only on the other side is shown as a ghost at the first of its users that exists on both sides,
// searched transitively.
void add_ghosts(GraphScene& scene, const Comparison& c) {
  const trace::GraphInfo& theirs = *c.other.graph;
  std::vector<trace::TensorRef> leads_to(theirs.nodes.size());  // a node of ours
  const auto ours = [&](size_t i) { return c.match.from_other(trace::TensorRef::node(NodeId(i))); };
  for (size_t i = theirs.nodes.size(); i-- > 0;) {
    const trace::TensorRef here = ours(i).is_node() ? ours(i) : leads_to[i];
    if (!here.is_node()) continue;
    for (trace::TensorRef source : theirs.nodes[i].sources)
      if (source.is_node() && source.index() < i) leads_to[source.index()] = here;
  }
  for (size_t i = 0; i < theirs.nodes.size(); ++i) {
    if (ours(i).is_node()) continue;
    trace::TensorRef at = leads_to[i];
    for (trace::TensorRef source : theirs.nodes[i].sources)  // no users: at the vertex of its inputs
      if (!at.is_node() && source.is_node()) at = ours(source.index());
    if (!at.is_node()) continue;
    const int32_t v = vertex_showing(*scene.info, *scene.folded, NodeId(at.index()));
    if (v < 0) continue;
    const trace::TensorInfo& node = theirs.nodes[i];
    scene.vertex_styles[static_cast<size_t>(v)].only_in_b.push_back(
        QString::fromStdString(node.name.empty() ? node.op : node.name));
  }
}

}  // namespace

void colour_by_difference(GraphScene& scene, const trace::Snapshot& snapshot, const Comparison* c,
                          const ThemeColours& colours) {
  const QColor same = mixed(colours.background, colours.text, 0.12), more = colours[Role::Wait],
               less = colours[Role::Allocation], alone = colours[Role::Input];
  scene.legend.clear();
  scene.legend_title = GraphComparisonTexts::tr("Difference of B");
  for (VertexStyle& style : scene.vertex_styles) style.fill = same;
  if (c == nullptr || !c->other.graph) {
    scene.legend = {{GraphComparisonTexts::tr("no comparison"), same}};
    return;
  }
  const std::vector<trace::NodeStats> ours = snapshot.stats(scene.info->id),
                                      theirs = c->other.snapshot->stats(c->other.graph->id);
  const auto ran = [](const trace::NodeStats& s) { return s.runs > 0; };
  const bool timed = std::any_of(ours.begin(), ours.end(), ran) && std::any_of(theirs.begin(), theirs.end(), ran);
  for (size_t v = 0; v < scene.vertex_styles.size(); ++v) {
    const Vertex& vertex = scene.folded->vertices[v];
    const Pair pair = timed ? times(vertex, *c, ours, theirs) : bytes(vertex, *c, *scene.info);
    if (pair.matched == 0) {
      scene.vertex_styles[v].fill = alone;
    } else if (pair.ours > 0 && pair.theirs > 0) {
      // A factor of two has the full colour.
      const double ratio = std::log2(pair.theirs / pair.ours), size = std::abs(ratio);
      if (size > std::log2(1 + kSame))
        scene.vertex_styles[v].fill = mixed(same, ratio > 0 ? more : less, 0.35 + 0.65 * std::min(size, 1.0));
    }
  }
  add_ghosts(scene, *c);
  scene.legend = {{timed ? GraphComparisonTexts::tr("slower in B") : GraphComparisonTexts::tr("larger in B"), more},
                  {timed ? GraphComparisonTexts::tr("faster in B") : GraphComparisonTexts::tr("smaller in B"), less},
                  {GraphComparisonTexts::tr("the same"), same},
                  {GraphComparisonTexts::tr("only in A"), alone}};
  if (c->only_theirs > 0)
    scene.legend.push_back({GraphComparisonTexts::tr("%n node(s) only in B", nullptr, static_cast<int>(c->only_theirs)),
                            colours.background});
}

}  // namespace arenascope::views
