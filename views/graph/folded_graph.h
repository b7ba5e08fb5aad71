// SPDX-License-Identifier: GPL-3.0-or-later
// The graph as displayed: layers are folded into one vertex each unless expanded, leaf tensors (weights, inputs) are
// chips on their users, and views are badges on edges. A leaf tensor never becomes an edge, so one that is used
// everywhere costs nothing. A pure function of the graph and the expanded layers.
#pragma once
#include <arenascope/trace/info.h>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace arenascope::views {

// The layer of each node.
struct Layers {
  std::vector<std::string> names;          // per layer, in order of appearance
  std::vector<std::vector<NodeId>> nodes;  // per layer, including nested layers
  std::vector<int32_t> of_node;            // innermost layer per node, -1: none
  std::vector<int32_t> parents;            // enclosing layer of each, which has a lower index; -1: none
  bool derived = false;                    // the model names no layers: these are runs of consecutive nodes
};

// The layers named by the graph, which may be nested (base/layer_name.h). A graph of more than `derive_above` nodes
// without layers is divided into runs of `run_length` consecutive nodes, so that its first picture is readable. Many
// nodes of one op with the same inputs and users are a layer, too.
Layers layers_of(const trace::GraphInfo& graph, size_t derive_above = 600, size_t run_length = 40);

// True if the node computes nothing and only views its input's bytes (VIEW, RESHAPE, PERMUTE, TRANSPOSE, EXPAND).
bool is_view_node(const trace::TensorInfo& node);

// A leaf tensor shown on the node that uses it.
struct Chip {
  LeafId leaf;
  std::vector<NodeId> views;  // views between the leaf and its user
};

struct Vertex {
  int32_t layer = -1;  // the layer that it belongs to or represents
  bool folded = false;
  NodeId node;                // if the vertex is not folded
  std::vector<NodeId> nodes;  // all nodes in it, without its views
  std::vector<Chip> chips;    // if the vertex is not folded
  size_t leaf_count = 0;      // distinct leaf tensors used
};

struct FoldedEdge {
  int32_t from = 0;  // indices of vertices
  int32_t to = 0;
  NodeId source;              // the tensor on the edge (the first one, if several are merged)
  std::vector<NodeId> views;  // badges, from the source on
  int32_t count = 1;          // number of merged edges of the graph
};

struct FoldedGraph {
  std::vector<Vertex> vertices;
  std::vector<FoldedEdge> edges;
  std::vector<int32_t> vertex_of_node;  // -1 for a view that is shown only as a badge
  std::vector<int32_t> parents;         // as in Layers
};

// The outermost collapsed layer around a node with the given innermost layer; -1: all are expanded.
int32_t closed_layer(const Layers& layers, const std::set<int32_t>& expanded, int32_t innermost);

FoldedGraph fold(const trace::GraphInfo& graph, const Layers& layers, const std::set<int32_t>& expanded);

// The vertex that shows a node: its own, its layer's, or for a badge that of the first node it views. -1: none.
int32_t vertex_showing(const trace::GraphInfo& graph, const FoldedGraph& folded, NodeId node);

// Nodes that compute the inputs of `node`, and nodes that read its result, skipping views.
std::vector<NodeId> producers(const trace::GraphInfo& graph, NodeId node);
std::vector<NodeId> users(const trace::GraphInfo& graph, NodeId node);

// "1×64×56×56"; "scalar" for rank 0.
std::string shape_text(std::span<const int64_t> shape);

}  // namespace arenascope::views
