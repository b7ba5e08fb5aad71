// SPDX-License-Identifier: MIT
// Shape rules of views and of ops that move elements without arithmetic.
#include <algorithm>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/graph/op_params.h>
#include "engine/graph/op_rules.h"

namespace arenascope::rules {

Result<Inferred> reshape_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl& source = *sources[0];
  const Dims sizes = params.get<ReshapeParams>().sizes;
  auto count = checked_element_count(sizes);
  if (!count) return refuse(op, count.error().message);
  if (*count != source.element_count())
    return refuse(op, fmt::format("shape {} has {} elements, the input {} has {}", to_string(sizes), *count,
                                  to_string(source.sizes), source.element_count()));
  if (!source.contiguous()) return refuse(op, "its input must be contiguous; make it so with CONT");
  return Inferred{source.dtype, sizes, contiguous_strides(sizes), 0};
}

Result<Inferred> view_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl& source = *sources[0];
  const auto p = params.get<ViewParams>();
  auto count = checked_element_count(p.sizes);
  if (!count) return refuse(op, count.error().message);
  if (p.sizes.rank() != p.strides.rank()) return refuse(op, "it needs one stride a dimension");
  // The first and the last element must be inside of the input's range, negative strides included.
  int64_t low = p.offset, high = p.offset;
  for (int i = 0; i < p.sizes.rank() && *count > 0; ++i) {
    auto reach = checked_mul(p.sizes[i] - 1, p.strides[i]);
    auto end = reach ? checked_add(*reach < 0 ? low : high, *reach) : std::nullopt;
    if (!end) return refuse(op, "its strides reach beyond 2^63-1 elements");
    (*reach < 0 ? low : high) = *end;
  }
  // A reversed input covers elements below its first one.
  int64_t first = 0, last = -1;
  if (source.element_count() > 0) {
    last = 0;
    for (int i = 0; i < source.rank(); ++i)
      (source.strides[i] < 0 ? first : last) += (source.sizes[i] - 1) * source.strides[i];
  }
  if (*count > 0 && (low < first || high > last))
    return refuse(op, fmt::format("elements {} to {} are not within the input's {} to {}", low, high, first, last));
  if (*count == 0 && (p.offset < first || p.offset > last + 1)) return refuse(op, "its offset is outside the input");
  const int32_t block = info(source.dtype).block_elements;
  if (block > 1) {
    bool fits = p.offset % block == 0 && p.sizes.back() % block == 0 && (p.strides.empty() || p.strides.back() == 1);
    for (int i = 0; i + 1 < p.strides.rank(); ++i) fits = fits && p.strides[i] % block == 0;
    if (!fits) return refuse(op, fmt::format("it cuts through blocks of {}", name(source.dtype)));
  }
  // Strides of dimensions with at most one element are not checked above, so they are replaced.
  Inferred out{source.dtype, p.sizes, p.strides, p.offset};
  const Dims usual = contiguous_strides(p.sizes);
  for (int i = 0; i < p.sizes.rank(); ++i)
    if (*count == 0 || (p.sizes[i] == 1 && (p.strides[i] > last + 1 || p.strides[i] < first - 1)))
      out.strides[i] = usual[i];
  return out;
}

Result<Inferred> permute_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl& source = *sources[0];
  const auto p = params.get<PermuteParams>();
  Inferred out{source.dtype, source.sizes, source.sizes, 0};
  uint32_t seen = 0;
  for (int i = 0; i < source.rank(); ++i) {
    const int axis = p.axes[i];
    if (axis < 0 || axis >= source.rank() || (seen & (1u << axis)))
      return refuse(op, fmt::format("its axes are not a permutation of {} dimensions", source.rank()));
    seen |= 1u << axis;
    out.sizes[i] = source.sizes[axis];
    out.strides[i] = source.strides[axis];
  }
  if (info(source.dtype).quantised && source.rank() > 0 && p.axes[source.rank() - 1] != source.rank() - 1)
    return refuse(op, "the innermost dimension of a quantised tensor must stay");
  return out;
}

