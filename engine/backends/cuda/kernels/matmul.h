// SPDX-License-Identifier: MIT
// Matmuls that the library does not support (quantised rows, other strides and types), memory-bound matmuls with few
// rows, rotary embedding, and the recurrent part of an LSTM.
#pragma once
#include <math.h>

#include "engine/backends/cuda/kernels/group.h"
#include "engine/backends/cuda/kernels/quant.h"
#include "engine/backends/cuda/kernels/strided_indexer.h"

namespace arenascope::cuda {

// out[m][n] = scale · Σ a[n][k]·b[m][k] + bias[n]
struct MatmulWork {
  StridedIndexer<3> batch;  // 0 the result, 1 a, 2 b
  char* out = nullptr;      // f32
  const char* a = nullptr;
  const char* b = nullptr;
  const char* bias = nullptr;
  DType a_type = DType::F32, b_type = DType::F32, bias_type = DType::F32;
  int64_t n = 0, m = 0, k = 0;
  int64_t a_row = 0, a_step = 1, b_row = 0, b_step = 1, out_row = 0, bias_step = 1;
  float scale = 1;
  bool vector = false;  // few rows: rows are 16-byte aligned and have whole vectors
};

inline constexpr int kProductTile = 64, kProductDepth = 16, kProductPart = 4;

ARENASCOPE_KERNEL(matmul, MatmulWork) {
  ARENASCOPE_SHARED float a_tile[kProductDepth][kProductTile + 1];
  ARENASCOPE_SHARED float b_tile[kProductDepth][kProductTile + 1];
  const int64_t across = (p.n + kProductTile - 1) / kProductTile, down = (p.m + kProductTile - 1) / kProductTile;
  const int column = thread() % (kProductTile / kProductPart), row = thread() / (kProductTile / kProductPart);
  for (int64_t t = block(); t < p.batch.count * down * across; t += blocks()) {
    const int64_t n0 = t % across * kProductTile, m0 = t / across % down * kProductTile;
    int64_t at[3];
    offsets_of(p.batch, t / across / down, at);
    const int64_t a = at[1], b = at[2], out = at[0];
    float sum[kProductPart][kProductPart] = {};
    for (int64_t k0 = 0; k0 < p.k; k0 += kProductDepth) {
      for (int i = thread(); i < kProductTile * kProductDepth; i += threads()) {
        const int k = i % kProductDepth, r = i / kProductDepth;
        const bool in_k = k0 + k < p.k;
        a_tile[k][r] =
            in_k && n0 + r < p.n ? any<float>(p.a_type, p.a, a + (n0 + r) * p.a_row + (k0 + k) * p.a_step) : 0.0f;
        b_tile[k][r] =
            in_k && m0 + r < p.m ? get<float>(p.b_type, p.b, b + (m0 + r) * p.b_row + (k0 + k) * p.b_step) : 0.0f;
      }
      sync();
      for (int k = 0; k < kProductDepth; ++k) {
        float left[kProductPart], right[kProductPart];
        ARENASCOPE_UNROLL for (int j = 0; j < kProductPart; ++j) {
          left[j] = b_tile[k][row * kProductPart + j];
          right[j] = a_tile[k][column + j * (kProductTile / kProductPart)];
        }
        ARENASCOPE_UNROLL for (int y = 0; y < kProductPart; ++y)
            ARENASCOPE_UNROLL for (int x = 0; x < kProductPart; ++x) sum[y][x] += left[y] * right[x];
      }
      sync();
    }
    ARENASCOPE_UNROLL for (int y = 0; y < kProductPart; ++y) ARENASCOPE_UNROLL for (int x = 0; x < kProductPart; ++x) {
      const int64_t m = m0 + row * kProductPart + y, n = n0 + column + x * (kProductTile / kProductPart);
      if (m >= p.m || n >= p.n) continue;
      const float bias = p.bias ? get<float>(p.bias_type, p.bias, n * p.bias_step) : 0.0f;
      put(DType::F32, p.out, out + m * p.out_row + n, p.scale * sum[y][x] + bias);
    }
  }
}

inline constexpr int kThinRows = 8;  // maximum rows of b in thin_matmul

// One warp per row of a, which is read once for all rows of b.
ARENASCOPE_KERNEL(thin_matmul, MatmulWork) {
  const CooperativeGroup group = group_of(GroupKind::Warp);
  for (int64_t t = group.number; t < p.batch.count * p.n; t += group.group_count) {
    const int64_t n = t % p.n;
    int64_t at[3];
    offsets_of(p.batch, t / p.n, at);
    const int64_t a = at[1] + n * p.a_row, b = at[2], out = at[0];
    float sum[kThinRows] = {};
    if (p.vector) {
      for (int64_t v = group.member; v < p.k / kVector; v += kWarp) {
        float x[kVector], y[kVector];
        if (is_quantised(p.a_type)) {
          ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) x[j] = any<float>(p.a_type, p.a, a + v * kVector + j);
        } else {
          get_vector(p.a_type, p.a, a + v * kVector, x);
        }
        ARENASCOPE_UNROLL for (int m = 0; m < kThinRows; ++m) {
          if (m >= p.m) continue;
          get_vector(p.b_type, p.b, b + m * p.b_row + v * kVector, y);
          ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) sum[m] += x[j] * y[j];
        }
      }
    } else {
      for (int64_t k = group.member; k < p.k; k += kWarp) {
        const float x = any<float>(p.a_type, p.a, a + k * p.a_step);
        ARENASCOPE_UNROLL for (int m = 0; m < kThinRows; ++m) if (m < p.m) sum[m] +=
            x * get<float>(p.b_type, p.b, b + m * p.b_row + k * p.b_step);
      }
    }
    const float bias = p.bias ? get<float>(p.bias_type, p.bias, n * p.bias_step) : 0.0f;
    ARENASCOPE_UNROLL for (int m = 0; m < kThinRows; ++m) {
      if (m >= p.m) continue;
      const float all = joined(group, sum[m], Plus());
      if (group.member == 0) put(DType::F32, p.out, out + m * p.out_row + n, p.scale * all + bias);
    }
  }
}

