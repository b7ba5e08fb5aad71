// SPDX-License-Identifier: MIT
// ONNX Runtime contrib operators that resemble no other: distances, windows, hashes, crops, repeated n-grams.
#include <fmt/format.h>
#include "engine/models/onnx/operators/contrib_bifurcation_dtw.h"
#include "engine/models/onnx/operators/decompose.h"

#include <algorithm>
#include <limits>

namespace arenascope::models {
namespace {

// Slice of ONNX's own domain, from before it was standardised.
void dynamic_slice(OpCall& c) {
  c.out(0,
        lower_part(c, {"Slice", {source_of(c, 0), source_of(c, 1), source_of(c, 2), source_of(c, 3)}, {}, {}, 1, 10}));
}

void expand_dims(OpCall& c) {
  c.out(0, lower_part(c, {"Unsqueeze", {source_of(c, 0), source_of(c, 1)}, {}, {}, 1, 13}));
}

// Distances between the rows of two matrices.
void distances(OpCall& c) {
  const std::string metric = c.attr_string("metric", "sqeuclidean");
  if (metric != "sqeuclidean" && metric != "euclidean")
    return c.fail(fmt::format("the metric '{}' is not supported: expected sqeuclidean or euclidean", metric));
  const Tensor a = c.in(0), b = c.in(1);
  if (!a || !b) return;
  if (a->rank() != 2 || b->rank() != 2 || a.sizes()[1] != b.sizes()[1])
    return c.fail(fmt::format("the operands {} and {} must be matrices with rows of equal length", to_string(a.sizes()),
                              to_string(b.sizes())));
  const Tensor apart = c.op(Op::Sub,
                            {c.reshape(a, {a.sizes()[0], 1, a.sizes()[1]}, ":rows"),
                             c.reshape(b, {1, b.sizes()[0], b.sizes()[1]}, ":columns")},
                            ":apart");
  const bool root = metric == "euclidean";
  const Tensor sum =
      c.op_with(Op::ReduceSum, {c.op(Op::Mul, {apart, apart}, ":square")}, ReduceParams{4, false}, root ? ":sum" : "");
  c.out(0, root ? c.op(Op::Sqrt, {sum}) : sum);
}

// Windows of a dimension, as a new last dimension.
void unfold(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const int axis = c.axis(c.attr_int("dim", -1), x->rank());
  const int64_t size = c.attr_int("size", 0), step = c.attr_int("step", 1);
  if (!c.ok()) return;
  if (size < 1 || step < 1 || size > x.sizes()[axis] || x->rank() >= kMaxDims)
    return c.fail(fmt::format("windows of {} with step {} do not fit in {}", size, step, to_string(x.sizes())));
  const int64_t count = (x.sizes()[axis] - size) / step + 1;
  if (count > HostArray::kMaxElements / size)
    return c.fail(fmt::format("{} windows of {} elements exceed the limit of an index table", count, size));
  HostArray indices = HostArray::make(DType::I64, {count, size});
  for (int64_t i = 0; i < count * size; ++i) indices.set_integer(i, i / size * step + i % size);
  const Tensor windows =
      c.op_with(Op::Gather, {x, c.constant(std::move(indices), ":places")}, AxisParams{axis}, ":windows");
  std::vector<int> order;
  for (int d = 0; d <= x->rank(); ++d)
    if (d != axis + 1) order.push_back(d);
  order.push_back(axis + 1);
  c.out(0, c.permute(windows, order));
}

// Distinct entries in order of first occurrence, the index of each, and counts.
void unique_in_order(OpCall& c) {
  const auto made = lower_parts(c, {"Unique", {source_of(c, 0)}, {{"sorted", int_attribute(0)}}, {}, 4, 11});
  if (made.size() == 4) c.out(0, made[0]), c.out(1, made[2]), c.out(2, made[3]);
}

// Boxes of images, from corner to corner, in one size.
void crop_and_resize(OpCall& c) {
  const Tensor x = c.in_f32(0), boxes = c.cast(c.in(1), DType::F32, ":boxes"), images = c.in(2);
  const auto size = c.ints(3);
  if (!x || !boxes || !images || !size) return;
  if (x->rank() != 4 || boxes->rank() != 2 || boxes.sizes()[1] != 4 || size->size() != 2 || (*size)[0] < 1 ||
      (*size)[1] < 1 || (*size)[0] > HostArray::kMaxElements || (*size)[1] > HostArray::kMaxElements)
    return c.fail(
        fmt::format("the boxes {} do not match the image {}", to_string(boxes.sizes()), to_string(x.sizes())));
  const int64_t count = boxes.sizes()[0], height = (*size)[0], width = (*size)[1];
  const std::string mode = c.attr_string("mode", "bilinear");
  if (mode != "bilinear" && mode != "nearest") return c.fail(fmt::format("the mode '{}' is not supported", mode));
  // Coordinates between the ends of a box, as fractions of the image.
  const auto line = [&](int64_t from, int64_t to, int64_t steps, const char* suffix) {
    const std::string at = suffix;
    const auto name = [&](const char* what) { return at + what; };
    HostArray parts = HostArray::make(DType::F32, {1, steps});
    for (int64_t i = 0; i < steps; ++i)
      parts.set(i, steps == 1 ? 0.5 : static_cast<double>(i) / static_cast<double>(steps - 1));
    const Tensor low = c.slice(boxes, 1, from, from + 1, 1, name("_low").c_str()),
                 high = c.slice(boxes, 1, to, to + 1, 1, name("_high").c_str());
    const Tensor span =
        c.op(Op::Mul,
             {c.op(Op::Sub, {high, low}, name("_span").c_str()), c.constant(std::move(parts), name("_parts").c_str())},
             name("_steps").c_str());
    return c.op(Op::Add, {low, span}, suffix);
  };
  const Tensor y = line(0, 2, height, ":y"), across = line(1, 3, width, ":x");
  if (!y || !across) return;
  const auto spread = [&](const Tensor& t, const Dims& sizes, const char* suffix) {
    const std::string at = suffix;
    return c.op(
        Op::Cont,
        {c.expand(c.reshape(t, sizes, (at + "_each").c_str()), {count, height, width, 1}, (at + "_all").c_str())},
        suffix);
  };
  const Tensor both =
      c.op_with(Op::Concat, {spread(across, {count, 1, width, 1}, ":gx"), spread(y, {count, height, 1, 1}, ":gy")},
                AxisParams{3}, ":places");
  const Tensor grid = c.op_with(Op::Scale, {both}, ScaleParams{2, -1}, ":grid");
  const Tensor taken = c.op_with(Op::Gather, {x, images}, AxisParams{0}, ":images");
  const GridSampleParams p{mode == "nearest" ? ResizeMode::Nearest : ResizeMode::Linear, GridPadding::Border, true};
  const Tensor sampled = c.op_with(Op::GridSample, {taken, grid}, p, ":sampled");
  const auto inside = [&](const Tensor& t, const Dims& sizes, const char* suffix) {
    const std::string at = suffix;
    const Tensor cut = c.op_with(Op::Clamp, {t}, ClampParams{0, 1}, (at + "_cut").c_str());
    return c.reshape(c.op(Op::Equal, {t, cut}, suffix), sizes, (at + "_places").c_str());
  };
  const Tensor there =
      c.op(Op::And, {inside(y, {count, 1, height, 1}, ":y_inside"), inside(across, {count, 1, 1, width}, ":x_inside")},
           ":inside");
  const DType type = c.value(0).dtype;
  const Tensor outside = c.scalar(static_cast<double>(c.attr_float("extrapolation_value", 0)), DType::F32, ":outside");
  c.out(0, c.cast(c.op(Op::Where, {there, sampled, outside}, type == DType::F32 ? "" : ":y"), type));
}

// Tokens that would complete an n-gram of the sequence again get a score of minus infinity.
void block_repeats(OpCall& c) {
  const Tensor ids = c.in(0), scores = c.in(1);
  const int64_t size = c.attr_int("ngram_size", 0);
  if (!ids || !scores) return;
  if (ids->rank() != 2 || scores->rank() != 2 || ids.sizes()[0] != scores.sizes()[0] || size < 1)
    return c.fail(
        fmt::format("runs of {} in {} for scores {}", size, to_string(ids.sizes()), to_string(scores.sizes())));
  const int64_t length = ids.sizes()[1], runs = length - size + 1;
  if (runs < 1) return c.out(0, c.op(Op::Copy, {scores}));
  if (size > 64) return c.fail(fmt::format("an ngram_size of {} is not supported: at most 64", size));
  Tensor alike;
  for (int64_t i = 0; i + 1 < size; ++i) {
    const std::string at = fmt::format(":word_{}", i);
    const Tensor before = c.slice(ids, 1, i, i + runs, 1, (at + "_before").c_str());
    const int64_t last = length - size + 1 + i;
    const Tensor same =
        c.op(Op::Equal, {before, c.slice(ids, 1, last, last + 1, 1, (at + "_last").c_str())}, at.c_str());
    alike = alike ? c.op(Op::And, {alike, same}, (at + "_all").c_str()) : same;
  }
  // How often each token of each row would end one.
  const int64_t batch = ids.sizes()[0], tokens = scores.sizes()[1];
  if (tokens < 1 || tokens > (int64_t{1} << 40) / std::max<int64_t>(batch, 1))
    return c.fail(fmt::format("a text of {} tokens is not supported", tokens));
  const Tensor ends = c.cast(c.slice(ids, 1, size - 1, length, 1, ":ends"), DType::I64, ":ends_i64");
  OpParams rows, ones;
  rows.set(FillParams{{batch, 1}, DType::I64, 0, static_cast<double>(tokens)});
  const Tensor row = c.apply(Op::Arange, std::span<const Tensor>(), rows, ":rows");
  const Tensor indices = c.reshape(c.op(Op::Add, {ends, row}, ":places"), {batch * runs}, ":places_line");
  ones.set(FillParams{{batch, runs}, DType::F32, 1, 0});
  const Tensor hits =
      alike ? c.cast(alike, DType::F32, ":hits") : c.apply(Op::Fill, std::span<const Tensor>(), ones, ":hits");
  const Tensor counts = c.op_with(Op::GatherBack, {c.reshape(hits, {batch * runs, 1}, ":hits_line"), indices},
                                  GatherBackParams{batch * tokens}, ":counts");
  const Tensor said = c.op(
      Op::Greater, {c.reshape(counts, {batch, tokens}, ":counts_rows"), c.scalar(0, DType::F32, ":none")}, ":said");
  const double never = -std::numeric_limits<double>::infinity();
  c.out(0, c.op(Op::Where, {said, c.scalar(never, scores.dtype(), ":never"), scores}));
}

// One-sided spectrum of real numbers along the last dimension.
void rfft(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  if (c.attr_int("signal_ndim", 1) != 1 || c.attr_int("onesided", 1) != 1 || c.attr_int("normalized", 0) != 0)
    return c.fail("only one-dimensional, one-sided spectra without normalisation are supported");
  if (x->rank() < 1 || x->rank() >= kMaxDims)
    return c.fail(
        fmt::format("its input has the shape {}: expected 1 to {} dimensions", to_string(x.sizes()), kMaxDims - 1));
  Dims sizes = x.sizes();
  sizes.push_back(1);
  const Tensor real = c.reshape(x, sizes, ":real");
  c.out(0, lower_part(c, {"DFT",
                          {as_source(c, real)},
                          {{"axis", int_attribute(x->rank() - 1)}, {"onesided", int_attribute(1)}},
                          {},
                          1,
                          17}));
}

constexpr HandlerEntry kContribRest[] = {
    {"DynamicSlice", dynamic_slice},
    {"com.microsoft::BifurcationDetector", bifurcation_detector},
    {"com.microsoft::CDist", distances},
    {"com.microsoft::CropAndResize", crop_and_resize},
    {"com.microsoft::DynamicTimeWarping", dynamic_time_warping},
    {"com.microsoft::ExpandDims", expand_dims},
    {"com.microsoft::NGramRepeatBlock", block_repeats},
    {"com.microsoft::Rfft", rfft},
    {"com.microsoft::UnfoldTensor", unfold},
    {"com.microsoft::Unique", unique_in_order},
};

}  // namespace

std::span<const HandlerEntry> contrib_misc_handlers() { return kContribRest; }

}  // namespace arenascope::models
