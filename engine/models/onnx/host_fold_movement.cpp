// SPDX-License-Identifier: MIT
// Constant folding of data movement: shapes, slices, copies and ranges, according to the ONNX specification.
#include <algorithm>

#include "host_fold_parts.h"

namespace arenascope::models::folding {
namespace {

Arrays reshape(const FoldCall& c) {
  const HostArray *x = input(c, 0), *shape = input(c, 1);
  if (!x) return Error{"it has no input"};
  std::vector<int64_t> sizes;
  if (c.op == "Flatten") {
    const int64_t given = c.integer("axis", 1);
    auto axis = given == x->sizes.rank() ? Result<int>(x->sizes.rank()) : axis_of(given, x->sizes.rank());
    if (!axis) return axis.error();
    sizes = {1, 1};
    for (int i = 0; i < x->sizes.rank(); ++i) sizes[i < *axis ? 0 : 1] *= x->sizes[i];
  } else if (c.op == "Unsqueeze" || c.op == "Squeeze") {
    const auto axes = axes_of(c, 1);
    const bool out_axes = c.op == "Unsqueeze";
    const int rank = x->sizes.rank() + (out_axes ? static_cast<int>(axes.size()) : 0);
    std::vector<bool> marked(static_cast<size_t>(rank), false);
    for (int64_t a : axes) {
      auto axis = axis_of(a, rank);
      if (!axis) return axis.error();
      if (marked[static_cast<size_t>(*axis)]) return Error{fmt::format("axis {} is duplicated", a)};
      marked[static_cast<size_t>(*axis)] = true;
    }
    int next = 0;
    for (int i = 0; i < rank; ++i) {
      const bool mark = marked[static_cast<size_t>(i)];
      if (out_axes)
        sizes.push_back(mark ? 1 : x->sizes[next++]);
      else if (axes.empty() ? x->sizes[i] != 1 : !mark)
        sizes.push_back(x->sizes[i]);
    }
  } else {
    sizes = shape ? shape->ints : c.integers("shape");
    int64_t known = 1;
    int unknown = -1;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == 0 && c.integer("allowzero", 0) == 0 && static_cast<int>(i) < x->sizes.rank())
        sizes[i] = x->sizes[static_cast<int>(i)];
      if (sizes[i] == -1 && unknown < 0)
        unknown = static_cast<int>(i);
      else if (auto product = checked_mul(known, sizes[i]))
        known = *product;
      else
        return Error{"its shape overflows"};
    }
    if (unknown >= 0 && known > 0) sizes[static_cast<size_t>(unknown)] = x->count() / known;
  }
  auto dims = checked_sizes(sizes);
  if (!dims) return dims.error();
  if (element_count(*dims) != x->count())
    return Error{fmt::format("{} does not have {} elements", to_string(*dims), x->count())};
  return one(reshaped(*x, *dims));
}

Arrays gather(const FoldCall& c) {
  const HostArray *x = input(c, 0), *indices = input(c, 1);
  if (!x || !indices || indices->floating()) return Error{"an input is missing"};
  auto axis = axis_of(c.integer("axis", 0), x->sizes.rank());
  if (!axis) return axis.error();
  std::vector<int64_t> sizes;
  int64_t before = 1, after = 1;
  for (int i = 0; i < *axis; ++i) sizes.push_back(x->sizes[i]), before *= x->sizes[i];
  for (int64_t s : indices->sizes) sizes.push_back(s);
  for (int i = *axis + 1; i < x->sizes.rank(); ++i) sizes.push_back(x->sizes[i]), after *= x->sizes[i];
  auto dims = checked_sizes(sizes);
  if (!dims) return dims.error();
  const int64_t along = x->sizes[*axis];
  std::vector<int64_t> index;
  for (int64_t b = 0; b < before; ++b)
    for (int64_t i : indices->ints) {
      if (i < -along || i >= along) return Error{fmt::format("index {} of {}", i, along)};
      for (int64_t a = 0; a < after; ++a) index.push_back((b * along + (i < 0 ? i + along : i)) * after + a);
    }
  return one(picked(*x, *dims, index));
}

