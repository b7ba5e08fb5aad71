// SPDX-License-Identifier: MIT
// Pooling and local response normalisation over [N, C, spatial…].
//
// A row of results takes two steps: the input rows that its windows cover are combined into one row, padded at both
// ends, then the windows slide along that row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/pool_nhwc.h"
#include "engine/backends/cpu/kernels/strided_plane.h"
#include "engine/backends/cpu/kernels/windows.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

struct Windows : WindowGeometry {
  int64_t end[3];
  int64_t row;  // elements of a padded row that the windows cover

  explicit Windows(const TensorImpl& node) : Windows(node, node.params.get<PoolParams>()) {}
  // True if one window covers the whole input.
  bool whole() const {
    bool all = true;
    for (int i = 0; i < 3; ++i) all = all && out[i] == 1 && kernel[i] == in[i] && dilation[i] == 1 && begin[i] == 0;
    return all;
  }
  // True if every window covers at least one column of the input.
  bool each_covers() const {
    for (int64_t o = 0; o < out[2]; ++o)
      if (covered(2, o, 0, in[2]) == 0) return false;
    return true;
  }
  // The window positions k of dimension i at result o that are in [low, high).
  int64_t covered(int i, int64_t o, int64_t low, int64_t high) const {
    int64_t n = 0;
    for (int64_t k = 0; k < kernel[i]; ++k) {
      const int64_t position = o * stride[i] - begin[i] + k * dilation[i];
      n += position >= low && position < high;
    }
    return n;
  }

 private:
  Windows(const TensorImpl& node, const PoolParams& p)
      : WindowGeometry(node, p, [&](int i) { return int64_t{p.kernel[i]}; }) {
    for (int i = 0; i < 3; ++i) end[i] = i >= 3 - p.spatial ? p.pads_end[i - (3 - p.spatial)] : 0;
    row = (out[2] - 1) * stride[2] + (kernel[2] - 1) * dilation[2] + 1;
  }
};

template <class C>
void combine(bool max, C* to, const C* a, const C* b, int64_t n) {
  if constexpr (std::is_same_v<C, float>)
    return max ? simd().elements.max(to, a, b, n) : simd().elements.add(to, a, b, n);
  for (int64_t i = 0; i < n; ++i) to[i] = !max ? a[i] + b[i] : a[i] != a[i] || a[i] > b[i] ? a[i] : b[i];  // NaN wins
}

template <class C>
C lowest() {
  return std::is_floating_point_v<C> ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
}

// A padded row, a loaded row, a result, counts, a deinterleaved row.
Bytes pool_share(const Windows& w, Bytes width) {
  return round_to_line((2 * w.row + 8 + w.in[2] + 2 * w.out[2]) * width);
}

// Averages over planes of floats: a padded plane; sums down the windows' columns if the row stride is 1; then windows
// as weighted rows, as in a depthwise convolution.
constexpr int64_t kPlane = int64_t{1} << 16;  // maximum floats of a padded plane
bool by_planes(const TensorImpl& node, const Windows& w) {
  const TensorImpl& x = *node.sources[0];
  return node.op == Op::AvgPool && node.dtype == DType::F32 && x.dtype == DType::F32 && w.in[0] == 1 && w.out[0] == 1 &&
         w.kernel[0] == 1 && w.begin[0] == 0 && w.stride[2] <= 2 && w.in_stride[2] == 1 && !w.whole() &&
         w.kernel[1] * w.kernel[2] <= 64 && StridedPlane(w).all <= kPlane;
}
Bytes planes_share(const Windows& w) { return round_to_line(4 * (2 * StridedPlane(w).all + w.out[1] * w.out[2])); }

