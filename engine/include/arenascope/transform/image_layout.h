// SPDX-License-Identifier: MIT
// Image layout: stores images channels-last between ops that gain from it. Sizes stay [N, C, H, W] and the byte count
// is the same; only strides differ. A CONT node converts an image that is needed in the other layout.
#pragma once
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/transform/capabilities.h>

namespace arenascope {

struct LaidOutGraph {
  Graph graph;
  std::vector<Tensor> node_map;  // by NodeId of the given graph
  int64_t channels_last = 0;     // nodes with a channels-last result, not counting copies
  int64_t copies = 0;            // conversions between layouts
};

struct LayoutOptions {
  // Larger images stay plain: these and their copies would make the arena larger.
  Bytes max_image_bytes = INT64_MAX;
};

// Chooses the layouts that maximise the gain reported by the backend minus the cost of copies (a minimum cut); without
// any gain the nodes are unchanged. Outputs and views are never channels-last. Leaf tensors are shared with the given
// graph. Errors: out of memory.
Result<LaidOutGraph> lay_out_images(const Graph& graph, const Capabilities& backend, const LayoutOptions& options = {});

}  // namespace arenascope
