// SPDX-License-Identifier: MIT
// ONNX operators of detectors: regions of an image as one size, convolutions whose taps move, and boxes that stay.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace arenascope::models {
namespace {

// A constant of f32 that is as long as `sizes` say.
Tensor numbers(OpCall& c, const Dims& sizes, const std::vector<double>& values, const std::string& at) {
  HostArray out = HostArray::make(DType::F32, sizes);
  for (size_t i = 0; i < values.size(); ++i) out.set(static_cast<int64_t>(i), values[i]);
  return c.constant(std::move(out), at.c_str());
}

std::vector<double> counted(int64_t count) {
  std::vector<double> out(static_cast<size_t>(count));
  std::iota(out.begin(), out.end(), 0.0);
  return out;
}

struct RoiCall {
  int64_t out = 0, samples = 0, size = 0;  // along one side: of the result, in each of its cells, and of the image
  double scale = 1, shift = 0;
  bool may_be_empty = false;  // else a region is one element wide at least
};

// One side of all regions: where the samples lie, [R, out·samples], cut to the image, and which of them count.
struct Places {
  Tensor at, counts;
};
Places places_of(OpCall& c, const Tensor& rois, int first, const RoiCall& side, const std::string& name) {
  const auto edge = [&](int column, const char* suffix) {
    return c.op_with(Op::Scale, {c.slice(rois, 1, column, column + 1, 1, (name + suffix + "_given").c_str())},
                     ScaleParams{static_cast<float>(side.scale), static_cast<float>(-side.shift)},
                     (name + suffix).c_str());
  };
  const Tensor start = edge(first, "_start");
  Tensor length = c.op(Op::Sub, {edge(first + 2, "_end"), start}, (name + "_length").c_str());
  if (!side.may_be_empty)
    length = c.op(Op::Max, {length, c.scalar(1, DType::F32, (name + "_one").c_str())}, (name + "_wide").c_str());
  std::vector<double> steps;  // of the samples, in parts of the region
  const auto n = static_cast<double>(side.samples);
  for (int64_t i = 0; i < side.out * side.samples; ++i)
    steps.push_back((static_cast<double>(i) + 0.5) / n / static_cast<double>(side.out));
  const Tensor step = numbers(c, {1, static_cast<int64_t>(steps.size())}, steps, name + "_steps");
  const Tensor at =
      c.op(Op::Add, {c.op(Op::Mul, {length, step}, (name + "_along").c_str()), start}, (name + "_at").c_str());
  const auto last = static_cast<double>(side.size);
  const Tensor inside =
      c.op(Op::And,
           {c.op(Op::GreaterEqual, {at, c.scalar(-1, DType::F32, (name + "_low").c_str())}, (name + "_above").c_str()),
            c.op(Op::LessEqual, {at, c.scalar(last, DType::F32, (name + "_high").c_str())}, (name + "_below").c_str())},
           (name + "_inside").c_str());
  return {c.op_with(Op::Clamp, {at}, ClampParams{0, last - 1}, (name + "_cut").c_str()),
          c.cast(inside, DType::F32, (name + "_counts").c_str())};
}

// How much of each of the image's elements a sample has, [R, 1, out·samples, size]: both neighbours, or one of them.
enum class Part { Both, Low, High };
Tensor shares(OpCall& c, const Places& places, const RoiCall& side, Part part, const std::string& name) {
  if (!places.at || !places.counts) return {};
  const int64_t regions = places.at.sizes()[0], samples = places.at.sizes()[1];
  const Dims column{regions, samples, 1};
  const Tensor elements = numbers(c, {1, 1, side.size}, counted(side.size), name + "_elements");
  const Tensor at = c.reshape(places.at, column, (name + "_column").c_str());
  // 1 - |distance|, as far as it is above 0: the weights of a straight line between two elements.
  const Tensor away = c.op(Op::Abs, {c.op(Op::Sub, {at, elements}, (name + "_off").c_str())}, (name + "_away").c_str());
  Tensor share = c.op(Op::Relu, {c.op_with(Op::Scale, {away}, ScaleParams{-1, 1}, (name + "_near").c_str())},
                      (name + "_share").c_str());
  if (part != Part::Both) {
    const Tensor low = c.op(Op::Floor, {at}, (name + "_floor").c_str());
    const Tensor is_low = c.op(Op::Equal, {low, elements}, (name + "_is_low").c_str());
    const Tensor wanted = part == Part::Low ? is_low : c.op(Op::Not, {is_low}, (name + "_is_high").c_str());
    share = c.op(Op::Mul, {share, c.cast(wanted, DType::F32, (name + "_wanted").c_str())}, (name + "_part").c_str());
  }
  const Tensor counts = c.reshape(places.counts, column, (name + "_counting").c_str());
  return c.reshape(c.op(Op::Mul, {share, counts}, (name + "_weighed").c_str()), {regions, 1, samples, side.size},
                   (name + "_weights").c_str());
}

// The mean over each cell's samples of weights [R, 1, out·samples, size].
Tensor cell_means(OpCall& c, const Tensor& weights, const RoiCall& side, const std::string& name) {
  if (!weights || side.samples == 1) return weights;
  const int64_t regions = weights.sizes()[0];
  const Tensor cells = c.reshape(weights, {regions, 1, side.out, side.samples, side.size}, (name + "_cells").c_str());
  return c.op_with(Op::ReduceMean, {cells}, ReduceParams{1u << 3, false}, (name + "_mean").c_str());
}

// y · x · zᵀ for each region and channel: x [R, C, H, W], y [R, 1, P, H], z [R, 1, Q, W].
Tensor sampled(OpCall& c, const Tensor& x, const Tensor& y, const Tensor& z, const std::string& name) {
  const Tensor rows = c.mul_mat(z, x, {}, 1, (name + "_rows").c_str());  // [R, C, H, Q]
  if (!rows) return {};
  const Tensor columns = c.op(Op::Transpose, {rows}, (name + "_turned").c_str());
  const Tensor made = c.mul_mat(y, columns, {}, 1, (name + "_made").c_str());  // [R, C, Q, P]
  return made ? c.op(Op::Transpose, {made}, (name + "_sampled").c_str()) : Tensor();
}

void roi_align(OpCall& c) {
  const Tensor x = c.in_f32(0), rois = c.in_f32(1), batch = c.in(2);
  if (!x || !rois || !batch) return;
  if (x->rank() != 4 || rois->rank() != 2 || rois.sizes()[1] != 4 || batch->rank() != 1 ||
      batch.sizes()[0] != rois.sizes()[0] || element_count(x.sizes()) == 0)
    return c.refuse(fmt::format("regions {} of {}", to_string(rois.sizes()), to_string(x.sizes())));
  const std::string mode = c.attr_string("mode", "avg");
  const std::string how =
      c.attr_string("coordinate_transformation_mode", c.opset() < 16 ? "output_half_pixel" : "half_pixel");
  if ((mode != "avg" && mode != "max") || (how != "half_pixel" && how != "output_half_pixel"))
    return c.refuse(fmt::format("mode '{}', coordinates '{}'", mode, how));
  RoiCall rows, columns;
  rows.out = c.attr_int("output_height", 1), columns.out = c.attr_int("output_width", 1);
  rows.samples = columns.samples = c.attr_int("sampling_ratio", 0);
  if (rows.samples == 0) return c.refuse("how many samples it takes depends on each region's size");
  constexpr int64_t kMost = 1 << 12;
  if (rows.out < 1 || columns.out < 1 || rows.out > kMost || columns.out > kMost || rows.samples < 1 ||
      rows.samples > 64)
    return c.refuse(fmt::format("{} x {} cells of {} samples", rows.out, columns.out, rows.samples));
  if (x.sizes()[2] > HostArray::kMaxElements || x.sizes()[3] > HostArray::kMaxElements)
    return c.refuse(fmt::format("an image of {}", to_string(x.sizes())));
  rows.size = x.sizes()[2], columns.size = x.sizes()[3];
  rows.scale = columns.scale = static_cast<double>(c.attr_float("spatial_scale", 1));
  rows.shift = columns.shift = how == "half_pixel" ? 0.5 : 0;
  rows.may_be_empty = columns.may_be_empty = how == "half_pixel";
  const Tensor images = c.op_with(Op::Gather, {x, batch}, AxisParams{0}, ":images");
  const Places at_rows = places_of(c, rois, 1, rows, ":y"), at_columns = places_of(c, rois, 0, columns, ":x");
  if (!c.ok() || !images) return;
  Tensor y;
  if (mode == "avg") {
    y = sampled(c, images, cell_means(c, shares(c, at_rows, rows, Part::Both, ":rows"), rows, ":rows"),
                cell_means(c, shares(c, at_columns, columns, Part::Both, ":columns"), columns, ":columns"), ":all");
  } else {
    // The largest of the four neighbours' shares of each sample, then of a cell's samples.
    for (const Part row : {Part::Low, Part::High})
      for (const Part column : {Part::Low, Part::High}) {
        const std::string name = fmt::format(":corner_{}{}", row == Part::Low ? 0 : 1, column == Part::Low ? 0 : 1);
        const Tensor one = sampled(c, images, shares(c, at_rows, rows, row, name + "_y"),
                                   shares(c, at_columns, columns, column, name + "_x"), name);
        y = y ? c.op(Op::Max, {y, one}, (name + "_max").c_str()) : one;
      }
    const int64_t n = rows.samples;
    if (y && n > 1) {
      const Tensor cells =
          c.reshape(c.op(Op::Cont, {y}, ":laid"), {y.sizes()[0], y.sizes()[1], rows.out, n, columns.out, n}, ":cells");
      y = c.op_with(Op::ReduceMax, {cells}, ReduceParams{1u << 3 | 1u << 5, false}, ":largest");
    }
  }
  if (y) c.out(0, c.cast(c.op(Op::Cont, {y}, c.value(0).dtype == DType::F32 ? "" : ":y"), c.value(0).dtype));
}

// A deformable convolution: each tap's elements are sampled where its offset says, and then multiplied as a matrix.
struct Deform {
  Tensor x, w, offset, bias, mask;
  ConvParams p{};
  int64_t offset_groups = 1, taps = 1, out[2] = {};
};

bool read_deform(OpCall& c, Deform& d) {
  d.x = c.in_f32(0), d.w = c.in_f32(1), d.offset = c.in_f32(2);
  if (c.has(3)) d.bias = c.in_f32(3);
  if (c.has(4)) d.mask = c.in_f32(4);
  if (!c.ok() || !d.x || !d.w || !d.offset) return false;
  if (d.x->rank() != 4 || d.offset->rank() != 4) {
    c.refuse(fmt::format("a source of {} dimensions", d.x->rank()));
    return false;
  }
  if (!read_convolution(c, d.x.sizes(), d.w.sizes(), d.p)) return false;
  const Dims &x = d.x.sizes(), &w = d.w.sizes(), &o = d.offset.sizes();
  d.offset_groups = c.attr_int("offset_group", 1);
  d.taps = w[2] * w[3];
  for (int i = 0; i < 2; ++i) {
    const int64_t reach = x[i + 2] + d.p.pads_begin[i] + d.p.pads_end[i] - (w[i + 2] - 1) * d.p.dilations[i] - 1;
    d.out[i] = reach < 0 ? 0 : reach / d.p.strides[i] + 1;
  }
  const int64_t groups = d.p.groups;
  const bool fits = d.offset_groups >= 1 && d.offset_groups <= x[1] && x[1] % d.offset_groups == 0 &&
                    x[1] == w[1] * groups && w[0] % groups == 0 && d.taps <= 1 << 12 &&
                    o == Dims{x[0], d.offset_groups * d.taps * 2, d.out[0], d.out[1]} && element_count(o) > 0 &&
                    (!d.mask || d.mask.sizes() == Dims{x[0], d.offset_groups * d.taps, d.out[0], d.out[1]}) &&
                    (!d.bias || d.bias.sizes() == Dims{w[0]});
  if (!fits) c.refuse(fmt::format("offsets {} for {} and {}", to_string(o), to_string(x), to_string(w)));
  if (d.taps * d.out[0] * d.out[1] > HostArray::kMaxElements * 16)
    c.refuse(fmt::format("{} taps of {} x {} places", d.taps, d.out[0], d.out[1]));
  return c.ok();
}

// Where the taps of one dimension lie as a grid has it, [N·groups, taps, out, out, 1]: element e of n at (2e + 1)/n - 1.
Tensor tap_places(OpCall& c, const Deform& d, const Tensor& offsets, int i, const std::string& name) {
  std::vector<double> base;
  const int64_t columns = d.w.sizes()[3];
  for (int64_t t = 0; t < d.taps; ++t)
    for (int64_t y = 0; y < d.out[0]; ++y)
      for (int64_t x = 0; x < d.out[1]; ++x)
        base.push_back(static_cast<double>((i == 0 ? t / columns : t % columns) * d.p.dilations[i] +
                                           (i == 0 ? y : x) * d.p.strides[i] - d.p.pads_begin[i]));
  const Tensor taps = numbers(c, {1, d.taps, d.out[0], d.out[1], 1}, base, name + "_taps");
  const Dims sizes{d.x.sizes()[0] * d.offset_groups, d.taps, d.out[0], d.out[1], 1};
  const Tensor own = c.reshape(
      c.op(Op::Cont, {c.slice(offsets, 2, i, i + 1, 1, (name + "_slice").c_str())}, (name + "_offsets").c_str()), sizes,
      (name + "_own").c_str());
  const auto length = static_cast<float>(d.x.sizes()[i + 2]);
  return c.op_with(Op::Scale, {c.op(Op::Add, {own, taps}, (name + "_element").c_str())},
                   ScaleParams{2 / length, 1 / length - 1}, name.c_str());
}

void deform_conv(OpCall& c) {
  Deform d;
  if (!read_deform(c, d)) return;
  const Dims &x = d.x.sizes(), &w = d.w.sizes();
  const int64_t n = x[0], each = n * d.offset_groups, places = d.out[0] * d.out[1], groups = d.p.groups;
  const Tensor offsets = c.reshape(d.offset, {each, d.taps, 2, d.out[0], d.out[1]}, ":offsets");
  const Tensor both[] = {tap_places(c, d, offsets, 1, ":x"), tap_places(c, d, offsets, 0, ":y")};
  if (!c.ok()) return;
  const Tensor grid =
      c.reshape(c.op_list(Op::Concat, both, AxisParams{4}, ":places"), {each, d.taps * d.out[0], d.out[1], 2}, ":grid");
  const Tensor image = c.reshape(d.x, {each, x[1] / d.offset_groups, x[2], x[3]}, ":images");
  Tensor taps = c.op_with(Op::GridSample, {image, grid},
                          GridSampleParams{ResizeMode::Linear, GridPadding::Zeros, false}, ":sampled");
  if (d.mask && taps) {
    const Tensor cells = c.reshape(taps, {each, x[1] / d.offset_groups, d.taps, places}, ":cells");
    taps = c.op(Op::Mul, {cells, c.reshape(d.mask, {each, 1, d.taps, places}, ":mask")}, ":masked");
  }
  if (!taps) return;
  const int64_t terms = x[1] / groups * d.taps;
  const Tensor columns = c.reshape(taps, {n, groups, terms, places}, ":columns");
  const Tensor rows = c.reshape(d.w, {1, groups, w[0] / groups, terms}, ":weights");
  if (!columns || !rows) return;
  Tensor y = c.reshape(c.mul_mat(c.op(Op::Transpose, {columns}, ":columns_t"), rows, {}, 1, ":made"),
                       {n, w[0], d.out[0], d.out[1]}, ":y_made");
  if (d.bias && y) y = c.op(Op::Add, {y, c.reshape(d.bias, {1, w[0], 1, 1}, ":bias")}, ":biased");
  if (y) c.out(0, c.cast(c.op(Op::Copy, {y}, c.value(0).dtype == DType::F32 ? "" : ":y"), c.value(0).dtype));
}

struct Box {
  double y1, x1, y2, x2;
  double area() const { return (y2 - y1) * (x2 - x1); }
};

Box box_at(const HostArray& boxes, int64_t first, bool by_center) {
  const double a = boxes.number(first), b = boxes.number(first + 1), p = boxes.number(first + 2),
               q = boxes.number(first + 3);
  if (by_center) return {b - q / 2, a - p / 2, b + q / 2, a + p / 2};
  return {std::min(a, p), std::min(b, q), std::max(a, p), std::max(b, q)};
}

double overlap(const Box& a, const Box& b) {
  const double height = std::min(a.y2, b.y2) - std::max(a.y1, b.y1),
               width = std::min(a.x2, b.x2) - std::max(a.x1, b.x1);
  if (!(height > 0) || !(width > 0)) return 0;
  const double both = height * width, all = a.area() + b.area() - both;
  return all > 0 ? both / all : 0;
}

// Boxes by falling score, those that overlap a better one left out. How many stay depends on the numbers, so that they
// must be known.
void non_max_suppression(OpCall& c) {
  const auto boxes = c.known(0), scores = c.known(1);
  if (!boxes || !scores) return c.wait_for(boxes ? 1 : 0, "how many boxes stay must be known before it runs", true);
  const Dims &b = boxes->sizes, &s = scores->sizes;
  if (b.rank() != 3 || s.rank() != 3 || b[2] != 4 || b[0] != s[0] || b[1] != s[2])
    return c.refuse(fmt::format("boxes {} with scores {}", to_string(b), to_string(s)));
  const auto number = [&](size_t i, double fallback) {
    const auto given = c.floats(i);
    return given && given->size() == 1 ? (*given)[0] : fallback;
  };
  const double most = number(2, 0), threshold = number(3, 0);
  const bool least_known = c.has(4);
  const double least = number(4, 0);
  const bool by_center = c.attr_int("center_point_box", 0) != 0;
  if (!c.ok()) return;
  std::vector<int64_t> rows;
  for (int64_t batch = 0; batch < s[0]; ++batch)
    for (int64_t kind = 0; kind < s[1]; ++kind) {
      const int64_t first = (batch * s[1] + kind) * s[2];
      std::vector<int64_t> order;
      for (int64_t i = 0; i < s[2]; ++i)
        if (!least_known || scores->number(first + i) > least) order.push_back(i);
      const auto key = [&](int64_t i) {  // what is no number comes last
        const double score = scores->number(first + i);
        return std::isnan(score) ? -std::numeric_limits<double>::infinity() : score;
      };
      std::stable_sort(order.begin(), order.end(), [&](int64_t x, int64_t y) { return key(x) > key(y); });
      std::vector<Box> kept;
      for (const int64_t i : order) {
        if (static_cast<double>(kept.size()) >= most) break;
        const Box box = box_at(*boxes, (batch * s[2] + i) * 4, by_center);
        if (std::any_of(kept.begin(), kept.end(), [&](const Box& k) { return overlap(k, box) > threshold; })) continue;
        kept.push_back(box);
        rows.insert(rows.end(), {batch, kind, i});
      }
    }
  HostArray out = HostArray::of(rows);
  out.sizes = {static_cast<int64_t>(rows.size() / 3), 3};
  c.out(0, std::move(out));
}

constexpr HandlerEntry kRegionsHandlers[] = {
    {"DeformConv", deform_conv},
    {"NonMaxSuppression", non_max_suppression},
    {"RoiAlign", roi_align},
};

}  // namespace

std::span<const HandlerEntry> region_handlers() { return kRegionsHandlers; }

}  // namespace arenascope::models
