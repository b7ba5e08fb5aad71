// SPDX-License-Identifier: MIT
#include <arenascope/schedule/restore.h>

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/graph/fused.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/trace/bind_event.h>

namespace arenascope {
namespace {

// The recorded type and sizes if they agree with the recorded bytes; else a vector of that many bytes.
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

// The parameters of a concatenation with a known axis, so that the planner may alias its inputs. None if the
// description is inconsistent.
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

// The recorded parameters of an op, if its shape rule gives the recorded result. None if they were not recorded or do not
// match.
std::optional<OpParams> params_of(const trace::TensorInfo& node, Op op, std::span<const Tensor> sources, DType type,
                                  const Dims& dims) {
  // All-zero parameters have no bytes. Recordings without parameters do not mark nodes that write.
  const bool recorded = !node.op_params.empty() || (node.flags & trace::kWritesSource) != 0;
  if (!recorded || node.op_params.size() > OpParams::kCapacity || !info(op).shape_rule) return std::nullopt;
  const OpParams params(std::as_bytes(std::span(node.op_params)));
  std::vector<TensorImpl*> impls;
  for (const Tensor& source : sources) impls.push_back(source.impl());
  const auto inferred = info(op).shape_rule(op, impls, params);
  if (!inferred || inferred->dtype != type || !(inferred->sizes == dims)) return std::nullopt;
  return params;
}

bool takes(Op op, size_t sources) {
  const OpInfo& known = info(op);
  return static_cast<int>(sources) >= known.min_sources &&
         (known.max_sources < 0 || static_cast<int>(sources) <= known.max_sources);
}

// The ops of a fused node as parameters; the operands of each op are not recorded. None if the ops cannot form a fused
// node.
std::optional<OpParams> fused_params(const trace::TensorInfo& node, size_t sources) {
  FusedParams fused;
  std::vector<std::string> names;
  for (const trace::PartInfo& part : node.parts) {
    const auto op = part.op_number != 0 ? op_of_number(part.op_number) : parse_op(part.op);
    if (!op) return std::nullopt;
    names.push_back(part.name);
    if (is_fused_step(*op)) {
      if (fused.steps == FusedParams::kMaxSteps) return std::nullopt;
      FusedStep& step = fused.step[fused.steps++];
      step.op = static_cast<uint16_t>(*op);
      if (const auto type = parse_dtype(node.dtype); *op == Op::Cast && type)
        step.p = static_cast<float>(static_cast<int>(*type));
      continue;
    }
    if (names.size() > 1 || *op == Op::None || *op == Op::Fused || info(*op).is_view()) return std::nullopt;
    const auto most = static_cast<size_t>(std::max(info(*op).max_sources, 0));
    const size_t own = info(*op).max_sources < 0 ? sources : std::min(sources, most);
    if (!takes(*op, own) || own > UINT8_MAX) return std::nullopt;
    fused.anchor = static_cast<uint16_t>(*op);
    fused.anchor_sources = static_cast<uint8_t>(own);
  }
  if (fused.steps == 0) return std::nullopt;
  join_names(names, fused);
  OpParams params;
  params.set(fused);
  return params;
}

// Strides in elements; none if no strides were recorded for this type and these sizes.
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

// True if all elements with these strides, the first one at `offset`, are within the view's source.
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

// Applies the recorded layout: a view's offset and strides in its source, and channels-last images. A layout that is
// missing or invalid is replaced by a contiguous one.
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

// Creates the tensors, leafs first, then the nodes in the order of their steps.
class Restorer {
 public:
  Restorer(Context& context, Graph& graph) : context_(context), graph_(graph) {}

  Status add_leaf(const trace::TensorInfo& leaf) {
    const auto [type, dims] = layout_of(leaf);
    auto tensor = context_.new_tensor(type, dims, leaf.name);
    if (!tensor) return tensor.error();
    (*tensor)->flags = flags_of(leaf) & ~kFlagParameter;  // the flag would make it a node
    if (auto ok = graph_.expand(*tensor); !ok) return ok.error();
    leafs_.push_back(std::move(*tensor));
    return {};
  }

