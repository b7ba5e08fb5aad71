// SPDX-License-Identifier: MIT
#include <arenascope/graph/autodiff.h>
#include <fmt/format.h>
#include "engine/graph/autodiff_rules.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

namespace arenascope {
namespace {

using autodiff::Backward;
using autodiff::Rule;

constexpr Rule kRules[kOpCount] = {
#define X(id, name, least, most, family, shape, cost, traits, bound, gradient) autodiff::gradient,
    ARENASCOPE_OPS(X)
#undef X
};

Rule rule_of(Op op) { return static_cast<int>(op) < kOpCount ? kRules[static_cast<int>(op)] : autodiff::none; }

// The nodes of a gradient are in layer "L backward", where L is the layer of the forward node.
void enter_layer(GraphBuilder& builder, const TensorImpl& node) {
  const auto names = builder.context().layer_names();
  const auto index = static_cast<size_t>(node.layer);
  builder.layer(node.layer >= 0 && index < names.size() ? names[index] + " backward" : "backward");
}

// The nodes on a path from a tensor of `inputs` to the loss.
std::unordered_map<const TensorImpl*, bool> reached(const Graph& graph, std::span<const Tensor> inputs) {
  std::unordered_map<const TensorImpl*, bool> on_path;
  for (const Tensor& tensor : inputs)
    if (tensor) on_path[tensor.impl()] = true;
  for (const TensorImpl* node : graph.nodes())
    for (const TensorImpl* source : node->sources)
      if (on_path.count(source)) on_path[node] = true;
  return on_path;
}

// Adds two contributions to a gradient. The gradient of gathered rows is added to the rest in place, without
// materialising a table of its own.
Tensor added(GraphBuilder& builder, const Tensor& sum, const Tensor& share) {
  for (const auto& [rows, base] : {std::pair(share, sum), std::pair(sum, share)})
    if (rows->op == Op::GatherBack && rows->sources.size() == 2 && rows.dtype() == base.dtype())
      return builder.op(Op::GatherBack, {Tensor(rows->sources[0]), Tensor(rows->sources[1]), base}, rows->params);
  return builder.add(sum, share);
}

Status add_shares(GraphBuilder& builder, Graph& graph, const Tensor& node, const Tensor& gradient,
                  const std::unordered_map<const TensorImpl*, bool>& on_path,
                  std::unordered_map<const TensorImpl*, Tensor>& gradients) {
  const size_t count = node->sources.size();
  const auto wants = std::make_unique<bool[]>(count);
  bool any = false;
  for (size_t i = 0; i < count; ++i) any = (wants[i] = on_path.count(node->sources[i]) != 0) || any;
  if (!any) return {};
  const Rule rule = rule_of(node->op);
  if (rule == autodiff::none) return Error{fmt::format("{} '{}' has no backward rule", name(node->op), node->name)};
  Backward step(builder, node, gradient, {wants.get(), count});
  rule(step);
  if (!builder.ok()) return builder.status();
  for (size_t i = 0; i < count; ++i) {
    if (!wants[i] || !step.shares()[i]) continue;
    Tensor& sum = gradients[node->sources[i]];
    sum = sum ? added(builder, sum, step.shares()[i]) : step.shares()[i];
    if (!builder.ok()) return builder.status();
  }
  return graph.has_grads() ? Status{} : Status{Error{"the graph does not store gradients"}};
}

}  // namespace

bool has_gradient(Op op) { return rule_of(op) != autodiff::none; }

Result<std::vector<Tensor>> build_gradients(GraphBuilder& builder, Graph& graph, const Tensor& loss,
                                            std::span<const Tensor> inputs, const GradientOptions& options) {
  if (!builder.ok()) return builder.status().error();
  if (!graph.has_grads()) return Error{"gradients require a graph that stores them (new_graph with grads)"};
  if (!loss || loss->element_count() != 1 || !info(loss.dtype()).floating)
    return Error{fmt::format("the loss{} has shape {}, expected a scalar",
                             loss ? fmt::format(" '{}'", loss.name()) : "",
                             loss ? to_string(loss.sizes()) : "undefined")};
  if (auto done = graph.expand(loss); !done) return done.error();

  const auto on_path = reached(graph, inputs);
  std::unordered_map<const TensorImpl*, Tensor> gradients;
  builder.layer("loss backward");
  gradients[loss.impl()] = builder.op_with(Op::Fill, {}, FillParams{loss.sizes(), DType::F32, 1, 0}, "d loss");
  const std::vector<TensorImpl*> forward(graph.nodes().begin(), graph.nodes().end());
  for (size_t i = forward.size(); i-- > 0;) {
    const Tensor node(forward[i]);
    const auto found = gradients.find(forward[i]);
    if (found == gradients.end() || !on_path.count(forward[i])) continue;
    enter_layer(builder, *node);
    if (auto done = add_shares(builder, graph, node, Tensor(found->second), on_path, gradients); !done)
      return done.error();
  }

  std::vector<Tensor> out(inputs.size());
  builder.layer("gradients");
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto found = inputs[i] ? gradients.find(inputs[i].impl()) : gradients.end();
    if (found == gradients.end()) continue;
    Tensor accumulator;
    if (options.accumulate) {
      accumulator = builder.input(fmt::format("{} (sum)", inputs[i].name()), inputs[i].sizes());
      found->second = builder.add(accumulator, found->second);
    }
    out[i] = found->second;
    if (!out[i]) break;
    if (out[i].name().empty() || options.accumulate) out[i].set_name(fmt::format("{} (gradient)", inputs[i].name()));
    if (auto done = graph.expand(out[i]); !done) return done.error();
    if (accumulator) graph.set_grad_accumulator(*inputs[i], accumulator.impl());
  }
  if (!builder.ok()) return builder.status().error();
  for (const auto& [tensor, gradient] : gradients) graph.set_grad(*tensor, gradient.impl());
  return out;
}

