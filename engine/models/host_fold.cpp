// SPDX-License-Identifier: MIT
// Computes small operators while a model is opened, so that shapes that a file calculates become numbers.
// Semantics are those of the ONNX operator specification.
#include <arenascope/base/checked.h>
#include <arenascope/models/host_array.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

namespace arenascope::models {
namespace {

using Arrays = Result<std::vector<HostArray>>;

Arrays one(HostArray array) {
  std::vector<HostArray> out;
  out.push_back(std::move(array));
  return out;
}

Result<Dims> checked_sizes(std::span<const int64_t> sizes) {
  if (sizes.size() > kMaxDims) return Error{fmt::format("{} dimensions, of at most {}", sizes.size(), kMaxDims)};
  Dims dims(sizes);
  auto count = checked_element_count(dims);
  if (!count) return count.error();
  if (*count > HostArray::kMaxElements) return Error{fmt::format("{} numbers are too many to fold", *count)};
  return dims;
}

Result<int> axis_of(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) return Error{fmt::format("axis {} of {} dimensions", axis, rank)};
  return static_cast<int>(axis < 0 ? axis + rank : axis);
}

// The source's elements at `index`, in shape `sizes`.
HostArray picked(const HostArray& from, const Dims& sizes, const std::vector<int64_t>& index) {
  HostArray out = HostArray::make(from.dtype, sizes);
  for (size_t i = 0; i < index.size(); ++i) {
    const auto at = static_cast<size_t>(index[i]);
    if (from.floating())
      out.floats[i] = from.floats[at];
    else
      out.ints[i] = from.ints[at];
  }
  return out;
}

HostArray reshaped(const HostArray& from, const Dims& sizes) {
  HostArray out = from;
  out.sizes = sizes;
  return out;
}

const HostArray* input(const FoldCall& c, size_t i) {
  return i < c.inputs.size() ? c.inputs[i] : nullptr;
}

std::vector<int64_t> axes_of(const FoldCall& c, size_t i) {
  if (const HostArray* given = input(c, i)) return given->ints;
  return c.integers("axes");
}

// --- element by element ---------------------------------------------------------------------------------------------

using Unary = double (*)(double);
const std::unordered_map<std::string_view, Unary>& unaries() {
  static const std::unordered_map<std::string_view, Unary> table{
      {"Floor", [](double v) { return std::floor(v); }},     {"Ceil", [](double v) { return std::ceil(v); }},
      {"Round", [](double v) { return std::nearbyint(v); }}, {"Sqrt", [](double v) { return std::sqrt(v); }},
      {"Reciprocal", [](double v) { return 1 / v; }},        {"Exp", [](double v) { return std::exp(v); }},
      {"Log", [](double v) { return std::log(v); }},         {"Sin", [](double v) { return std::sin(v); }},
      {"Cos", [](double v) { return std::cos(v); }},         {"Tanh", [](double v) { return std::tanh(v); }},
      {"Erf", [](double v) { return std::erf(v); }}};
  return table;
}

Arrays unary(const FoldCall& c) {
  const HostArray* x = input(c, 0);
  if (!x) return Error{"it has no source"};
  HostArray out = HostArray::make(c.op == "Not" ? DType::Bool : x->dtype, x->sizes);
  for (int64_t i = 0; i < x->count(); ++i) {
    const auto at = static_cast<size_t>(i);
    if (c.op == "Not")
      out.ints[at] = x->integer(i) == 0;
    else if (c.op == "Neg" && !x->floating())
      out.set_integer(i, static_cast<int64_t>(0 - static_cast<uint64_t>(x->ints[at])));
    else if (c.op == "Abs" && !x->floating())
      out.set_integer(i, x->ints[at] < 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x->ints[at])) : x->ints[at]);
    else if (c.op == "Sign")
      out.set(i, x->number(i) > 0 ? 1 : x->number(i) < 0 ? -1 : 0);
    else if (c.op == "Neg")
      out.set(i, -x->number(i));
    else if (c.op == "Abs")
      out.set(i, std::fabs(x->number(i)));
    else if (c.op == "Relu")
      out.set(i, std::max(x->number(i), 0.0));
    else
      out.set(i, unaries().at(c.op)(x->number(i)));
  }
  return one(std::move(out));
}