Result<Inferred> transpose_rule(Op op, Sources sources, const OpParams&) {
  const TensorImpl& source = *sources[0];
  if (source.rank() < 2) return refuse(op, "its input needs two dimensions");
  if (info(source.dtype).quantised) return refuse(op, "the innermost dimension of a quantised tensor must stay");
  Inferred out{source.dtype, source.sizes, source.strides, 0};
  const int last = source.rank() - 1;
  std::swap(out.sizes[last], out.sizes[last - 1]);
  std::swap(out.strides[last], out.strides[last - 1]);
  return out;
}

Result<Inferred> expand_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl& source = *sources[0];
  const Dims sizes = params.get<ReshapeParams>().sizes;
  auto count = checked_element_count(sizes);
  if (!count) return refuse(op, count.error().message);
  auto same = broadcast(source.sizes, sizes);
  if (!same || !(*same == sizes))
    return refuse(op, fmt::format("shape {} does not expand to {}", to_string(source.sizes), to_string(sizes)));
  Inferred out{source.dtype, sizes, sizes, 0};
  for (int i = 0; i < sizes.rank(); ++i) {
    const int from = i - (sizes.rank() - source.rank());
    out.strides[i] = from >= 0 && source.sizes[from] == sizes[i] ? source.strides[from] : 0;
  }
  return out;
}

Result<Inferred> cast_rule(Op, Sources sources, const OpParams& params) {
  const Dims sizes = sources[0]->sizes;
  const DType dtype = params.get<CastParams>().dtype;
  auto bytes = checked_byte_count(sizes, dtype);
  if (!bytes) return refuse(Op::Cast, bytes.error().message);
  return Inferred{dtype, sizes, {}, 0};
}

Result<Inferred> bit_cast_rule(Op op, Sources sources, const OpParams& params) {
  if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  const DType from = sources[0]->dtype, to = params.get<CastParams>().dtype;
  if (info(to).quantised || info(to).block_bytes != info(from).block_bytes)
    return refuse(op, fmt::format("{} has not as many bits as {}", name(from), name(to)));
  return Inferred{to, sources[0]->sizes, {}, 0};
}

Result<Inferred> grid_sample_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl &x = *sources[0], &grid = *sources[1];
  const auto p = params.get<GridSampleParams>();
  const int spatial = x.rank() - 2;
  if (!info(x.dtype).floating || !info(grid.dtype).floating) return refuse(op, "its inputs must be floating point");
  if (spatial < 1 || spatial > 3 || grid.rank() != x.rank())
    return refuse(op, fmt::format("an image {} and a grid {}", to_string(x.sizes), to_string(grid.sizes)));
  if (p.mode == ResizeMode::Cubic && spatial != 2)
    return refuse(op, fmt::format("cubic interpolation over {} dimensions", spatial));
  if (grid.sizes.back() != spatial || grid.sizes[0] != x.sizes[0])
    return refuse(op, fmt::format("the grid {} does not fit the image {}", to_string(grid.sizes), to_string(x.sizes)));
  Dims sizes = {x.sizes[0], x.sizes[1]};
  for (int d = 0; d < spatial; ++d) {
    if (x.sizes[d + 2] == 0) return refuse(op, fmt::format("there is nothing in the image {}", to_string(x.sizes)));
    sizes.push_back(grid.sizes[d + 1]);
  }
  return Inferred{x.dtype, sizes, {}, 0};
}

Result<Inferred> concat_rule(Op op, Sources sources, const OpParams& params) {
  const int axis = params.get<AxisParams>().axis;
  Dims sizes = sources[0]->sizes;
  if (axis < 0 || axis >= sizes.rank()) return refuse(op, fmt::format("axis {} of {} dimensions", axis, sizes.rank()));
  for (size_t s = 1; s < sources.size(); ++s) {
    const TensorImpl& source = *sources[s];
    bool fits = source.dtype == sources[0]->dtype && source.rank() == sizes.rank();
    for (int i = 0; fits && i < sizes.rank(); ++i) fits = i == axis || source.sizes[i] == sizes[i];
    if (!fits)
      return refuse(op,
                    fmt::format("input {} is {} {}, which does not continue {} {} along axis {}", s, name(source.dtype),
                                to_string(source.sizes), name(sources[0]->dtype), to_string(sources[0]->sizes), axis));
    auto sum = checked_add(sizes[axis], source.sizes[axis]);
    if (!sum) return refuse(op, "the sizes along its axis overflow");
    sizes[axis] = *sum;
  }
  return Inferred{sources[0]->dtype, sizes, {}, 0};
}

