// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/backends/cpu/kernels/half.h"
#include "engine/backends/cpu/simd/level.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

template <float (*F)(float, float)>
void pairs(float* out, const float* a, const float* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = F(a[i], b[i]);
}

template <float (*F)(float, float, float)>
void each(float* out, const float* x, int64_t n, float p, float q) {
  for (int64_t i = 0; i < n; ++i) out[i] = F(x[i], p, q);
}

float plus(float a, float b) { return a + b; }
float minus(float a, float b) { return a - b; }
float times(float a, float b) { return a * b; }
float over(float a, float b) { return a / b; }
float least(float a, float b) { return a != a || a < b ? a : b; }
float most(float a, float b) { return a != a || a > b ? a : b; }

float affine(float x, float p, float q) { return p * x + q; }
float clamp(float x, float p, float q) { return x != x ? x : std::min(std::max(x, p), q); }
float relu(float x, float, float) { return x < 0 ? 0 : x; }
float leaky_relu(float x, float p, float) { return x < 0 ? p * x : x; }
float elu(float x, float p, float) { return x < 0 ? p * std::expm1(x) : x; }
float exp(float x, float, float) { return std::exp(x); }
float log(float x, float, float) { return std::log(x); }
float erf(float x, float, float) { return std::erf(x); }
float tanh(float x, float, float) { return std::tanh(x); }
float sigmoid(float x, float, float) { return 1 / (1 + std::exp(-x)); }
float silu(float x, float, float) { return x / (1 + std::exp(-x)); }
float gelu(float x, float, float) { return 0.5f * x * (1 + std::erf(x * 0.70710678118654752f)); }
float gelu_tanh(float x, float, float) {
  return 0.5f * x * (1 + std::tanh(0.79788456080286536f * (x + 0.044715f * x * x * x)));
}
float softplus(float x, float, float) { return std::max(x, 0.0f) + std::log1p(std::exp(-std::abs(x))); }
float mish(float x, float, float) { return x * std::tanh(softplus(x, 0, 0)); }
float hard_sigmoid(float x, float p, float q) { return clamp(p * x + q, 0, 1); }
float hard_swish(float x, float p, float q) { return x * hard_sigmoid(x, p, q); }
float root(float x, float, float) { return std::sqrt(x); }
float reciprocal(float x, float, float) { return 1 / x; }

// Sums use eight lanes, so that the compiler can vectorise them, and double across blocks.
template <class F>
double lanes_sum(int64_t n, F&& value) {
  double total = 0;
  for (int64_t begin = 0; begin < n; begin += 4096) {
    float lanes[8] = {};
    const int64_t end = std::min(n, begin + 4096);
    int64_t i = begin;
    for (; i + 8 <= end; i += 8)
      for (int l = 0; l < 8; ++l) lanes[l] += value(i + l);
    for (; i < end; ++i) lanes[0] += value(i);
    for (float lane : lanes) total += static_cast<double>(lane);
  }
  return total;
}

