// SPDX-License-Identifier: GPL-3.0-or-later
#include "graph_marks.h"

#include <algorithm>

namespace arenascope::views {

using trace::TensorRef;

Selection layer_selection(const GraphScene& scene, int32_t layer) {
  if (layer < 0 || !scene.layers || static_cast<size_t>(layer) >= scene.layers->names.size()) return {};
  const auto l = static_cast<size_t>(layer);
  return LayerSelection{scene.info->id, scene.layers->names[l], scene.layers->nodes[l]};
}

Selection selection_of(const GraphScene& scene, int32_t vertex) {
  if (vertex < 0 || !scene.ready()) return {};
  const Vertex& v = scene.folded->vertices[static_cast<size_t>(vertex)];
  return v.folded ? layer_selection(scene, v.layer) : Selection::node(scene.info->id, v.node);
}

NodeId node_of(const Selection& selection, const trace::Snapshot& snapshot) {
  if (const auto* layer = selection.get<LayerSelection>())
    return layer->nodes.empty() ? NodeId::none() : layer->nodes.front();
  const trace::TensorRef ref = tensor_of(selection, snapshot);
  return ref.is_node() ? NodeId(ref.index()) : NodeId::none();
}

namespace {

// The vertex that shows a node, or the first one with a chip of the leaf tensor.
int32_t vertex_of(const GraphScene& scene, TensorRef ref) {
  if (ref.is_node()) return vertex_showing(*scene.info, *scene.folded, NodeId(ref.index()));
  for (size_t v = 0; ref.is_leaf() && v < scene.folded->vertices.size(); ++v)
    for (const Chip& chip : scene.folded->vertices[v].chips)
      if (chip.leaf == LeafId(ref.index())) return static_cast<int32_t>(v);
  return -1;
}

// Links between parameter, gradient, accumulator and optimiser states if the tensor is one of them.
std::vector<GradientLink> gradient_links(const GraphScene& scene, TensorRef ref) {
  using To = GradientLink::To;
  std::vector<GradientLink> links;
  const auto add = [&](TensorRef from, TensorRef to, To kind) {
    const GradientLink link{vertex_of(scene, from), vertex_of(scene, to), kind};
    if (link.from >= 0 && link.to >= 0 && link.from != link.to &&
        std::find(links.begin(), links.end(), link) == links.end())
      links.push_back(link);
  };
  const auto add_links_of = [&](const trace::TensorInfo& tensor, TensorRef own) {
    const auto& states = tensor.states;
    const bool is_one = own == ref || tensor.gradient == ref || tensor.accumulator == ref ||
                        std::find(states.begin(), states.end(), ref) != states.end();
    if (!is_one) return;
    TensorRef last = own;
    for (const auto& [next, kind] : {std::pair(tensor.gradient, To::Gradient), std::pair(tensor.accumulator, To::Sum)})
      if (next.valid()) add(last, next, kind), last = next;
    for (const TensorRef state : states) add(last, state, To::State);
  };
  if (!ref.valid()) return links;
  for (size_t i = 0; i < scene.info->nodes.size(); ++i) add_links_of(scene.info->nodes[i], TensorRef::node(NodeId(i)));
  for (size_t i = 0; i < scene.info->leafs.size(); ++i) add_links_of(scene.info->leafs[i], TensorRef::leaf(LeafId(i)));
  return links;
}

}  // namespace

SceneMarks scene_marks(const GraphScene& scene, const Selection& selection, const std::set<NodeId>& breakpoints,
                       const trace::Snapshot& snapshot, const trace::PlanInfo* plan) {
  SceneMarks marks;
  std::set<int32_t> there;
  const auto add = [&](std::vector<int32_t>& to, NodeId node) {
    const int32_t v = vertex_showing(*scene.info, *scene.folded, node);
    if (v >= 0 && there.insert(v).second) to.push_back(v);
  };
  for (NodeId node : breakpoints) add(marks.breakpoints, node);
  there.clear();
  const TensorRef ref = tensor_of(selection, snapshot);
  marks.links = gradient_links(scene, ref);
  if (ref.is_node()) {
    add(marks.selected, NodeId(ref.index()));
  } else if (ref.is_leaf()) {
    marks.leaf = LeafId(ref.index());
  } else if (const auto* layer = selection.get<LayerSelection>()) {
    for (NodeId node : layer->nodes) add(marks.selected, node);
  } else if (const auto* block = selection.get<BlockSelection>()) {
    const trace::PlanInfo* of_block = snapshot.plan(block->plan) != nullptr ? snapshot.plan(block->plan) : plan;
    if (of_block != nullptr)
      for (const trace::SliceInfo& slice : of_block->slices)
        if (slice.block == block->block && slice.tensor.is_node()) add(marks.selected, NodeId(slice.tensor.index()));
  }
  return marks;
}

void apply_emphasis(GraphScene& scene, const Selection& selection, const trace::PlanInfo* plan,
                    const std::vector<TensorRef>& matches) {
  for (VertexStyle& style : scene.vertex_styles) style.dimmed = style.match = false;
  const auto* range = selection.get<StepRangeSelection>();
  if (range != nullptr && plan != nullptr) {
    std::vector<bool> inside(scene.info->nodes.size(), false);
    const auto last = std::min(plan->order.size(), static_cast<size_t>(std::max(range->last.value, 0)));
    for (auto s = static_cast<size_t>(std::max(range->first.value, 0)); s < last; ++s)
      if (plan->order[s].index() < inside.size()) inside[plan->order[s].index()] = true;
    for (size_t v = 0; v < scene.vertex_styles.size(); ++v) {
      const auto& nodes = scene.folded->vertices[v].nodes;
      scene.vertex_styles[v].dimmed =
          std::none_of(nodes.begin(), nodes.end(), [&](NodeId id) { return inside[id.index()]; });
    }
  }
  for (TensorRef ref : matches) {
    if (!ref.is_node()) continue;
    const int32_t v = vertex_showing(*scene.info, *scene.folded, NodeId(ref.index()));
    if (v >= 0) scene.vertex_styles[static_cast<size_t>(v)].match = true;
  }
}

}  // namespace arenascope::views
