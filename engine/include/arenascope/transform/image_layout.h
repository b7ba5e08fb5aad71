// SPDX-License-Identifier: MIT
// The layout of images: a graph in which those between ops that gain from it have their channels last in memory. Their
// sizes stay [N, C, H, W] and they take as many bytes; only their strides differ. Where an image is needed in the other
// layout, a CONT node stands.
#pragma once
#include <vector>

#include <arenascope/graph/graph.h>
#include <arenascope/transform/capabilities.h>

namespace arenascope {

struct LaidOutGraph {
  Graph graph;
  std::vector<Tensor> twins;  // of the given graph's nodes, by NodeId
  int64_t channels_last = 0;  // nodes whose results lie so, copies apart
  int64_t copies = 0;         // from one layout to the other
};

struct LayoutOptions {
  // Larger images stay plain: it is they and their copies that make an arena larger.
  Bytes most_image_bytes = INT64_MAX;
};

// The graph so that what the backend says is gained, less the copies, is the most there is (a minimum cut); the same
// nodes where nothing is gained. Outputs and views never have their channels last. Leafs are the given graph's own.
// Errors: no memory.
Result<LaidOutGraph> lay_out_images(const Graph& graph, const Capabilities& backend, const LayoutOptions& options = {});

}  // namespace arenascope
