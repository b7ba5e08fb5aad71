// SPDX-License-Identifier: MIT
// ONNX Resize and the older Upsample: which dimensions get which size, and how elements between the source's are made.
#include <fmt/format.h>
#include "engine/models/lowering.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace arenascope::models {
namespace {

constexpr double kMostElements = 1e12;  // of one dimension

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
  if (is_upsample(c) && c.opset() < 9) {
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
    c.refuse(fmt::format("{} scales or sizes for {} dimensions", count, targets.axes.size()));
  return targets;
}

// The one scale of all axes under the policies "not_larger" and "not_smaller", which keep the aspect ratio.
double common_scale(OpCall& c, const Dims& x, const Targets& targets, bool not_larger) {
  double common = not_larger ? 1e300 : 0;
  for (size_t i = 0; i < targets.axes.size(); ++i) {
    const int64_t from = x[c.axis(targets.axes[i], x.rank())];
    if (!c.ok() || from == 0) {
      c.refuse("an empty dimension keeps no aspect ratio");
      return 0;
    }
    const double scale = static_cast<double>(targets.sizes[i]) / static_cast<double>(from);
    common = not_larger ? std::min(common, scale) : std::max(common, scale);
  }
  return common;
}

// Sets p.sizes and p.scales. A scale of 0 stands for "what the sizes say".
void set_sizes(OpCall& c, const Dims& x, const Targets& targets, ResizeParams& p) {
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
    const double wanted = keeps_ratio ? std::round(common * from)
                          : by_sizes  ? static_cast<double>(targets.sizes[i])
                                      : std::floor(from * scale + 1e-9);
    if (!(wanted >= 0) || wanted > kMostElements)
      return c.refuse(fmt::format("dimension {} would have {} elements", axis, wanted));
    p.sizes[axis] = static_cast<int64_t>(wanted);
    scales[static_cast<size_t>(axis)] = scale;
  }
  const int inner = std::min(rank, 4);
  for (int i = 0; i < inner; ++i)
    p.scales[4 - inner + i] = static_cast<float>(scales[static_cast<size_t>(rank - inner + i)]);
  for (int i = 0; i + 4 < rank; ++i)
    if (p.sizes[i] != x[i]) return c.refuse("it resizes one of the outermost dimensions of more than four");
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
  c.refuse(fmt::format("{} '{}'", what, name));
  return false;
}

void resize(OpCall& c) {
  const Tensor x = c.in(0);
  if (!x) return;
  const Targets targets = read_targets(c, x->rank());
  if (!c.ok()) return;
  ResizeParams p{};
  set_sizes(c, x.sizes(), targets, p);
  if (!c.ok()) return;
  const std::string coordinates =
      is_old(c) ? "asymmetric" : c.attr_string("coordinate_transformation_mode", "half_pixel");
  const std::string nearest = is_old(c) ? "floor" : c.attr_string("nearest_mode", "round_prefer_floor");
  if (!choose(c, "mode", c.attr_string("mode", "nearest"), kModes, p.mode) ||
      !choose(c, "coordinates", coordinates, kCoordinates, p.coordinates) ||
      !choose(c, "nearest mode", nearest, kNearest, p.nearest))
    return;
  p.cubic_a = c.attr_float("cubic_coeff_a", -0.75f);
  if (c.attr_int("exclude_outside", 0) != 0 && p.mode == ResizeMode::Cubic) return c.refuse("exclude_outside");
  if (c.attr_int("antialias", 0) != 0 && p.mode != ResizeMode::Nearest) return c.refuse("antialias");
  c.out(0, c.op_with(Op::Resize, {x}, p));
}

constexpr HandlerEntry kHandlers[] = {{"Resize", resize}, {"Upsample", resize}};

}  // namespace

std::span<const HandlerEntry> resize_handlers() { return kHandlers; }

}  // namespace arenascope::models