Result<Inferred> pad_rule(Op op, Sources sources, const OpParams& params) {
  if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  const auto p = params.get<PadParams>();
  Dims sizes = sources[0]->sizes;
  for (int i = 0; i < sizes.rank(); ++i) {
    const int64_t before = sizes[i];
    auto after = checked_add(before, int64_t{p.begin[i]} + p.end[i]);
    if (!after || *after < 0)
      return refuse(
          op, fmt::format("pads {} and {} leave nothing of dimension {} of size {}", p.begin[i], p.end[i], i, before));
    if (p.mode == PadMode::Reflect &&
        (p.begin[i] >= std::max<int64_t>(before, 1) || p.end[i] >= std::max<int64_t>(before, 1)))
      return refuse(op, fmt::format("reflection by {} and {} reaches beyond dimension {} of size {}", p.begin[i],
                                    p.end[i], i, before));
    if (p.mode == PadMode::Edge && before == 0 && *after > 0) return refuse(op, "an empty dimension has no edge");
    sizes[i] = *after;
  }
  return Inferred{sources[0]->dtype, sizes, {}, 0};
}

Result<Inferred> gather_rule(Op op, Sources sources, const OpParams& params) {
  const TensorImpl &table = *sources[0], &indices = *sources[1];
  const int axis = params.get<AxisParams>().axis;
  if (axis < 0 || axis >= table.rank()) return refuse(op, fmt::format("axis {} of {} dimensions", axis, table.rank()));
  if (indices.dtype != DType::I64 && indices.dtype != DType::I32)
    return refuse(op, fmt::format("indices must be i32 or i64, not {}", name(indices.dtype)));
  if (table.rank() - 1 + indices.rank() > kMaxDims) return refuse(op, "the result has more than 8 dimensions");
  if (info(table.dtype).quantised && axis == table.rank() - 1) return refuse(op, "it cuts through quantised blocks");
  Dims sizes;
  for (int i = 0; i < axis; ++i) sizes.push_back(table.sizes[i]);
  for (int64_t size : indices.sizes) sizes.push_back(size);
  for (int i = axis + 1; i < table.rank(); ++i) sizes.push_back(table.sizes[i]);
  return Inferred{info(table.dtype).quantised ? DType::F32 : table.dtype, sizes, {}, 0};
}

Result<Inferred> gather_elements_rule(Op op, Sources sources, const OpParams& params) {
  if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  const TensorImpl &table = *sources[0], &indices = *sources[1];
  const int axis = params.get<AxisParams>().axis;
  if (axis < 0 || axis >= table.rank() || indices.rank() != table.rank())
    return refuse(op, fmt::format("axis {}, {} dimensions and indices of {}", axis, table.rank(), indices.rank()));
  if (indices.dtype != DType::I64 && indices.dtype != DType::I32) return refuse(op, "indices must be i32 or i64");
  for (int i = 0; i < table.rank(); ++i)
    if (i != axis && indices.sizes[i] > table.sizes[i])
      return refuse(op, fmt::format("indices {} reach outside {}", to_string(indices.sizes), to_string(table.sizes)));
  return Inferred{table.dtype, indices.sizes, {}, 0};
}

// SET_ROWS with one index per element (own_places.h).
Status elements_fit(Op op, Sources sources, int axis) {
  const TensorImpl &to = *sources[0], &from = *sources[1], &places = *sources[2];
  if (info(to.dtype).quantised || to.dtype != from.dtype)
    return refuse(op, fmt::format("elements of {} cannot be written into {}", name(from.dtype), name(to.dtype)));
  if (!(places.sizes == from.sizes))
    return refuse(op, fmt::format("the indices {} do not match {}", to_string(places.sizes), to_string(from.sizes)));
  for (int i = 0; i < to.rank(); ++i)
    if (i != axis && from.sizes[i] > to.sizes[i])
      return refuse(op, fmt::format("elements {} reach outside {}", to_string(from.sizes), to_string(to.sizes)));
  return {};
}

