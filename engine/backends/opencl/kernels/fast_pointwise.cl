// SPDX-License-Identifier: MIT
// float32, contiguous, one operation: OP is given when the program is built.
inline float softplus(float x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
inline float one(float x, float a, float b) {
#if OP == OP_RELU
  return x < 0 ? 0 : x;
#elif OP == OP_LEAKY_RELU
  return x < 0 ? a * x : x;
#elif OP == OP_CLAMP
  return isnan(x) ? x : fmin(fmax(x, a), b);
#elif OP == OP_SIGMOID
  return 1 / (1 + exp(-x));
#elif OP == OP_SILU
  return x / (1 + exp(-x));
#elif OP == OP_TANH
  return tanh(x);
#elif OP == OP_EXP
  return exp(x);
#elif OP == OP_SQRT
  return sqrt(x);
#elif OP == OP_ERF
  return erf(x);
#elif OP == OP_GELU
  return x / 2 * (1 + erf(x * 0.70710678118654752440f));
#elif OP == OP_HARD_SIGMOID
  return clamp(a * x + b, 0.0f, 1.0f);
#elif OP == OP_HARD_SWISH
  return x * clamp(a * x + b, 0.0f, 1.0f);
#elif OP == OP_SCALE
  return a * x + b;
#elif OP == OP_NEG
  return -x;
#elif OP == OP_ABS
  return fabs(x);
#elif OP == OP_RECIPROCAL
  return 1 / x;
#else
  return x;
#endif
}
inline float two(float a, float b) {
#if OP == OP_SUB
  return a - b;
#elif OP == OP_MUL
  return a * b;
#elif OP == OP_DIV
  return a / b;
#elif OP == OP_MAX
  return isnan(a) || a > b ? a : b;
#elif OP == OP_MIN
  return isnan(a) || a < b ? a : b;
#else
  return a + b;
#endif
}

// Rows of neighbours: a work item has `per` whole rows, as a processor wants it, or with SPREAD one element of one row, as a
// GPU does.
#ifdef SPREAD
#define EACH_ROW(row) for (int row = get_global_id(1), once = 1; once; once = 0)
#define EACH_ELEMENT(i) for (int i = get_global_id(0), once_more = i < inner; once_more; once_more = 0)
#else
#define EACH_ROW(row) for (int row = get_global_id(0) * per, end = min(rows, row + per); row < end; ++row)
#define EACH_ELEMENT(i) for (int i = 0; i < inner; ++i)
#endif

#ifdef UNARY
kernel void unary(global const float* x, int ox, global float* out, int oo, int n, float a, float b) {
  const int i = get_global_id(0);
  if (i < n) out[oo + i] = one(x[ox + i], a, b);
}
#endif
#ifdef BINARY
// y[i / inner % count] for count·inner elements of y: a whole tensor (inner 1), one number a channel, or one (count 1).
kernel void binary(global const float* x, int ox, global const float* y, int oy, global float* out, int oo, int n) {
  const int i = get_global_id(0);
  if (i < n) out[oo + i] = two(x[ox + i], y[oy + i]);
}
// `rows` rows of `inner` elements, one number of y a row.
kernel void by_channel(global const float* x, int ox, global const float* y, int oy, global float* out, int oo, int rows, int inner,
                       int count, int per) {
  EACH_ROW(row) {
    const float other = y[oy + row % count];
    EACH_ELEMENT(i) out[oo + row * inner + i] = two(x[ox + row * inner + i], other);
  }
}
#endif
#ifdef AFFINE
// scale·x + shift by channel, where scale and shift come from a batch normalisation's four vectors.
kernel void batch_norm(global const float* x, int ox, global const float* scale, int os, global const float* bias, int ob,
                       global const float* mean, int om, global const float* variance, int ov, global float* out, int oo,
                       int rows, int inner, int count, int per, float epsilon) {
  EACH_ROW(row) {
    const int c = row % count;
    const float s = scale[os + c] / sqrt(variance[ov + c] + epsilon), t = bias[ob + c] - mean[om + c] * s;
    EACH_ELEMENT(i) out[oo + row * inner + i] = x[ox + row * inner + i] * s + t;
  }
}
#endif