double binary_float(std::string_view op, double a, double b) {
  if (op == "Add" || op == "Sum") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Div") return a / b;
  if (op == "Pow") return std::pow(a, b);
  if (op == "Min") return std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b);
  if (op == "Max") return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b);
  return std::fmod(a, b);
}

Result<int64_t> binary_int(const FoldCall& c, int64_t a, int64_t b) {
  const auto ua = static_cast<uint64_t>(a), ub = static_cast<uint64_t>(b);
  if (c.op == "Add" || c.op == "Sum") return static_cast<int64_t>(ua + ub);
  if (c.op == "Sub") return static_cast<int64_t>(ua - ub);
  if (c.op == "Mul") return static_cast<int64_t>(ua * ub);
  if (c.op == "Min") return std::min(a, b);
  if (c.op == "Max") return std::max(a, b);
  if (c.op == "Pow") {
    const double power = std::pow(static_cast<double>(a), static_cast<double>(b));
    return std::fabs(power) < 9e18 ? static_cast<int64_t>(power) : 0;
  }
  if (b == 0) return Error{"it divides by zero"};
  if (b == -1) return c.op == "Div" ? static_cast<int64_t>(0 - ua) : 0;
  if (c.op == "Div") return a / b;
  const int64_t rest = a % b;
  return c.integer("fmod", 0) == 0 && rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

Arrays binary(const FoldCall& c) {
  if (!input(c, 0)) return Error{"it has no source"};
  HostArray left = *input(c, 0);
  for (size_t s = 1; s < c.inputs.size(); ++s) {
    const HostArray* b = c.inputs[s];
    if (!b) return Error{"a source is missing"};
    if (left.dtype != b->dtype && c.op != "Pow") return Error{"its sources have different types"};
    auto sizes = broadcast(left.sizes, b->sizes);
    if (!sizes) return sizes.error();
    if (auto fits = checked_sizes(sizes->span()); !fits) return fits.error();
    const auto from_a = broadcast_index(left.sizes, *sizes), from_b = broadcast_index(b->sizes, *sizes);
    HostArray out = HostArray::make(left.dtype, *sizes);
    for (int64_t i = 0; i < out.count(); ++i) {
      const int64_t ia = from_a[static_cast<size_t>(i)], ib = from_b[static_cast<size_t>(i)];
      if (left.floating() || b->floating()) {
        out.set(i, binary_float(c.op, left.number(ia), b->number(ib)));
      } else {
        auto value = binary_int(c, left.integer(ia), b->integer(ib));
        if (!value) return value.error();
        out.set_integer(i, *value);
      }
    }
    left = std::move(out);
  }
  return one(std::move(left));
}

Arrays compare(const FoldCall& c) {
  const HostArray *a = input(c, 0), *b = input(c, 1);
  if (!a || !b) return Error{"a source is missing"};
  auto sizes = broadcast(a->sizes, b->sizes);
  if (!sizes) return sizes.error();
  if (auto fits = checked_sizes(sizes->span()); !fits) return fits.error();
  const auto from_a = broadcast_index(a->sizes, *sizes), from_b = broadcast_index(b->sizes, *sizes);
  HostArray out = HostArray::make(DType::Bool, *sizes);
  for (size_t i = 0; i < out.ints.size(); ++i) {
    bool equal, less;
    if (a->floating() || b->floating()) {
      const double x = a->number(from_a[i]), y = b->number(from_b[i]);
      equal = x == y, less = x < y;
    } else {
      const int64_t x = a->integer(from_a[i]), y = b->integer(from_b[i]);
      equal = x == y, less = x < y;
    }
    const bool x = a->number(from_a[i]) != 0, y = b->number(from_b[i]) != 0;
    if (c.op == "Equal")
      out.ints[i] = equal;
    else if (c.op == "Less")
      out.ints[i] = less;
    else if (c.op == "LessOrEqual")
      out.ints[i] = less || equal;
    else if (c.op == "Greater")
      out.ints[i] = !less && !equal;
    else if (c.op == "GreaterOrEqual")
      out.ints[i] = !less;
    else if (c.op == "And")
      out.ints[i] = x && y;
    else if (c.op == "Or")
      out.ints[i] = x || y;
    else
      out.ints[i] = x != y;
  }
  return one(std::move(out));
}

Arrays where(const FoldCall& c) {
  const HostArray *test = input(c, 0), *a = input(c, 1), *b = input(c, 2);
  if (!test || !a || !b) return Error{"a source is missing"};
  if (a->dtype != b->dtype) return Error{"its sources have different types"};
  auto values = broadcast(a->sizes, b->sizes);
  if (!values) return values.error();
  auto sizes = broadcast(*values, test->sizes);
  if (!sizes) return sizes.error();
  if (auto fits = checked_sizes(sizes->span()); !fits) return fits.error();
  const auto it = broadcast_index(test->sizes, *sizes), ia = broadcast_index(a->sizes, *sizes),
             ib = broadcast_index(b->sizes, *sizes);
  HostArray out = HostArray::make(a->dtype, *sizes);
  for (size_t i = 0; i < it.size(); ++i) {
    const bool first = test->integer(it[i]) != 0;
    const auto at = static_cast<int64_t>(i);
    if (out.floating())
      out.floats[i] = first ? a->number(ia[i]) : b->number(ib[i]);
    else
      out.set_integer(at, first ? a->integer(ia[i]) : b->integer(ib[i]));
  }
  return one(std::move(out));
}

Arrays cast(const FoldCall& c) {
  const HostArray* x = input(c, 0);
  static constexpr DType kTypes[] = {DType::F32, DType::F32, DType::U8,  DType::I8,   DType::U16, DType::I16,
                                     DType::I32, DType::I64, DType::F32, DType::Bool, DType::F16, DType::F64,
                                     DType::U32, DType::U64, DType::F32, DType::F32,  DType::BF16};
  const int64_t to = c.integer("to", 0);
  if (!x || to < 1 || to > 16 || to == 8 || to == 14 || to == 15)
    return Error{"it casts to a type that cannot be folded"};
  HostArray out = HostArray::make(kTypes[to], x->sizes);
  for (int64_t i = 0; i < x->count(); ++i) {
    if (x->floating())
      out.set(i, x->number(i));
    else
      out.set_integer(i, x->integer(i));
  }
  return one(std::move(out));
}

// --- movement -------------------------------------------------------------------------------------------------------

Arrays reshape(const FoldCall& c) {
  const HostArray *x = input(c, 0), *shape = input(c, 1);
  if (!x) return Error{"it has no source"};
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
      if (marked[static_cast<size_t>(*axis)]) return Error{fmt::format("axis {} stands there twice", a)};
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
    return Error{fmt::format("{} does not hold {} elements", to_string(*dims), x->count())};
  return one(reshaped(*x, *dims));
}

Arrays gather(const FoldCall& c) {
  const HostArray *x = input(c, 0), *indices = input(c, 1);
  if (!x || !indices || indices->floating()) return Error{"a source is missing"};
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
  if (!x) return Error{"it has no source"};
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
  if (!input(c, 0)) return Error{"it has no source"};
  const HostArray& x = *c.inputs[0];
  auto axis = axis_of(c.integer("axis", c.opset < 4 ? 1 : 0), x.sizes.rank());
  if (!axis) return axis.error();
  Dims sizes = x.sizes;
  sizes[*axis] = 0;
  int64_t before = 1, after = 1;
  for (int i = 0; i < *axis; ++i) before *= x.sizes[i];
  for (int i = *axis + 1; i < x.sizes.rank(); ++i) after *= x.sizes[i];
  for (const HostArray* part : c.inputs) {
    if (!part || part->dtype != x.dtype || part->sizes.rank() != x.sizes.rank()) return Error{"its sources do not fit"};
    for (int i = 0; i < x.sizes.rank(); ++i)
      if (i != *axis && part->sizes[i] != x.sizes[i]) return Error{"its sources do not fit"};
    sizes[*axis] += part->sizes[*axis];
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
  if (!x) return Error{"it has no source"};
  const int rank = x->sizes.rank();
  auto perm = c.integers("perm");
  if (perm.empty())
    for (int i = rank - 1; i >= 0; --i) perm.push_back(i);
  Dims sizes = x->sizes, strides = x->sizes;
  const Dims from = contiguous_strides(x->sizes);
  if (static_cast<int>(perm.size()) != rank) return Error{"its axes are no permutation"};
  uint32_t seen = 0;
  for (int i = 0; i < rank; ++i) {
    const int64_t p = perm[static_cast<size_t>(i)];
    if (p < 0 || p >= rank || (seen & (1u << p))) return Error{"its axes are no permutation"};
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
  if (!x || !shape) return Error{"a source is missing"};
  auto dims = checked_sizes(shape->ints);
  if (!dims) return dims.error();
  auto sizes = broadcast(x->sizes, *dims);
  if (!sizes) return sizes.error();
  if (auto fits = checked_sizes(sizes->span()); !fits) return fits.error();
  return one(picked(*x, *sizes, broadcast_index(x->sizes, *sizes)));
}

Arrays constant_of_shape(const FoldCall& c) {
  const HostArray *shape = input(c, 0), *value = input(c, 1);  // the caller hands the attribute over as a source
  if (!shape || !value || value->count() != 1) return Error{"a source is missing"};
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
      out.set_integer(i, start->integer(0) + i * delta->integer(0));
  }
  return one(std::move(out));
}

Arrays reduce(const FoldCall& c) {
  const HostArray* x = input(c, 0);
  if (!x) return Error{"it has no source"};
  const auto axes = axes_of(c, 1);
  const int rank = x->sizes.rank();
  uint32_t mask = 0;
  for (int64_t a : axes) {
    auto axis = axis_of(a, rank);
    if (!axis) return axis.error();
    mask |= 1u << *axis;
  }
  if (axes.empty()) {
    if (c.integer("noop_with_empty_axes", 0)) return one(*x);
    mask = (1u << rank) - 1;
  }
  Dims kept = x->sizes, sizes;
  double divisor = 1;
  for (int i = 0; i < rank; ++i) {
    const bool gone = (mask & (1u << i)) != 0;
    if (gone) divisor *= static_cast<double>(x->sizes[i]), kept[i] = 1;
    if (!gone || c.integer("keepdims", 1)) sizes.push_back(kept[i]);
  }
  if (x->count() == 0) return Error{"it reduces nothing"};
  HostArray out = HostArray::make(x->dtype, sizes);
  std::vector<bool> begun(static_cast<size_t>(out.count()), false);
  const auto to = broadcast_index(kept, x->sizes);
  for (int64_t i = 0; i < x->count(); ++i) {
    const int64_t at = to[static_cast<size_t>(i)];
    const double v = x->number(i), sum = out.number(at);
    if (!begun[static_cast<size_t>(at)])
      out.set(at, v);
    else if (c.op == "ReduceProd")
      out.set(at, sum * v);
    else if (c.op == "ReduceMax")
      out.set(at, std::max(sum, v));
    else if (c.op == "ReduceMin")
      out.set(at, std::min(sum, v));
    else
      out.set(at, sum + v);
    begun[static_cast<size_t>(at)] = true;
  }
  if (c.op == "ReduceMean")
    for (int64_t i = 0; i < out.count(); ++i) out.set(i, out.number(i) / divisor);
  return one(std::move(out));
}

Arrays tile(const FoldCall& c) {
  const HostArray *x = input(c, 0), *repeats = input(c, 1);
  if (!x || !repeats || repeats->count() != x->sizes.rank()) return Error{"it needs one repeat a dimension"};
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
  if (!x) return Error{"it has no source"};
  const int rank = std::max(x->sizes.rank(), 1);
  std::vector<std::vector<int64_t>> places(static_cast<size_t>(rank));
  for (int64_t i = 0; i < x->count(); ++i) {
    if (x->number(i) == 0) continue;
    int64_t rest = i;
    for (int d = x->sizes.rank() - 1; d >= 0; --d) {
      places[static_cast<size_t>(d)].push_back(rest % x->sizes[d]);
      rest /= x->sizes[d];
    }
    if (x->sizes.empty()) places[0].push_back(0);
  }
  HostArray out = HostArray::make(DType::I64, {rank, static_cast<int64_t>(places[0].size())});
  size_t to = 0;
  for (const auto& row : places)
    for (int64_t v : row) out.ints[to++] = v;
  return one(std::move(out));
}

Arrays identity(const FoldCall& c) {
  if (!input(c, 0)) return Error{"it has no source"};
  return one(*c.inputs[0]);
}

const std::unordered_map<std::string_view, Arrays (*)(const FoldCall&)>& folds() {
  static const std::unordered_map<std::string_view, Arrays (*)(const FoldCall&)> table = [] {
    std::unordered_map<std::string_view, Arrays (*)(const FoldCall&)> t{
        {"Cast", cast},     {"Where", where},         {"Gather", gather},    {"Slice", slice},
        {"Concat", concat}, {"Transpose", transpose}, {"Expand", expand},    {"ConstantOfShape", constant_of_shape},
        {"Range", range},   {"Tile", tile},           {"NonZero", non_zero}, {"Identity", identity}};
    for (const char* op : {"Not", "Neg", "Abs", "Sign", "Relu"}) t[op] = unary;
    for (const auto& entry : unaries()) t[entry.first] = unary;
    for (const char* op : {"Add", "Sum", "Sub", "Mul", "Div", "Pow", "Min", "Max", "Mod"}) t[op] = binary;
    for (const char* op : {"Equal", "Less", "LessOrEqual", "Greater", "GreaterOrEqual", "And", "Or", "Xor"})
      t[op] = compare;
    for (const char* op : {"Reshape", "Flatten", "Unsqueeze", "Squeeze"}) t[op] = reshape;
    for (const char* op : {"ReduceSum", "ReduceProd", "ReduceMax", "ReduceMin", "ReduceMean"}) t[op] = reduce;
    return t;
  }();
  return table;
}

}  // namespace

Result<SliceRange> slice_range(int64_t size, int64_t start, int64_t end, int64_t step) {
  if (step == 0) return Error{"a slice's step is 0"};
  step = std::clamp<int64_t>(step, -(int64_t{1} << 62), int64_t{1} << 62);
  if (start < 0) start += size;
  if (end < 0 && end >= -size)
    end += size;
  else if (end < 0)
    end = step > 0 ? 0 : -1;
  start =
      step > 0 ? std::clamp<int64_t>(start, 0, size) : std::clamp<int64_t>(start, 0, std::max<int64_t>(size - 1, 0));
  end = step > 0 ? std::clamp<int64_t>(end, 0, size) : std::clamp<int64_t>(end, -1, size - 1);
  int64_t count = 0;
  if (step > 0 && end > start) count = (end - start - 1) / step + 1;
  if (step < 0 && size > 0 && start > end) count = (start - end - 1) / -step + 1;
  return SliceRange{start, step, count};
}

bool can_fold(std::string_view op) {
  return folds().count(op) != 0;
}

Result<std::vector<HostArray>> fold(const FoldCall& call) {
  const auto found = folds().find(call.op);
  if (found == folds().end()) return Error{fmt::format("{} cannot be folded", call.op)};
  auto result = found->second(call);
  if (!result) return Error{fmt::format("{}: {}", call.op, result.error().message)};
  return result;
}

}  // namespace arenascope::models