Result<Inferred> set_rows_rule(Op op, Sources sources, const OpParams& params) {
  if (auto plain = refuse_quantised(op, sources.subspan(1)); !plain) return plain.error();
  const TensorImpl &to = *sources[0], &from = *sources[1];
  const auto [axis, has_rows] = params.get<SetRowsParams>();
  // Only complete rows of quantised blocks can be written.
  if (info(to.dtype).quantised &&
      (to.dtype != DType::Q8_0 || !info(from.dtype).floating || axis == to.rank() - 1 || !to.contiguous()))
    return refuse(op, fmt::format("it cannot write {} {} into {} along axis {}", name(from.dtype),
                                  to_string(from.sizes), name(to.dtype), axis));
  if (axis < 0 || axis >= to.rank() || from.rank() != to.rank())
    return refuse(op, fmt::format("axis {} of {} and {} dimensions", axis, to.rank(), from.rank()));
  Dims expected = to.sizes;
  if (has_rows) {
    if (sources.size() < 3) return refuse(op, "it has no rows");
    const TensorImpl& rows = *sources[2];
    if (rows.rank() == 0 || (rows.dtype != DType::I64 && rows.dtype != DType::I32))
      return refuse(op, fmt::format("its rows must be a vector of i32 or i64, not {} {}", name(rows.dtype),
                                    to_string(rows.sizes)));
    if (rows.rank() > 1) {
      if (auto fit = elements_fit(op, sources, axis); !fit) return fit.error();
      expected = from.sizes;
    } else {
      expected[axis] = rows.sizes[0];
    }
  }
  if (!(from.sizes == expected))
    return refuse(op, fmt::format("rows {} for {}", to_string(from.sizes), to_string(expected)));
  for (int i = 0; i < to.rank(); ++i)
    if (to.strides[i] == 0 && to.sizes[i] > 1) return refuse(op, "elements that share bytes cannot be written");
  return Inferred{to.dtype, to.sizes, to.strides, 0};
}

Result<Inferred> fill_rule(Op op, Sources, const OpParams& params) {
  const auto p = params.get<FillParams>();
  if (info(p.dtype).quantised) return refuse(op, fmt::format("it cannot make {} blocks", name(p.dtype)));
  return Inferred{p.dtype, p.sizes, {}, 0};
}

Result<Inferred> resize_rule(Op op, Sources sources, const OpParams& params) {
  if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  const auto p = params.get<ResizeParams>();
  if (p.sizes.rank() != sources[0]->rank())
    return refuse(op, fmt::format("{} sizes for {} dimensions", p.sizes.rank(), sources[0]->rank()));
  for (int i = 0; i < p.sizes.rank(); ++i)
    if (sources[0]->sizes[i] == 0 && p.sizes[i] > 0) return refuse(op, "an empty dimension cannot grow");
  return Inferred{sources[0]->dtype, p.sizes, {}, 0};
}

Result<Inferred> depth_to_space_rule(Op op, Sources sources, const OpParams& params) {
  const int64_t block = params.get<DepthToSpaceParams>().block;
  const Dims& s = sources[0]->sizes;
  if (s.rank() != 4 || block < 1 || block > 65536 || s[1] % (block * block) != 0)
    return refuse(op, fmt::format("shape {} and block size {}", to_string(s), block));
  if (auto plain = refuse_quantised(op, sources); !plain) return plain.error();
  const auto height = checked_mul(s[2], block), width = checked_mul(s[3], block);
  if (!height || !width) return refuse(op, "its sizes overflow");
  return Inferred{sources[0]->dtype, {s[0], s[1] / (block * block), *height, *width}, {}, 0};
}

}  // namespace arenascope::rules
