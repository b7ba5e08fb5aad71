// SPDX-License-Identifier: MIT
#include <arenascope/transform/precision.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include <arenascope/graph/op_params.h>

namespace arenascope {
namespace {

// A value in one type or both.
struct Widths {
  Tensor wide, narrow;
};

class Narrowing {
 public:
  Narrowing(const Graph& graph, Context context, PrecisionGraph& out)
      : given_(graph),
        context_(std::move(context)),
        out_(out),
        values_(graph.nodes().size()),
        leafs_(graph.leafs().size()) {}

  Status run() {
    const auto nodes = given_.nodes();
    for (size_t i = 0; i < leafs_.size(); ++i) leafs_[i].wide = Tensor(given_.leafs()[i]);
    out_.twins.resize(nodes.size());
    const auto layers = given_.context().layer_names();
    for (size_t i = 0; i < nodes.size(); ++i) {
      const TensorImpl& node = *nodes[i];
      const bool layered = node.layer >= 0 && node.layer < static_cast<int32_t>(layers.size());
      context_.set_layer(layered ? layers[static_cast<size_t>(node.layer)] : std::string_view());
      if (node.op == Op::None) {
        values_[i].wide = out_.twins[i] = Tensor(nodes[i]);
        if (auto ok = out_.graph.expand(out_.twins[i]); !ok) return ok;
        continue;
      }
      if (auto ok = compute(i, node); !ok) return ok;
    }
    return {};
  }

 private:
  Status compute(size_t i, const TensorImpl& node) {
    const std::string name(node.name);
    // A cast of a narrow value has nothing to do but where the types differ.
    auto made = with_sources(node, true, name);
    const DType wanted = node.dtype == DType::F32 ? DType::F16 : node.dtype;
    const bool fits = made.ok() && (*made)->dtype == wanted && (*made)->sizes == node.sizes;
    if (!fits) made = with_sources(node, false, name);
    if (!made) return made.error();
    Tensor tensor = *made;
    tensor->flags = node.flags;
    if (auto ok = out_.graph.expand(tensor); !ok) return ok;
    Widths& value = values_[i];
    (tensor->dtype == DType::F16 && node.dtype == DType::F32 ? value.narrow : value.wide) = tensor;
    out_.twins[i] = tensor;
    if (!node.has(kFlagOutput) || value.wide) return {};
    tensor->flags &= ~uint32_t{kFlagOutput};
    if (auto ok = widen(value, name); !ok) return ok;
    value.wide->flags |= kFlagOutput;
    out_.twins[i] = value.wide;
    return {};
  }

  Result<Tensor> with_sources(const TensorImpl& node, bool narrow, const std::string& name) {
    std::vector<Tensor> sources;
    for (const TensorImpl* source : node.sources) {
      const NodeId at = given_.find_node(*source);
      Widths& value = at.valid() ? values_[at.index()] : leafs_[given_.find_leaf(*source).index()];
      const bool floats = source->dtype == DType::F32;
      if (auto ok = !floats  ? Status()
                    : narrow ? this->narrow(value, *source)
                             : widen(value, std::string(source->name));
          !ok)
        return ok.error();
      sources.push_back(floats && narrow ? value.narrow : value.wide);
    }
    return context_.apply(node.op, sources, node.params, name);
  }

  Status cast(const Tensor& from, DType type, const std::string& name, Tensor& to) {
    OpParams params;
    params.set(CastParams{type});
    const Tensor sources[] = {from};
    auto made = context_.apply(Op::Cast, sources, params, name);
    if (!made) return made.error();
    to = *made;
    return out_.graph.expand(to);
  }
  Status widen(Widths& value, const std::string& name) {
    return value.wide ? Status() : cast(value.narrow, DType::F32, name + " (float32)", value.wide);
  }
  Status narrow(Widths& value, const TensorImpl& origin) {
    if (value.narrow) return {};
    if (!origin.has(kFlagWeight))
      return cast(value.wide, DType::F16, std::string(origin.name) + " (float16)", value.narrow);
    auto made = context_.new_tensor(DType::F16, Dims(origin.sizes.span()), origin.name);
    if (!made) return made.error();
    value.narrow = *made;
    value.narrow->flags |= kFlagWeight;
    out_.weights.push_back({value.wide, value.narrow});
    return {};
  }

  const Graph& given_;
  Context context_;
  PrecisionGraph& out_;
  std::vector<Widths> values_, leafs_;
};

}  // namespace

Result<PrecisionGraph> convert_precision(const Graph& graph) {
  size_t sources = 1;
  for (const TensorImpl* node : graph.nodes()) sources = std::max(sources, node->sources.size());
  const size_t capacity = 3 * graph.nodes().size() + 3 * graph.leafs().size() + 8;
  const size_t pool =
      Context::graph_overhead(capacity) + 2 * capacity * Context::tensor_overhead(sources) + (size_t{1} << 16);
  auto context = Context::create({.mem_size = pool, .no_alloc = true});
  if (!context) return context.error();
  auto made = context->new_graph(capacity);
  if (!made) return made.error();
  PrecisionGraph out;
  out.graph = *made;
  if (auto ok = Narrowing(graph, *context, out).run(); !ok) return ok.error();
  return out;
}

uint16_t half_from_float(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value), sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x477ff000u) return static_cast<uint16_t>(sign | 0x7c00u);  // rounds above 65504
  if (magnitude < 0x33000001u) return static_cast<uint16_t>(sign);             // at most half of the smallest
  uint32_t fraction, shift;
  if (magnitude < 0x38800000u) {  // a subnormal half
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
    auto storage = Storage::allocate(context, {}, MemoryKind::Persistent, weight.narrow->byte_count());
    if (!storage) return storage.error();
    const int64_t n = weight.wide->element_count();
    if (n > 0 && !weight.wide->contiguous())
      return Error{std::string(weight.wide->name) + " is not contiguous and cannot be made float16"};
    const float* from = weight.wide->data_as<float>();
    auto* to = reinterpret_cast<uint16_t*>(storage->data());
    for (int64_t i = 0; i < n; ++i)
      to[i] = half_from_float(std::isfinite(from[i]) ? std::clamp(from[i], -65504.0f, 65504.0f) : from[i]);
    weight.narrow->storage = std::move(*storage);
    if (!graph.graph.find_leaf(*weight.wide).valid()) weight.wide->storage = Storage();
  }
  return {};
}

}  // namespace arenascope
