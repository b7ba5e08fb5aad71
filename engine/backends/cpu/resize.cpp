// SPDX-License-Identifier: MIT
// RESIZE after ONNX: each dimension maps result places to source places by its scale; a result is the sum over a few
// source elements along each resized dimension (1 nearest, 2 linear, 4 cubic) with weights that multiply.
#include <algorithm>
#include <cmath>

#include <arenascope/backends/cpu/elements.h>
#include <arenascope/backends/cpu/kernel.h>

namespace arenascope::cpu {
namespace {

constexpr int kTaps = 4;

// Where the taps of one result place lie along a dimension (elements) and what they weigh.
struct Taps {
  int count;
  int64_t offset[kTaps];
  double weight[kTaps];
};

struct Axis {
  int64_t in, out, stride;
  double scale;
};

Axis axis_of(const TensorImpl& node, const ResizeParams& p, int d) {
  const int rank = node.rank(), late = d - (rank - 4);
  Axis a{node.sources[0]->sizes[d], node.sizes[d], node.sources[0]->strides[d], 0};
  if (late >= 0) a.scale = static_cast<double>(p.scales[late]);
  if (!(a.scale > 0)) a.scale = static_cast<double>(a.out) / static_cast<double>(a.in);
  return a;
}

double source_place(const Axis& a, ResizeCoordinates mode, int64_t place) {
  const double x = static_cast<double>(place);
  switch (mode) {
    case ResizeCoordinates::Asymmetric: return x / a.scale;
    case ResizeCoordinates::AlignCorners: {  // the extent before it is cut to a whole number
      const double extent = static_cast<double>(a.in) * a.scale;
      return a.out == 1 || extent <= 1 ? 0 : x * static_cast<double>(a.in - 1) / (extent - 1);
    }
    case ResizeCoordinates::PytorchHalfPixel: return a.out == 1 ? 0 : (x + 0.5) / a.scale - 0.5;
    case ResizeCoordinates::HalfPixel: break;
  }
  return (x + 0.5) / a.scale - 0.5;
}

double nearest(double x, ResizeNearest mode) {
  switch (mode) {
    case ResizeNearest::RoundPreferFloor: return std::ceil(x - 0.5);
    case ResizeNearest::RoundPreferCeil: return std::floor(x + 0.5);
    case ResizeNearest::Floor: return std::floor(x);
    case ResizeNearest::Ceil: break;
  }
  return std::ceil(x);
}

// Without the taps that weigh nothing but for rounding, so that NaN and infinities stay where they count.
Taps heavy(const Taps& taps) {
  Taps some{0, {}, {}};
  for (int t = 0; t < taps.count; ++t) {
    if (std::abs(taps.weight[t]) < 1e-12) continue;
    some.offset[some.count] = taps.offset[t];
    some.weight[some.count++] = taps.weight[t];
  }
  return some;
}

Taps taps_at(const Axis& a, const ResizeParams& p, int64_t place) {
  if (a.in == a.out && a.scale == 1) return {1, {place * a.stride}, {1}};
  const double x = source_place(a, p.coordinates, place), last = static_cast<double>(a.in - 1);
  const auto offset = [&](double at) { return static_cast<int64_t>(std::clamp(at, 0.0, last)) * a.stride; };
  if (p.mode == ResizeMode::Nearest) return {1, {offset(nearest(x, p.nearest))}, {1}};
  if (p.mode == ResizeMode::Linear) {
    const double in = std::clamp(x, 0.0, last), low = std::floor(in), t = in - low;
    return heavy({2, {offset(low), offset(low + 1)}, {1 - t, t}});
  }
  // Cubic convolution (Keys 1981) with the coefficient that the op gives.
  const double low = std::floor(x), t = x - low, c = static_cast<double>(p.cubic_a);
  const auto near = [c](double s) { return ((c + 2) * s - (c + 3)) * s * s + 1; };
  const auto far = [c](double s) { return ((c * s - 5 * c) * s + 8 * c) * s - 4 * c; };
  return heavy({4, {offset(low - 1), offset(low), offset(low + 1), offset(low + 2)}, {far(t + 1), near(t), near(1 - t), far(2 - t)}});
}

template <class C>
void run(const Job& job) {
  const TensorImpl &node = job.node, &source = job.source(0);
  const auto p = node.params.get<ResizeParams>();
  const int rank = node.rank(), last = rank - 1;
  const int64_t width = node.sizes.back(), bytes = element_bytes(node.dtype);
  const LoadRow<C> load = loader<C>(source.dtype);
  const StoreRow<C> store = storer<C>(node.dtype);
  Taps* const columns = job.scratch<Taps>(round_to_line(width * static_cast<Bytes>(sizeof(Taps))));
  for (int64_t i = 0; i < width; ++i) columns[i] = taps_at(axis_of(node, p, last), p, i);
  const Range rows = job.part(node.element_count() / width);
  for (int64_t row = rows.begin; row < rows.end; ++row) {
    Taps outer[kMaxDims];
    int64_t rest = row, combinations = 1;
    for (int d = last - 1; d >= 0; --d) {
      outer[d] = taps_at(axis_of(node, p, d), p, rest % node.sizes[d]);
      rest /= node.sizes[d];
      combinations *= outer[d].count;
    }
    for (int64_t i = 0; i < width; ++i) {
      double sum = 0;
      C value{};
      for (int64_t c = 0; c < combinations; ++c) {
        int64_t choice = c, offset = 0;
        double weight = 1;
        for (int d = 0; d < last; ++d) {
          const auto t = static_cast<size_t>(choice % outer[d].count);
          choice /= outer[d].count;
          offset += outer[d].offset[t];
          weight *= outer[d].weight[t];
        }
        for (int t = 0; t < columns[i].count; ++t) {
          load(&value, source.data() + (offset + columns[i].offset[t]) * bytes, 1, 1);
          sum += weight * columns[i].weight[t] * static_cast<double>(value);
        }
      }
      if (p.mode != ResizeMode::Nearest) value = convert<C>(sum);
      store(node.data() + (row * width + i) * bytes, 1, &value, 1);
    }
  }
}

}  // namespace

Bytes resize_work(const TensorImpl& node, int tasks) {
  return tasks * round_to_line(node.sizes.back() * static_cast<Bytes>(sizeof(Taps)));
}

Status resize(const Job& job) {
  if (job.node.rank() == 0) return copy(job);
  with_compute_type(job.node.dtype, [&](auto zero) { run<decltype(zero)>(job); });
  return {};
}

}  // namespace arenascope::cpu
