// SPDX-License-Identifier: MIT
// Pooling windows and local response normalisation over [N, C, spatial…].
//
// A row of results is made in two steps: the input rows that its windows cover are combined into one row, padded at
// both ends, then the windows run along that row.
#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/kernels/pool_last.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

// The windows as three spatial dimensions, the missing outer ones being of size 1.
struct Windows {
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], begin[3], end[3], in_stride[3];
  int64_t row;  // elements of a padded row that the windows cover

  explicit Windows(const TensorImpl& node) {
    const auto p = node.params.get<PoolParams>();
    const TensorImpl& source = *node.sources[0];
    for (int i = 0; i < 3; ++i) {
      const int own = i - (3 - p.spatial);
      const bool is = own >= 0;
      in[i] = is ? source.sizes[own + 2] : 1;
      in_stride[i] = is ? source.strides[own + 2] : 0;
      out[i] = is ? node.sizes[own + 2] : 1;
      kernel[i] = is ? p.kernel[own] : 1;
      stride[i] = is ? p.strides[own] : 1;
      dilation[i] = is ? p.dilations[own] : 1;
      begin[i] = is ? p.pads_begin[own] : 0;
      end[i] = is ? p.pads_end[own] : 0;
    }
    row = (out[2] - 1) * stride[2] + (kernel[2] - 1) * dilation[2] + 1;
  }
  // Rows of a plane that windows cover, and its floats with what may be read behind it.
  int64_t rows() const { return (out[1] - 1) * stride[1] + (kernel[1] - 1) * dilation[1] + 1; }
  int64_t plane() const { return std::max(rows(), begin[1] + 1) * row + std::max<int64_t>(begin[2], 0) + kTapSlack; }
  // Whether one window is all of the source.
  bool whole() const {
    bool all = true;
    for (int i = 0; i < 3; ++i) all = all && out[i] == 1 && kernel[i] == in[i] && dilation[i] == 1 && begin[i] == 0;
    return all;
  }
  // Whether every window covers a column of the source.
  bool each_covers() const {
    for (int64_t o = 0; o < out[2]; ++o)
      if (covered(2, o, 0, in[2]) == 0) return false;
    return true;
  }
  // The window positions k of dimension i at result o that lie in [low, high).
  int64_t covered(int i, int64_t o, int64_t low, int64_t high) const {
    int64_t n = 0;
    for (int64_t k = 0; k < kernel[i]; ++k) {
      const int64_t at = o * stride[i] - begin[i] + k * dilation[i];
      n += at >= low && at < high;
    }
    return n;
  }
};

template <class C>
void combine(bool max, C* to, const C* a, const C* b, int64_t n) {
  if constexpr (std::is_same_v<C, float>) return max ? simd().max(to, a, b, n) : simd().add(to, a, b, n);
  for (int64_t i = 0; i < n; ++i) to[i] = !max ? a[i] + b[i] : a[i] != a[i] || a[i] > b[i] ? a[i] : b[i];  // NaN wins
}

template <class C>
C lowest() {
  return std::is_floating_point_v<C> ? -std::numeric_limits<C>::infinity() : std::numeric_limits<C>::lowest();
}

// A padded row, a row as it was loaded, a result, counts, a row taken apart.
Bytes pool_share(const Windows& w, Bytes width) {
  return round_to_line((2 * w.row + 8 + w.in[2] + 2 * w.out[2]) * width);
}

// Means over planes of floats with windows that move by one column: a padded plane; sums down the windows' columns,
// where they also move by one row; then windows as weighted rows, as for convolutions with one kernel a channel.
constexpr int64_t kPlane = int64_t{1} << 16;  // floats of a padded plane, at most
bool by_planes(const TensorImpl& node, const Windows& w) {
  const TensorImpl& x = *node.sources[0];
  return node.op == Op::AvgPool && node.dtype == DType::F32 && x.dtype == DType::F32 && w.in[0] == 1 && w.out[0] == 1 &&
         w.kernel[0] == 1 && w.begin[0] == 0 && w.stride[2] == 1 && w.in_stride[2] == 1 && w.plane() <= kPlane &&
         w.kernel[1] * w.kernel[2] <= 64 && !w.whole();
}
Bytes planes_share(const Windows& w) { return round_to_line(4 * (2 * w.plane() + w.out[1] * w.out[2])); }

