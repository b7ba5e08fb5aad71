// SPDX-License-Identifier: MIT
#include <arenascope/transform/precision.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include <arenascope/graph/lifetime.h>
#include <arenascope/graph/op_params.h>
#include "engine/transform/graph_copier.h"

namespace arenascope {
namespace {

// A value as float32, float16 or both.
struct Precisions {
  Tensor single, half;
};

class Conversion {
 public:
  Conversion(GraphCopier& copier, PrecisionGraph& out, bool half_operands)
      : copier_(copier),
        out_(out),
        half_operands_(half_operands),
        values_(copier.given().nodes().size()),
        leafs_(copier.given().leafs().size()) {}

  Status run() {
    const Graph& given = copier_.given();
    for (size_t i = 0; i < leafs_.size(); ++i) leafs_[i].single = Tensor(given.leafs()[i]);
    for (size_t i = 0; i < values_.size(); ++i)
      if (given.nodes()[i]->op == Op::None) values_[i].single = Tensor(given.nodes()[i]);
    return copier_.for_each_node([this](NodeId id, const TensorImpl& node) { return compute(id, node); });
  }

 private:
  Status compute(NodeId id, const TensorImpl& node) {
    // A cast between float16 values disappears if the types are equal.
    auto made = with_sources(node, true);
    const DType needed = node.dtype == DType::F32 && !multiplies(node) ? DType::F16 : node.dtype;
    const bool fits = made.ok() && (*made)->dtype == needed && (*made)->sizes == node.sizes;
    if (!fits) made = with_sources(node, false);
    if (!made) return made.error();
    const Tensor tensor = *made;
    Precisions& value = values_[id.index()];
    (tensor->dtype == DType::F16 && node.dtype == DType::F32 ? value.half : value.single) = tensor;
    copier_.place_mapped(id, tensor);
    if (!node.has(kFlagOutput) || value.single) return {};
    tensor->flags &= ~uint32_t{kFlagOutput};
    if (auto ok = to_single(value, node, node); !ok) return ok;
    value.single->flags |= kFlagOutput;
    copier_.set_mapped(id, value.single);
    return {};
  }

  // True for a node that reads float16 although its result stays float32.
  bool multiplies(const TensorImpl& node) const {
    if (!half_operands_ || (node.op != Op::MulMat && node.op != Op::Attention)) return false;
    const size_t operands = node.op == Op::MulMat ? 2 : kMask;
    return std::all_of(node.sources.begin(), node.sources.begin() + static_cast<std::ptrdiff_t>(operands),
                       [](const TensorImpl* source) { return source->dtype == DType::F32; });
  }

  Result<Tensor> with_sources(const TensorImpl& node, bool as_half) {
    const Graph& given = copier_.given();
    std::vector<Tensor> sources;
    for (size_t i = 0; i < node.sources.size(); ++i) {
      const TensorImpl* source = node.sources[i];
      const NodeId at = given.find_node(*source);
      Precisions& value = at.valid() ? values_[at.index()] : leafs_[given.find_leaf(*source).index()];
      const bool floats = source->dtype == DType::F32;
      const bool half = floats && as_half && !(node.op == Op::Attention && i == kMask);  // a mask is float32
      if (floats)
        if (auto ok = half ? to_half(value, *source, node) : to_single(value, *source, node); !ok) return ok.error();
      sources.push_back(half ? value.half : value.single);
    }
    return copier_.copy(node, sources);
  }

  Status cast(const Tensor& from, DType type, const char* suffix, const TensorImpl& origin, const TensorImpl& user,
              Tensor& to) {
    OpParams params;
    params.set(CastParams{type});
    const Tensor sources[] = {from};
    auto made = copier_.make(user, Op::Cast, sources, params, origin.name.str() + suffix);
    if (!made) return made.error();
    to = *made;
    const TensorImpl& base = base_of(origin);  // the cast is placed with its input; for a leaf, with its user
    to->placement = base.op == Op::None ? user.placement : base.placement;
    copier_.place(to);
    return {};
  }
  Status to_single(Precisions& value, const TensorImpl& origin, const TensorImpl& user) {
    return value.single ? Status() : cast(value.half, DType::F32, " (float32)", origin, user, value.single);
  }
  Status to_half(Precisions& value, const TensorImpl& origin, const TensorImpl& user) {
    if (value.half) return {};
    if (!origin.has(kFlagWeight)) return cast(value.single, DType::F16, " (float16)", origin, user, value.half);
    auto made = copier_.convert_given(origin, DType::F16);
    if (!made) return made.error();
    value.half = *made;
    out_.weights.push_back({value.single, value.half});
    return {};
  }

  static constexpr size_t kMask = 3;  // input of ATTENTION

  GraphCopier& copier_;
  PrecisionGraph& out_;
  const bool half_operands_;
  std::vector<Precisions> values_, leafs_;
};

}  // namespace

Result<PrecisionGraph> convert_precision(const Graph& graph, bool half_operands) {
  auto copier = GraphCopier::start(graph);
  if (!copier) return copier.error();
  PrecisionGraph out;
  if (auto ok = Conversion(*copier, out, half_operands).run(); !ok) return ok.error();
  auto made = copier->finish();
  if (!made) return made.error();
  out.graph = std::move(*made);
  out.node_map = copier->node_map();
  return out;
}

uint16_t half_from_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds above 65504
  if (magnitude < 0x33000001u) return static_cast<uint16_t>(sign);             // at most half the smallest subnormal
  uint32_t fraction, shift;
  if (magnitude < 0x38800000u) {  // subnormal float16
    shift = 126 - (magnitude >> 23);
    fraction = (magnitude & 0x7fffffu) | 0x800000u;
  } else {
    shift = 13;
    fraction = magnitude - 0x38000000u;
  }
  const uint32_t kept = fraction >> shift, rest = fraction & ((1u << shift) - 1), half = 1u << (shift - 1);
  return static_cast<uint16_t>(sign | (kept + (rest > half || (rest == half && (kept & 1)) ? 1 : 0)));
}

Status convert_weights(const PrecisionGraph& graph, ExecutionContext& context) {
  for (const PrecisionGraph::Weight& weight : graph.weights) {
    auto storage = Storage::allocate(context, {}, MemoryKind::Persistent, weight.half->byte_count());
    if (!storage) return storage.error();
    const int64_t n = weight.single->element_count();
    if (n > 0 && !weight.single->contiguous())
      return Error{std::string(weight.single->name) + ": cannot convert to float16: the weight is not contiguous"};
    const auto pin = MemoryPin::take(weight.single->storage.block());
    if (!pin) return pin.error();
    const std::byte* from = weight.single->data();  // may be unaligned: it is mapped from a file
    auto* to = reinterpret_cast<uint16_t*>(storage->data());
    for (int64_t i = 0; i < n; ++i) {
      float value;
      std::memcpy(&value, from + i * static_cast<int64_t>(sizeof value), sizeof value);
      to[i] = half_from_float(std::isfinite(value) ? std::clamp(value, -65504.0f, 65504.0f) : value);
    }
    weight.half->storage = std::move(*storage);
    const bool read = graph.graph.find_leaf(*weight.single).valid() || graph.graph.find_node(*weight.single).valid();
    if (!read) weight.single->storage = Storage();
  }
  return {};
}

}  // namespace arenascope
