// SPDX-License-Identifier: MIT
// Gradient of max pooling: it goes to the position of the window's maximum, the first of equal ones; NaN counts as the
// maximum, as in pooling.
#include <algorithm>

#include <arenascope/graph/pool_windows.h>

#include "engine/backends/cpu/kernel.h"

namespace arenascope::cpu {
namespace {

// The windows with three spatial dimensions; missing outer ones have size 1.
struct Space {
  int64_t in[3], out[3], kernel[3], stride[3], dilation[3], begin[3], x_stride[3], dy_stride[3], dx_stride[3];

  explicit Space(const TensorImpl& node) {
    const auto p = node.params.get<PoolParams>();
    const TensorImpl &x = *node.sources[0], &dy = *node.sources[1];
    for (int i = 0; i < 3; ++i) {
      const int own = i - (3 - p.spatial);
      const bool is = own >= 0;
      in[i] = is ? x.sizes[own + 2] : 1;
      out[i] = is ? dy.sizes[own + 2] : 1;
      kernel[i] = is ? p.kernel[own] : 1;
      stride[i] = is ? p.strides[own] : 1;
      dilation[i] = is ? p.dilations[own] : 1;
      begin[i] = is ? p.pads_begin[own] : 0;
      x_stride[i] = is ? x.strides[own + 2] : 0;
      dy_stride[i] = is ? dy.strides[own + 2] : 0;
      dx_stride[i] = is ? node.strides[own + 2] : 0;
    }
  }
  int64_t place(int i, int64_t o, int64_t k) const { return o * stride[i] - begin[i] + k * dilation[i]; }
  bool inside(int i, int64_t at) const { return at >= 0 && at < in[i]; }
};

template <class T>
void give_window(const Space& s, const int64_t (&o)[3], const T* x, T dy, T* dx) {
  bool any = false;
  T largest{};
  int64_t where = 0;
  for (int64_t a = 0; a < s.kernel[0]; ++a)
    for (int64_t b = 0; b < s.kernel[1]; ++b)
      for (int64_t c = 0; c < s.kernel[2]; ++c) {
        const int64_t at[3] = {s.place(0, o[0], a), s.place(1, o[1], b), s.place(2, o[2], c)};
        if (!s.inside(0, at[0]) || !s.inside(1, at[1]) || !s.inside(2, at[2])) continue;
        const T value = x[at[0] * s.x_stride[0] + at[1] * s.x_stride[1] + at[2] * s.x_stride[2]];
        if (any && !(value > largest) && value == value) continue;
        any = true;
        largest = value;
        where = at[0] * s.dx_stride[0] + at[1] * s.dx_stride[1] + at[2] * s.dx_stride[2];
      }
  if (any) dx[where] += dy;
}

// Adjacent 2×2 windows, so that no element is in two windows.
bool in_fours(const Space& s) {
  bool fours = s.in[0] == 1 && s.kernel[0] == 1 && s.x_stride[2] == 1 && s.dy_stride[2] == 1 && s.dx_stride[2] == 1;
  for (int i : {1, 2})
    fours = fours && s.kernel[i] == 2 && s.stride[i] == 2 && s.dilation[i] == 1 && s.begin[i] == 0 &&
            s.in[i] == 2 * s.out[i];
  return fours;
}

template <class T>
void give_fours(const Space& s, const T* x, const T* dy, T* dx) {
  for (int64_t b = 0; b < s.out[1]; ++b) {
    const T *above = x + 2 * b * s.x_stride[1], *below = above + s.x_stride[1], *given = dy + b * s.dy_stride[1];
    T *to = dx + 2 * b * s.dx_stride[1], *next = to + s.dx_stride[1];
    for (int64_t c = 0; c < s.out[2]; ++c) {
      const T four[4] = {above[2 * c], above[2 * c + 1], below[2 * c], below[2 * c + 1]};
      // A larger element, or NaN, replaces the previous maximum.
      int best = 0;
      for (int i = 1; i < 4; ++i) best = four[i] > four[best] || four[i] != four[i] ? i : best;
      to[2 * c] = best == 0 ? given[c] : T{0}, to[2 * c + 1] = best == 1 ? given[c] : T{0};
      next[2 * c] = best == 2 ? given[c] : T{0}, next[2 * c + 1] = best == 3 ? given[c] : T{0};
    }
  }
}

// Adjacent windows: a window is read completely before the next is written.
template <class T>
void give_apart(const Space& s, const T* x, const T* dy, T* dx) {
  for (int64_t a = 0; a < s.out[0]; ++a)
    for (int64_t b = 0; b < s.out[1]; ++b)
      for (int64_t c = 0; c < s.out[2]; ++c) {
        const int64_t first[3] = {a * s.stride[0], b * s.stride[1], c * s.stride[2]};
        int64_t where = -1;
        T largest{};
        const auto each = [&](auto&& f) {
          for (int64_t i = 0; i < s.kernel[0]; ++i)
            for (int64_t j = 0; j < s.kernel[1]; ++j)
              for (int64_t k = 0; k < s.kernel[2]; ++k) f(first[0] + i, first[1] + j, first[2] + k);
        };
        each([&](int64_t i, int64_t j, int64_t k) {
          const T value = x[i * s.x_stride[0] + j * s.x_stride[1] + k * s.x_stride[2]];
          if (where >= 0 && !(value > largest) && value == value) return;
          largest = value;
          where = i * s.dx_stride[0] + j * s.dx_stride[1] + k * s.dx_stride[2];
        });
        each([&](int64_t i, int64_t j, int64_t k) {
          dx[i * s.dx_stride[0] + j * s.dx_stride[1] + k * s.dx_stride[2]] = 0;
        });
        dx[where] = dy[a * s.dy_stride[0] + b * s.dy_stride[1] + c * s.dy_stride[2]];
      }
}

template <class T>
void give_plane(const Space& s, const T* x, const T* dy, T* dx) {
  for (int64_t a = 0; a < s.in[0]; ++a)
    for (int64_t b = 0; b < s.in[1]; ++b)
      for (int64_t c = 0; c < s.in[2]; ++c) dx[a * s.dx_stride[0] + b * s.dx_stride[1] + c * s.dx_stride[2]] = 0;
  for (int64_t a = 0; a < s.out[0]; ++a)
    for (int64_t b = 0; b < s.out[1]; ++b)
      for (int64_t c = 0; c < s.out[2]; ++c)
        give_window(s, {a, b, c}, x, dy[a * s.dy_stride[0] + b * s.dy_stride[1] + c * s.dy_stride[2]], dx);
}

template <class T>
void give_planes(const KernelArgs& args) {
  const TensorImpl &node = args.node, &x = args.source(0), &dy = args.source(1);
  const Space space(node);
  const auto give = in_fours(space) ? give_fours<T> : windows_are_apart(node) ? give_apart<T> : give_plane<T>;
  const int64_t channels = node.sizes[1];
  const Range planes = args.part(node.sizes[0] * channels);
  for (int64_t plane = planes.begin; plane < planes.end; ++plane) {
    const int64_t n = plane / channels, c = plane % channels;
    give(space, x.data_as<T>() + n * x.strides[0] + c * x.strides[1],
         dy.data_as<T>() + n * dy.strides[0] + c * dy.strides[1],
         node.data_as<T>() + n * node.strides[0] + c * node.strides[1]);
  }
}

}  // namespace

Status max_pool_back_supports(const TensorImpl& node) {
  if (node.dtype != DType::F32 && node.dtype != DType::F64) return refuse(node, "gradients must be f32 or f64");
  return {};
}

Status max_pool_back(const KernelArgs& args) {
  args.node.dtype == DType::F64 ? give_planes<double>(args) : give_planes<float>(args);
  return {};
}

}  // namespace arenascope::cpu
