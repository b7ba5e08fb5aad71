// SPDX-License-Identifier: MIT
// Shape rules of the ops for training and for mixture of experts.
#include <fmt/format.h>

#include <arenascope/graph/op_params.h>
#include "engine/graph/op_rules.h"

namespace arenascope::rules {
namespace {

bool is_place(const TensorImpl& t) { return t.dtype == DType::I64 || t.dtype == DType::I32; }

bool is_plain_line(const TensorImpl& t, const Dims& sizes) {
  return t.dtype == DType::F32 && t.sizes == sizes && t.contiguous();
}

}  // namespace

Result<Inferred> gather_back_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl &dy = *sources[0], &places = *sources[1];
  const int64_t size = params.get<GatherBackParams>().size;
  if (dy.rank() < 1 || (dy.dtype != DType::F32 && dy.dtype != DType::F64) || size < 0)
    return refuse(op, fmt::format("rows {} {} of {}", name(dy.dtype), to_string(dy.sizes), size));
  if (places.rank() != 1 || !is_place(places) || places.sizes[0] != dy.sizes[0])
    return refuse(op, fmt::format("the indices {} {} do not match {} rows", name(places.dtype), to_string(places.sizes),
                                  dy.sizes[0]));
  Dims sizes = dy.sizes;
  sizes[0] = size;
  if (sources.size() > 2 && (sources[2]->dtype != dy.dtype || !(sources[2]->sizes == sizes)))
    return refuse(op, fmt::format("its base is {} {}, not {} {}", name(sources[2]->dtype), to_string(sources[2]->sizes),
                                  name(dy.dtype), to_string(sizes)));
  return Inferred{dy.dtype, sizes, {}, 0};
}

Result<Inferred> optimizer_step_rule(Op op, Sources sources, const OpParams& params) {
  const auto p = params.get<OptimizerStepParams>();
  const TensorImpl &parameter = *sources[0], &numbers = *sources[2], &spoilt = *sources[3];
  const auto states = static_cast<size_t>(p.states < 0 ? 0 : p.states);
  if (sources.size() < 4 + states || states > 2 || (p.adaptive && states != 2))
    return refuse(op, fmt::format("{} states among {} inputs", p.states, sources.size()));
  for (size_t i = 0; i < 4 + states; ++i)
    if (i != 2 && i != 3 && !is_plain_line(*sources[i], parameter.sizes))
      return refuse(op, fmt::format("'{}' is {} {}, not contiguous f32 {}", sources[i]->name, name(sources[i]->dtype),
                                    to_string(sources[i]->sizes), to_string(parameter.sizes)));
  if (numbers.dtype != DType::F32 || numbers.rank() != 1 || !numbers.contiguous() || numbers.sizes[0] < 3 ||
      p.keep < 0 || p.keep >= numbers.sizes[0])
    return refuse(op, fmt::format("its numbers are {} {}", name(numbers.dtype), to_string(numbers.sizes)));
  if (spoilt.dtype != DType::Bool || spoilt.element_count() != 1)
    return refuse(op, fmt::format("{} {} is not a single boolean", name(spoilt.dtype), to_string(spoilt.sizes)));
  return Inferred{parameter.dtype, parameter.sizes, parameter.strides, 0};
}

Result<Inferred> dropout_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl &x = *sources[0], &seed = *sources[1];
  const float ratio = params.get<DropoutParams>().ratio;
  if (!info(x.dtype).floating) return refuse(op, fmt::format("{} are not floating point", name(x.dtype)));
  if (!(ratio >= 0) || !(ratio < 1)) return refuse(op, fmt::format("a share of {} is not in [0, 1)", ratio));
  if (seed.dtype != DType::I64 || seed.rank() != 1 || seed.sizes[0] != 2)
    return refuse(op, fmt::format("its seed is {} {}, not a seed and a step", name(seed.dtype), to_string(seed.sizes)));
  return Inferred{x.dtype, Dims(x.sizes.span()), {}, 0};
}

Result<Inferred> mul_mat_id_rule(Op op, Sources sources, const OpParams&) {
  const TensorImpl &a = *sources[0], &x = *sources[1], &ids = *sources[2];
  const auto is_float = [](DType type) { return info(type).floating && type != DType::F64; };
  const bool types = (is_float(a.dtype) || info(a.dtype).quantised) && is_float(x.dtype) && is_place(ids);
  const bool ranks = a.rank() == 3 && ids.rank() == 2 && (x.rank() == 2 || x.rank() == 3);
  if (!types || !ranks || a.sizes[2] != x.sizes.back() || x.sizes[0] != ids.sizes[0] ||
      (x.rank() == 3 && x.sizes[1] != ids.sizes[1]))
    return refuse(
        op, fmt::format("matrices {} {}, rows {} {} and ids {} {} do not match", name(a.dtype), to_string(a.sizes),
                        name(x.dtype), to_string(x.sizes), name(ids.dtype), to_string(ids.sizes)));
  return Inferred{DType::F32, {ids.sizes[0], ids.sizes[1], a.sizes[1]}, {}, 0};
}

}  // namespace arenascope::rules
