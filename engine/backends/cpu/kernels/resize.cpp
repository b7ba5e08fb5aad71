// SPDX-License-Identifier: MIT
// RESIZE as in ONNX: each dimension maps result positions to input positions by its scale. A result is the weighted
// sum over a few input elements along each resized dimension (1 nearest, 2 linear, 4 cubic); weights multiply. Input
// rows are summed first, then elements along the sum, which is reused for the next result row if its input rows are
// the same.
#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"

namespace arenascope::cpu {
namespace {

constexpr int kTaps = 4;

// Taps of one result position along a dimension: offsets (elements) and weights.
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
    case ResizeCoordinates::AlignCorners: {  // the extent before it is truncated to an integer
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

// Without taps whose weight is only a rounding error, so that NaN and infinity propagate only where they count.
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
  // Cubic convolution (Keys 1981) with the op's coefficient.
  const double low = std::floor(x), t = x - low, c = static_cast<double>(p.cubic_a);
  const auto near = [c](double s) { return ((c + 2) * s - (c + 3)) * s * s + 1; };
  const auto far = [c](double s) { return ((c * s - 5 * c) * s + 8 * c) * s - 4 * c; };
  return heavy({4,
                {offset(low - 1), offset(low), offset(low + 1), offset(low + 2)},
                {far(t + 1), near(t), near(1 - t), far(2 - t)}});
}

// The input rows that a result row sums: every combination of taps of all dimensions but the last.
struct SourceRows {
  Taps taps[kMaxDims];  // by dimension
  int dims = 0;
  int64_t count = 1;

  void find(const TensorImpl& node, const ResizeParams& p, int64_t row) {
    dims = node.rank() - 1;
    count = 1;
    for (int d = dims - 1; d >= 0; row /= node.sizes[d], --d) {
      taps[d] = taps_at(axis_of(node, p, d), p, row % node.sizes[d]);
      count *= taps[d].count;
    }
  }
  struct Row {
    int64_t offset;
    double weight;
  };
  Row at(int64_t choice) const {
    Row row{0, 1};
    for (int d = 0; d < dims; ++d) {
      const auto t = static_cast<size_t>(choice % taps[d].count);
      choice /= taps[d].count;
      row.offset += taps[d].offset[t];
      row.weight *= taps[d].weight[t];
    }
    return row;
  }
  bool operator==(const SourceRows& other) const {
    const auto same = [](const Taps& a, const Taps& b) {
      return a.count == b.count && std::equal(a.offset, a.offset + a.count, b.offset) &&
             std::equal(a.weight, a.weight + a.count, b.weight);
    };
    return dims == other.dims && std::equal(taps, taps + dims, other.taps, same);
  }
};

// Scratch per chunk: an input row, a sum of such rows, and the result row.
template <class C>
struct Rows {
  Taps* columns;
  C *read, *sum, *line;

  static Bytes bytes(int64_t in, int64_t out) {
    return round_to_line(out * static_cast<Bytes>(sizeof(Taps))) +
           2 * round_to_line(in * static_cast<Bytes>(sizeof(C))) + round_to_line(out * static_cast<Bytes>(sizeof(C)));
  }
  Rows(std::byte* scratch, int64_t in, int64_t out) {
    const auto take = [&](Bytes bytes) { return std::exchange(scratch, scratch + round_to_line(bytes)); };
    columns = reinterpret_cast<Taps*>(take(out * static_cast<Bytes>(sizeof(Taps))));
    read = reinterpret_cast<C*>(take(in * static_cast<Bytes>(sizeof(C))));
    sum = reinterpret_cast<C*>(take(in * static_cast<Bytes>(sizeof(C))));
    line = reinterpret_cast<C*>(take(out * static_cast<Bytes>(sizeof(C))));
  }
};

// Integers are summed in double and rounded once; other types are summed in their compute type.
template <class C>
using SumType = std::conditional_t<std::is_floating_point_v<C>, C, double>;

template <class C>
void nearest_line(const Rows<C>& rows, int64_t width) {
  for (int64_t i = 0; i < width; ++i) rows.line[i] = rows.read[rows.columns[i].offset[0]];
}

// Rows of doubles are also used for sums of integers: both take eight bytes.
template <class C>
void weighted_line(const Rows<C>& rows, const SumType<C>* sum, int64_t width) {
  using S = SumType<C>;
  for (int64_t i = 0; i < width; ++i) {
    const Taps& taps = rows.columns[i];
    S value = static_cast<S>(taps.weight[0]) * sum[taps.offset[0]];
    for (int t = 1; t < taps.count; ++t) value += static_cast<S>(taps.weight[t]) * sum[taps.offset[t]];
    rows.line[i] = convert<C>(value);
  }
}

template <class C>
void run(const KernelArgs& args) {
  using S = SumType<C>;
  static_assert(sizeof(S) == sizeof(C));
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<ResizeParams>();
  const int last = node.rank() - 1;
  const int64_t width = node.sizes.back(), in = source.sizes.back(), bytes = element_bytes(node.dtype);
  const LoadRow<C> load = loader<C>(source.dtype);
  const StoreRow<C> store = storer<C>(node.dtype);
  const Rows<C> rows(args.scratch<std::byte>(resize_work(node, 1)), in, width);
  S* const sum = reinterpret_cast<S*>(rows.sum);
  Axis along = axis_of(node, p, last);
  along.stride = 1;  // rows are copied to a contiguous buffer
  for (int64_t i = 0; i < width; ++i) rows.columns[i] = taps_at(along, p, i);
  const Range range = args.part(node.element_count() / width);
  SourceRows from, before;
  for (int64_t row = range.begin; row < range.end; ++row) {
    from.find(node, p, row);
    if (row == range.begin || !(from == before)) {
      for (int64_t k = 0; k < from.count; ++k) {
        const SourceRows::Row one = from.at(k);
        load(rows.read, source.data() + one.offset * bytes, source.strides[last], in);
        if (p.mode == ResizeMode::Nearest) break;
        const S weight = static_cast<S>(one.weight);
        if (k == 0)
          for (int64_t i = 0; i < in; ++i) sum[i] = weight * static_cast<S>(rows.read[i]);
        else
          for (int64_t i = 0; i < in; ++i) sum[i] += weight * static_cast<S>(rows.read[i]);
      }
      if (p.mode == ResizeMode::Nearest)
        nearest_line(rows, width);
      else
        weighted_line(rows, sum, width);
      std::swap(from, before);
    }
    store(node.data() + row * width * bytes, 1, rows.line, width);
  }
}

}  // namespace

Bytes resize_work(const TensorImpl& node, int tasks) {
  if (node.rank() == 0) return 0;
  return tasks * Rows<double>::bytes(node.sources[0]->sizes.back(), node.sizes.back());  // no type is larger
}

Status resize(const KernelArgs& args) {
  if (args.node.rank() == 0) return copy(args);
  with_compute_type(args.node.dtype, [&](auto zero) { run<decltype(zero)>(args); });
  return {};
}

}  // namespace arenascope::cpu