void mean_planes(const KernelArgs& args, const Windows& w) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const bool include_pad = node.params.get<PoolParams>().count_include_pad;
  const StridedPlane p(w);
  float *const padded = args.scratch<float>(planes_share(w)), *const down = padded + p.all,
               *const factors = down + p.all;
  std::fill(padded, padded + 2 * p.all, 0.0f);
  const auto low = [&](int i) { return include_pad ? -w.begin[i] : 0; };
  const auto high = [&](int i) { return w.in[i] + (include_pad ? w.end[i] : 0); };
  for (int64_t y = 0; y < w.out[1]; ++y)
    for (int64_t x = 0; x < w.out[2]; ++x) {
      const int64_t count = w.covered(1, y, low(1), high(1)) * w.covered(2, x, low(2), high(2));
      factors[y * w.out[2] + x] = count == 0 ? 0.0f : 1 / static_cast<float>(count);
    }
  int64_t taps[64];
  float ones[64];
  const bool apart = w.stride[1] == 1 && w.kernel[1] > 1 && w.kernel[2] > 1;
  const int64_t count = apart ? w.kernel[2] : w.kernel[1] * w.kernel[2];
  for (int64_t t = 0; t < count; ++t) {
    taps[t] = p.tap(w, t);
    ones[t] = 1;
  }
  const int64_t channels = node.sizes[1], results = w.out[1] * w.out[2];
  const Range planes = args.part(node.sizes[0] * channels);
  for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
    const float* x =
        source.data_as<float>() + plane / channels * source.strides[0] + plane % channels * source.strides[1];
    p.fill(w, x, padded);
    float* out = node.data_as<float>() + plane * results;
    const int64_t step = w.dilation[1] * p.row, all = w.out[1] * p.row;
    if (apart) simd().elements.add(down, padded, padded + step, all);
    for (int64_t k = 2; apart && k < w.kernel[1]; ++k) simd().elements.add(down, down, padded + k * step, all);
    simd().weigh_rows(out, w.out[2], apart ? down : padded, taps, ones, count, w.stride[1] * p.row, w.out[1], w.out[2],
                      0);
    simd().elements.mul(out, out, factors, results);
  }
}

// One window over the whole of each contiguous plane. False: not this case.
bool pool_whole_planes(const KernelArgs& args, const Windows& w) {
  const TensorImpl &node = args.node, &source = args.source(0);
  const bool dense = (w.in_stride[2] == 1 || w.in[2] == 1) && (w.in_stride[1] == w.in[2] || w.in[1] == 1) &&
                     (w.in_stride[0] == w.in[1] * w.in_stride[1] || w.in[0] == 1);
  if (!w.whole() || !is_native<float>(source.dtype) || !dense) return false;
  const int64_t channels = node.sizes[1], n = w.in[0] * w.in[1] * w.in[2];
  const Range planes = args.part(node.sizes[0] * channels);
  for (int64_t r = planes.begin; r < planes.end; ++r) {
    const float* x = source.data_as<float>() + r / channels * source.strides[0] + r % channels * source.strides[1];
    float value = node.op == Op::MaxPool ? simd().lines.highest(x, n)
                                         : static_cast<float>(simd().lines.sum(x, n) / static_cast<double>(n));
    storer<float>(node.dtype)(node.data() + r * element_bytes(node.dtype), 1, &value, 1);
  }
  return true;
}

// Rows of results in sequence.
template <class C>
class RowPool {
 public:
  RowPool(const KernelArgs& args, const Windows& windows)
      : node_(args.node),
        source_(args.source(0)),
        w_(windows),
        rows_(args.part(node_.sizes[0] * node_.sizes[1] * w_.out[0] * w_.out[1])),
        max_(node_.op == Op::MaxPool),
        include_pad_(node_.params.get<PoolParams>().count_include_pad),
        direct_(is_native<C>(source_.dtype) && (w_.in_stride[2] == 1 || w_.in[2] == 1)),
        all_cover_(w_.each_covers()),
        columns_(std::clamp<int64_t>(w_.row - w_.begin[2], 0, w_.in[2])),
        load_(loader<C>(source_.dtype)),
        padded_(args.scratch<C>(pool_share(w_, static_cast<Bytes>(sizeof(C))))),
        inside_(padded_ + std::min(w_.begin[2], w_.row)),
        loaded_(padded_ + w_.row + 2),
        result_(loaded_ + w_.in[2]),
        counts_(result_ + w_.out[2]),
        even_(counts_ + w_.out[2]),
        odd_(even_ + w_.row / 2 + 1) {}

