// SPDX-License-Identifier: MIT
#include "engine/transform/graph_copier.h"

#include <algorithm>

#include <arenascope/graph/provenance.h>

namespace arenascope {

Result<GraphCopier> GraphCopier::start(const Graph& given) {
  auto context = Context::create({.no_alloc = true, .grow = true});
  if (!context) return context.error();
  return GraphCopier(given, std::move(*context));
}

GraphCopier::GraphCopier(const Graph& given, Context context)
    : given_(given), context_(std::move(context)), node_map_(given.nodes().size()) {
  for (TensorImpl* node : given.nodes())
    if (node->op == Op::None) set_mapped(given.find_node(*node), Tensor(node));
  placed_.reserve(node_map_.size());
}

Status GraphCopier::for_each_node(const std::function<Status(NodeId, const TensorImpl&)>& copy) {
  const auto nodes = given_.nodes();
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i]->op == Op::None) continue;
    if (auto ok = copy(NodeId(i), *nodes[i]); !ok) return ok;
  }
  return {};
}

Tensor GraphCopier::mapped(const TensorImpl& tensor) const {
  if (tensor.op == Op::None) return Tensor(const_cast<TensorImpl*>(&tensor));
  const NodeId id = given_.find_node(tensor);
  return id.valid() ? node_map_[id.index()] : Tensor();
}

std::vector<Tensor> GraphCopier::mapped_sources(const TensorImpl& node) const {
  std::vector<Tensor> out;
  out.reserve(node.sources.size());
  for (const TensorImpl* source : node.sources) out.push_back(mapped(*source));
  return out;
}

void GraphCopier::enter_layer_of(const TensorImpl& node) {
  const auto layers = given_.context().layer_names();
  const bool layered = node.layer >= 0 && static_cast<size_t>(node.layer) < layers.size();
  context_.set_layer(layered ? layers[static_cast<size_t>(node.layer)] : std::string_view());
}

Result<Tensor> GraphCopier::copy(const TensorImpl& node, std::span<const Tensor> sources) {
  auto made = make(node, node.op, sources, node.params, node.name);
  if (!made) return made;
  (*made)->flags = node.flags;
  (*made)->placement = node.placement;
  if (node.channels_last()) (*made)->strides.set(node.strides.span());
  set_origins(*made, origins_of(node));
  return made;
}

Result<Tensor> GraphCopier::new_leaf(const TensorImpl& node) {
  enter_layer_of(node);
  auto made = context_.new_tensor(node.dtype, Dims(node.sizes), node.name);
  if (made) (*made)->flags |= kFlagWeight;
  return made;
}

Result<Tensor> GraphCopier::make(const TensorImpl& neighbour, Op op, std::span<const Tensor> sources,
                                 const OpParams& params, std::string_view name) {
  enter_layer_of(neighbour);
  auto made = context_.apply(op, sources, params, name);
  if (made) set_file_nodes(*made, file_nodes_of(neighbour));
  return made;
}

Result<Tensor> GraphCopier::convert_given(const TensorImpl& origin, DType dtype) {
  enter_layer_of(origin);
  auto made = context_.new_tensor(dtype, Dims(origin.sizes.span()), origin.name);
  if (!made) return made;
  (*made)->flags = origin.flags;
  converted_.emplace_back(&origin, *made);
  return made;
}

void GraphCopier::place_mapped(NodeId id, const Tensor& node) {
  set_mapped(id, node);
  place(node);
}

Result<Graph> GraphCopier::finish() {
  const size_t given_tensors = given_.leafs().size() + converted_.size();
  auto graph = context_.new_graph(std::max(placed_.size(), given_tensors), given_.has_grads());
  if (!graph) return graph;
  for (const Tensor& node : placed_)
    if (auto ok = graph->expand(node); !ok) return ok.error();
  if (auto ok = place_parameters(*graph); !ok) return ok.error();
  if (given_.has_grads()) carry_gradients(*graph);
  return graph;
}

// Parameters with readers were collected together with these. A converted tensor replaces each other one.
Status GraphCopier::place_parameters(Graph& graph) {
  for (const auto& [origin, tensor] : converted_)
    if (const NodeId id = given_.find_node(*origin); id.valid() && !graph.find_node(*origin).valid())
      set_mapped(id, tensor);
  for (TensorImpl* node : given_.nodes())
    if (node->op == Op::None)
      if (auto ok = graph.expand(node_map_[given_.find_node(*node).index()]); !ok) return ok;
  return {};
}

void GraphCopier::carry_gradients(Graph& graph) const {
  const auto carry = [&](const TensorImpl& tensor, const Tensor& to) {
    if (!to) return;
    if (const TensorImpl* gradient = given_.grad(tensor))
      if (const Tensor own = mapped(*gradient)) graph.set_grad(*to, own.impl());
    if (const TensorImpl* sum = given_.grad_accumulator(tensor))
      if (const Tensor own = mapped(*sum)) graph.set_grad_accumulator(*to, own.impl());
  };
  for (const TensorImpl* node : given_.nodes()) carry(*node, node_map_[given_.find_node(*node).index()]);
  for (const TensorImpl* leaf : given_.leafs()) carry(*leaf, mapped(*leaf));
  for (const auto& [origin, tensor] : converted_) carry(*origin, tensor);
}

}  // namespace arenascope
