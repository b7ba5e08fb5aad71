// SPDX-License-Identifier: MIT
// Shape and flops rules of the pointwise ops.
#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include "engine/graph/op_rules.h"

namespace arenascope::rules {

Error refuse(Op op, const std::string& text) { return Error{fmt::format("{}: {}", name(op), text)}; }

Result<Inferred> no_rule(Op op, Sources, const OpParams&) {
  return refuse(op, "a leaf tensor is not computed by an op");
}

Status refuse_quantised(Op op, Sources sources) {
  for (const TensorImpl* source : sources)
    if (info(source->dtype).quantised)
      return refuse(op, fmt::format("a {} input must be cast first", name(source->dtype)));
  return {};
}

Result<Inferred> same_rule(Op op, Sources sources, const OpParams&) {
  // Quantised blocks can be copied; no other op supports them.
  if (op != Op::Cont && op != Op::Copy)
    if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  return Inferred{sources[0]->dtype, sources[0]->sizes, {}, 0};
}

Result<Inferred> float_rule(Op op, Sources sources, const OpParams&) {
  if (!info(sources[0]->dtype).floating)
    return refuse(op, fmt::format("its input must be floating point, not {}", name(sources[0]->dtype)));
  return Inferred{sources[0]->dtype, sources[0]->sizes, {}, 0};
}

Result<Inferred> predicate_rule(Op op, Sources sources, const OpParams&) {
  if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  return Inferred{DType::Bool, sources[0]->sizes, {}, 0};
}

namespace {

Result<Inferred> broadcast_pair(Op op, const TensorImpl& a, const TensorImpl& b, DType dtype) {
  auto sizes = broadcast(a.sizes, b.sizes);
  if (!sizes) return refuse(op, sizes.error().message);
  if (info(a.dtype).quantised || info(b.dtype).quantised) return refuse(op, "quantised inputs must be cast first");
  return Inferred{dtype, *sizes, {}, 0};
}

Error unequal_types(Op op, const TensorImpl& a, const TensorImpl& b) {
  return refuse(op, fmt::format("its inputs have different types, {} and {}", name(a.dtype), name(b.dtype)));
}

}  // namespace

Result<Inferred> binary_rule(Op op, Sources sources, const OpParams&) {
  if (sources[0]->dtype != sources[1]->dtype) return unequal_types(op, *sources[0], *sources[1]);
  return broadcast_pair(op, *sources[0], *sources[1], sources[0]->dtype);
}

Result<Inferred> pow_rule(Op op, Sources sources, const OpParams&) {
  return broadcast_pair(op, *sources[0], *sources[1], sources[0]->dtype);
}

Result<Inferred> compare_rule(Op op, Sources sources, const OpParams&) {
  if (sources[0]->dtype != sources[1]->dtype) return unequal_types(op, *sources[0], *sources[1]);
  return broadcast_pair(op, *sources[0], *sources[1], DType::Bool);
}

Result<Inferred> bits_rule(Op op, Sources sources, const OpParams&) {
  const DTypeInfo& type = info(sources[0]->dtype);
  if (type.floating || type.quantised || sources[0]->dtype == DType::Bool)
    return refuse(op, fmt::format("its input must be of an integer type, not {}", name(sources[0]->dtype)));
  if (sources.size() == 1) return Inferred{sources[0]->dtype, sources[0]->sizes, {}, 0};
  if (sources[0]->dtype != sources[1]->dtype) return unequal_types(op, *sources[0], *sources[1]);
  return broadcast_pair(op, *sources[0], *sources[1], sources[0]->dtype);
}

Result<Inferred> shift_rule(Op op, Sources sources, const OpParams& params) {
  const DType type = sources[0]->dtype;
  if (type != DType::U8 && type != DType::U16 && type != DType::U32 && type != DType::U64)
    return refuse(op, fmt::format("its inputs must be unsigned, not {}", name(type)));
  return bits_rule(op, sources, params);
}

Result<Inferred> where_rule(Op op, Sources sources, const OpParams&) {
  if (sources[0]->dtype != DType::Bool) return refuse(op, "its condition must be bool");
  if (sources[1]->dtype != sources[2]->dtype) return unequal_types(op, *sources[1], *sources[2]);
  auto values = broadcast_pair(op, *sources[1], *sources[2], sources[1]->dtype);
  if (!values) return values;
  auto sizes = broadcast(sources[0]->sizes, values->sizes);
  if (!sizes) return refuse(op, sizes.error().message);
  return Inferred{sources[1]->dtype, *sizes, {}, 0};
}

int64_t no_flops(const TensorImpl&) { return 0; }
int64_t element_flops(const TensorImpl& node) { return node.element_count(); }
int64_t source_flops(const TensorImpl& node) { return node.sources[0]->element_count(); }
int64_t norm_flops(const TensorImpl& node) { return saturating_mul(5, node.element_count()); }

}  // namespace arenascope::rules
