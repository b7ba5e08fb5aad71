// SPDX-License-Identifier: MIT
// Table of the hot loops over contiguous floats, chosen once for the CPU: Google Highway where available, else portable
// loops. Pointers need no alignment; `out` may equal an input. The result of an element does not depend on its position
// in the row, so rows may be split anywhere.
#pragma once
#include <cstdint>

namespace arenascope::cpu {

inline constexpr int64_t kTapSlack = 16;
// Results of at least this size (half of a typical last-level cache) use non-temporal stores.
inline constexpr int64_t kPastCaches = int64_t{16} << 20;

// Elementwise.
struct ElementLoops {
  using Binary = void (*)(float* out, const float* a, const float* b, int64_t n);
  using Unary = void (*)(float* out, const float* x, int64_t n, float p, float q);

  Binary add, sub, mul, div, min, max;
  Unary affine;  // p·x + q
  Unary clamp;   // to [p, q]
  Unary relu, leaky_relu, elu, exp, log, erf, tanh, sigmoid, silu, gelu, gelu_tanh, softplus, mish, hard_sigmoid,
      hard_swish, sqrt, reciprocal;
  // Null: the formula's loop is as fast.
  Unary neg = nullptr, abs = nullptr, sign = nullptr, floor = nullptr, ceil = nullptr, round = nullptr, sin = nullptr,
        cos = nullptr, asin = nullptr, acos = nullptr, atan = nullptr;
};

// Booleans, one byte each: 1 or 0. Null: the formula's loop is as fast.
struct TruthLoops {
  using Compare = void (*)(uint8_t* out, const float* a, const float* b, int64_t n);
  Compare equal = nullptr, less = nullptr, less_equal = nullptr;
  void (*is_nan)(uint8_t* out, const float* x, int64_t n) = nullptr;
};

// Conversions between float and other types, rounded and saturated as in elements.h. Null: a plain loop is as fast.
struct CastLoops {
  using From = void (*)(float* out, const void* x, int64_t n);
  using To = void (*)(void* out, const float* x, int64_t n);
  From from_bfloat = nullptr, from_u8 = nullptr, from_i8 = nullptr, from_i32 = nullptr, from_i64 = nullptr;
  To to_half = nullptr, to_bfloat = nullptr, to_u8 = nullptr, to_i8 = nullptr, to_i32 = nullptr, to_i64 = nullptr,
     to_bool = nullptr;
  // x / scale, rounded to the nearest integer (ties to even), plus `shift`.
  using Quantise = void (*)(void* out, const float* x, int64_t n, float scale, float shift);
  Quantise quantise_u8 = nullptr, quantise_i8 = nullptr;
};

// Over a row of n elements.
struct RowLoops {
  double (*sum)(const float* x, int64_t n);
  double (*square_sum)(const float* x, float mean, int64_t n);  // Σ (x − mean)²
  double (*moments)(const float* x, float shift, int64_t n,
                    double* squares);           // Σ (x − shift), and Σ (x − shift)² in `squares`
  float (*highest)(const float* x, int64_t n);  // NaN if there is one; n ≥ 1
  float (*lowest)(const float* x, int64_t n);
  // out = exp(scale·x − shift); returns the sum, which is infinite or NaN where one of them is too large.
  double (*exp_sum)(float* out, const float* x, float scale, float shift, int64_t n);
  float (*dot)(const float* a, const float* b, int64_t n);
  void (*add_scaled)(float* out, const float* x, float factor, int64_t n);  // out += factor·x
  // out = (x − mean)·factor·gain + bias; gain and bias have one value per element, either may be null.
  void (*normalise)(float* out, const float* x, float mean, float factor, const float* gain, const float* bias,
                    int64_t n);
  // Elementwise sums += x; out: the sums after that, or before it. Null: a plain loop is as fast.
  void (*add_to_sums)(float* out, double* sums, const float* x, bool before, int64_t n) = nullptr;
};

struct Simd {
  const char* name = "portable";