Arrays slice(const FoldCall& c) {
  const HostArray* x = input(c, 0);
  if (!x) return Error{"it has no input"};
  const bool old = c.opset < 10;
  const auto list = [&](size_t i, const char* name) {
    return old ? c.integers(name) : input(c, i) ? input(c, i)->ints : std::vector<int64_t>();
  };
  const auto starts = list(1, "starts"), ends = list(2, "ends"), axes = list(3, "axes");
  const auto steps = old ? std::vector<int64_t>() : list(4, "");
  Dims first = Dims::filled(x->sizes.rank(), 0), step = Dims::filled(x->sizes.rank(), 1), sizes = x->sizes;
  for (size_t i = 0; i < starts.size(); ++i) {
    if (i >= ends.size() || (!axes.empty() && i >= axes.size()) || (!steps.empty() && i >= steps.size()))
      return Error{"its starts, ends, axes and steps differ in length"};
    auto axis = axis_of(axes.empty() ? static_cast<int64_t>(i) : axes[i], x->sizes.rank());
    if (!axis) return axis.error();
    auto cut = slice_range(x->sizes[*axis], starts[i], ends[i], steps.empty() ? 1 : steps[i]);
    if (!cut) return cut.error();
    first[*axis] = cut->start, step[*axis] = cut->step, sizes[*axis] = cut->count;
  }
  const Dims strides = contiguous_strides(x->sizes);
  std::vector<int64_t> index(static_cast<size_t>(element_count(sizes)));
  Dims at = Dims::filled(sizes.rank(), 0);
  for (int64_t& where : index) {
    where = 0;
    for (int d = 0; d < sizes.rank(); ++d) where += (first[d] + at[d] * step[d]) * strides[d];
    for (int d = sizes.rank() - 1; d >= 0 && ++at[d] == sizes[d]; --d) at[d] = 0;
  }
  return one(picked(*x, sizes, index));
}

Arrays concat(const FoldCall& c) {
  if (!input(c, 0)) return Error{"it has no input"};
  const HostArray& x = *c.inputs[0];
  auto axis = axis_of(c.integer("axis", c.opset < 4 ? 1 : 0), x.sizes.rank());
  if (!axis) return axis.error();
  Dims sizes = x.sizes;
  sizes[*axis] = 0;
  int64_t before = 1, after = 1;
  for (int i = 0; i < *axis; ++i) before *= x.sizes[i];
  for (int i = *axis + 1; i < x.sizes.rank(); ++i) after *= x.sizes[i];
  for (const HostArray* part : c.inputs) {
    if (!part || part->dtype != x.dtype || part->sizes.rank() != x.sizes.rank())
      return Error{"its inputs differ in type or number of dimensions"};
    for (int i = 0; i < x.sizes.rank(); ++i)
      if (i != *axis && part->sizes[i] != x.sizes[i])
        return Error{fmt::format("its inputs {} and {} differ outside of axis {}", to_string(x.sizes),
                                 to_string(part->sizes), *axis)};
    const auto sum = checked_add(sizes[*axis], part->sizes[*axis]);  // of no elements, there may be any number of them
    if (!sum) return Error{"its result is too large"};
    sizes[*axis] = *sum;
  }
  if (auto fits = checked_sizes(sizes.span()); !fits) return fits.error();
  HostArray out = HostArray::make(x.dtype, sizes);
  size_t to = 0;
  for (int64_t b = 0; b < before; ++b)
    for (const HostArray* part : c.inputs) {
      const auto rows = static_cast<size_t>(part->sizes[*axis] * after), from = static_cast<size_t>(b) * rows;
      for (size_t i = 0; i < rows; ++i, ++to) {
        if (out.floating())
          out.floats[to] = part->floats[from + i];
        else
          out.ints[to] = part->ints[from + i];
      }
    }
  return one(std::move(out));
}

