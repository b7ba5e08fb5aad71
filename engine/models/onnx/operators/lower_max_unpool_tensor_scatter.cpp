// SPDX-License-Identifier: MIT
// ONNX operators that write elements at indices known only at run time: the next rows of a cache, and the maxima of a
// pool.
#include <arenascope/base/checked.h>
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <limits>
#include <vector>

namespace arenascope::models {
namespace {

Tensor counted(OpCall& c, const Dims& sizes, const char* suffix, int64_t start = 0, int64_t step = 1) {
  OpParams bytes;
  bytes.set(FillParams{sizes, DType::I64, static_cast<double>(start), static_cast<double>(step)});
  return c.apply(Op::Arange, std::span<const Tensor>{}, bytes, suffix);
}
Tensor whole(OpCall& c, int64_t value, const char* suffix) {
  return c.scalar(static_cast<double>(value), DType::I64, suffix);
}

// Writes the update into the cache from write_indices[b] on, modulo its length if the mode is circular.
void tensor_scatter(OpCall& c) {
  const Tensor cache = c.in(0), update = c.in(1);
  if (!cache || !update) return;
  const int rank = cache->rank();
  const int axis = c.axis(c.attr_int("axis", -2), rank);
  const std::string mode = c.attr_string("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return c.fail(fmt::format("the mode '{}' is not supported: expected linear or circular", mode));
  Dims expected = cache.sizes();
  if (!c.ok() || rank < 2 || axis == 0 || update->rank() != rank)
    return c.fail(fmt::format("its update {} does not match the cache {} at axis {}", to_string(update.sizes()),
                              to_string(cache.sizes()), axis));
  const int64_t lines = expected[axis], given = update.sizes()[axis], batch = expected[0];
  expected[axis] = given;
  if (!(expected == update.sizes()) || given < 1 || given > lines || cache.dtype() != update.dtype())
    return c.fail(
        fmt::format("the update {} does not match the cache {}", to_string(update.sizes()), to_string(cache.sizes())));
  Tensor line = counted(c, {1, lines}, ":line");
  if (c.has(2)) {
    const Tensor first = c.in(2);
    if (!first || first->element_count() != batch) return c.fail("it has not one index for each batch");
    line = c.op(Op::Sub, {line, c.cast(c.reshape(first, {batch, 1}, ":first"), DType::I64, ":first_i64")}, ":from");
  }
  if (mode == "circular") line = c.op(Op::Mod, {line, whole(c, lines, ":lines")}, ":turned");
  const Tensor written = c.op(Op::And,
                              {c.op(Op::GreaterEqual, {line, whole(c, 0, ":zero")}, ":not_before"),
                               c.op(Op::Less, {line, whole(c, given, ":given")}, ":before_end")},
                              ":written");
  const Tensor cut =
      c.op(Op::Max, {c.op(Op::Min, {line, whole(c, given - 1, ":last")}, ":low"), whole(c, 0, ":first_line")}, ":cut");
  if (!cut || !written) return;
  Dims spread = Dims::filled(rank, 1);
  spread[0] = cut.sizes()[0], spread[axis] = lines;
  const Tensor index = c.op(Op::Cont, {c.expand(c.reshape(cut, spread, ":spread"), cache.sizes(), ":all")}, ":index");
  const Tensor there = c.reshape(written, spread, ":there");
  c.out(0,
        c.op(Op::Where, {there, c.op_with(Op::GatherElements, {update, index}, AxisParams{axis}, ":picked"), cache}));
}

// Writes each element at its index in the result; of several at one index the largest stays.
void max_unpool(OpCall& c) {
  const Tensor x = c.in_f32(0), index = c.in(1);
  if (!x || !index) return;
  const int spatial = x->rank() - 2;
  const auto kernel = c.attr_ints("kernel_shape");
  auto strides = c.attr_ints("strides"), pads = c.attr_ints("pads");
  if (spatial < 1 || spatial > 3 || !(index.sizes() == x.sizes()) || static_cast<int>(kernel.size()) != spatial)
    return c.fail(fmt::format("the indices {} do not match the input {} and the kernel", to_string(index.sizes()),
                              to_string(x.sizes())));
  const auto n = static_cast<size_t>(spatial);
  if (strides.empty()) strides.assign(n, 1);
  if (pads.empty()) pads.assign(2 * n, 0);
  if (strides.size() != n || pads.size() != 2 * n)
    return c.fail(
        fmt::format("found {} strides and {} pads: expected {} and {}", strides.size(), pads.size(), n, 2 * n));
  Dims sizes{x.sizes()[0], x.sizes()[1]};
  int64_t in = 1, out = 1;
  for (size_t d = 0; d < n; ++d) {
    for (const int64_t v : {kernel[d], strides[d], pads[d], pads[n + d]})
      if (v < 0 || v > 1 << 20) return c.fail(fmt::format("the window attribute {} is out of range", v));
    const int64_t from = x.sizes()[static_cast<int>(d) + 2];
    const int64_t to = (from - 1) * strides[d] - pads[d] - pads[n + d] + kernel[d];
    if (from < 1 || to < 1 || to > 1 << 20) return c.fail(fmt::format("the output size {} is out of range", to));
    sizes.push_back(to);
    in *= from;
    auto product = checked_mul(out, to);
    if (!product) return c.fail("its sizes overflow");
    out = *product;
  }
  const int64_t planes = x.sizes()[0] * x.sizes()[1];
  auto terms = checked_mul(in, out);
  if (terms) terms = checked_mul(*terms, planes);
  if (!terms || *terms > int64_t{1} << 26)
    return c.fail(fmt::format("{} elements for {} results in each of {} planes are too many", in, out, planes));
  // Within a plane; each result selects its input element: [planes, out, in].
  const Tensor flat = c.reshape(c.cast(index, DType::I64, ":i64"), {planes, in}, ":flat");
  const Tensor own = c.op(Op::Sub, {flat, counted(c, {planes, 1}, ":plane", 0, out)}, ":own");
  const Tensor here =
      c.op(Op::Equal, {c.reshape(own, {planes, 1, in}, ":asked"), counted(c, {1, out, 1}, ":place")}, ":here");
  const Tensor values = c.op(Op::Where,
                             {here, c.reshape(x, {planes, 1, in}, ":values"),
                              c.scalar(-std::numeric_limits<double>::infinity(), DType::F32, ":nothing")},
                             ":candidates");
  const Tensor most = c.op_with(Op::ReduceMax, {values}, ReduceParams{1u << 2, false}, ":most");
  const Tensor none =
      c.op(Op::Equal, {most, c.scalar(-std::numeric_limits<double>::infinity(), DType::F32, ":never")}, ":none");
  Tensor y = c.reshape(c.op(Op::Where, {none, c.scalar(0, DType::F32, ":zero"), most}, ":filled"), sizes, ":shaped");
  if (c.has(2)) {
    const auto output_shape = c.ints(2);
    if (!output_shape || static_cast<int>(output_shape->size()) != spatial + 2)
      return c.fail(fmt::format("its output_shape must have {} entries", spatial + 2));
    PadParams pad{};
    pad.mode = PadMode::Constant;
    for (int d = 0; d < spatial + 2; ++d) {
      const int64_t whole = (*output_shape)[static_cast<size_t>(d)];
      if (whole < sizes[d] || whole - sizes[d] > 1 << 20)
        return c.fail(fmt::format("an output size of {} is out of range for {} unpooled elements", whole, sizes[d]));
      pad.end[d] = static_cast<int32_t>(whole - sizes[d]);
    }
    y = c.op_with(Op::Pad, {y}, pad, ":padded");
  }
  if (y) c.out(0, c.cast(c.op(Op::Copy, {y}, c.value(0).dtype == DType::F32 ? "" : ":y"), c.value(0).dtype));
}

constexpr HandlerEntry kMaxUnpoolHandlers[] = {{"MaxUnpool", max_unpool}, {"TensorScatter", tensor_scatter}};

}  // namespace

std::span<const HandlerEntry> max_unpool_tensor_scatter_handlers() { return kMaxUnpoolHandlers; }

}  // namespace arenascope::models