  void (*copy)(float* out, const float* x, int64_t n);
  void (*settle)();  // must be called after non-temporal stores, before others read the result
  ElementLoops elements;
  RowLoops lines;
  TruthLoops truths;
  CastLoops casts;
  // out[r·out_stride + i] = bias + Σ weights[t] · x[taps[t] + r·x_stride + i] for r < rows, i < n; x must be readable
  // up to kTapSlack floats past the last i.
  void (*weigh_rows)(float* out, int64_t out_stride, const float* x, const int64_t* taps, const float* weights,
                     int64_t count, int64_t x_stride, int64_t rows, int64_t n, float bias);
  // out[i·channels + c] = bias[c] + Σ weights[weight[t] + c] · x[taps[t] + i·step + c] for i < n, c < channels.
  void (*weigh_last)(float* out, const float* x, const int64_t* taps, int64_t step, const float* weights,
                     const int64_t* weight, int64_t count, int64_t n, int64_t channels, const float* bias);
  // Winograd's F(2×2, 3×3) for n channels (whole vectors) of a 4×4 tile, row by row: tile_in computes the sixteen
  // factors, tile_out four results from the sums. Returns whether these are finite, before the bias.
  void (*tile_in)(float* to, int64_t to_stride, const float* const* from, int64_t n);
  bool (*tile_out)(float* const* to, const float* from, int64_t from_stride, const float* bias, int64_t n);
  void (*copy_rows)(float* to, int64_t to_stride, const float* from, int64_t from_stride, int64_t rows, int64_t n);
  void (*halves)(float* even, float* odd, const float* x, int64_t n);   // x[2·i] and x[2·i + 1] for i < n
  void (*twos)(float* out, const float* a, const float* b, int64_t n);  // a[0], b[0], a[1], b[1], …
  void (*threes)(float* out, const float* a, const float* b, const float* c, int64_t n);  // a[0], b[0], c[0], a[1], …
  // Transpose of 16 × 16 elements: to[i·to_stride + j] = from[j·from_stride + i].
  void (*transpose_tile)(float* to, int64_t to_stride, const float* from, int64_t from_stride);
  // Transpose of `rows` rows of n elements, few of each: to[k·to_stride + i] = from[i·from_stride + k].
  void (*transpose_rows)(float* to, int64_t to_stride, const float* from, int64_t from_stride, int64_t rows, int64_t n);
  void (*half_to_float)(float* out, const uint16_t* x, int64_t n);

  // Rows of f32, f16 or bf16 (array index 0, 1, 2) with a few rows of n floats; strides are in elements.
  //   dots: out[m·out_stride + r] += Σ a[r·a_stride + k]·b[m·b_stride + k]   for r < count, m < b_count
  //   mix:  out[m·out_stride + i] += Σ w[m·w_stride + r]·a[r·a_stride + i]   over r < count, for m < w_count
  using Dots = void (*)(const void* a, int64_t a_stride, int64_t count, const float* b, int64_t b_stride,
                        int64_t b_count, int64_t n, float* out, int64_t out_stride);
  Dots dots[3];
  using Mix = void (*)(const void* a, int64_t a_stride, int64_t count, const float* w, int64_t w_stride,
                       int64_t w_count, int64_t n, float* out, int64_t out_stride);
  Mix mix[3];

  // A strip of up to three vectors of columns: C[rows, vectors·lanes] (+)= A·B over `depth`, where element (r, k) of A
  // is a[r·a_row + k·a_step] and rows of B are b_stride apart.
  int lanes;
  void (*strip)(int64_t depth, const float* a, int64_t a_row, int64_t a_step, int64_t rows, const float* b,
                int64_t b_stride, int vectors, float* c, int64_t c_stride, bool accumulate);
  // One step of a streaming softmax down the columns of a strip: s becomes exp(s − highest) with the maximum of all
  // steps so far, the sums are updated, and results of earlier steps must be multiplied by `corrections`. False: all
  // corrections are 1.
  bool (*soften)(float* s, int64_t rows, int64_t stride, int vectors, float* highest, float* sums, float* corrections);

  // The first `rows` rows of a GEMM tile: C[tile_rows, tile_columns] (+)= A·B over `depth`, A packed as
  // [depth][tile_rows], B as [depth][tile_columns].
  int tile_rows, tile_columns;
  void (*tile)(int64_t depth, const float* a, const float* b, float* c, int64_t c_stride, int64_t rows,
               bool accumulate);
};

const Simd& simd();           // the best for this processor
const Simd& portable_simd();  // plain loops

// The same functions, but copy, transpose_tile, the elementwise functions and normalise use non-temporal stores, for
// results larger than the caches; `out` must not be an input. normalise and exp_sum prefetch the row after x, which is
// likely the next one.
const Simd& simd_past_caches();

// Each function fills in the entries of its file.
void fill_portable(Simd& table);
void fill_highway_pointwise(Simd& table, bool past);
void fill_highway_rows(Simd& table, bool past);
void fill_highway_tile(Simd& table, bool past);
void fill_highway_dots(Simd& table, bool past);
void fill_highway_strip(Simd& table, bool past);
void fill_highway_windows(Simd& table, bool past);
void fill_highway_casts(Simd& table, bool past);
void limit_highway();  // to highest_level()

}  // namespace arenascope::cpu
