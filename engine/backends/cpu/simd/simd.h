// SPDX-License-Identifier: MIT
// The hot loops over contiguous floats, as a table of functions chosen once for the processor at hand: written with
// Google Highway where it was found, else portable loops. Pointers need no alignment; `out` may equal a source.
// Each element's result does not depend on where in the row it stands, so it does not matter how rows are split.
#pragma once
#include <cstdint>

namespace arenascope::cpu {

inline constexpr int64_t kTapSlack = 16;
// Results from this size on (half of a usual last cache) are written past the caches.
inline constexpr int64_t kPastCaches = int64_t{16} << 20;

// Element by element.
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

// Truth values, a byte each: 1 or 0. Null: the formula's loop is as fast.
struct TruthLoops {
  using Compare = void (*)(uint8_t* out, const float* a, const float* b, int64_t n);
  Compare equal = nullptr, less = nullptr, less_equal = nullptr;
  void (*is_nan)(uint8_t* out, const float* x, int64_t n) = nullptr;
};

// Floats from numbers of other types and to them, rounded and cut off as elements.h says. Null: a plain loop is as fast.
struct CastLoops {
  using From = void (*)(float* out, const void* x, int64_t n);
  using To = void (*)(void* out, const float* x, int64_t n);
  From from_bfloat = nullptr, from_u8 = nullptr, from_i8 = nullptr, from_i32 = nullptr, from_i64 = nullptr;
  To to_half = nullptr, to_bfloat = nullptr, to_u8 = nullptr, to_i8 = nullptr, to_i32 = nullptr, to_i64 = nullptr,
     to_bool = nullptr;
  // x / scale, rounded to the nearest whole number, of two as near to the even one, then moved by `shift`.
  using Quantise = void (*)(void* out, const float* x, int64_t n, float scale, float shift);
  Quantise quantise_u8 = nullptr, quantise_i8 = nullptr;
};

// Along a line of n elements.
struct LineLoops {
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
  // out = (x − mean)·factor·gain + bias; gain and bias one an element, either may be null.
  void (*normalise)(float* out, const float* x, float mean, float factor, const float* gain, const float* bias,
                    int64_t n);
  // sums += x, each its own; out: what they became, or were before. Null: a plain loop is as fast.
  void (*add_to_sums)(float* out, double* sums, const float* x, bool before, int64_t n) = nullptr;
};

struct Simd {
  const char* name = "portable";

  void (*copy)(float* out, const float* x, int64_t n);
  void (*settle)();  // to be called by who wrote past the caches, before others read it
  ElementLoops elements;
  LineLoops lines;
  TruthLoops truths;
  CastLoops casts;
  // out[r·out_stride + i] = bias + Σ weights[t] · x[taps[t] + r·x_stride + i] for r < rows, i < n; readable up to
  // kTapSlack floats behind the last i.
  void (*weigh_rows)(float* out, int64_t out_stride, const float* x, const int64_t* taps, const float* weights,
                     int64_t count, int64_t x_stride, int64_t rows, int64_t n, float bias);
  // out[i·channels + c] = bias[c] + Σ weights[weight[t] + c] · x[taps[t] + i·step + c] for i < n, c < channels.
  void (*weigh_last)(float* out, const float* x, const int64_t* taps, int64_t step, const float* weights,
                     const int64_t* weight, int64_t count, int64_t n, int64_t channels, const float* bias);
  // Winograd's F(2×2, 3×3), for n channels (whole vectors) of a tile of 4×4 places, row by row: what sixteen products are made
  // of, and four results of their sums. Whether these are finite, before the bias.
  void (*tile_in)(float* to, int64_t to_stride, const float* const* from, int64_t n);
  bool (*tile_out)(float* const* to, const float* from, int64_t from_stride, const float* bias, int64_t n);
  void (*copy_rows)(float* to, int64_t to_stride, const float* from, int64_t from_stride, int64_t rows, int64_t n);
  void (*halves)(float* even, float* odd, const float* x, int64_t n);   // x[2·i] and x[2·i + 1] for i < n
  void (*twos)(float* out, const float* a, const float* b, int64_t n);  // a[0], b[0], a[1], b[1], …
  void (*threes)(float* out, const float* a, const float* b, const float* c, int64_t n);  // a[0], b[0], c[0], a[1], …
  // 16 × 16 elements turned over: to[i·to_stride + j] = from[j·from_stride + i].
  void (*turn_tile)(float* to, int64_t to_stride, const float* from, int64_t from_stride);
  void (*half_to_float)(float* out, const uint16_t* x, int64_t n);

  // Rows of f32, f16 or bf16 (by that place) against a few rows of floats, n long; strides are in elements.
  //   dots: out[m·out_stride + r] += Σ a[r·a_stride + k]·b[m·b_stride + k]   for r < count, m < b_count
  //   mix:  out[m·out_stride + i] += Σ w[m·w_stride + r]·a[r·a_stride + i]   over r < count, for m < w_count
  using Dots = void (*)(const void* a, int64_t a_stride, int64_t count, const float* b, int64_t b_stride,
                        int64_t b_count, int64_t n, float* out, int64_t out_stride);
  Dots dots[3];
  using Mix = void (*)(const void* a, int64_t a_stride, int64_t count, const float* w, int64_t w_stride,
                       int64_t w_count, int64_t n, float* out, int64_t out_stride);
  Mix mix[3];

  // A strip of up to three vectors of columns: C[rows, vectors·lanes] (+)= A·B over `depth`, where A's element (r, k)
  // is a[r·a_row + k·a_step] and rows of B lie b_stride apart.
  int lanes;
  void (*strip)(int64_t depth, const float* a, int64_t a_row, int64_t a_step, int64_t rows, const float* b,
                int64_t b_stride, int vectors, float* c, int64_t c_stride, bool accumulate);
  // A step of softmax down the columns of a strip: s becomes exp(s − highest) with the highest of all steps so far,
  // sums grow accordingly, and what was made of earlier steps must be multiplied by `corrections`. False: by 1
  // throughout.
  bool (*soften)(float* s, int64_t rows, int64_t stride, int vectors, float* highest, float* sums, float* corrections);

  // A tile of a product: C[rows, columns] (+)= A·B over `depth`, A packed as [depth][rows], B as [depth][columns].
  int tile_rows, tile_columns;
  void (*tile)(int64_t depth, const float* a, const float* b, float* c, int64_t c_stride, bool accumulate);
};

const Simd& simd();           // the best for this processor
const Simd& portable_simd();  // plain loops

// The same functions, but copy, turn_tile, the functions of elements and normalise write past the caches, for results
// larger than those; `out` must be no source. normalise and exp_sum ask for the row behind x, which is likely the next.
const Simd& simd_past_caches();

// The rest are set by the files that hold them.
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