void mean_planes(const Job& job, const Windows& w) {
  const TensorImpl &node = job.node, &source = job.source(0);
  const bool include_pad = node.params.get<PoolParams>().count_include_pad;
  float *const padded = job.scratch<float>(planes_share(w)), *const down = padded + w.plane(),
               *const factors = down + w.plane();
  std::fill(padded, padded + 2 * w.plane(), 0.0f);
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
    taps[t] = t / w.kernel[2] * w.dilation[1] * w.row + t % w.kernel[2] * w.dilation[2];
    ones[t] = 1;
  }
  const int64_t inside = std::clamp<int64_t>(w.row - w.begin[2], 0, w.in[2]),
                tall = std::clamp<int64_t>(w.rows() - w.begin[1], 0, w.in[1]);
  const int64_t channels = node.sizes[1], results = w.out[1] * w.out[2];
  const Range planes = job.part(node.sizes[0] * channels);
  for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
    const float* x =
        source.data_as<float>() + plane / channels * source.strides[0] + plane % channels * source.strides[1];
    simd().copy_rows(padded + w.begin[1] * w.row + w.begin[2], w.row, x, w.in_stride[1], tall, inside);
    float* out = node.data_as<float>() + plane * results;
    const int64_t step = w.dilation[1] * w.row, all = w.out[1] * w.row;
    if (apart) simd().add(down, padded, padded + step, all);
    for (int64_t k = 2; apart && k < w.kernel[1]; ++k) simd().add(down, down, padded + k * step, all);
    simd().weigh_rows(out, w.out[2], apart ? down : padded, taps, ones, count, w.stride[1] * w.row, w.out[1], w.out[2],
                      0);
    simd().mul(out, out, factors, results);
  }
}

template <class C>
void run_pool(const Job& job) {
  const TensorImpl &node = job.node, &source = job.source(0);
  const bool max = node.op == Op::MaxPool, include_pad = node.params.get<PoolParams>().count_include_pad;
  const Windows w(node);
  const int64_t channels = node.sizes[1], bytes = element_bytes(source.dtype);
  const LoadRow<C> load = loader<C>(source.dtype);
  const bool direct = is_native<C>(source.dtype) && (w.in_stride[2] == 1 || w.in[2] == 1);
  C* const padded = job.scratch<C>(pool_share(w, static_cast<Bytes>(sizeof(C))));
  C *const loaded = padded + w.row + 2, *const result = loaded + w.in[2], *const counts = result + w.out[2];
  C *const even = counts + w.out[2], *const odd = even + w.row / 2 + 1;
  // Input columns that windows cover, and where they stand in the padded row.
  const int64_t columns = std::clamp<int64_t>(w.row - w.begin[2], 0, w.in[2]);
  C* const inside = padded + std::min(w.begin[2], w.row);
  const Range rows = job.part(node.sizes[0] * channels * w.out[0] * w.out[1]);
  [[maybe_unused]] const bool all_cover = w.each_covers();
  int64_t counted = -1;  // what stands in `counts` is for windows that cover so much in the other dimensions
  if constexpr (std::is_same_v<C, float>) {
    if (w.whole() && direct && (w.in_stride[1] == w.in[2] || w.in[1] == 1) &&
        (w.in_stride[0] == w.in[1] * w.in_stride[1] || w.in[0] == 1)) {
      const int64_t n = w.in[0] * w.in[1] * w.in[2];
      for (int64_t r = rows.begin; r < rows.end; ++r) {
        const float* x = source.data_as<float>() + r / channels * source.strides[0] + r % channels * source.strides[1];
        float value = max ? simd().highest(x, n) : static_cast<float>(simd().sum(x, n) / static_cast<double>(n));
        storer<float>(node.dtype)(node.data() + r * element_bytes(node.dtype), 1, &value, 1);
      }
      return;
    }
  }
  for (int64_t r = rows.begin; r < rows.end; ++r) {
    const int64_t oh = r % w.out[1], od = r / w.out[1] % w.out[0], plane = r / w.out[1] / w.out[0];
    const int64_t base = plane / channels * source.strides[0] + plane % channels * source.strides[1];
    bool first = true;
    for (int64_t kd = 0; kd < w.kernel[0]; ++kd) {
      const int64_t d = od * w.stride[0] - w.begin[0] + kd * w.dilation[0];
      if (d < 0 || d >= w.in[0]) continue;
      for (int64_t kh = 0; kh < w.kernel[1]; ++kh) {
        const int64_t h = oh * w.stride[1] - w.begin[1] + kh * w.dilation[1];
        if (h < 0 || h >= w.in[1]) continue;
        const std::byte* from = source.data() + (base + d * w.in_stride[0] + h * w.in_stride[1]) * bytes;
        if (!direct) load(loaded, from, w.in_stride[2], columns);
        const C* x = direct ? reinterpret_cast<const C*>(from) : loaded;
        if (first) {
          std::fill(padded, inside, max ? lowest<C>() : C{0});
          std::copy(x, x + columns, inside);
          std::fill(inside + columns, padded + w.row, max ? lowest<C>() : C{0});
          first = false;
        } else {
          combine(max, inside, inside, x, columns);
        }
      }
    }
    if (first) std::fill(padded, padded + w.row, max ? lowest<C>() : C{0});
    C* out = is_native<C>(node.dtype) ? node.data_as<C>() + r * w.out[2] : result;
    const int64_t s = w.stride[2];
    const bool halved = std::is_same_v<C, float> && s == 2 && w.dilation[2] == 1;
    if constexpr (std::is_same_v<C, float>)
      if (halved) simd().halves(even, odd, padded, (w.row + 1) / 2);
    for (int64_t k = 0; k < w.kernel[2]; ++k) {
      const C* from = padded + k * w.dilation[2];
      if (halved) {
        const C* x = (k % 2 == 0 ? even : odd) + k / 2;
        if (k == 0)
          std::copy(x, x + w.out[2], out);
        else
          combine(max, out, out, x, w.out[2]);
        continue;
      }
      if (k == 0) {
        for (int64_t i = 0; i < w.out[2]; ++i) out[i] = from[i * s];
      } else if (s == 1) {
        combine(max, out, out, from, w.out[2]);
      } else if (max) {
        for (int64_t i = 0; i < w.out[2]; ++i)
          out[i] = from[i * s] != from[i * s] || from[i * s] > out[i] ? from[i * s] : out[i];
      } else {
        for (int64_t i = 0; i < w.out[2]; ++i) out[i] += from[i * s];
      }
    }
    if (!max) {
      // A window counts what it covers of the source, or of the padded source.
      const auto low = [&](int i) { return include_pad ? -w.begin[i] : 0; };
      const auto high = [&](int i) { return w.in[i] + (include_pad ? w.end[i] : 0); };
      const int64_t others = w.covered(0, od, low(0), high(0)) * w.covered(1, oh, low(1), high(1));
      if (counted != others) {
        counted = others;
        for (int64_t i = 0; i < w.out[2]; ++i) counts[i] = static_cast<C>(others * w.covered(2, i, low(2), high(2)));
      }
      if constexpr (std::is_same_v<C, float>) {
        if (others > 0 && all_cover) {
          simd().div(out, out, counts, w.out[2]);
          if (out == result) store_elements(node, r * w.out[2], w.out[2], out);
          continue;
        }
      }
      for (int64_t i = 0; i < w.out[2]; ++i) out[i] = counts[i] == C{0} ? C{0} : out[i] / counts[i];
    }
    if (out == result) store_elements(node, r * w.out[2], w.out[2], out);
  }
}

