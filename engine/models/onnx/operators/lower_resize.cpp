// SPDX-License-Identifier: MIT
// ONNX Resize and the older Upsample: the sizes of the dimensions, and the interpolation between elements.
#include <fmt/format.h>
#include "engine/models/onnx/lowering.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace arenascope::models {
namespace {

constexpr double kMaxTableElements = 1e12;  // extent of one dimension

// The sizes or the scales that a node gives, one for each of its axes.
struct Targets {
  std::vector<int64_t> axes;
  std::vector<double> scales;
  std::vector<int64_t> sizes;  // where they are given, `scales` do not count
};

bool is_upsample(OpCall& c) { return c.node().op == "Upsample"; }
// Before opset 11 Resize was Upsample with another name: one rule for coordinates and rounding.
bool is_old(OpCall& c) { return is_upsample(c) || c.opset() < 11; }

Targets read_targets(OpCall& c, int rank) {
  Targets targets;
  if (is_upsample(c) && c.opset() < 7 && c.has_attr("height_scale")) {
    targets.scales.assign(static_cast<size_t>(std::max(rank, 2)), 1);
    targets.scales.end()[-2] = static_cast<double>(c.attr_float("height_scale", 1));
    targets.scales.end()[-1] = static_cast<double>(c.attr_float("width_scale", 1));
  } else if (is_upsample(c) && c.opset() < 9) {
    if (const auto* a = c.attr("scales")) targets.scales.assign(a->floats.begin(), a->floats.end());
  } else {
    const size_t source = is_old(c) ? 1 : 2;
    if (c.has(source) && !(c.known(source) && c.known(source)->count() == 0))
      if (auto given = c.floats(source)) targets.scales = *given;
    if (c.has(3))
      if (auto given = c.ints(3)) targets.sizes = *given;
  }
  targets.axes = c.attr_ints("axes");
  if (targets.axes.empty())
    for (int i = 0; i < rank; ++i) targets.axes.push_back(i);
  const size_t count = targets.sizes.empty() ? targets.scales.size() : targets.sizes.size();
  if (c.ok() && (count == 0 || count != targets.axes.size()))
    c.fail(fmt::format("found {} scales or sizes for {} dimensions", count, targets.axes.size()));
  return targets;
}

// The one scale of all axes under the policies "not_larger" and "not_smaller", which keep the aspect ratio.
double common_scale(OpCall& c, const Dims& x, const Targets& targets, bool not_larger) {
  double common = not_larger ? 1e300 : 0;
  for (size_t i = 0; i < targets.axes.size(); ++i) {
    const int axis = c.axis(targets.axes[i], x.rank());
    if (!c.ok()) return 0;
    const int64_t from = x[axis];
    if (from == 0) {
      c.fail("keep_aspect_ratio_policy requires dimensions that are not empty");
      return 0;
    }
    const double scale = static_cast<double>(targets.sizes[i]) / static_cast<double>(from);
    common = not_larger ? std::min(common, scale) : std::max(common, scale);
  }
  return common;
}

// Sets p.sizes and each dimension's scale. A scale of 0 means that the sizes determine it.
void set_sizes(OpCall& c, const Dims& x, const Targets& targets, ResizeParams& p, std::vector<double>& scales_out) {
  const int rank = x.rank();
  const std::string policy = c.attr_string("keep_aspect_ratio_policy", "stretch");
  const bool by_sizes = !targets.sizes.empty(), keeps_ratio = by_sizes && policy != "stretch";
  const double common = keeps_ratio ? common_scale(c, x, targets, policy == "not_larger") : 0;
  if (!c.ok()) return;
  p.sizes = x;
  std::vector<double> scales(static_cast<size_t>(rank), 1);
  for (size_t i = 0; i < targets.axes.size(); ++i) {
    const int axis = c.axis(targets.axes[i], rank);
    if (!c.ok()) return;
    const auto from = static_cast<double>(x[axis]);
    const double scale = by_sizes ? common : targets.scales[i];
    const double extent = keeps_ratio ? std::round(common * from)
                          : by_sizes  ? static_cast<double>(targets.sizes[i])
                                      : std::floor(from * scale + 1e-9);
    if (!(extent >= 0) || extent > kMaxTableElements)
      return c.fail(fmt::format("dimension {} would have {} elements", axis, extent));
    p.sizes[axis] = static_cast<int64_t>(extent);
    scales[static_cast<size_t>(axis)] = scale;
  }
  scales_out = std::move(scales);
}

// The scales of the four innermost dimensions, for the op.
void set_scales(OpCall& c, const Dims& x, const std::vector<double>& scales, ResizeParams& p) {
  const int rank = x.rank(), inner = std::min(rank, 4);
  for (int i = 0; i < inner; ++i)
    p.scales[4 - inner + i] = static_cast<float>(scales[static_cast<size_t>(rank - inner + i)]);
  for (int i = 0; i + 4 < rank; ++i)
    if (p.sizes[i] != x[i]) return c.fail("of more than four dimensions, only the innermost four can be resized");
}

template <class E>
struct Choice {
  std::string_view name;
  E value;
};
constexpr Choice<ResizeMode> kModes[] = {{"nearest", ResizeMode::Nearest},
                                         {"linear", ResizeMode::Linear},
                                         {"bilinear", ResizeMode::Linear},
                                         {"cubic", ResizeMode::Cubic}};
constexpr Choice<ResizeCoordinates> kCoordinates[] = {{"half_pixel", ResizeCoordinates::HalfPixel},
                                                      {"asymmetric", ResizeCoordinates::Asymmetric},
                                                      {"align_corners", ResizeCoordinates::AlignCorners},
                                                      {"pytorch_half_pixel", ResizeCoordinates::PytorchHalfPixel}};
constexpr Choice<ResizeNearest> kNearest[] = {{"round_prefer_floor", ResizeNearest::RoundPreferFloor},
                                              {"round_prefer_ceil", ResizeNearest::RoundPreferCeil},
                                              {"floor", ResizeNearest::Floor},
                                              {"ceil", ResizeNearest::Ceil}};

template <class E, size_t N>
bool choose(OpCall& c, const char* what, const std::string& name, const Choice<E> (&choices)[N], E& out) {
  for (const Choice<E>& choice : choices) {
    if (choice.name != name) continue;
    out = choice.value;
    return true;
  }
  c.fail(fmt::format("the {} '{}' is not supported", what, name));
  return false;
}

// Modes that the Resize op does not have: antialiased filters, weights that exclude elements outside, and coordinates
// within a region. They become matmuls with constant weights, one dimension after the other.
bool needs_weights(OpCall& c) {
  const std::string coordinates = c.attr_string("coordinate_transformation_mode", "half_pixel");
  const std::string mode = c.attr_string("mode", "nearest");
  return coordinates == "half_pixel_symmetric" || coordinates == "tf_crop_and_resize" ||
         (c.attr_int("exclude_outside", 0) != 0 && mode == "cubic") ||
         (c.attr_int("antialias", 0) != 0 && mode != "nearest");
}

// One dimension that is resized.
struct Line {
  int64_t in = 0, out = 0;
  double scale = 1, start = 0, end = 1;  // start, end: the resized region, from 0 to 1
};

// The input coordinate of element `i` of the result.
double coordinate(const std::string& how, const Line& line, int64_t i) {
  const auto in = static_cast<double>(line.in), x = static_cast<double>(i), wide = line.scale * in;
  const double half = (x + 0.5) / line.scale - 0.5;
  if (how == "asymmetric") return x / line.scale;
  if (how == "align_corners") return wide == 1 ? 0 : x * (in - 1) / (wide - 1);
  if (how == "pytorch_half_pixel") return wide == 1 ? -0.5 : half;
  if (how == "half_pixel_symmetric") return in / 2 * (1 - static_cast<double>(line.out) / wide) + half;
  if (how == "tf_crop_and_resize")
    return line.out > 1
               ? line.start * (in - 1) + x * (line.end - line.start) * (in - 1) / static_cast<double>(line.out - 1)
               : 0.5 * (line.start + line.end) * (in - 1);
  return half;
}

double cubic(double s, double a) {
  s = std::fabs(s);
  if (s <= 1) return ((a + 2) * s - (a + 3)) * s * s + 1;
  return s < 2 ? ((a * s - 5 * a) * s + 8 * a) * s - 4 * a : 0;
}

// The filter's weights for the elements first, first + 1, … around a coordinate that is `ratio` in (0, 1] after element 0.
std::vector<double> filter(OpCall& c, bool is_cubic, double ratio, double scale, int64_t& first) {
  const double by = c.attr_int("antialias", 0) != 0 ? std::min(scale, 1.0) : 1, reach = is_cubic ? 2 : 1;
  const auto a = static_cast<double>(c.attr_float("cubic_coeff_a", -0.75f));
  first = static_cast<int64_t>(std::floor(-reach / by)) + 1;
  std::vector<double> weights;
  double sum = 0;
  for (int64_t k = first; k <= 1 - first; ++k) {
    const double at = (static_cast<double>(k) - ratio) * by;
    weights.push_back(is_cubic ? cubic(at, a) : std::max(0.0, 1 - std::fabs(at)));
    sum += weights.back();
  }
  if (by < 1)
    for (double& w : weights) w /= sum;
  return weights;
}

int64_t nearest_element(const std::string& how, double x) {
  return static_cast<int64_t>(how == "round_prefer_ceil" ? std::floor(x + 0.5)
                              : how == "floor"           ? std::floor(x)
                              : how == "ceil"            ? std::ceil(x)
                                                         : std::ceil(x - 0.5));
}

// The input element of each result in nearest mode; or the interpolation matrix of a dimension.
Tensor resized(OpCall& c, const Tensor& x, int axis, const Line& line, const std::string& how, bool* outside) {
  const std::string mode = c.attr_string("mode", "nearest"), name = fmt::format(":axis_{}", axis);
  const bool nearest = mode == "nearest", is_cubic = mode == "cubic", drops = c.attr_int("exclude_outside", 0) != 0;
  if (!(line.scale > 0) || line.scale > 1e6 || line.scale < 1e-6 || line.in < 1 || line.in * line.out > 1 << 22) {
    c.fail(
        fmt::format("resizing to {} elements from {} with scale {} is not supported", line.out, line.in, line.scale));
    return {};
  }
  std::vector<int64_t> picked;
  std::vector<float> matrix(nearest ? 0 : static_cast<size_t>(line.in * line.out));
  for (int64_t i = 0; i < line.out; ++i) {
    const double at = coordinate(how, line, i), last = static_cast<double>(line.in - 1);
    outside[i] = how == "tf_crop_and_resize" && !(at >= 0 && at <= last);
    const double inside = std::isnan(at) ? 0 : std::clamp(at, -1e9, 1e9);
    if (nearest) {
      picked.push_back(std::clamp<int64_t>(nearest_element(c.attr_string("nearest_mode", "round_prefer_floor"), inside),
                                           0, line.in - 1));
      continue;
    }
    const double low = std::floor(inside), base = low == inside ? low - 1 : low;
    int64_t first = 0;
    std::vector<double> weights = filter(c, is_cubic, inside - base, line.scale, first);
    double sum = 0;
    for (size_t k = 0; k < weights.size(); ++k) {
      const int64_t from = static_cast<int64_t>(base) + first + static_cast<int64_t>(k);
      if (drops && (from < 0 || from >= line.in)) weights[k] = 0;
      sum += weights[k];
    }
    for (size_t k = 0; k < weights.size(); ++k) {
      const int64_t from =
          std::clamp<int64_t>(static_cast<int64_t>(base) + first + static_cast<int64_t>(k), 0, line.in - 1);
      matrix[static_cast<size_t>(i * line.in + from)] += static_cast<float>(drops ? weights[k] / sum : weights[k]);
    }
  }
  if (nearest)
    return c.op_with(Op::Gather, {x, c.constant(HostArray::of(std::move(picked)), (name + "_from").c_str())},
                     AxisParams{axis}, name.c_str());
  HostArray weights = HostArray::make(DType::F32, {line.out, line.in});
  for (size_t k = 0; k < matrix.size(); ++k) weights.floats[k] = static_cast<double>(matrix[k]);
  std::vector<int> last, back(static_cast<size_t>(x->rank()));
  for (int d = 0; d < x->rank(); ++d)
    if (d != axis) last.push_back(d);
  last.push_back(axis);
  for (size_t d = 0; d < last.size(); ++d) back[static_cast<size_t>(last[d])] = static_cast<int>(d);
  const Tensor transposed = c.permute(x, last, (name + "_last").c_str());
  const Tensor lines = transposed ? c.op(Op::Cont, {transposed}, (name + "_lines").c_str()) : Tensor();
  if (!lines) return {};
  Dims sizes = transposed.sizes();
  sizes[x->rank() - 1] = line.out;
  const Tensor made = c.mul_mat(c.constant(std::move(weights), (name + "_weights").c_str()),
                                c.reshape(lines, {x->element_count() / line.in, line.in}, (name + "_rows").c_str()), {},
                                1, (name + "_made").c_str());
  return c.permute(c.reshape(made, sizes, (name + "_shaped").c_str()), back, name.c_str());
}

void resize_by_weights(OpCall& c) {
  Tensor y = c.in(0);
  const Dims x = y.sizes();
  const Targets targets = read_targets(c, x.rank());
  if (!c.ok()) return;
  ResizeParams p{};
  std::vector<double> scales;
  set_sizes(c, x, targets, p, scales);
  if (!c.ok()) return;
  const std::string how = c.attr_string("coordinate_transformation_mode", "half_pixel");
  const std::string mode = c.attr_string("mode", "nearest");
  ResizeCoordinates unused{};
  if ((how != "half_pixel_symmetric" && how != "tf_crop_and_resize" &&
       !choose(c, "coordinates", how, kCoordinates, unused)) ||
      !choose(c, "mode", mode, kModes, p.mode) ||
      !choose(c, "nearest mode", c.attr_string("nearest_mode", "round_prefer_floor"), kNearest, p.nearest))
    return;
  const auto roi = how == "tf_crop_and_resize" ? c.floats(1) : std::nullopt;
  const size_t count = targets.axes.size();
  if (how == "tf_crop_and_resize" && c.ok() && (!roi || roi->size() != 2 * count))
    return c.fail(fmt::format("its region is not {} numbers", 2 * count));
  const bool nearest = p.mode == ResizeMode::Nearest;
  if (!nearest) y = c.cast(y, DType::F32, ":f32");
  std::vector<std::pair<int, std::vector<int64_t>>> outsides;
  for (size_t i = 0; i < count && c.ok(); ++i) {
    const int axis = c.axis(targets.axes[i], x.rank());
    if (!c.ok()) return;
    const double specified = scales[static_cast<size_t>(axis)];
    Line line{x[axis], p.sizes[axis],
              specified > 0 ? specified : static_cast<double>(p.sizes[axis]) / static_cast<double>(x[axis]), 0, 1};
    if (roi) line.start = (*roi)[i], line.end = (*roi)[count + i];
    const bool as_it_is = line.in == line.out && line.scale == 1 && how != "tf_crop_and_resize";
    if (as_it_is) continue;
    if (line.out < 1 || line.out > HostArray::kMaxElements)
      return c.fail(fmt::format("resizing to {} elements from {} is not supported", line.out, line.in));
    const auto outside = std::make_unique<bool[]>(static_cast<size_t>(line.out));
    y = resized(c, y, axis, line, how, outside.get());
    if (!y) return;
    if (std::count(outside.get(), outside.get() + line.out, true) > 0)
      outsides.emplace_back(axis, std::vector<int64_t>(outside.get(), outside.get() + line.out));
  }
  const auto beyond = static_cast<double>(c.attr_float("extrapolation_value", 0));
  for (auto& [axis, marks] : outsides) {
    HostArray mask = HostArray::make(DType::Bool, {});
    mask.sizes = Dims::filled(x.rank(), 1);
    mask.sizes[axis] = static_cast<int64_t>(marks.size());
    mask.ints = std::move(marks);
    const std::string name = fmt::format(":outside_{}", axis);
    y = c.op(Op::Where,
             {c.constant(std::move(mask), (name + "_mask").c_str()),
              c.scalar(beyond, y.dtype(), (name + "_value").c_str()), y},
             name.c_str());
  }
  if (!y) return;
  c.out(0, c.cast(c.op(Op::Cont, {y}, y.dtype() == c.value(0).dtype ? "" : ":y"), c.value(0).dtype));
}

void resize(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  if (!is_old(c) && needs_weights(c)) return resize_by_weights(c);
  const Targets targets = read_targets(c, x->rank());
  if (!c.ok()) return;
  ResizeParams p{};
  std::vector<double> scales;
  set_sizes(c, x.sizes(), targets, p, scales);
  if (c.ok()) set_scales(c, x.sizes(), scales, p);
  if (!c.ok()) return;
  const std::string coordinates =
      is_old(c) ? "asymmetric" : c.attr_string("coordinate_transformation_mode", "half_pixel");
  const std::string nearest = is_old(c) ? "floor" : c.attr_string("nearest_mode", "round_prefer_floor");
  if (!choose(c, "mode", c.attr_string("mode", "nearest"), kModes, p.mode) ||
      !choose(c, "coordinates", coordinates, kCoordinates, p.coordinates) ||
      !choose(c, "nearest mode", nearest, kNearest, p.nearest))
    return;
  p.cubic_a = c.attr_float("cubic_coeff_a", -0.75f);
  c.out(0, c.op_with(Op::Resize, {x}, p));
}

constexpr HandlerEntry kResizeHandlers[] = {{"Resize", resize}, {"Upsample", resize}};

}  // namespace

std::span<const HandlerEntry> resize_handlers() { return kResizeHandlers; }

}  // namespace arenascope::models