  void run() {
    for (int64_t r = rows_.begin; r < rows_.end; ++r) {
      const int64_t oh = r % w_.out[1], od = r / w_.out[1] % w_.out[0], plane = r / w_.out[1] / w_.out[0];
      combine_rows(plane, od, oh);
      C* const out = is_native<C>(node_.dtype) ? node_.data_as<C>() + r * w_.out[2] : result_;
      slide(out);
      if (!max_) divide(out, od, oh);
      if (out == result_) store_elements(node_, r * w_.out[2], w_.out[2], out);
    }
  }

 private:
  C neutral() const { return max_ ? lowest<C>() : C{0}; }

  // The input rows that a result row's windows cover, combined into the padded row.
  void combine_rows(int64_t plane, int64_t od, int64_t oh) {
    const int64_t channels = node_.sizes[1], bytes = element_bytes(source_.dtype);
    const int64_t base = plane / channels * source_.strides[0] + plane % channels * source_.strides[1];
    bool first = true;
    for (int64_t kd = 0; kd < w_.kernel[0]; ++kd) {
      const int64_t d = od * w_.stride[0] - w_.begin[0] + kd * w_.dilation[0];
      if (d < 0 || d >= w_.in[0]) continue;
      for (int64_t kh = 0; kh < w_.kernel[1]; ++kh) {
        const int64_t h = oh * w_.stride[1] - w_.begin[1] + kh * w_.dilation[1];
        if (h < 0 || h >= w_.in[1]) continue;
        const std::byte* from = source_.data() + (base + d * w_.in_stride[0] + h * w_.in_stride[1]) * bytes;
        if (!direct_) load_(loaded_, from, w_.in_stride[2], columns_);
        const C* x = direct_ ? reinterpret_cast<const C*>(from) : loaded_;
        if (first) {
          std::fill(padded_, inside_, neutral());
          std::copy(x, x + columns_, inside_);
          std::fill(inside_ + columns_, padded_ + w_.row, neutral());
          first = false;
        } else {
          combine(max_, inside_, inside_, x, columns_);
        }
      }
    }
    if (first) std::fill(padded_, padded_ + w_.row, neutral());
  }

  // Slides the windows along the padded row. For column stride 2 it is deinterleaved.
  void slide(C* out) {
    const int64_t stride = w_.stride[2], n = w_.out[2];
    const bool halved = std::is_same_v<C, float> && stride == 2 && w_.dilation[2] == 1;
    if constexpr (std::is_same_v<C, float>)
      if (halved) simd().halves(even_, odd_, padded_, (w_.row + 1) / 2);
    for (int64_t k = 0; k < w_.kernel[2]; ++k) {
      const C* from = padded_ + k * w_.dilation[2];
      const C* x = halved ? (k % 2 == 0 ? even_ : odd_) + k / 2 : from;
      if (k == 0 && halved) {
        std::copy(x, x + n, out);
      } else if (k == 0) {
        for (int64_t i = 0; i < n; ++i) out[i] = from[i * stride];
      } else if (halved || stride == 1) {
        combine(max_, out, out, x, n);
      } else if (max_) {
        for (int64_t i = 0; i < n; ++i)
          out[i] = from[i * stride] != from[i * stride] || from[i * stride] > out[i] ? from[i * stride] : out[i];
      } else {
        for (int64_t i = 0; i < n; ++i) out[i] += from[i * stride];
      }
    }
  }

