// SPDX-License-Identifier: MIT
// Base of all transforms: builds a new graph from the given one, node by node, in a growing context of its own. Leaf
// tensors and parameters are shared by both graphs. A copied node keeps layer, flags, origins, file nodes, placement
// and memory layout. finish() collects the graph and carries gradients and accumulators over.
#pragma once
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

class GraphCopier {
 public:
  // Errors: out of memory.
  static Result<GraphCopier> start(const Graph& given);

  const Graph& given() const { return given_; }

  // Calls `copy` for each computed node, in order, up to the first error.
  Status for_each_node(const std::function<Status(NodeId id, const TensorImpl& node)>& copy);

  // The counterpart of a tensor of the given graph: itself if it is a leaf, else the node that was placed for it;
  // undefined if there is none yet.
  Tensor mapped(const TensorImpl& tensor) const;
  std::vector<Tensor> mapped_sources(const TensorImpl& node) const;
  // By NodeId of the given graph.
  const std::vector<Tensor>& node_map() const { return node_map_; }

  // Copies the node with other inputs; op, parameters, name, layer, flags, placement and layout are kept. Errors: the
  // op's shape rule, out of memory.
  Result<Tensor> copy(const TensorImpl& node, std::span<const Tensor> sources);
  // A new node with the layer and the file nodes of `neighbour`, without flags.
  Result<Tensor> make(const TensorImpl& neighbour, Op op, std::span<const Tensor> sources, const OpParams& params,
                      std::string_view name);
  // Replaces a leaf tensor by one of another type, with the flags, the gradient and the accumulator of `origin`. The
  // original stays if something still reads it.
  Result<Tensor> convert_given(const TensorImpl& origin, DType dtype);

  // A new weight with the type, sizes and name of the node.
  Result<Tensor> new_leaf(const TensorImpl& node);

  // Appends a node to the new graph. Errors are reported by finish().
  void place(const Tensor& node) { placed_.push_back(node); }
  // place(node) and set_mapped(id, node).
  void place_mapped(NodeId id, const Tensor& node);
  // Registers the counterpart of `id`, which is a leaf or was already placed.
  void set_mapped(NodeId id, const Tensor& node) { node_map_[id.index()] = node; }

  // The graph of all placed nodes, in that order as far as their inputs allow. A gradient is carried over if both it
  // and its tensor have a counterpart. Errors: out of memory.
  Result<Graph> finish();
  // finish() for the result type of a transform, which has `graph` and `node_map`.
  template <class Transformed>
  Status finish(Transformed& out) {
    auto made = finish();
    if (!made) return made.error();
    out.graph = std::move(*made);
    out.node_map = node_map_;
    return {};
  }

 private:
  GraphCopier(const Graph& given, Context context);
  void enter_layer_of(const TensorImpl& node);
  Status place_parameters(Graph& graph);
  void carry_gradients(Graph& graph) const;

  Graph given_;
  Context context_;
  std::vector<Tensor> node_map_;
  std::vector<Tensor> placed_;
  std::vector<std::pair<const TensorImpl*, Tensor>> converted_;  // leaf tensors that also exist in another type
};

}  // namespace arenascope
