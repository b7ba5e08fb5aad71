// SPDX-License-Identifier: MIT
// Shape rules of normalisations, reductions, selections and rotary embedding.
#include <fmt/format.h>

#include <arenascope/graph/op_params.h>
#include "engine/graph/op_rules.h"

namespace arenascope::rules {
namespace {

bool is_axis(int axis, const TensorImpl& tensor) { return axis >= 0 && axis < tensor.rank(); }

Error no_axis(Op op, int axis, const TensorImpl& tensor) {
  return refuse(op, fmt::format("axis {} of {} dimensions", axis, tensor.rank()));
}

Dims without(const Dims& sizes, uint32_t axes, bool keep_dims) {
  Dims out;
  for (int i = 0; i < sizes.rank(); ++i) {
    if (!(axes & (1u << i)))
      out.push_back(sizes[i]);
    else if (keep_dims)
      out.push_back(1);
  }
  return out;
}

}  // namespace

Result<Inferred> batch_norm_rule(Op op, Sources sources, const OpParams& params) {
  if (sources[0]->rank() < 2) return refuse(op, "its input needs a channel dimension");
  const int64_t channels = sources[0]->sizes[1];
  for (size_t i = 1; i < sources.size(); ++i)
    if (!(sources[i]->sizes == Dims{channels}) || sources[i]->dtype != sources[0]->dtype)
      return refuse(op, fmt::format("input {} is {}, not one number for each of {} channels", i,
                                    to_string(sources[i]->sizes), channels));
  return float_rule(op, sources, params);
}

Result<Inferred> norm_rule(Op op, Sources sources, const OpParams& params) {
  const int axis = params.get<NormParams>().axis;
  if (!is_axis(axis, *sources[0])) return no_axis(op, axis, *sources[0]);
  Dims normalised;
  for (int i = axis; i < sources[0]->rank(); ++i) normalised.push_back(sources[0]->sizes[i]);
  for (size_t i = 1; i < sources.size(); ++i) {
    auto sizes = broadcast(sources[i]->sizes, normalised);
    if (!sizes || !(*sizes == normalised) || sources[i]->dtype != sources[0]->dtype)
      return refuse(op, fmt::format("input {} is {}, which does not broadcast to {}", i, to_string(sources[i]->sizes),
                                    to_string(normalised)));
  }
  return float_rule(op, sources, params);
}

Result<Inferred> group_norm_rule(Op op, Sources sources, const OpParams& params) {
  const int64_t groups = params.get<GroupNormParams>().groups;
  if (sources[0]->rank() < 2) return refuse(op, "its input needs a channel dimension");
  const int64_t channels = sources[0]->sizes[1];
  if (groups < 1 || channels % groups != 0)
    return refuse(op, fmt::format("{} channels in {} groups", channels, groups));
  for (size_t i = 1; i < sources.size(); ++i)
    if (!(sources[i]->sizes == Dims{channels}))
      return refuse(op, fmt::format("input {} is {}, not [{}]", i, to_string(sources[i]->sizes), channels));
  return float_rule(op, sources, params);
}

Result<Inferred> soft_max_rule(Op op, Sources sources, const OpParams& params) {
  const int axis = params.get<SoftMaxParams>().axis;
  if (!is_axis(axis, *sources[0])) return no_axis(op, axis, *sources[0]);
  if (sources.size() > 1) {
    auto sizes = broadcast(sources[1]->sizes, sources[0]->sizes);
    if (!sizes || !(*sizes == sources[0]->sizes))
      return refuse(op, fmt::format("its mask {} does not broadcast to {}", to_string(sources[1]->sizes),
                                    to_string(sources[0]->sizes)));
  }
  return float_rule(op, sources, params);
}

Result<Inferred> reduce_rule(Op op, Sources sources, const OpParams& params) {
  const auto p = params.get<ReduceParams>();
  if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  if (p.axes >> sources[0]->rank())
    return refuse(op, fmt::format("its axes reach beyond {} dimensions", sources[0]->rank()));
  return Inferred{sources[0]->dtype, without(sources[0]->sizes, p.axes, p.keep_dims), {}, 0};
}

Result<Inferred> arg_rule(Op op, Sources sources, const OpParams& params) {
  const auto p = params.get<ArgParams>();
  if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  if (!is_axis(p.axis, *sources[0])) return no_axis(op, p.axis, *sources[0]);
  if (sources[0]->sizes[p.axis] == 0) return refuse(op, "an empty dimension has no extreme");
  return Inferred{DType::I64, without(sources[0]->sizes, 1u << p.axis, p.keep_dims), {}, 0};
}

Result<Inferred> top_k_rule(Op op, Sources sources, const OpParams& params) {
  const auto p = params.get<TopKParams>();
  if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  if (!is_axis(p.axis, *sources[0])) return no_axis(op, p.axis, *sources[0]);
  Dims sizes = sources[0]->sizes;
  if (p.k < 0 || p.k > sizes[p.axis]) return refuse(op, fmt::format("the {} largest of {}", p.k, sizes[p.axis]));
  sizes[p.axis] = p.k;
  return Inferred{op == Op::TopKIndices ? DType::I64 : sources[0]->dtype, sizes, {}, 0};
}

Result<Inferred> rope_rule(Op op, Sources sources, const OpParams& params) {
  const auto p = params.get<RopeParams>();
  const TensorImpl& x = *sources[0];
  if (x.rank() < 2 || p.dims < 2 || p.dims % 2 != 0 || p.dims > x.sizes.back())
    return refuse(op, fmt::format("{} rotated dimensions of {}", p.dims, to_string(x.sizes)));
  if (sources.size() > 1 && (!(sources[1]->sizes == Dims{x.sizes.back(1)}) ||
                             (sources[1]->dtype != DType::I32 && sources[1]->dtype != DType::I64)))
    return refuse(op, fmt::format("positions {} for {} steps", to_string(sources[1]->sizes), x.sizes.back(1)));
  return float_rule(op, sources, params);
}

}  // namespace arenascope::rules
