// SPDX-License-Identifier: MIT
// Windows over [N, C, depth, height, width]: pools, the gradient of max pooling, local response normalisation, and
// convolutions that the library does not support. Missing outer spatial dimensions have size 1.
#pragma once
#include <math.h>

#include "engine/backends/cuda/kernels/numbers.h"
#include "engine/backends/cuda/kernels/strided_indexer.h"

namespace arenascope::cuda {

// An array [N, C, d, h, w], or weights [M, C/groups, …] or [C, M/groups, …], or a bias [M].
struct WindowSource {
  const char* data = nullptr;
  DType type = DType::F32;
  int64_t strides[5] = {};
};

struct Window {  // by spatial dimension
  int32_t kernel[3] = {1, 1, 1}, strides[3] = {1, 1, 1}, dilations[3] = {1, 1, 1}, begin[3] = {}, end[3] = {};
};

struct LocalResponse {
  int32_t channels = 1;
  double alpha = 0, beta = 0, plus = 0;
};

struct WindowWork {
  StridedIndexer<1> result;  // [N, C, d, h, w]; contiguous, only used to split the element index
  char* out = nullptr;
  DType out_type = DType::F32;
  int64_t x_sizes[5] = {};  // N, C, d, h, w
  WindowSource x, w, bias;  // null data: absent
  Window window;
  int64_t groups = 1, out_channels = 1;
  bool largest = false, count_pads = false;
  LocalResponse response;
};

// Gradient of max pooling, over the input's elements.
struct PoolBackWork {
  StridedIndexer<1> source;  // [N, C, d, h, w]; contiguous like the result, only used to split the element index
  char* out = nullptr;
  const char* x = nullptr;
  const char* dy = nullptr;
  DType type = DType::F32;  // type of all three
  int64_t x_sizes[5] = {}, x_strides[5] = {}, dy_sizes[5] = {}, dy_strides[5] = {};
  Window window;
};

struct Spot {
  int64_t n, c, at[3];
};
ARENASCOPE_DEVICE Spot spot_of(const WindowWork& p, int64_t i) {
  int64_t index[kIndexerDims];
  unravel(p.result, i, index);
  return {index[4], index[3], {index[2], index[1], index[0]}};
}

template <class N>
ARENASCOPE_DEVICE void pool(const WindowWork& p) {
  for (int64_t i = block() * threads() + thread(); i < p.result.count; i += blocks() * threads()) {
    const Spot s = spot_of(p, i);
    const int64_t base = s.n * p.x.strides[0] + s.c * p.x.strides[1];
    N best = lowest<N>(), sum = 0;
    int64_t inside = 0, in_padded = 0;
    for (int a = 0; a < p.window.kernel[0]; ++a)
      for (int b = 0; b < p.window.kernel[1]; ++b)
        for (int c = 0; c < p.window.kernel[2]; ++c) {
          const int tap[3] = {a, b, c};
          bool is_inside = true, is_padded = true;
          int64_t from = base;
          ARENASCOPE_UNROLL for (int d = 0; d < 3; ++d) {
            const int64_t at = s.at[d] * p.window.strides[d] - p.window.begin[d] +
                               int64_t{tap[d]} * p.window.dilations[d],
                          size = p.x_sizes[d + 2];
            is_inside = is_inside && at >= 0 && at < size;
            is_padded = is_padded && at < size + p.window.end[d];
            from += at * p.x.strides[d + 2];
          }
          in_padded += is_padded;
          if (!is_inside) continue;
          ++inside;
          const N x = get<N>(p.x.type, p.x.data, from);
          best = best < x ? x : best;
          sum += x;
        }
    const int64_t count = p.count_pads ? in_padded : inside;
    put(p.out_type, p.out, i, p.largest ? best : count == 0 ? N(0) : sum / static_cast<N>(count));
  }
}

// True if the window that begins at `first` selected its element at `at`: the maximum, the first of equal ones, or the
// last NaN before all others. `x` are the elements of its channel.
template <class N>
ARENASCOPE_DEVICE bool takes(const PoolBackWork& p, int64_t x, const int64_t (&first)[3], const int64_t (&at)[3],
                             N value) {
  const bool number = value == value;
  bool passed = false;
  for (int a = 0; a < p.window.kernel[0]; ++a)
    for (int b = 0; b < p.window.kernel[1]; ++b)
      for (int c = 0; c < p.window.kernel[2]; ++c) {
        const int tap[3] = {a, b, c};
        bool inside = true, here = true;
        int64_t from = x;
        ARENASCOPE_UNROLL for (int d = 0; d < 3; ++d) {
          const int64_t element_offset = first[d] + int64_t{tap[d]} * p.window.dilations[d];
          inside = inside && element_offset >= 0 && element_offset < p.x_sizes[d + 2];
          here = here && element_offset == at[d];
          from += element_offset * p.x_strides[d + 2];
        }
        passed = passed || here;
        if (!inside || here) continue;
        const N other = get_one<N>(p.type, p.x, from);
        if (number ? !(other < value || (passed && other == value)) : passed && other != other) return false;
      }
  return true;
}

// Each element gathers from the windows that selected it, in order: no two threads add to one sum.
template <class N>
ARENASCOPE_DEVICE void pool_back(const PoolBackWork& p) {
  for (int64_t i = block() * threads() + thread(); i < p.source.count; i += blocks() * threads()) {
    int64_t index[kIndexerDims], low[3], high[3], o[3];
    unravel(p.source, i, index);
    const int64_t at[3] = {index[2], index[1], index[0]};
    const int64_t x = index[4] * p.x_strides[0] + index[3] * p.x_strides[1];
    int64_t from = x;
    ARENASCOPE_UNROLL for (int d = 0; d < 3; ++d) {  // the windows that cover it
      const int64_t last = at[d] + p.window.begin[d],
                    first = last - int64_t{p.window.kernel[d] - 1} * p.window.dilations[d];
      low[d] = first <= 0 ? 0 : (first + p.window.strides[d] - 1) / p.window.strides[d];
      high[d] = last / p.window.strides[d] < p.dy_sizes[d + 2] ? last / p.window.strides[d] : p.dy_sizes[d + 2] - 1;
      from += at[d] * p.x_strides[d + 2];
    }
    const N value = get_one<N>(p.type, p.x, from);
    N sum = 0;
    for (o[0] = low[0]; o[0] <= high[0]; ++o[0])
      for (o[1] = low[1]; o[1] <= high[1]; ++o[1])
        for (o[2] = low[2]; o[2] <= high[2]; ++o[2]) {
          int64_t first[3], dy = index[4] * p.dy_strides[0] + index[3] * p.dy_strides[1];
          bool met = true;  // it is not between two elements of a dilated window
          ARENASCOPE_UNROLL for (int d = 0; d < 3; ++d) {
            first[d] = o[d] * p.window.strides[d] - p.window.begin[d];
            met = met && (at[d] - first[d]) % p.window.dilations[d] == 0;
            dy += o[d] * p.dy_strides[d + 2];
          }
          if (met && takes(p, x, first, at, value)) sum += get_one<N>(p.type, p.dy, dy);
        }
    put_one(p.type, p.out, i, sum);
  }
}

// Disjoint windows: each is read and written by one thread, so that the result may overwrite x.
template <class N>
ARENASCOPE_DEVICE void pool_back_apart(const PoolBackWork& p) {
  const int64_t count = p.dy_sizes[0] * p.dy_sizes[1] * p.dy_sizes[2] * p.dy_sizes[3] * p.dy_sizes[4];
  for (int64_t i = block() * threads() + thread(); i < count; i += blocks() * threads()) {
    int64_t index[5], rest = i, x = 0, dy = 0, out = 0, line = 1;
    for (int d = 4; d >= 0; --d) {
      index[d] = rest % p.dy_sizes[d];
      rest /= p.dy_sizes[d];
      const int64_t first = d < 2 ? index[d] : index[d] * p.window.kernel[d - 2];
      x += first * p.x_strides[d], dy += index[d] * p.dy_strides[d], out += first * line;
      line *= p.x_sizes[d];
    }
    const int64_t lines[3] = {p.x_sizes[4] * p.x_sizes[3], p.x_sizes[4], 1};
    const N share = get_one<N>(p.type, p.dy, dy);
    N largest = 0;
    int64_t best = -1;
    for (int turn = 0; turn < 2; ++turn)
      for (int a = 0; a < p.window.kernel[0]; ++a)
        for (int b = 0; b < p.window.kernel[1]; ++b)
          for (int c = 0; c < p.window.kernel[2]; ++c) {
            const int64_t to = out + a * lines[0] + b * lines[1] + c * lines[2];
            if (turn == 1) {
              put_one(p.type, p.out, to, to == best ? share : N{0});
              continue;
            }
            const N value = get_one<N>(p.type, p.x, x + a * p.x_strides[2] + b * p.x_strides[3] + c * p.x_strides[4]);
            if (best < 0 || value > largest || value != value) largest = value, best = to;
          }
  }
}

template <class N>
ARENASCOPE_DEVICE void local_response(const WindowWork& p) {
  for (int64_t i = block() * threads() + thread(); i < p.result.count; i += blocks() * threads()) {
    const Spot s = spot_of(p, i);
    const int64_t base =
        s.n * p.x.strides[0] + s.at[0] * p.x.strides[2] + s.at[1] * p.x.strides[3] + s.at[2] * p.x.strides[4];
    N sum = 0;
    for (int64_t c = s.c - (p.response.channels - 1) / 2; c <= s.c + p.response.channels / 2; ++c) {
      if (c < 0 || c >= p.x_sizes[1]) continue;
      const N x = get<N>(p.x.type, p.x.data, base + c * p.x.strides[1]);
      sum += x * x;
    }
    const N under = pow(
        static_cast<N>(p.response.plus) + static_cast<N>(p.response.alpha) / static_cast<N>(p.response.channels) * sum,
        static_cast<N>(p.response.beta));
    put(p.out_type, p.out, i, get<N>(p.x.type, p.x.data, base + s.c * p.x.strides[1]) / under);
  }
}

template <class N>
ARENASCOPE_DEVICE void convolution(const WindowWork& p) {
  const int64_t group_out = p.out_channels / p.groups, group_in = p.x_sizes[1] / p.groups;
  for (int64_t i = block() * threads() + thread(); i < p.result.count; i += blocks() * threads()) {
    const Spot s = spot_of(p, i);
    const int64_t base = s.n * p.x.strides[0] + s.c / group_out * group_in * p.x.strides[1];
    N sum = p.bias.data ? get<N>(p.bias.type, p.bias.data, s.c * p.bias.strides[0]) : N(0);
    for (int a = 0; a < p.window.kernel[0]; ++a)
      for (int b = 0; b < p.window.kernel[1]; ++b)
        for (int c = 0; c < p.window.kernel[2]; ++c) {
          const int tap[3] = {a, b, c};
          bool inside = true;
          int64_t from = base, weight = s.c * p.w.strides[0];
          ARENASCOPE_UNROLL for (int d = 0; d < 3; ++d) {
            const int64_t at =
                s.at[d] * p.window.strides[d] - p.window.begin[d] + int64_t{tap[d]} * p.window.dilations[d];
            inside = inside && at >= 0 && at < p.x_sizes[d + 2];
            from += at * p.x.strides[d + 2];
            weight += tap[d] * p.w.strides[d + 2];
          }
          if (!inside) continue;
          for (int64_t k = 0; k < group_in; ++k)
            sum += get<N>(p.x.type, p.x.data, from + k * p.x.strides[1]) *
                   get<N>(p.w.type, p.w.data, weight + k * p.w.strides[1]);
        }
    put(p.out_type, p.out, i, sum);
  }
}

// Each result gathers from the input elements whose kernels cover it.
template <class N>
ARENASCOPE_DEVICE void convolution_transposed(const WindowWork& p) {
  const int64_t group_out = p.out_channels / p.groups, group_in = p.x_sizes[1] / p.groups;
  for (int64_t i = block() * threads() + thread(); i < p.result.count; i += blocks() * threads()) {
    const Spot s = spot_of(p, i);
    const int64_t first = s.c / group_out * group_in;
    N sum = p.bias.data ? get<N>(p.bias.type, p.bias.data, s.c * p.bias.strides[0]) : N(0);
    for (int a = 0; a < p.window.kernel[0]; ++a)
      for (int b = 0; b < p.window.kernel[1]; ++b)
        for (int c = 0; c < p.window.kernel[2]; ++c) {
          const int tap[3] = {a, b, c};
          bool reached = true;
          int64_t from = s.n * p.x.strides[0] + first * p.x.strides[1];
          int64_t weight = first * p.w.strides[0] + s.c % group_out * p.w.strides[1];
          ARENASCOPE_UNROLL for (int d = 0; d < 3; ++d) {
            const int64_t reach = s.at[d] + p.window.begin[d] - int64_t{tap[d]} * p.window.dilations[d],
                          at = reach / p.window.strides[d];
            reached = reached && reach >= 0 && reach % p.window.strides[d] == 0 && at < p.x_sizes[d + 2];
            from += at * p.x.strides[d + 2];
            weight += tap[d] * p.w.strides[d + 2];
          }
          if (!reached) continue;
          for (int64_t k = 0; k < group_in; ++k)
            sum += get<N>(p.x.type, p.x.data, from + k * p.x.strides[1]) *
                   get<N>(p.w.type, p.w.data, weight + k * p.w.strides[0]);
        }
    put(p.out_type, p.out, i, sum);
  }
}

ARENASCOPE_KERNEL(pool_f32, WindowWork) { pool<float>(p); }
ARENASCOPE_KERNEL(pool_f64, WindowWork) { pool<double>(p); }
ARENASCOPE_KERNEL(pool_full, WindowWork) { pool<int64_t>(p); }
ARENASCOPE_KERNEL(pool_back_f32, PoolBackWork) { pool_back<float>(p); }
ARENASCOPE_KERNEL(pool_back_f64, PoolBackWork) { pool_back<double>(p); }
ARENASCOPE_KERNEL(pool_back_apart_f32, PoolBackWork) { pool_back_apart<float>(p); }
ARENASCOPE_KERNEL(pool_back_apart_f64, PoolBackWork) { pool_back_apart<double>(p); }
ARENASCOPE_KERNEL(local_response_f32, WindowWork) { local_response<float>(p); }
ARENASCOPE_KERNEL(local_response_f64, WindowWork) { local_response<double>(p); }
ARENASCOPE_KERNEL(convolution_f32, WindowWork) { convolution<float>(p); }
ARENASCOPE_KERNEL(convolution_f64, WindowWork) { convolution<double>(p); }
ARENASCOPE_KERNEL(convolution_transposed_f32, WindowWork) { convolution_transposed<float>(p); }
ARENASCOPE_KERNEL(convolution_transposed_f64, WindowWork) { convolution_transposed<double>(p); }

}  // namespace arenascope::cuda
