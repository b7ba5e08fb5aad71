// SPDX-License-Identifier: GPL-3.0-or-later
// What a selection, a search and breakpoints look like on a scene. Pure functions.
#pragma once
#include <views/common/selection.h>

#include <set>

#include "graph_scene.h"

namespace arenascope::views {

// A layer of the scene as a selection.
Selection layer_selection(const GraphScene& scene, int32_t layer);
// What a click on a vertex selects: its node, or its layer.
Selection selection_of(const GraphScene& scene, int32_t vertex);

// The node that a selection means: of a layer its first; none where it means none.
NodeId node_of(const Selection& selection, const trace::Snapshot& snapshot);

// The vertices that a selection means: a layer's box, or all of an opened one; those of a block, or of a tensor.
// `hovered` is left as none.
SceneMarks scene_marks(const GraphScene& scene, const Selection& selection, const std::set<NodeId>& breakpoints,
                       const trace::Snapshot& snapshot, const trace::PlanInfo* plan);

// Matches of a search stand out, and what lies outside of a selected range of steps is dimmed. After colour_scene().
void mark_looks(GraphScene& scene, const Selection& selection, const trace::PlanInfo* plan,
                const std::vector<trace::TensorRef>& matches);

}  // namespace arenascope::views
