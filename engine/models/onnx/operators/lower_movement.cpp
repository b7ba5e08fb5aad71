// SPDX-License-Identifier: MIT
// ONNX operators that only move elements.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/onnx/high_rank_shapes.h"

#include <algorithm>
#include <climits>
#include <numeric>
#include <vector>

namespace arenascope::models {
namespace {

// Writes a constant with its dimensions in another order.
WeightSource::Writer permuted_writer(WeightSource source, const Dims& from, std::vector<int> axes, DType dtype) {
  return [source = std::move(source), from, axes = std::move(axes), dtype](std::byte* out) -> Status {
    const auto item = static_cast<size_t>(element_bytes(dtype));
    const auto plain = WeightReader::read(source, static_cast<size_t>(element_count(from)) * item);
    if (!plain) return plain.error();
    const Dims strides = contiguous_strides(from);
    const int rank = from.rank();
    Dims sizes = from, step = from, at = Dims::filled(rank, 0);
    for (int i = 0; i < rank; ++i)
      sizes[i] = from[axes[static_cast<size_t>(i)]], step[i] = strides[axes[static_cast<size_t>(i)]];
    const int64_t count = element_count(from);
    int64_t where = 0;
    for (int64_t i = 0; i < count; ++i) {
      std::copy_n(plain->data() + static_cast<size_t>(where) * item, item, out + static_cast<size_t>(i) * item);
      for (int d = rank - 1; d >= 0; --d) {
        where += step[d];
        if (++at[d] < sizes[d]) break;
        where -= step[d] * sizes[d];
        at[d] = 0;
      }
    }
    return {};
  };
}

void transpose(OpCall& c) {
  const int rank = c.rank(0);
  std::vector<int> axes;
  for (int64_t p : c.attr_ints("perm")) axes.push_back(c.axis(p, rank));
  if (axes.empty())
    for (int i = rank - 1; i >= 0; --i) axes.push_back(i);
  uint32_t seen = 0;
  for (int a : axes) seen |= 1u << a;
  if (!c.ok() || static_cast<int>(axes.size()) != rank || seen != (1u << rank) - 1)
    return c.fail("its perm must be a permutation of the dimensions");
  const Value& x = c.value(0);
  if (x.kind == Value::Kind::Constant) {
    Dims sizes = x.sizes;
    for (int i = 0; i < rank; ++i) sizes[i] = x.sizes[axes[static_cast<size_t>(i)]];
    return c.out_constant(0, x.dtype, sizes, permuted_writer(x.source, x.sizes, axes, x.dtype));
  }
  c.out(0, c.permute(c.in(0), axes));
}

void concat(OpCall& c) {
  std::vector<Tensor> parts;
  const int axis = c.axis(c.attr_int("axis", c.opset() < 4 ? 1 : 0), c.rank(0));
  for (size_t i = 0; i < c.input_count(); ++i) {
    const Tensor part = c.in(i);
    if (!part) return;
    if (part->element_count() > 0 || part->rank() == c.rank(0)) parts.push_back(part);
  }
  if (!c.ok()) return;
  for (const Tensor& part : parts) {
    Dims sizes = part.sizes();
    if (sizes.rank() != c.rank(0)) return c.fail("its inputs have different ranks");
    sizes[axis] = parts[0].sizes()[axis];
    if (!(sizes == parts[0].sizes()))
      return c.fail(fmt::format("sizes differ in a dimension other than axis {}", axis));
  }
  if (parts.size() == 1) return c.out(0, c.inputs()[0]);
  c.out(0, c.op_list(Op::Concat, parts, AxisParams{axis}));
}

void split(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const int axis = c.axis(c.attr_int("axis", 0), x->rank());
  if (!c.ok()) return;
  const int64_t size = x.sizes()[axis], n = static_cast<int64_t>(c.output_count());
  std::vector<int64_t> parts = c.opset() < 13 ? c.attr_ints("split") : std::vector<int64_t>();
  if (c.opset() >= 13 && c.has(1))
    if (auto given = c.ints(1)) parts = *given;
  if (!c.ok()) return;
  if (parts.empty()) {
    const int64_t each = size / std::max<int64_t>(n, 1) + (size % std::max<int64_t>(n, 1) != 0 ? 1 : 0);
    for (int64_t i = 0; i < n; ++i) parts.push_back(std::clamp<int64_t>(size - i * each, 0, each));
  }
  int64_t sum = 0;
  for (int64_t part : parts) {
    auto next = part < 0 ? std::nullopt : checked_add(sum, part);
    if (!next) return c.fail("its split sizes are negative or overflow");
    sum = *next;
  }
  if (sum != size || static_cast<int64_t>(parts.size()) != n)
    return c.fail(
        fmt::format("found {} split sizes with a sum of {}: expected {} with a sum of {}", parts.size(), sum, n, size));
  int64_t start = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    c.out(i, c.slice(x, axis, start, start + parts[i], 1, fmt::format(":{}", i).c_str()));
    start += parts[i];
  }
}

void slice(OpCall& c) {
  Tensor x = c.in(0);
  if (!x) return;
  const bool old = c.opset() < 10;
  std::vector<int64_t> starts, ends, axes, steps;
  const auto read = [&](size_t i, const char* name, std::vector<int64_t>& to) {
    if (old)
      to = c.attr_ints(name);
    else if (auto given = c.ints(i))
      to = *given;
  };
  read(1, "starts", starts), read(2, "ends", ends), read(3, "axes", axes);
  if (!old) read(4, "steps", steps);
  if (!c.ok()) return;
  if (starts.size() != ends.size() || (!axes.empty() && axes.size() != starts.size()) ||
      (!steps.empty() && steps.size() != starts.size()))
    return c.fail("its starts, ends, axes and steps differ in length");
  for (size_t i = 0; i < starts.size(); ++i) {
    const int axis = c.axis(axes.empty() ? static_cast<int64_t>(i) : axes[i], x->rank());
    if (!c.ok()) return;
    auto cut = slice_range(x.sizes()[axis], starts[i], ends[i], steps.empty() ? 1 : steps[i]);
    if (!cut) return c.fail(cut.error().message);
    if (cut->step == 1 && cut->count == x.sizes()[axis]) continue;
    const int64_t end = cut->start + cut->count * cut->step;
    x = c.slice(x, axis, cut->start, cut->count == 0 ? cut->start : end, cut->count == 0 ? 1 : cut->step,
                i + 1 == starts.size() ? "" : fmt::format(":{}", i).c_str());
    if (!x) return;
  }
  if (x == c.in(0)) return c.out(0, c.inputs()[0]);
  c.out(0, x);
}

Tensor whole_indices(OpCall& c, size_t i) {
  const Tensor t = c.in(i);
  return !t || t.dtype() == DType::I64 || t.dtype() == DType::I32 ? t : c.cast(t, DType::I64, ":indices");
}

void gather(OpCall& c) {
  c.out(0, c.op_with(Op::Gather, {c.in(0), whole_indices(c, 1)}, AxisParams{c.axis(c.attr_int("axis", 0), c.rank(0))}));
}

void gather_elements(OpCall& c) {
  c.out(0, c.op_with(Op::GatherElements, {c.in(0), whole_indices(c, 1)},
                     AxisParams{c.axis(c.attr_int("axis", 0), c.rank(0))}));
}

// Rows selected by index tuples, which are linearised by a matmul with the strides.
void gather_nd(OpCall& c) {
  const int batch = static_cast<int>(std::clamp<int64_t>(c.attr_int("batch_dims", 0), 0, kMaxDims));
  const Tensor x = c.in(0);
  const auto tuples = c.known(1);
  if (!x) return;
  if (!tuples) return c.wait_for(1, "its indices must be known at compile time", true);
  const int rank = tuples->sizes.rank();
  if (rank < 1 || batch >= rank || batch > x->rank())
    return c.fail(fmt::format("batch_dims {} is too large for indices {} and data {}", batch, to_string(tuples->sizes),
                              to_string(x.sizes())));
  const int width = static_cast<int>(tuples->sizes[rank - 1]);
  if (width < 1 || batch + width > x->rank()) return c.fail("its indices are longer than its input has dimensions");
  int64_t rows = 1, batches = 1;
  for (int i = 0; i < batch + width; ++i) rows *= x.sizes()[i];
  for (int i = 0; i < batch; ++i) batches *= x.sizes()[i];
  Dims flat{rows}, result;
  for (int i = 0; i < rank - 1; ++i) result.push_back(tuples->sizes[i]);
  for (int i = batch + width; i < x->rank(); ++i) {
    flat.push_back(x.sizes()[i]);
    if (result.rank() == kMaxDims) return c.fail("its result has more than 8 dimensions");
    result.push_back(x.sizes()[i]);
  }
  const int64_t count = tuples->count() / width;
  if (batches == 0 || count % batches != 0)
    return c.fail(fmt::format("{} index tuples cannot be divided into {} batches", count, batches));
  std::vector<int64_t> index_list;
  for (int64_t t = 0; t < count; ++t) {
    int64_t at = t / (count / batches);
    for (int k = 0; k < width; ++k) {
      const int64_t size = x.sizes()[batch + k];
      int64_t index = tuples->integer(t * width + k);
      if (index < -size || index >= size)
        return c.fail(fmt::format("the index {} is out of range for a dimension of {}", index, size));
      at = at * size + (index < 0 ? index + size : index);
    }
    index_list.push_back(at);
  }
  const Tensor picked =
      c.op_with(Op::Gather, {c.reshape(x, flat, ":rows"), c.constant(HostArray::of(index_list), ":places")},
                AxisParams{0}, ":picked");
  c.out(0, c.reshape(picked, result));
}

void expand(OpCall& c) {
  const Tensor x = c.in(0);
  const auto shape = c.ints(1);
  if (!x || !shape) return c.fail("it has no shape");
  if (shape->size() > kMaxDims) return expand_wide(c, *shape);
  auto sizes = broadcast(x.sizes(), Dims(*shape));
  if (!sizes) return c.fail(sizes.error().message);
  if (*sizes == x.sizes()) return c.out(0, c.inputs()[0]);
  c.out(0, c.expand(x, *sizes));
}

// Repeats along each dimension: a dimension of size 1 is put before it, expanded, and merged with it.
void tile(OpCall& c) {
  Tensor x = c.in(0);
  const auto repeats = c.ints(1);
  if (!x || !repeats || static_cast<int>(repeats->size()) != x->rank())
    return c.fail("it needs one repeat per dimension");
  for (int i = 0; i < x->rank(); ++i) {
    const int64_t n = (*repeats)[static_cast<size_t>(i)];
    if (n == 1) continue;
    auto grown = n < 0 ? std::nullopt : checked_mul(n, x.sizes()[i]);
    if (!grown) return c.fail(fmt::format("repeats cannot be {}", n));
    int64_t before = 1, after = 1;
    for (int d = 0; d < i; ++d) before *= x.sizes()[d];
    for (int d = i; d < x->rank(); ++d) after *= x.sizes()[d];
    Dims sizes = x.sizes();
    sizes[i] = *grown;
    const std::string at = fmt::format(":{}", i);
    x = c.expand(c.reshape(x, {before, 1, after}, (at + "_rows").c_str()), {before, n, after}, (at + "_wide").c_str());
    x = c.reshape(x, sizes, at.c_str());
    if (!x) return;
  }
  if (x == c.in(0)) return c.out(0, c.inputs()[0]);
  c.out(0, x);
}

void pad(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  PadParams p{};
  const std::string mode = c.attr_string("mode", "constant");
  if (mode == "constant")
    p.mode = PadMode::Constant;
  else if (mode == "reflect")
    p.mode = PadMode::Reflect;
  else if (mode == "edge")
    p.mode = PadMode::Edge;
  else if (mode != "wrap")
    return c.fail(fmt::format("the mode '{}' is not supported", mode));
  std::vector<int64_t> pads =
      c.opset() < 11 ? c.attr_ints(c.opset() < 2 ? "paddings" : "pads") : std::vector<int64_t>();
  double value = static_cast<double>(c.attr_float("value", 0));
  if (c.opset() >= 11) {
    if (auto given = c.ints(1)) pads = *given;
    if (c.has(2))
      if (auto given = c.floats(2); given && given->size() == 1) value = (*given)[0];
  }
  std::vector<int> axes = c.axes(3, 1, x->rank());
  if (axes.empty() && !c.has(3)) axes.resize(static_cast<size_t>(x->rank())), std::iota(axes.begin(), axes.end(), 0);
  if (!c.ok()) return;
  if (pads.size() != 2 * axes.size())
    return c.fail(fmt::format("found {} pads: expected 2 for each of {} dimensions", pads.size(), axes.size()));
  for (size_t i = 0; i < axes.size(); ++i)
    for (int side : {0, 1}) {
      const int64_t n = pads[i + static_cast<size_t>(side) * axes.size()];
      if (n < INT_MIN / 2 || n > INT_MAX / 2) return c.fail(fmt::format("a pad of {} is out of range", n));
      (side ? p.end : p.begin)[axes[i]] = static_cast<int32_t>(n);
    }
  p.value = static_cast<float>(value);
  if (mode != "wrap") return c.out(0, c.op_with(Op::Pad, {x}, p));
  // Wrap mode: slices of the opposite side are added before and after.
  Tensor y = x;
  for (int i = 0; i < x->rank() && y; ++i) {
    const int64_t size = y.sizes()[i], b = p.begin[i], e = p.end[i];
    if (b == 0 && e == 0) continue;
    if (b < 0 || e < 0 || b > size || e > size)
      return c.fail("wrap mode cannot pad by more than the size of a dimension");
    std::vector<Tensor> parts;
    const std::string at = fmt::format(":{}", i);
    if (b) parts.push_back(c.slice(y, i, size - b, size, 1, (at + "_before").c_str()));
    parts.push_back(y);
    if (e) parts.push_back(c.slice(y, i, 0, e, 1, (at + "_after").c_str()));
    y = c.op_list(Op::Concat, parts, AxisParams{i}, at.c_str());
  }
  c.out(0, y);
}

void depth_to_space(OpCall& c) {
  const int64_t block = c.attr_int("blocksize", 0);
  if (block < 1 || block > 65536) return c.fail(fmt::format("blocksize is {}: expected 1 to 65536", block));
  c.out(0, c.op_with(Op::DepthToSpace, {c.in(0)},
                     DepthToSpaceParams{static_cast<int32_t>(block), c.attr_string("mode", "DCR") == "CRD"}));
}

void space_to_depth(OpCall& c) {
  const int64_t b = c.attr_int("blocksize", 0);
  const Tensor x = c.in(0);
  if (!x || b < 1 || b > 65536 || x->rank() != 4 || x.sizes()[2] % b || x.sizes()[3] % b)
    return c.fail("its block does not divide its input");
  const Dims& s = x.sizes();
  const int axes[] = {0, 3, 5, 1, 2, 4};
  const Tensor cut = c.reshape(x, {s[0], s[1], s[2] / b, b, s[3] / b, b}, ":cut");
  c.out(0, c.reshape(c.permute(cut, axes, ":turned"), {s[0], s[1] * b * b, s[2] / b, s[3] / b}));
}

void trilu(OpCall& c) {
  int64_t k = 0;
  if (c.has(1))
    if (auto given = c.ints(1); given && given->size() == 1) k = (*given)[0];
  c.out(0, c.op_with(Op::Tril, {c.in(0)}, TrilParams{k, c.attr_int("upper", 1) != 0}));
}

// off + (on - off) · (index = 0, 1, … depth - 1), the new dimension at `axis`.
void one_hot(OpCall& c) {
  Tensor indices = c.in(0);
  const auto depth = c.ints(1);
  const Tensor values = c.in(2);
  if (!indices || !values || !depth || depth->size() != 1)
    return c.fail("its depth must be a constant with one element");
  if ((*depth)[0] < 0 || (*depth)[0] > HostArray::kMaxElements)
    return c.fail(fmt::format("depth is {}: expected 0 to {}", (*depth)[0], HostArray::kMaxElements));
  const int axis = c.axis(c.attr_int("axis", -1), indices->rank() + 1);
  if (!c.ok() || indices->rank() == kMaxDims) return c.fail("its result has more than 8 dimensions");
  indices = c.cast(indices, DType::I64, ":whole");
  const int64_t n = (*depth)[0];
  // Negative indices count from the end.
  const Tensor negative = c.op(Op::Less, {indices, c.scalar(0, DType::I64, ":zero")}, ":negative");
  indices = c.op(
      Op::Where,
      {negative, c.op(Op::Add, {indices, c.scalar(static_cast<double>(n), DType::I64, ":depth")}, ":wrapped"), indices},
      ":index");
  if (!indices) return;
  Dims sizes, ramp = Dims::filled(indices->rank() + 1, 1);
  for (int i = 0, next = 0; i <= indices->rank(); ++i) sizes.push_back(i == axis ? 1 : indices.sizes()[next++]);
  ramp[axis] = n;
  std::vector<int64_t> classes(static_cast<size_t>(n));
  std::iota(classes.begin(), classes.end(), 0);
  HostArray array = HostArray::of(classes);
  array.sizes = ramp;
  const Tensor hot =
      c.op(Op::Equal, {c.reshape(indices, sizes, ":column"), c.constant(std::move(array), ":classes")}, ":hot");
  const Tensor off = c.slice(values, 0, 0, 1, 1, ":off"), on = c.slice(values, 0, 1, 2, 1, ":on");
  c.out(0, c.op(Op::Where, {hot, on, off}));
}

void center_crop_pad(OpCall& c) {
  Tensor x = c.in(0);
  const auto shape = c.ints(1);
  if (!x || !shape) return c.fail("it has no shape");
  std::vector<int64_t> axes = c.attr_ints("axes");
  if (axes.empty())
    for (int i = 0; i < x->rank(); ++i) axes.push_back(i);
  if (axes.size() != shape->size()) return c.fail("its shape and axes differ in length");
  PadParams p{};
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = c.axis(axes[i], x->rank());
    if (!c.ok()) return;
    const int64_t have = x.sizes()[axis], want = (*shape)[i];
    if (want < 0 || want > INT_MAX / 2) return c.fail(fmt::format("a size of {} is out of range", want));
    if (want < have) {
      x = c.slice(x, axis, (have - want) / 2, (have - want) / 2 + want, 1, fmt::format(":{}", axis).c_str());
    } else {
      p.begin[axis] = static_cast<int32_t>((want - have) / 2);
      p.end[axis] = static_cast<int32_t>(want - have - (want - have) / 2);
    }
    if (!x) return;
  }
  c.out(0, c.op_with(Op::Pad, {x}, p));
}