struct RopeWork {
  StridedIndexer<1> rows;  // the input's rows, [.., T]
  char* out = nullptr;
  const char* in = nullptr;
  const char* positions = nullptr;
  DType type = DType::F32, position_type = DType::I32;
  int64_t step = 1, position_step = 1;  // strides
  int64_t steps = 1, width = 1, start = 0;
  int32_t dims = 2;
  double base = 10000, scale = 1;
  bool neox = false;
};

template <class N>
ARENASCOPE_DEVICE void rope(const RopeWork& p) {
  const int64_t pairs = p.width - p.dims / 2;  // one thread per rotated pair or unrotated element
  const int half = p.dims / 2;
  for (int64_t i = block() * threads() + thread(); i < p.rows.count * pairs; i += blocks() * threads()) {
    const int64_t row = i / pairs, pair = i % pairs, from = element_offset(p.rows, row), to = row * p.width;
    if (pair >= half) {
      const int64_t at = p.dims + pair - half;
      put(p.type, p.out, to + at, get<N>(p.type, p.in, from + at * p.step));
      continue;
    }
    const int64_t t = row % p.steps;
    const double position = p.positions
                                ? static_cast<double>(get<int64_t>(p.position_type, p.positions, t * p.position_step))
                                : static_cast<double>(t + p.start);
    // The angle is large: it is reduced in double, and its sine computed in the class's precision.
    const double angle = position * p.scale * pow(p.base, -2.0 * static_cast<double>(pair) / p.dims);
    const double turn = 6.283185307179586476925;
    const N rest = static_cast<N>(angle - turn * rint(angle / turn)), c = cos(rest), s = sin(rest);
    const int64_t first = p.neox ? pair : 2 * pair, second = p.neox ? pair + half : 2 * pair + 1;
    const N u = get<N>(p.type, p.in, from + first * p.step), v = get<N>(p.type, p.in, from + second * p.step);
    put(p.type, p.out, to + first, u * c - v * s);
    put(p.type, p.out, to + second, u * s + v * c);
  }
}
ARENASCOPE_KERNEL(rope_f32, RopeWork) { rope<float>(p); }
ARENASCOPE_KERNEL(rope_f64, RopeWork) { rope<double>(p); }

