// SPDX-License-Identifier: MIT
// How every transform makes its graph: over the given one, node by node, into a growing pool of its own. What is given
// to a graph (leafs and parameters) is shared by both; each other node has a twin in the same layer, with the same role
// (flags), origins, placement and layout in memory. finish() collects the graph and carries gradients and accumulators over.
#pragma once
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include <arenascope/graph/graph.h>

namespace arenascope {

class GraphCopier {
 public:
  // Errors: no memory.
  static Result<GraphCopier> start(const Graph& given);

  const Graph& given() const { return given_; }

  // Calls `copy` for each node that is computed, in order, up to the first error.
  Status for_each_node(const std::function<Status(NodeId id, const TensorImpl& node)>& copy);

  // What a tensor of the given graph has become: itself where it is given, else its twin; undefined: none so far.
  Tensor twin(const TensorImpl& tensor) const;
  std::vector<Tensor> twins_of_sources(const TensorImpl& node) const;
  // By NodeId of the given graph.
  const std::vector<Tensor>& twins() const { return twins_; }

  // The node over other sources, with its op, parameters, name, layer, role, placement and layout. Errors: the op's
  // shape rule, no memory.
  Result<Tensor> copy(const TensorImpl& node, std::span<const Tensor> sources);
  // A node that the given graph does not have, in the layer of `beside` and without a role.
  Result<Tensor> make(const TensorImpl& beside, Op op, std::span<const Tensor> sources, const OpParams& params,
                      std::string_view name);
  // A given tensor of another type, with the role, the gradient and the accumulator of `origin`, which stays where
  // somebody still reads it.
  Result<Tensor> convert_given(const TensorImpl& origin, DType dtype);

  // A weight that the given graph does not have, of a node's type and sizes, named as it is.
  Result<Tensor> new_leaf(const TensorImpl& node);

  // The next node of the new graph. Errors: none but those of finish().
  void place(const Tensor& node) { placed_.push_back(node); }
  // The same, which is what `id` has become.
  void place_twin(NodeId id, const Tensor& node);
  // What `id` has become where that was placed already.
  void set_twin(NodeId id, const Tensor& node) { twins_[id.index()] = node; }

  // The graph of all that was placed, in that order as far as sources allow. A gradient goes with a tensor where both
  // have a twin. Errors: no memory.
  Result<Graph> finish();
  // The same for what a transform returns, which has a graph and its twins.
  template <class Transformed>
  Status finish(Transformed& out) {
    auto made = finish();
    if (!made) return made.error();
    out.graph = std::move(*made);
    out.twins = twins_;
    return {};
  }

 private:
  GraphCopier(const Graph& given, Context context);
  void enter_layer_of(const TensorImpl& node);
  Status place_parameters(Graph& graph);
  void carry_gradients(Graph& graph) const;

  Graph given_;
  Context context_;
  std::vector<Tensor> twins_;
  std::vector<Tensor> placed_;
  std::vector<std::pair<const TensorImpl*, Tensor>> converted_;  // given tensors that exist in another type too
};

}  // namespace arenascope
