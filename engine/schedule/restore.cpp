// SPDX-License-Identifier: MIT
#include <arenascope/schedule/restore.h>

#include <optional>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/graph/op_params.h>

namespace arenascope {
namespace {

// Type and sizes as they were said where they agree with the bytes; else so many bytes.
std::pair<DType, Dims> layout_of(const trace::TensorInfo& tensor) {
  if (const auto type = parse_dtype(tensor.dtype)) {
    if (auto dims = checked_dims(tensor.shape)) {
      const auto bytes = checked_byte_count(*dims, *type);
      if (bytes && *bytes == tensor.bytes) return {*type, *dims};
    }
  }
  return {DType::I8, Dims{std::max<Bytes>(tensor.bytes, 0)}};
}

uint32_t flags_of(const trace::TensorInfo& tensor) {
  uint32_t flags = 0;
  if (tensor.flags & trace::kInput) flags |= kFlagInput;
  if (tensor.flags & trace::kOutput) flags |= kFlagOutput;
  if (tensor.flags & trace::kParameter) flags |= kFlagParameter;
  if (tensor.flags & trace::kWeight) flags |= kFlagWeight;
  return flags;
}

// A concatenation of which the axis is known, with it, so that the planner may lay its sources into its bytes. None
// where the description does not agree with itself.
std::optional<Tensor> restore_concat(Context& context, const trace::TensorInfo& node, std::span<const Tensor> sources,
                                     DType type, const Dims& dims) {
  const int32_t axis = node.axis.value_or(-1);
  if (axis < 0 || static_cast<size_t>(axis) >= node.shape.size()) return std::nullopt;
  OpParams params;
  params.set(AxisParams{axis});
  std::vector<TensorImpl*> impls;
  for (const Tensor& source : sources) impls.push_back(source.impl());
  const auto inferred =
      impls.empty() ? Result<Inferred>(Error{}) : info(Op::Concat).shape_rule(Op::Concat, impls, params);
  if (!inferred || inferred->dtype != type || !(inferred->sizes == dims)) return std::nullopt;
  auto tensor = context.apply(Op::Concat, sources, params, node.name);
  if (!tensor) return std::nullopt;
  return std::move(*tensor);
}

std::string title(const trace::TensorInfo& tensor, size_t node) {
  return tensor.name.empty() ? fmt::format("node {}", node) : fmt::format("'{}'", tensor.name);
}

}  // namespace

std::optional<Op> op_of(const trace::TensorInfo& node) {
  return node.op_number != 0 ? op_of_number(node.op_number) : parse_op(node.op);
}

Result<Graph> restore_graph(const trace::GraphInfo& info) {
  const size_t count = std::max(info.nodes.size(), info.leafs.size());
  auto context = Context::create({.no_alloc = true, .grow = true});
  if (!context) return context.error();
  auto graph = context->new_graph(std::max<size_t>(count, 1));
  if (!graph) return graph.error();

  std::vector<Tensor> leafs, nodes;
  leafs.reserve(info.leafs.size());
  nodes.reserve(info.nodes.size());
  for (const trace::TensorInfo& leaf : info.leafs) {
    const auto [type, dims] = layout_of(leaf);
    auto tensor = context->new_tensor(type, dims, leaf.name);
    if (!tensor) return tensor.error();
    (*tensor)->flags = flags_of(leaf) & ~kFlagParameter;  // with it, it would be a node
    if (auto ok = graph->expand(*tensor); !ok) return ok.error();
    leafs.push_back(std::move(*tensor));
  }
  std::optional<Bytes> total = 0;
  for (size_t i = 0; i < info.nodes.size(); ++i) {
    const trace::TensorInfo& node = info.nodes[i];
    std::vector<Tensor> sources;
    const auto find = [&](trace::TensorRef ref) -> Result<Tensor> {
      if (ref.is_leaf() && ref.index() < leafs.size()) return leafs[ref.index()];
      if (ref.is_node() && ref.index() < nodes.size()) return nodes[ref.index()];
      return Error{fmt::format("{} has a source that does not stand before it", title(node, i))};
    };
    for (trace::TensorRef ref : node.sources) {
      if (!ref.valid()) continue;  // of a tensor outside the graph
      auto source = find(ref);
      if (!source) return source.error();
      sources.push_back(std::move(*source));
    }
    Tensor view_of;
    if (node.view_source.valid()) {
      auto base = find(node.view_source);
      if (!base) return base.error();
      view_of = (*base)->is_view() ? Tensor((*base)->view_source) : *base;
      if (sources.empty()) sources.push_back(*base);
    }
    Op op = op_of(node).value_or(Op::Copy);
    if (op == Op::Fused) op = Op::Copy;  // its steps are not told
    const bool parameter = (node.flags & trace::kParameter) != 0 && sources.empty();
    if (parameter)
      op = Op::None;
    else if (view_of.defined() != arenascope::info(op).is_view() || op == Op::None)
      op = view_of ? Op::View : Op::Copy;
    const auto [type, dims] = layout_of(node);
    std::optional<Tensor> concat;
    if (op == Op::Concat) {
      concat = restore_concat(*context, node, sources, type, dims);
      if (!concat) op = Op::Copy;  // nobody is to take its first axis for the one that it joins along
    }
    auto tensor =
        concat ? Result<Tensor>(std::move(*concat)) : context->restore(op, type, dims, sources, view_of, node.name);
    if (!tensor) return tensor.error();
    (*tensor)->flags = flags_of(node) & ~(parameter ? 0u : uint32_t{kFlagParameter});
    if (!view_of) total = checked_add(*total, (*tensor)->byte_count());
    if (!total) return Error{fmt::format("{}: the results together have more than 2^63-1 bytes", title(node, i))};
    if (auto ok = graph->expand(*tensor); !ok) return ok.error();
    nodes.push_back(std::move(*tensor));
  }
  return graph;
}

}  // namespace arenascope