  Status add_node(const trace::TensorInfo& node) {
    auto sources = sources_of(node);
    if (!sources) return sources.error();
    const bool parameter = (node.flags & trace::kParameter) != 0 && sources->tensors.empty();
    auto tensor = make(node, *sources, parameter);
    if (!tensor) return tensor.error();
    restore_layout(node, **tensor);
    (*tensor)->placement = placement_of(node);
    (*tensor)->flags = flags_of(node) & ~(parameter ? 0u : uint32_t{kFlagParameter});
    if (!sources->view_of) total_ = checked_add(*total_, (*tensor)->byte_count());
    if (!total_)
      return Error{fmt::format("{}: the results have more than 2^63-1 bytes in total", title(node, nodes_.size()))};
    if (auto ok = graph_.expand(*tensor); !ok) return ok.error();
    nodes_.push_back(std::move(*tensor));
    return {};
  }

 private:
  struct Sources {
    std::vector<Tensor> tensors;
    Tensor view_of;  // the tensor that a view refers to
  };

  Result<Tensor> find(trace::TensorRef ref, const trace::TensorInfo& reader) const {
    if (ref.is_leaf() && ref.index() < leafs_.size()) return leafs_[ref.index()];
    if (ref.is_node() && ref.index() < nodes_.size()) return nodes_[ref.index()];
    return Error{fmt::format("{} precedes one of its inputs", title(reader, nodes_.size()))};
  }

  Result<Sources> sources_of(const trace::TensorInfo& node) const {
    Sources out;
    for (trace::TensorRef ref : node.sources) {
      if (!ref.valid()) continue;  // a tensor outside the graph
      auto source = find(ref, node);
      if (!source) return source.error();
      out.tensors.push_back(std::move(*source));
    }
    if (!node.view_source.valid()) return out;
    auto base = find(node.view_source, node);
    if (!base) return base.error();
    out.view_of = (*base)->is_view() ? Tensor((*base)->view_source) : *base;
    // The first source of a view is its view source, so that following sources leads to the same bytes.
    const auto& list = out.tensors;
    const bool first = !list.empty() && (list[0] == out.view_of || list[0]->view_source == out.view_of.impl());
    if (!first) out.tensors.insert(out.tensors.begin(), *base);
    return out;
  }

  Result<Tensor> make(const trace::TensorInfo& node, const Sources& sources, bool parameter) {
    const size_t count = sources.tensors.size();
    Op op = op_of(node).value_or(Op::Opaque);
    if (parameter)
      op = Op::None;
    else if (op == Op::None || !takes(op, count) ||
             sources.view_of.defined() != (arenascope::info(op).is_view() || arenascope::info(op).writes_source()))
      op = sources.view_of ? Op::View : Op::Opaque;
    const auto [type, dims] = layout_of(node);
    if (op == Op::Concat) {
      if (auto concat = restore_concat(context_, node, sources.tensors, type, dims)) return std::move(*concat);
      op = Op::Opaque;  // without parameters, axis 0 would be taken for the concatenation axis
    }
    std::optional<OpParams> params;
    if (op == Op::Fused && !(params = fused_params(node, count))) op = Op::Opaque;
    if (op != Op::Fused && op != Op::Opaque && op != Op::None && !arenascope::info(op).is_view())
      params = params_of(node, op, sources.tensors, type, dims);
    if (arenascope::info(op).writes_source() && !params) op = Op::View;  // the order-only inputs are not recorded
    return context_.restore(op, type, dims, sources.tensors, sources.view_of, node.name, params.value_or(OpParams()));
  }

  Context& context_;
  Graph& graph_;
  std::vector<Tensor> leafs_, nodes_;
  std::optional<Bytes> total_ = 0;
};

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
  Restorer restorer(*context, *graph);
  for (const trace::TensorInfo& leaf : info.leafs)
    if (auto ok = restorer.add_leaf(leaf); !ok) return ok.error();
  for (const trace::TensorInfo& node : info.nodes)
    if (auto ok = restorer.add_node(node); !ok) return ok.error();
  return graph;
}

}  // namespace arenascope