struct LstmWork {
  char* out = nullptr;          // Y [T,D,B,H], Y_h, Y_c
  const char* gates = nullptr;  // W·x of each direction, step and batch: [D, T, B, 4H]
  const char* r = nullptr;
  const char* bias = nullptr;
  const char* h0 = nullptr;
  const char* c0 = nullptr;
  int64_t r_strides[3] = {}, bias_strides[2] = {}, h0_strides[3] = {}, c0_strides[3] = {};
  int64_t steps = 0, batch = 0, hidden = 0, directions = 1;
  bool reverse = false;
};

// A block processes one sequence in one direction over all its steps; state and gates stay in shared memory.
ARENASCOPE_KERNEL(lstm, LstmWork) {
  auto* h = reinterpret_cast<float*>(dynamic_shared());
  float *c = h + p.hidden, *gate = c + p.hidden;
  const CooperativeGroup warp = group_of(GroupKind::Warp);
  const int warps = threads() / kWarp, mine = thread() / kWarp;
  for (int64_t seq = block(); seq < p.directions * p.batch; seq += blocks()) {
    const int64_t d = seq / p.batch, b = seq % p.batch;
    for (int64_t i = thread(); i < p.hidden; i += threads()) {
      h[i] =
          p.h0 ? get<float>(DType::F32, p.h0, d * p.h0_strides[0] + b * p.h0_strides[1] + i * p.h0_strides[2]) : 0.0f;
      c[i] =
          p.c0 ? get<float>(DType::F32, p.c0, d * p.c0_strides[0] + b * p.c0_strides[1] + i * p.c0_strides[2]) : 0.0f;
    }
    sync();
    for (int64_t s = 0; s < p.steps; ++s) {
      const int64_t t = p.reverse || d == 1 ? p.steps - 1 - s : s;
      for (int64_t g = mine; g < 4 * p.hidden; g += warps) {
        float sum = 0;
        for (int64_t i = warp.member; i < p.hidden; i += kWarp)
          sum += get<float>(DType::F32, p.r, d * p.r_strides[0] + g * p.r_strides[1] + i * p.r_strides[2]) * h[i];
        sum = joined(warp, sum, Plus());
        if (warp.member != 0) continue;
        sum += get<float>(DType::F32, p.gates, ((d * p.steps + t) * p.batch + b) * 4 * p.hidden + g);
        if (p.bias)
          sum += get<float>(DType::F32, p.bias, d * p.bias_strides[0] + g * p.bias_strides[1]) +
                 get<float>(DType::F32, p.bias, d * p.bias_strides[0] + (4 * p.hidden + g) * p.bias_strides[1]);
        gate[g] = sum;
      }
      sync();
      for (int64_t i = thread(); i < p.hidden; i += threads()) {
        const float in = 1 / (1 + exp(-gate[i])), out = 1 / (1 + exp(-gate[p.hidden + i]));
        const float keep = 1 / (1 + exp(-gate[2 * p.hidden + i]));
        c[i] = keep * c[i] + in * tanh(gate[3 * p.hidden + i]);
        h[i] = out * tanh(c[i]);
        put(DType::F32, p.out, ((t * p.directions + d) * p.batch + b) * p.hidden + i, h[i]);
      }
      sync();
    }
    const int64_t states = p.directions * p.batch * p.hidden, end = p.steps * states + (d * p.batch + b) * p.hidden;
    for (int64_t i = thread(); i < p.hidden; i += threads()) {
      put(DType::F32, p.out, end + i, h[i]);
      put(DType::F32, p.out, end + states + i, c[i]);
    }
    sync();
  }
}

}  // namespace arenascope::cuda
