// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>

#include "engine/backends/reference/values.h"

#pragma GCC diagnostic error "-Wswitch-enum"  // an op that is missing here is a compile error

namespace arenascope::reference {
namespace {

Real pooled(const TensorImpl& node, const Array& x, const Dims& index) {
  const auto p = node.params.get<PoolParams>();
  Dims kernel;
  for (int d = 0; d < p.spatial; ++d) kernel.push_back(p.kernel[d]);
  Real best = -INFINITY, sum = 0;
  int64_t inside = 0, in_padded = 0;
  for (int64_t tap = 0; tap < element_count(kernel); ++tap) {
    const Dims k = unravel(tap, kernel);
    Dims from = index;
    bool is_inside = true, is_padded = true;
    for (int d = 0; d < p.spatial; ++d) {
      const int64_t at = index[d + 2] * p.strides[d] - p.pads_begin[d] + k[d] * p.dilations[d], size = x.size(d + 2);
      from[d + 2] = at;
      is_inside = is_inside && at >= 0 && at < size;
      is_padded = is_padded && at < size + p.pads_end[d];
    }
    in_padded += is_padded;
    if (!is_inside) continue;
    ++inside;
    const Real value = x[ravel(from, x.sizes)];
    best = std::isnan(best) || best > value ? best : value;  // NaN wins
    sum += value;
  }
  if (node.op == Op::MaxPool) return best;
  const int64_t count = p.count_include_pad ? in_padded : inside;
  return count == 0 ? 0 : sum / static_cast<Real>(count);
}

Real responded(const TensorImpl& node, const Array& x, const Dims& index) {
  const auto p = node.params.get<LrnParams>();
  Real sum = 0;
  Dims other = index;
  for (int64_t c = index[1] - (p.size - 1) / 2; c <= index[1] + p.size / 2; ++c) {
    if (c < 0 || c >= x.size(1)) continue;
    other[1] = c;
    const Real value = x[ravel(other, x.sizes)];
    sum += value * value;
  }
  const Real base = static_cast<Real>(p.bias) + static_cast<Real>(p.alpha) / p.size * sum;
  return x[ravel(index, x.sizes)] / std::pow(base, static_cast<Real>(p.beta));
}

Real keys(Real s, Real a) {
  s = std::abs(s);
  if (s <= 1) return (a + 2) * s * s * s - (a + 3) * s * s + 1;
  return s < 2 ? a * s * s * s - 5 * a * s * s + 8 * a * s - 4 * a : 0;
}

// Interpolates along dimension d, then along the dimensions before it; the indices of later dimensions are fixed.
Real interpolated(const TensorImpl& node, const Array& x, const Dims& index, Dims& from, int d) {
  if (d < 0) return x[ravel(from, x.sizes)];
  const auto p = node.params.get<ResizeParams>();
  const auto in = static_cast<Real>(x.size(d)), out = static_cast<Real>(node.sizes[d]), i = static_cast<Real>(index[d]);
  const int late = d - (node.rank() - 4);
  const Real scale = late >= 0 && p.scales[late] > 0 ? static_cast<Real>(p.scales[late]) : out / in;
  Real at = (i + 0.5L) / scale - 0.5L;
  if (p.coordinates == ResizeCoordinates::Asymmetric) at = i / scale;
  // The scaled extent is rounded down to an integer.
  if (p.coordinates == ResizeCoordinates::AlignCorners)
    at = out == 1 || in * scale <= 1 ? 0 : i * (in - 1) / (in * scale - 1);
  if (p.coordinates == ResizeCoordinates::PytorchHalfPixel && out == 1) at = 0;
  if (in == out && scale == 1) at = i;
  const auto fetch = [&](Real place) {
    from[d] = static_cast<int64_t>(std::clamp<Real>(place, 0, in - 1));
    return interpolated(node, x, index, from, d - 1);
  };
  // A weight that is zero except for rounding does not read its element.
  const auto weighed = [&](Real weight, Real place) {
    return std::abs(weight) < Real{1e-12L} ? 0 : weight * fetch(place);
  };
  if (p.mode == ResizeMode::Nearest) {
    // A position exactly between two is rounded by the mode; scales in files are floats, so that it may be slightly off.
    const double place = static_cast<double>(at);
    switch (p.nearest) {
      case ResizeNearest::Floor: return fetch(std::floor(place));
      case ResizeNearest::Ceil: return fetch(std::ceil(place));
      case ResizeNearest::RoundPreferFloor: return fetch(std::ceil(place - 0.5));
      case ResizeNearest::RoundPreferCeil: return fetch(std::floor(place + 0.5));
    }
  }
  Real sum = 0;
  if (p.mode == ResizeMode::Linear) {
    at = std::clamp<Real>(at, 0, in - 1);
    const Real low = std::floor(at);
    sum += weighed(1 - (at - low), low);
    sum += weighed(at - low, low + 1);
  } else {
    const Real low = std::floor(at);
    for (int k = -1; k <= 2; ++k) sum += weighed(keys(at - (low + k), static_cast<Real>(p.cubic_a)), low + k);
  }
  return sum;
}

}  // namespace

Real resized(const TensorImpl& node, const Array& x, const Dims& index) {
  Dims from = index;
  return interpolated(node, x, index, from, node.rank() - 1);
}

std::vector<Real> windows(const TensorImpl& node, const Sources& sources) {
  std::vector<Real> out(static_cast<size_t>(node.element_count()));
  for (size_t i = 0; i < out.size(); ++i) {
    const Dims index = unravel(static_cast<int64_t>(i), node.sizes);
    switch (static_cast<WindowOp>(node.op)) {
      case WindowOp::MaxPool:
      case WindowOp::AvgPool: out[i] = pooled(node, sources[0], index); break;
      case WindowOp::Lrn: out[i] = responded(node, sources[0], index); break;
    }
  }
  return out;
}

}  // namespace arenascope::reference
