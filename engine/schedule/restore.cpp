// SPDX-License-Identifier: MIT
#include <arenascope/schedule/restore.h>

#include <algorithm>
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

// How many elements lie between neighbours of each dimension; none where that was not told for this type and these
// sizes.
std::optional<Dims> strides_of(const trace::TensorInfo& info, const TensorImpl& tensor) {
  const DTypeInfo& type = arenascope::info(tensor.dtype);
  const auto rank = static_cast<size_t>(tensor.rank());
  if (info.strides.size() != rank || !std::ranges::equal(info.shape, tensor.sizes.span())) return std::nullopt;
  std::vector<int64_t> strides(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (info.strides[i] % type.block_bytes != 0) return std::nullopt;
    const auto stride = checked_mul(info.strides[i] / type.block_bytes, type.block_elements);
    if (!stride) return std::nullopt;
    strides[i] = type.quantised && i + 1 == rank ? 1 : *stride;
  }
  return Dims(std::span<const int64_t>(strides));
}

// Whether elements with these strides, the first one at `offset`, all lie in the view's source.
bool lies_within(const TensorImpl& view, const Dims& strides, Bytes offset) {
  const DTypeInfo& type = info(view.dtype);
  std::optional<int64_t> low = 0, high = 0;
  for (int i = 0; i < view.rank(); ++i) {
    const auto reach = checked_mul(strides[i], view.sizes[i] - 1);
    if (!reach) return false;
    auto& end = *reach < 0 ? low : high;
    end = checked_add(*end, *reach);
    if (!end) return false;
  }
  const int64_t count = view.view_source->byte_count() / type.block_bytes * type.block_elements;
  const int64_t first = offset / type.block_bytes * type.block_elements;
  return offset >= 0 && offset % type.block_bytes == 0 && first <= count && *low >= -first && *high < count - first;
}

// A view lies where it was told to lie in its source, and images may have their channels last. What was not told, or
// cannot be, is taken for contiguous.
void restore_layout(const trace::TensorInfo& info, TensorImpl& tensor) {
  const auto strides = strides_of(info, tensor);
  if (!strides || tensor.element_count() == 0) return;
  if (!tensor.is_view()) {
    if (is_channels_last(tensor.sizes.span(), strides->span())) tensor.strides.set(strides->span());
    return;
  }
  if (!lies_within(tensor, *strides, info.view_offset)) return;
  const DTypeInfo& type = arenascope::info(tensor.dtype);
  tensor.strides.set(strides->span());
  tensor.view_offset = info.view_offset;
  tensor.offset = tensor.view_source->offset + info.view_offset / type.block_bytes * type.block_elements;
}

Placement placement_of(const trace::TensorInfo& tensor) {
  switch (tensor.placement) {
    case trace::Placement::Host: return Placement::Host;
    case trace::Placement::Packed: return Placement::Packed;
    case trace::Placement::Arena:
    case trace::Placement::Given: break;
  }
  return Placement::Arena;
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
      // A view reads what it views first; who follows its sources then comes to the same bytes.
      const bool first = !sources.empty() && (sources[0] == view_of || sources[0]->view_source == view_of.impl());
      if (!first) sources.insert(sources.begin(), *base);
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
    restore_layout(node, **tensor);
    (*tensor)->placement = placement_of(node);
    (*tensor)->flags = flags_of(node) & ~(parameter ? 0u : uint32_t{kFlagParameter});
    if (!view_of) total = checked_add(*total, (*tensor)->byte_count());
    if (!total) return Error{fmt::format("{}: the results together have more than 2^63-1 bytes", title(node, i))};
    if (auto ok = graph->expand(*tensor); !ok) return ok.error();
    nodes.push_back(std::move(*tensor));
  }
  return graph;
}

}  // namespace arenascope