Arrays transpose(const FoldCall& c) {
  const HostArray* x = input(c, 0);
  if (!x) return Error{"it has no input"};
  const int rank = x->sizes.rank();
  auto perm = c.integers("perm");
  if (perm.empty())
    for (int i = rank - 1; i >= 0; --i) perm.push_back(i);
  Dims sizes = x->sizes, strides = x->sizes;
  const Dims from = contiguous_strides(x->sizes);
  if (static_cast<int>(perm.size()) != rank) return Error{"its perm must be a permutation of the dimensions"};
  uint32_t seen = 0;
  for (int i = 0; i < rank; ++i) {
    const int64_t p = perm[static_cast<size_t>(i)];
    if (p < 0 || p >= rank || (seen & (1u << p))) return Error{"its perm must be a permutation of the dimensions"};
    seen |= 1u << p;
    sizes[i] = x->sizes[static_cast<int>(p)], strides[i] = from[static_cast<int>(p)];
  }
  std::vector<int64_t> index(static_cast<size_t>(x->count()));
  Dims at = Dims::filled(rank, 0);
  for (int64_t& where : index) {
    where = 0;
    for (int d = 0; d < rank; ++d) where += at[d] * strides[d];
    for (int d = rank - 1; d >= 0 && ++at[d] == sizes[d]; --d) at[d] = 0;
  }
  return one(picked(*x, sizes, index));
}

Arrays expand(const FoldCall& c) {
  const HostArray *x = input(c, 0), *shape = input(c, 1);
  if (!x || !shape) return Error{"an input is missing"};
  auto dims = checked_sizes(shape->ints);
  if (!dims) return dims.error();
  auto sizes = broadcast(x->sizes, *dims);
  if (!sizes) return sizes.error();
  if (auto fits = checked_sizes(sizes->span()); !fits) return fits.error();
  return one(picked(*x, *sizes, broadcast_index(x->sizes, *sizes)));
}

Arrays constant_of_shape(const FoldCall& c) {
  const HostArray *shape = input(c, 0), *value = input(c, 1);  // the caller hands the attribute over as an input
  if (!shape || !value || value->count() != 1) return Error{"an input is missing"};
  auto dims = checked_sizes(shape->ints);
  if (!dims) return dims.error();
  HostArray out = HostArray::make(value->dtype, *dims);
  std::fill(out.floats.begin(), out.floats.end(), value->floating() ? value->floats[0] : 0);
  std::fill(out.ints.begin(), out.ints.end(), value->floating() ? 0 : value->ints[0]);
  return one(std::move(out));
}

Arrays range(const FoldCall& c) {
  const HostArray *start = input(c, 0), *limit = input(c, 1), *delta = input(c, 2);
  if (!start || !limit || !delta || start->count() != 1 || limit->count() != 1 || delta->count() != 1)
    return Error{"start, limit and delta must be single numbers"};
  const double by = delta->number(0), n = std::ceil((limit->number(0) - start->number(0)) / by);
  if (by == 0 || !(n <= static_cast<double>(HostArray::kMaxElements))) return Error{"it has too many numbers"};
  HostArray out = HostArray::make(start->dtype, {static_cast<int64_t>(std::max(n, 0.0))});
  for (int64_t i = 0; i < out.count(); ++i) {
    if (out.floating())
      out.set(i, start->number(0) + static_cast<double>(i) * by);
    else
      out.set_integer(i, static_cast<int64_t>(static_cast<uint64_t>(start->integer(0)) +
                                              static_cast<uint64_t>(i) * static_cast<uint64_t>(delta->integer(0))));
  }
  return one(std::move(out));
}