  // Divides sums by the number of elements that the window covers in the input, or in the padded input.
  void divide(C* out, int64_t od, int64_t oh) {
    const auto low = [&](int i) { return include_pad_ ? -w_.begin[i] : 0; };
    const auto high = [&](int i) { return w_.in[i] + (include_pad_ ? w_.end[i] : 0); };
    const int64_t n = w_.out[2], others = w_.covered(0, od, low(0), high(0)) * w_.covered(1, oh, low(1), high(1));
    if (counted_ != others) {
      counted_ = others;
      for (int64_t i = 0; i < n; ++i) counts_[i] = static_cast<C>(others * w_.covered(2, i, low(2), high(2)));
    }
    if constexpr (std::is_same_v<C, float>)
      if (others > 0 && all_cover_) return simd().elements.div(out, out, counts_, n);
    for (int64_t i = 0; i < n; ++i) out[i] = counts_[i] == C{0} ? C{0} : out[i] / counts_[i];
  }

  const TensorImpl &node_, &source_;
  const Windows& w_;
  const Range rows_;
  const bool max_, include_pad_, direct_;
  [[maybe_unused]] const bool all_cover_;
  const int64_t columns_;  // input columns that windows cover
  const LoadRow<C> load_;
  C *const padded_, *const inside_;  // the padded row, and its first input column
  C *const loaded_, *const result_, *const counts_, *const even_, *const odd_;
  int64_t counted_ = -1;  // counts_ is valid for this extent in the other dimensions
};

template <class C>
void run_lrn(const KernelArgs& args) {
  constexpr int64_t kPiece = 512;
  const TensorImpl &node = args.node, &source = args.source(0);
  const auto p = node.params.get<LrnParams>();
  const int64_t channels = node.sizes[1], spatial = node.element_count() / (node.sizes[0] * channels);
  const C factor = static_cast<C>(p.alpha) / static_cast<C>(p.size);
  alignas(64) C buffer[kPiece], sums[kPiece], result[kPiece];
  const Range planes = args.part(node.sizes[0] * channels);
  for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
    const int64_t channel = plane % channels;
    const int64_t first = std::max<int64_t>(0, channel - (p.size - 1) / 2);
    const int64_t last = std::min(channels - 1, channel + p.size / 2);
    for (int64_t start = 0; start < spatial; start += kPiece) {
      const int64_t n = std::min(kPiece, spatial - start);
      std::fill(sums, sums + n, C{0});
      for (int64_t c = first; c <= last; ++c) {
        const C* x = elements(source, (plane - channel + c) * spatial + start, n, buffer);
        for (int64_t i = 0; i < n; ++i) sums[i] += x[i] * x[i];
      }
      const C* x = elements(source, plane * spatial + start, n, buffer);
      if constexpr (std::is_same_v<C, float>) {
        simd().elements.affine(sums, sums, n, factor, p.bias);
        simd().elements.log(sums, sums, n, 0, 0);
        simd().elements.affine(sums, sums, n, -p.beta, 0);
        simd().elements.exp(sums, sums, n, 0, 0);
        simd().elements.mul(result, x, sums, n);
      } else {
        for (int64_t i = 0; i < n; ++i) result[i] = x[i] / std::pow(p.bias + factor * sums[i], static_cast<C>(p.beta));
      }
      store_elements(node, plane * spatial + start, n, result);
    }
  }
}

}  // namespace

Bytes pool_work(const TensorImpl& node, int tasks) {
  if (pools_channels_last(node)) return pool_nhwc_work(node, tasks);
  const Windows w(node);
  if (by_planes(node, w)) return tasks * planes_share(w);
  return tasks * pool_share(w, node.dtype == DType::F64 || !info(node.dtype).floating ? 8 : 4);
}

Status pool(const KernelArgs& args) {
  if (pools_channels_last(args.node)) {
    pool_nhwc(args);
    return {};
  }
  const Windows w(args.node);
  if (by_planes(args.node, w)) {
    mean_planes(args, w);
    return {};
  }
  with_compute_type(args.node.dtype, [&](auto zero) {
    using C = decltype(zero);
    if constexpr (std::is_same_v<C, float>)
      if (pool_whole_planes(args, w)) return;
    RowPool<C>(args, w).run();
  });
  return {};
}

Status lrn(const KernelArgs& args) {
  args.node.dtype == DType::F64 ? run_lrn<double>(args) : run_lrn<float>(args);
  return {};
}

}  // namespace arenascope::cpu
