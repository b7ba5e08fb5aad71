// SPDX-License-Identifier: MIT
#include "support/cuda/host_libraries.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "engine/backends/cuda/kernels/numbers.h"

namespace arenascope::cuda::emulated {
namespace {

double element(DType type, const void* base, int64_t i) { return get<double>(type, static_cast<const char*>(base), i); }

// The sizes of `dims` after the first two as three, with leading ones.
struct Three {
  int64_t v[3];
};
template <class T>
Three three(const T* values, int spatial, int64_t in_front) {
  Three t{{in_front, in_front, in_front}};
  for (int d = 0; d < spatial; ++d) t.v[3 - spatial + d] = values[d];
  return t;
}

// Calls visit(index in x, tap) for every tap of the window at `at` that is inside of the input.
template <class Visit>
void each_tap(const Three& at, const Three& x, const Three& kernel, const Three& strides, const Three& dilations,
              const Three& pads, Visit visit) {
  for (int64_t a = 0; a < kernel.v[0]; ++a)
    for (int64_t b = 0; b < kernel.v[1]; ++b)
      for (int64_t c = 0; c < kernel.v[2]; ++c) {
        const int64_t tap[3] = {a, b, c};
        int64_t place = 0;
        bool inside = true;
        for (int d = 0; d < 3; ++d) {
          const int64_t p = at.v[d] * strides.v[d] - pads.v[d] + tap[d] * dilations.v[d];
          inside = inside && p >= 0 && p < x.v[d];
          place = place * x.v[d] + p;
        }
        if (inside) visit(place, (a * kernel.v[1] + b) * kernel.v[2] + c);
      }
}

Three place_of(int64_t i, const Three& sizes) {
  return {{i / sizes.v[2] / sizes.v[1], i / sizes.v[2] % sizes.v[1], i % sizes.v[2]}};
}
int64_t volume(const Three& t) { return t.v[0] * t.v[1] * t.v[2]; }

}  // namespace

bool HostLibraries::takes(const LibraryMatmul& p) {
  return present_ && (p.type == DType::F32 || p.type == DType::F16 || p.type == DType::BF16);
}
bool HostLibraries::takes(const LibraryConvolution& p) { return present_ && !(p.relu && has_refused_relu_); }
bool HostLibraries::takes(const LibraryPool& p) { return present_ && is_float(p.type); }

Status HostLibraries::run(const LibraryMatmul& p, void* scratch, Bytes bytes) {
  ++calls_;
  if (refused()) return Error{"the stand-in does not run a product"};
  if (bytes < 512 || !scratch) return Error{"the product got less scratch than it asked for"};
  for (int64_t i = 0; i < p.count; ++i)
    for (int64_t m = 0; m < p.m; ++m)
      for (int64_t n = 0; n < p.n; ++n) {
        double sum = 0;
        for (int64_t k = 0; k < p.k; ++k)
          sum += element(p.type, p.a, i * p.a_batch + (p.a_transposed ? k * p.a_row + n : n * p.a_row + k)) *
                 element(p.type, p.b, i * p.b_batch + (p.b_transposed ? k * p.b_row + m : m * p.b_row + k));
        const double bias = p.bias ? element(p.out_type, p.bias, n) : 0;
        put(p.out_type, static_cast<char*>(p.out), i * p.out_batch + m * p.n + n,
            static_cast<double>(p.scale) * sum + bias);
      }
  return {};
}

Status HostLibraries::run(const LibraryConvolution& p, void* scratch, Bytes bytes) {
  ++calls_;
  if (refused()) return Error{"the stand-in does not run a convolution"};
  has_refused_relu_ = has_refused_relu_ || (p.relu && !fuses_);
  if (p.relu && !fuses_) return Error{"the stand-in does not run a convolution with ReLU"};
  if (bytes < 1024 || !scratch) return Error{"the convolution got less scratch than it asked for"};
  const int s = p.spatial;
  const Three x = three(p.x_sizes + 2, s, 1), out = three(p.out_sizes + 2, s, 1), kernel = three(p.w_sizes + 2, s, 1);
  const Three strides = three(p.strides, s, 1), dilations = three(p.dilations, s, 1), pads = three(p.pads, s, 0);
  const Three &small = p.transposed ? x : out, &large = p.transposed ? out : x;
  const int64_t small_channels = p.transposed ? p.x_sizes[1] : p.out_sizes[1],
                large_channels = p.transposed ? p.out_sizes[1] : p.x_sizes[1];
  const int64_t group_small = small_channels / p.groups, group_large = large_channels / p.groups, taps = volume(kernel);
  std::vector<double> sums(static_cast<size_t>(p.x_sizes[0] * p.out_sizes[1] * volume(out)), 0.0);
  for (int64_t n = 0; n < p.x_sizes[0]; ++n)
    for (int64_t c = 0; c < small_channels; ++c)
      for (int64_t i = 0; i < volume(small); ++i)
        each_tap(place_of(i, small), large, kernel, strides, dilations, pads, [&](int64_t place, int64_t tap) {
          for (int64_t g = 0; g < group_large; ++g) {
            const int64_t other = c / group_small * group_large + g;
            const int64_t in_small = (n * small_channels + c) * volume(small) + i,
                          in_large = (n * large_channels + other) * volume(large) + place;
            const double w = element(p.type, p.w, (c * group_large + g) * taps + tap);
            if (p.transposed)
              sums[static_cast<size_t>(in_large)] += w * element(p.type, p.x, in_small);
            else
              sums[static_cast<size_t>(in_small)] += w * element(p.type, p.x, in_large);
          }
        });
  for (int64_t i = 0; i < static_cast<int64_t>(sums.size()); ++i) {
    double value = sums[static_cast<size_t>(i)];
    if (p.bias) value += element(p.type, p.bias, i / volume(out) % p.out_sizes[1]);
    if (p.added) value += element(p.type, p.added, i);
    put(p.type, static_cast<char*>(p.out), i, p.relu && value < 0 ? 0 : value);
  }
  return {};
}

Status HostLibraries::run(const LibraryPool& p) {
  ++calls_;
  if (refused()) return Error{"the stand-in does not run a pool"};
  const int s = p.spatial;
  const Three x = three(p.x_sizes + 2, s, 1), out = three(p.out_sizes + 2, s, 1), kernel = three(p.kernel, s, 1);
  const Three strides = three(p.strides, s, 1), ones{{1, 1, 1}}, pads = three(p.pads, s, 0);
  for (int64_t plane = 0; plane < p.x_sizes[0] * p.x_sizes[1]; ++plane)
    for (int64_t i = 0; i < volume(out); ++i) {
      double best = -INFINITY, sum = 0;
      int64_t inside = 0;
      each_tap(place_of(i, out), x, kernel, strides, ones, pads, [&](int64_t place, int64_t) {
        const double v = element(p.type, p.x, plane * volume(x) + place);
        best = std::max(best, v);
        sum += v;
        ++inside;
      });
      const auto count = static_cast<double>(p.count_pads ? volume(kernel) : inside);
      put(p.type, static_cast<char*>(p.out), plane * volume(out) + i, p.largest ? best : count == 0 ? 0 : sum / count);
    }
  return {};
}

}  // namespace arenascope::cuda::emulated
