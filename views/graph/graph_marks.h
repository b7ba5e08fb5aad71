// SPDX-License-Identifier: GPL-3.0-or-later
// How a selection, a search and breakpoints are marked in a scene. Pure functions.
#pragma once
#include <views/common/selection.h>

#include <set>

#include "graph_scene.h"

namespace arenascope::views {

// The selection of a layer of the scene.
Selection layer_selection(const GraphScene& scene, int32_t layer);
// The selection for a click on a vertex: its node or its layer.
Selection selection_of(const GraphScene& scene, int32_t vertex);

// The node that a selection refers to; for a layer its first node; invalid if there is none.
NodeId node_of(const Selection& selection, const trace::Snapshot& snapshot);

// The vertices that a selection refers to: a collapsed layer's vertex or all vertices of an expanded one, those of a
// block, or of a tensor. `hovered` is not set.
SceneMarks scene_marks(const GraphScene& scene, const Selection& selection, const std::set<NodeId>& breakpoints,
                       const trace::Snapshot& snapshot, const trace::PlanInfo* plan);

// Highlights search matches and dims nodes outside a selected range of steps. Call after colour_scene().
void apply_emphasis(GraphScene& scene, const Selection& selection, const trace::PlanInfo* plan,
                    const std::vector<trace::TensorRef>& matches);

}  // namespace arenascope::views
