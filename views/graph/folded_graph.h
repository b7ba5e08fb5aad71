// SPDX-License-Identifier: GPL-3.0-or-later
// A graph as the window draws it: layers folded into one vertex each unless they are expanded, given tensors
// (weights, inputs) as chips on their users, views as badges on the edge. A leaf never becomes an edge, so a leaf that
// is used everywhere costs nothing. A pure function of the description and of what is expanded.
#pragma once
#include <arenascope/trace/info.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace arenascope::views {

// Which group of nodes each node belongs to.
struct Layers {
  std::vector<std::string> names;          // of each layer, in order of appearance
  std::vector<std::vector<NodeId>> nodes;  // of each layer, with those of the layers in it
  std::vector<int32_t> of_node;            // innermost layer of each node, -1: none
  std::vector<int32_t> parents;            // the layer around each, which comes before it; -1: none
  bool derived = false;                    // the model named no layers: these are runs of consecutive nodes
};

// The layers that the graph names, of which one may lie in another (base/layer_name.h). A graph of more than `derive_above` nodes that names none is cut into runs of
// `run_length` consecutive nodes, so that it too has a first picture.
Layers layers_of(const trace::GraphInfo& graph, size_t derive_above = 600, size_t run_length = 40);

// Whether the node computes nothing and only looks at its source's bytes (VIEW, RESHAPE, PERMUTE, TRANSPOSE, EXPAND).
bool is_view_node(const trace::TensorInfo& node);

// A leaf beside the node that uses it.
struct Chip {
  LeafId leaf;
  std::vector<NodeId> views;  // views between the leaf and its user
};

struct Vertex {
  int32_t layer = -1;  // the layer it belongs to, or stands for
  bool folded = false;
  NodeId node;                // of a vertex that is not folded
  std::vector<NodeId> nodes;  // all nodes in it, its views not counted
  std::vector<Chip> chips;    // of a vertex that is not folded
  size_t leaf_count = 0;      // distinct leafs used
};

struct FoldedEdge {
  int32_t from = 0;  // indices of vertices
  int32_t to = 0;
  NodeId source;              // the tensor that goes along it (the first of them)
  std::vector<NodeId> views;  // badges, from the source on
  int32_t count = 1;          // edges of the graph merged into this one
};

struct FoldedGraph {
  std::vector<Vertex> vertices;
  std::vector<FoldedEdge> edges;
  std::vector<int32_t> vertex_of_node;  // -1 for a view that is drawn as a badge only
  std::vector<int32_t> parents;         // as of the layers
};

// The outermost layer around a node that is not open, by the node's innermost; -1: all are.
int32_t closed_layer(const Layers& layers, const std::set<int32_t>& expanded, int32_t innermost);

FoldedGraph fold(const trace::GraphInfo& graph, const Layers& layers, const std::set<int32_t>& expanded);

// The vertex that shows a node: its own, its layer's, or for a badge that of the first node it looks at. -1: none.
int32_t vertex_showing(const trace::GraphInfo& graph, const FoldedGraph& folded, NodeId node);

// Nodes that compute what `node` reads, and nodes that read what it computes, looking through views.
std::vector<NodeId> producers(const trace::GraphInfo& graph, NodeId node);
std::vector<NodeId> users(const trace::GraphInfo& graph, NodeId node);

// "1×64×56×56"; "scalar" for rank 0.
std::string shape_text(std::span<const int64_t> shape);

}  // namespace arenascope::views