// Reverses the first entries of each sequence: a gather with indices computed from the lengths.
void reverse_sequence(OpCall& c) {
  const Tensor x = c.in(0);
  const auto lengths = c.ints(1);
  if (!x || !lengths || x->rank() < 2) return c.fail("it needs two dimensions and known lengths");
  const int batch = c.axis(c.attr_int("batch_axis", 1), x->rank()),
            time = c.axis(c.attr_int("time_axis", 0), x->rank());
  if (!c.ok() || batch > 1 || time > 1 || batch == time) return c.fail("its batch and time axes must be the first two");
  const int64_t steps = x.sizes()[time], sequences = x.sizes()[batch];
  if (static_cast<int64_t>(lengths->size()) != sequences) return c.fail("it needs one length a sequence");
  if (steps * sequences > HostArray::kMaxElements) return c.fail("it has too many steps");
  std::vector<int64_t> index_list;
  for (int64_t i = 0; i < x.sizes()[0]; ++i)
    for (int64_t j = 0; j < x.sizes()[1]; ++j) {
      const int64_t b = batch == 0 ? i : j, t = time == 0 ? i : j, n = (*lengths)[static_cast<size_t>(b)];
      if (n < 0 || n > steps) return c.fail(fmt::format("the sequence length {} is out of range", n));
      const int64_t from = t < n ? n - 1 - t : t;
      index_list.push_back(batch == 0 ? b * steps + from : from * sequences + b);
    }
  Dims flat{steps * sequences};
  for (int i = 2; i < x->rank(); ++i) flat.push_back(x.sizes()[i]);
  const Tensor rows =
      c.op_with(Op::Gather, {c.reshape(x, flat, ":rows"), c.constant(HostArray::of(index_list), ":places")},
                AxisParams{0}, ":picked");
  c.out(0, c.reshape(rows, x.sizes()));
}

constexpr HandlerEntry kMovementHandlers[] = {
    {"CenterCropPad", center_crop_pad},
    {"Concat", concat},
    {"DepthToSpace", depth_to_space},
    {"Expand", expand},
    {"Gather", gather},
    {"GatherElements", gather_elements},
    {"GatherND", gather_nd},
    {"OneHot", one_hot},
    {"Pad", pad},
    {"ReverseSequence", reverse_sequence},
    {"Slice", slice},
    {"SpaceToDepth", space_to_depth},
    {"Split", split},
    {"Tile", tile},
    {"Transpose", transpose},
    {"Trilu", trilu},
};

}  // namespace

std::span<const HandlerEntry> movement_handlers() { return kMovementHandlers; }

}  // namespace arenascope::models