double sum(const float* x, int64_t n) {
  return lanes_sum(n, [x](int64_t i) { return x[i]; });
}
double square_sum(const float* x, float mean, int64_t n) {
  return lanes_sum(n, [=](int64_t i) { return (x[i] - mean) * (x[i] - mean); });
}
double moments(const float* x, float shift, int64_t n, double* squares) {
  *squares = square_sum(x, shift, n);
  return lanes_sum(n, [=](int64_t i) { return x[i] - shift; });
}
float highest(const float* x, int64_t n) {
  float best = x[0];
  for (int64_t i = 1; i < n; ++i) best = most(best, x[i]);
  return best;
}
float lowest(const float* x, int64_t n) {
  float best = x[0];
  for (int64_t i = 1; i < n; ++i) best = least(best, x[i]);
  return best;
}
double exp_sum(float* out, const float* x, float scale, float shift, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = std::exp(scale * x[i] - shift);
  return sum(out, n);
}
float dot(const float* a, const float* b, int64_t n) {
  return static_cast<float>(lanes_sum(n, [=](int64_t i) { return a[i] * b[i]; }));
}
void add_scaled(float* out, const float* x, float factor, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] += factor * x[i];
}
void normalise(float* out, const float* x, float mean, float factor, const float* gain, const float* bias, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = (x[i] - mean) * factor * (gain ? gain[i] : 1.0f) + (bias ? bias[i] : 0.0f);
}
void weigh_rows(float* out, int64_t out_stride, const float* x, const int64_t* taps, const float* weights,
                int64_t count, int64_t x_stride, int64_t rows, int64_t n, float bias) {
  for (int64_t r = 0; r < rows; ++r) {
    std::fill(out + r * out_stride, out + r * out_stride + n, bias);
    for (int64_t t = 0; t < count; ++t) add_scaled(out + r * out_stride, x + r * x_stride + taps[t], weights[t], n);
  }
}
void copy_rows(float* to, int64_t to_stride, const float* from, int64_t from_stride, int64_t rows, int64_t n) {
  for (int64_t r = 0; r < rows; ++r) std::copy(from + r * from_stride, from + r * from_stride + n, to + r * to_stride);
}
void halves(float* even, float* odd, const float* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) even[i] = x[2 * i], odd[i] = x[2 * i + 1];
}
void weigh_last(float* out, const float* x, const int64_t* taps, int64_t step, const float* weights,
                const int64_t* weight, int64_t count, int64_t n, int64_t channels, const float* bias) {
  for (int64_t i = 0; i < n; ++i, x += step, out += channels) {
    std::copy(bias, bias + channels, out);
    for (int64_t t = 0; t < count; ++t)
      for (int64_t c = 0; c < channels; ++c) out[c] += weights[weight[t] + c] * x[taps[t] + c];
  }
}
void tile_in(float* to, int64_t to_stride, const float* const* from, int64_t n) {
  for (int64_t c = 0; c < n; ++c) {
    float rows[16];
    for (int x = 0; x < 4; ++x) {
      const float a = from[x][c], b = from[4 + x][c], e = from[8 + x][c], f = from[12 + x][c];
      rows[x] = a - e, rows[4 + x] = b + e, rows[8 + x] = e - b, rows[12 + x] = b - f;
    }
    for (int y = 0; y < 4; ++y) {
      const float *r = rows + 4 * y, all[4] = {r[0] - r[2], r[1] + r[2], r[2] - r[1], r[1] - r[3]};
      for (int x = 0; x < 4; ++x) to[(4 * y + x) * to_stride + c] = all[x];
    }
  }
}
bool tile_out(float* const* to, const float* from, int64_t from_stride, const float* bias, int64_t n) {
  bool finite = true;
  for (int64_t c = 0; c < n; ++c) {
    float rows[8];
    for (int x = 0; x < 4; ++x) {
      const float* m = from + x * from_stride + c;
      const float a = m[0], b = m[4 * from_stride], e = m[8 * from_stride], f = m[12 * from_stride];
      rows[x] = a + b + e, rows[4 + x] = b - e - f;
    }
    for (int y = 0; y < 2; ++y) {
      const float *r = rows + 4 * y, left = r[0] + r[1] + r[2], right = r[1] - r[2] - r[3];
      finite = finite && left * 0 + right * 0 == 0;
      to[2 * y][c] = left + bias[c], to[2 * y + 1][c] = right + bias[c];
    }
  }
  return finite;
}
void twos(float* out, const float* a, const float* b, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[2 * i] = a[i], out[2 * i + 1] = b[i];
}
void threes(float* out, const float* a, const float* b, const float* c, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[3 * i] = a[i], out[3 * i + 1] = b[i], out[3 * i + 2] = c[i];
}
void transpose_rows(float* to, int64_t to_stride, const float* from, int64_t from_stride, int64_t rows, int64_t n) {
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t k = 0; k < n; ++k) to[k * to_stride + i] = from[i * from_stride + k];
}

void transpose_tile(float* to, int64_t to_stride, const float* from, int64_t from_stride) {
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) to[i * to_stride + j] = from[j * from_stride + i];
}
void half_to_float(float* out, const uint16_t* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = to_float(Half{x[i]});
}

void copy(float* to, const float* from, int64_t n) { std::copy(from, from + n, to); }
void settle() {}

float number(float x) { return x; }
float number(Half x) { return to_float(x); }
float number(BFloat x) { return to_float(x); }

// Calls f(m, r, row r of a) for each of `m_count` × `count` pairs.
template <class T, class F>
void each_pair(const void* a, int64_t a_stride, int64_t count, int64_t m_count, F f) {
  for (int64_t m = 0; m < m_count; ++m)
    for (int64_t r = 0; r < count; ++r) f(m, r, static_cast<const T*>(a) + r * a_stride);
}

template <class T>
void dots(const void* a, int64_t a_stride, int64_t count, const float* b, int64_t b_stride, int64_t b_count, int64_t n,
          float* out, int64_t out_stride) {
  each_pair<T>(a, a_stride, count, b_count, [=](int64_t m, int64_t r, const T* x) {
    float sum = 0;
    for (int64_t k = 0; k < n; ++k) sum += number(x[k]) * b[m * b_stride + k];
    out[m * out_stride + r] += sum;
  });
}

template <class T>
void mix(const void* a, int64_t a_stride, int64_t count, const float* w, int64_t w_stride, int64_t w_count, int64_t n,
         float* out, int64_t out_stride) {
  each_pair<T>(a, a_stride, count, w_count, [=](int64_t m, int64_t r, const T* x) {
    for (int64_t i = 0; i < n; ++i) out[m * out_stride + i] += w[m * w_stride + r] * number(x[i]);
  });
}