Arrays tile(const FoldCall& c) {
  const HostArray *x = input(c, 0), *repeats = input(c, 1);
  if (!x || !repeats || repeats->count() != x->sizes.rank()) return Error{"it needs one repeat per dimension"};
  std::vector<int64_t> sizes;
  for (int i = 0; i < x->sizes.rank(); ++i) {
    auto n = checked_mul(x->sizes[i], repeats->integer(i));
    if (!n) return Error{"its sizes overflow"};
    sizes.push_back(*n);
  }
  auto dims = checked_sizes(sizes);
  if (!dims) return dims.error();
  const Dims strides = contiguous_strides(x->sizes);
  std::vector<int64_t> index(static_cast<size_t>(element_count(*dims)));
  Dims at = Dims::filled(dims->rank(), 0);
  for (int64_t& where : index) {
    where = 0;
    for (int d = 0; d < dims->rank(); ++d) where += at[d] % x->sizes[d] * strides[d];
    for (int d = dims->rank() - 1; d >= 0 && ++at[d] == (*dims)[d]; --d) at[d] = 0;
  }
  return one(picked(*x, *dims, index));
}

Arrays non_zero(const FoldCall& c) {
  const HostArray* x = input(c, 0);
  if (!x) return Error{"it has no input"};
  const int rank = std::max(x->sizes.rank(), 1);
  std::vector<std::vector<int64_t>> index_list(static_cast<size_t>(rank));
  for (int64_t i = 0; i < x->count(); ++i) {
    if (x->number(i) == 0) continue;
    int64_t rest = i;
    for (int d = x->sizes.rank() - 1; d >= 0; --d) {
      index_list[static_cast<size_t>(d)].push_back(rest % x->sizes[d]);
      rest /= x->sizes[d];
    }
    if (x->sizes.empty()) index_list[0].push_back(0);
  }
  HostArray out = HostArray::make(DType::I64, {rank, static_cast<int64_t>(index_list[0].size())});
  size_t to = 0;
  for (const auto& row : index_list)
    for (int64_t v : row) out.ints[to++] = v;
  return one(std::move(out));
}

Arrays split(const FoldCall& c) {
  const HostArray* x = input(c, 0);
  if (!x) return Error{"it has no input"};
  auto axis = axis_of(c.integer("axis", 0), x->sizes.rank());
  if (!axis) return axis.error();
  const int64_t size = x->sizes[*axis], n = static_cast<int64_t>(c.outputs);
  std::vector<int64_t> parts = c.opset < 13  ? c.integers("split")
                               : input(c, 1) ? input(c, 1)->ints
                                             : std::vector<int64_t>();
  const int64_t each = size / std::max<int64_t>(n, 1) + (size % std::max<int64_t>(n, 1) != 0 ? 1 : 0);
  if (parts.empty())
    for (int64_t i = 0; i < n; ++i) parts.push_back(std::clamp<int64_t>(size - i * each, 0, each));
  int64_t inner = 1, first = 0;
  for (int d = *axis + 1; d < x->sizes.rank(); ++d) inner *= x->sizes[d];
  std::vector<HostArray> out;
  for (const int64_t part : parts) {
    if (part < 0 || part > size - first)
      return Error{fmt::format("a split size of {} exceeds the {} left", part, size - first)};
    Dims sizes = x->sizes;
    sizes[*axis] = part;
    std::vector<int64_t> index;
    for (int64_t i = 0; i < element_count(sizes); ++i)
      index.push_back((i / (part * inner) * size + first) * inner + i % (part * inner));
    out.push_back(picked(*x, sizes, index));
    first += part;
  }
  if (first != size || out.size() != c.outputs)
    return Error{fmt::format("found {} split sizes with a sum of {}: expected {} with a sum of {}", out.size(), first,
                             c.outputs, size)};
  return out;
}

Arrays identity(const FoldCall& c) {
  if (!input(c, 0)) return Error{"it has no input"};
  return one(*c.inputs[0]);
}

}  // namespace

void add_movement(Table& table) {
  table.insert({{"Gather", gather},
                {"Slice", slice},
                {"Concat", concat},
                {"Transpose", transpose},
                {"Expand", expand},
                {"ConstantOfShape", constant_of_shape},
                {"Range", range},
                {"Tile", tile},
                {"NonZero", non_zero},
                {"Split", split},
                {"Identity", identity}});
  for (const char* op : {"Reshape", "Flatten", "Unsqueeze", "Squeeze"}) table[op] = reshape;
}

}  // namespace arenascope::models::folding