namespace autodiff {

void none(Backward& b) { b.refuse("the op is not differentiable"); }

void Backward::refuse(std::string_view why) {
  g.fail(Error{fmt::format("{} '{}' has no backward rule: {}", arenascope::name(y->op), y.name(), why)});
}

Tensor Backward::sum_from(const Tensor& x, int axis, Op op) const {
  if (!x) return {};
  ReduceParams params{0, true};
  for (int i = axis; i < x->rank(); ++i) params.axes |= 1u << i;
  return g.op_with(op, {x}, params);
}

Tensor Backward::sum_along(const Tensor& x, int axis) const {
  return x ? g.op_with(Op::ReduceSum, {x}, ReduceParams{1u << axis, true}) : Tensor();
}

Tensor Backward::axis_last(const Tensor& x, int axis) const {
  if (!x || axis == x->rank() - 1) return x;
  PermuteParams p{};
  for (int i = 0; i < x->rank(); ++i) p.axes[i] = static_cast<int8_t>(i < axis ? i : i + 1);
  p.axes[x->rank() - 1] = static_cast<int8_t>(axis);
  return g.cont(g.op_with(Op::Permute, {x}, p));
}

Tensor Backward::axis_back(const Tensor& x, int axis) const {
  if (!x || axis == x->rank() - 1) return x;
  PermuteParams p{};
  for (int i = 0; i < x->rank(); ++i) p.axes[i] = static_cast<int8_t>(i > axis ? i - 1 : i);
  p.axes[axis] = static_cast<int8_t>(x->rank() - 1);
  return g.op_with(Op::Permute, {x}, p);
}

namespace {

// Negative indices count from the end.
Tensor from_front(GraphBuilder& g, const Tensor& places, int64_t size) {
  if (!places) return {};
  const auto number = [&](int64_t n) {
    return g.op_with(Op::Fill, {}, FillParams{{}, places.dtype(), static_cast<double>(n), 0});
  };
  const Tensor below = g.op(Op::Less, {places, number(0)});
  return g.op(Op::Where, {below, g.add(places, number(size)), places});
}

}  // namespace

Tensor Backward::to_places(const Tensor& share, int axis, const Tensor& places, int64_t size) const {
  if (!share || !places) return {};
  const int64_t count = places->element_count();
  const Tensor all = g.op_with(Op::Arange, {}, FillParams{{size, 1}, places.dtype(), 0, 1});
  const Tensor hits = truth(Op::Equal, all, g.reshape(from_front(g, places, size), {1, count}));
  if (axis > 0) return axis_back(g.mul_mat(hits, axis_last(share, axis)), axis);
  Dims sizes = share.sizes();
  sizes[0] = size;
  const int64_t width = share->element_count() / std::max<int64_t>(count, 1);
  return g.reshape(g.mul_mat(g.transpose(g.reshape(share, {count, width})), hits), sizes);
}

Tensor Backward::to_own_places(const Tensor& share, int axis, const Tensor& places, int64_t size) const {
  const Tensor rows = axis_last(share, axis), at = axis_last(from_front(g, places, size), axis);
  if (!rows || !at) return {};
  Dims apart = rows.sizes();
  apart[apart.rank() - 1] = 1;
  apart.push_back(rows.sizes().back());
  const Tensor all = g.op_with(Op::Arange, {}, FillParams{{size, 1}, places.dtype(), 0, 1});
  const Tensor hits = truth(Op::Equal, g.reshape(at, apart), all);
  const Tensor each = g.mul(hits, g.reshape(rows, apart));
  return axis_back(g.reduce(Op::ReduceSum, each, {apart.rank() - 1}, false), axis);
}

Tensor Backward::folded(const Tensor& x, const Dims& sizes) const {
  if (!x || x.sizes() == sizes) return x;
  ReduceParams params{0, true};
  const int missing = x->rank() - sizes.rank();
  for (int i = 0; i < x->rank(); ++i)
    if (i < missing || (sizes[i - missing] == 1 && x.sizes()[i] != 1)) params.axes |= 1u << i;
  const Tensor sum = params.axes != 0 ? g.op_with(Op::ReduceSum, {x}, params) : x;
  return g.reshape(sum, sizes);
}

}  // namespace autodiff
}  // namespace arenascope