constexpr int kLanes = 4;
void strip(int64_t depth, const float* a, int64_t a_row, int64_t a_step, int64_t rows, const float* b, int64_t b_stride,
           int vectors, float* c, int64_t c_stride, bool accumulate) {
  for (int64_t r = 0; r < rows; ++r)
    for (int v = 0; v < vectors; ++v) {
      float sums[kLanes] = {};
      for (int64_t k = 0; k < depth; ++k)
        for (int l = 0; l < kLanes; ++l) sums[l] += a[r * a_row + k * a_step] * b[k * b_stride + v * kLanes + l];
      float* to = c + r * c_stride + v * kLanes;
      for (int l = 0; l < kLanes; ++l) to[l] = accumulate ? to[l] + sums[l] : sums[l];
    }
}

bool soften(float* s, int64_t rows, int64_t stride, int vectors, float* highest, float* sums, float* corrections) {
  for (int i = 0; i < vectors * kLanes; ++i) {
    const float before = highest[i];
    for (int64_t r = 0; r < rows; ++r) highest[i] = std::max(highest[i], s[r * stride + i]);
    const float shift = highest[i] == -std::numeric_limits<float>::infinity() ? 0 : highest[i];
    corrections[i] = std::exp(before - shift);
    sums[i] *= corrections[i];
    for (int64_t r = 0; r < rows; ++r) sums[i] += s[r * stride + i] = std::exp(s[r * stride + i] - shift);
  }
  return true;
}

constexpr int kRows = 4, kColumns = 8;
void tile(int64_t depth, const float* a, const float* b, float* c, int64_t c_stride, int64_t rows, bool accumulate) {
  float sums[kRows][kColumns] = {};
  for (int64_t k = 0; k < depth; ++k, a += kRows, b += kColumns)
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j) sums[i][j] += a[i] * b[j];
  for (int64_t i = 0; i < rows; ++i)
    for (int j = 0; j < kColumns; ++j) {
      float& to = c[i * c_stride + j];
      to = accumulate ? to + sums[i][j] : sums[i][j];
    }
}

}  // namespace

void fill_portable(Simd& t) {
  t = {.name = "portable",
       .copy = copy,
       .settle = settle,
       .elements = {.add = pairs<plus>,
                    .sub = pairs<minus>,
                    .mul = pairs<times>,
                    .div = pairs<over>,
                    .min = pairs<least>,
                    .max = pairs<most>,
                    .affine = each<affine>,
                    .clamp = each<clamp>,
                    .relu = each<relu>,
                    .leaky_relu = each<leaky_relu>,
                    .elu = each<elu>,
                    .exp = each<exp>,
                    .log = each<log>,
                    .erf = each<erf>,
                    .tanh = each<tanh>,
                    .sigmoid = each<sigmoid>,
                    .silu = each<silu>,
                    .gelu = each<gelu>,
                    .gelu_tanh = each<gelu_tanh>,
                    .softplus = each<softplus>,
                    .mish = each<mish>,
                    .hard_sigmoid = each<hard_sigmoid>,
                    .hard_swish = each<hard_swish>,
                    .sqrt = each<root>,
                    .reciprocal = each<reciprocal>},
       .lines = {.sum = sum,
                 .square_sum = square_sum,
                 .moments = moments,
                 .highest = highest,
                 .lowest = lowest,
                 .exp_sum = exp_sum,
                 .dot = dot,
                 .add_scaled = add_scaled,
                 .normalise = normalise},
       .weigh_rows = weigh_rows,
       .weigh_last = weigh_last,
       .tile_in = tile_in,
       .tile_out = tile_out,
       .copy_rows = copy_rows,
       .halves = halves,
       .twos = twos,
       .threes = threes,
       .transpose_tile = transpose_tile,
       .transpose_rows = transpose_rows,
       .half_to_float = half_to_float,
       .dots = {dots<float>, dots<Half>, dots<BFloat>},
       .mix = {mix<float>, mix<Half>, mix<BFloat>},
       .lanes = kLanes,
       .strip = strip,
       .soften = soften,
       .tile_rows = kRows,
       .tile_columns = kColumns,
       .tile = tile};
}

const Simd& portable_simd() {
  static const Simd table = [] {
    Simd t;
    fill_portable(t);
    return t;
  }();
  return table;
}

#ifdef ARENASCOPE_HIGHWAY
namespace {

const Simd& table(bool past) {
  if (highest_level() == Level::Portable) return portable_simd();
  static const std::array<Simd, 2> tables = [] {
    std::array<Simd, 2> both;
    limit_highway();
    for (int i = 0; i < 2; ++i) {
      Simd& t = both[static_cast<size_t>(i)];
      fill_portable(t);
      fill_highway_pointwise(t, i == 1);
      fill_highway_rows(t, i == 1);
      fill_highway_tile(t, i == 1);
      fill_highway_dots(t, i == 1);
      fill_highway_strip(t, i == 1);
      fill_highway_windows(t, i == 1);
      fill_highway_casts(t, i == 1);
    }
    return both;
  }();
  return tables[past];
}

}  // namespace

const Simd& simd() { return table(false); }
const Simd& simd_past_caches() { return table(true); }
#else
const Simd& simd() { return portable_simd(); }
const Simd& simd_past_caches() { return portable_simd(); }
#endif

}  // namespace arenascope::cpu