template <class C>
void run_lrn(const Job& job) {
  constexpr int64_t kPiece = 512;
  const TensorImpl &node = job.node, &source = job.source(0);
  const auto p = node.params.get<LrnParams>();
  const int64_t channels = node.sizes[1], spatial = node.element_count() / (node.sizes[0] * channels);
  const C factor = static_cast<C>(p.alpha) / static_cast<C>(p.size);
  alignas(64) C buffer[kPiece], sums[kPiece], result[kPiece];
  const Range planes = job.part(node.sizes[0] * channels);
  for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
    const int64_t channel = plane % channels;
    const int64_t first = std::max<int64_t>(0, channel - (p.size - 1) / 2);
    const int64_t last = std::min(channels - 1, channel + p.size / 2);
    for (int64_t at = 0; at < spatial; at += kPiece) {
      const int64_t n = std::min(kPiece, spatial - at);
      std::fill(sums, sums + n, C{0});
      for (int64_t c = first; c <= last; ++c) {
        const C* x = elements(source, (plane - channel + c) * spatial + at, n, buffer);
        for (int64_t i = 0; i < n; ++i) sums[i] += x[i] * x[i];
      }
      const C* x = elements(source, plane * spatial + at, n, buffer);
      if constexpr (std::is_same_v<C, float>) {
        simd().affine(sums, sums, n, factor, p.bias);
        simd().log(sums, sums, n, 0, 0);
        simd().affine(sums, sums, n, -p.beta, 0);
        simd().exp(sums, sums, n, 0, 0);
        simd().mul(result, x, sums, n);
      } else {
        for (int64_t i = 0; i < n; ++i) result[i] = x[i] / std::pow(p.bias + factor * sums[i], static_cast<C>(p.beta));
      }
      store_elements(node, plane * spatial + at, n, result);
    }
  }
}

}  // namespace

Bytes pool_work(const TensorImpl& node, int tasks) {
  if (pools_channels_last(node)) return pool_last_work(node, tasks);
  const Windows w(node);
  if (by_planes(node, w)) return tasks * planes_share(w);
  return tasks * pool_share(w, node.dtype == DType::F64 || !info(node.dtype).floating ? 8 : 4);
}

Status pool(const Job& job) {
  if (pools_channels_last(job.node)) {
    pool_last(job);
    return {};
  }
  if (const Windows w(job.node); by_planes(job.node, w)) {
    mean_planes(job, w);
    return {};
  }
  with_compute_type(job.node.dtype, [&](auto zero) { run_pool<decltype(zero)>(job); });
  return {};
}

Status lrn(const Job& job) {
  job.node.dtype == DType::F64 ? run_lrn<double>(job) : run_lrn<float>(job);
  return {};
}

}  // namespace arenascope::cpu
