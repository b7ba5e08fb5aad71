// SPDX-License-Identifier: MIT
// Tensors as images: texel (c / 4 · W + w, n · H + h) holds four neighbouring channels of one pixel; channels beyond
// the last one are zeros. Four-dimensional tensors only. One work item a texel of the result.
//
// Arithmetic is half where the device has it and the images hold half (HALF_MATH), else float.
//
// HALF_IMAGES: the result's image holds half.
#if defined(SATURATE) && defined(HALF_IMAGES)
inline float4 for_half(float4 v) { return select(v, copysign((float4)(65504.0f), v), (fabs(v) > 65504.0f) & (fabs(v) < INFINITY)); }
#define WRITE_FLOAT(image, x, y, v) write_imagef(image, (int2)(x, y), for_half(v))
#else
#define WRITE_FLOAT(image, x, y, v) write_imagef(image, (int2)(x, y), v)
#endif
#ifdef HALF_MATH
#pragma OPENCL EXTENSION cl_khr_fp16 : enable
typedef half real1;
typedef half4 real4;
#define READ(image, x, y) read_imageh(image, nearest, (int2)(x, y))
#define WRITE(image, x, y, v) write_imageh(image, (int2)(x, y), clamp(v, (half4)-65504, (half4)65504))
#define LOAD4(p, i) vload4(i, p)
typedef half kept;
#else
typedef float real1;
typedef float4 real4;
#define READ(image, x, y) read_imagef(image, nearest, (int2)(x, y))
#define WRITE(image, x, y, v) WRITE_FLOAT(image, x, y, v)
#ifdef HALF_WEIGHTS
typedef half kept;
#define LOAD4(p, i) vload_half4(i, p)
#else
typedef float kept;
#define LOAD4(p, i) vload4(i, p)
#endif
#endif
constant sampler_t nearest = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_NONE | CLK_FILTER_NEAREST;

typedef struct {
  int n, c, h, w;
} Extent;

inline int blocks(int channels) { return (channels + 3) / 4; }
// Zeros where there is no channel.
#define PADDED(type, name)                                \
  inline type name(type v, int c4, int channels) {        \
    const int left = channels - c4 * 4;                   \
    if (left < 4) v.w = 0;                                \
    if (left < 3) v.z = 0;                                \
    if (left < 2) v.y = 0;                                \
    return v;                                             \
  }
PADDED(real4, padded)
PADDED(float4, padded_float)

#ifdef CONVERT
// A layout [N, C, H, W] of float or half in a buffer, and the image of it.
kernel void to_image(global const uchar* x, Layout l, write_only image2d_t out, Extent e) {
  const int tx = get_global_id(0), ty = get_global_id(1);
  if (tx >= blocks(e.c) * e.w || ty >= e.n * e.h) return;
  const int c = tx / e.w * 4, w = tx % e.w, n = ty / e.h, h = ty % e.h;
  const long at = l.offset + n * l.stride[0] + c * l.stride[1] + h * l.stride[2] + w * l.stride[3];
  float v[4];
  for (int i = 0; i < 4; ++i) v[i] = c + i < e.c ? load_float(x, l.type, at + i * l.stride[1]) : 0;
  WRITE_FLOAT(out, tx, ty, (float4)(v[0], v[1], v[2], v[3]));
}
kernel void to_buffer(read_only image2d_t x, Extent e, global uchar* out, Layout l) {
  const int tx = get_global_id(0), ty = get_global_id(1);
  if (tx >= blocks(e.c) * e.w || ty >= e.n * e.h) return;
  const int c = tx / e.w * 4, w = tx % e.w, n = ty / e.h, h = ty % e.h;
  const long at = l.offset + n * l.stride[0] + c * l.stride[1] + h * l.stride[2] + w * l.stride[3];
  const float4 t = read_imagef(x, nearest, (int2)(tx, ty));
  const float v[4] = {t.x, t.y, t.z, t.w};
  for (int i = 0; i < 4 && c + i < e.c; ++i) store_float(out, l.type, at + i * l.stride[1], v[i]);
}
// Weights [O, I, taps] as blocks of four results, the inputs filled up with zeros:
// packed[((o / 4) · taps + tap) · filled + i] has those of o, o + 1, o + 2, o + 3.
kernel void pack_weights(global const uchar* w, Layout l, global uchar* out, int type, int outputs, int inputs, int filled, int taps) {
  const int i = get_global_id(0), tap = get_global_id(1), o4 = get_global_id(2);
  if (i >= filled || tap >= taps || o4 >= blocks(outputs)) return;
  for (int k = 0; k < 4; ++k) {
    const int o = o4 * 4 + k;
    const float v = o < outputs && i < inputs ? load_float(w, l.type, place(&l, ((long)o * inputs + i) * taps + tap)) : 0;
    store_float(out, type, (((long)o4 * taps + tap) * filled + i) * 4 + k, v);
  }
}
// The same in an image: texel (i, o / 4 · taps + tap).
kernel void pack_filter(global const uchar* w, Layout l, write_only image2d_t out, int outputs, int inputs, int filled, int taps) {
  const int i = get_global_id(0), tap = get_global_id(1), o4 = get_global_id(2);
  if (i >= filled || tap >= taps || o4 >= blocks(outputs)) return;
  float v[4];
  for (int k = 0; k < 4; ++k) {
    const int o = o4 * 4 + k;
    v[k] = o < outputs && i < inputs ? load_float(w, l.type, place(&l, ((long)o * inputs + i) * taps + tap)) : 0;
  }
  WRITE_FLOAT(out, i, o4 * taps + tap, (float4)(v[0], v[1], v[2], v[3]));
}
#endif

typedef struct {
  Extent in, out;
  int kernel_y, kernel_x, stride_y, stride_x, dilation_y, dilation_x, pad_y, pad_x, end_y, end_x;
  int biased, count_padding;
} Window2;

#ifdef CONV
// The four results' weights of input `i` at tap `row`, counted over blocks of results.
#ifdef FILTER_IMAGE
#define FILTER read_only image2d_t packed
#define WEIGHT(row, i, filled) READ(packed, i, row)
#else
#define FILTER global const kept* packed
#define WEIGHT(row, i, filled) LOAD4(packed, (row) * (filled) + (i))
#endif
// packed, bias: see pack_weights, pack_filter.
kernel void conv(read_only image2d_t x, FILTER, global const kept* bias, write_only image2d_t out, Window2 p) {
  const int tx = get_global_id(0), ty = get_global_id(1);
  if (tx >= blocks(p.out.c) * p.out.w || ty >= p.out.n * p.out.h) return;
  const int o4 = tx / p.out.w, ox = tx % p.out.w, n = ty / p.out.h, oy = ty % p.out.h;
  const int in4 = blocks(p.in.c), taps = p.kernel_y * p.kernel_x;
  real4 sum = p.biased ? LOAD4(bias, o4) : (real4)0;
  for (int ky = 0; ky < p.kernel_y; ++ky) {
    const int y = oy * p.stride_y - p.pad_y + ky * p.dilation_y;
    if (y < 0 || y >= p.in.h) continue;
    for (int kx = 0; kx < p.kernel_x; ++kx) {
      const int v = ox * p.stride_x - p.pad_x + kx * p.dilation_x;
      if (v < 0 || v >= p.in.w) continue;
      const int row = o4 * taps + ky * p.kernel_x + kx, filled = in4 * 4;
      for (int c = 0; c < in4; ++c) {
        const real4 t = READ(x, c * p.in.w + v, n * p.in.h + y);
        const int i = c * 4;
        sum += t.x * WEIGHT(row, i, filled) + t.y * WEIGHT(row, i + 1, filled) + t.z * WEIGHT(row, i + 2, filled) +
               t.w * WEIGHT(row, i + 3, filled);
      }
    }
  }
  WRITE(out, tx, ty, padded(sum, o4, p.out.c));
}
// One filter a channel: packed as weights [C, 1, taps].
kernel void depthwise(read_only image2d_t x, FILTER, global const kept* bias, write_only image2d_t out, Window2 p) {
  const int tx = get_global_id(0), ty = get_global_id(1);
  if (tx >= blocks(p.out.c) * p.out.w || ty >= p.out.n * p.out.h) return;
  const int c4 = tx / p.out.w, ox = tx % p.out.w, n = ty / p.out.h, oy = ty % p.out.h;
  real4 sum = p.biased ? LOAD4(bias, c4) : (real4)0;
  for (int ky = 0; ky < p.kernel_y; ++ky) {
    const int y = oy * p.stride_y - p.pad_y + ky * p.dilation_y;
    if (y < 0 || y >= p.in.h) continue;
    for (int kx = 0; kx < p.kernel_x; ++kx) {
      const int v = ox * p.stride_x - p.pad_x + kx * p.dilation_x;
      if (v < 0 || v >= p.in.w) continue;
      sum += READ(x, c4 * p.in.w + v, n * p.in.h + y) * WEIGHT((c4 * p.kernel_y + ky) * p.kernel_x + kx, 0, 1);
    }
  }
  WRITE(out, tx, ty, padded(sum, c4, p.out.c));
}
#endif

#ifdef POOL
kernel void pool(read_only image2d_t x, write_only image2d_t out, Window2 p, int is_max) {
  const int tx = get_global_id(0), ty = get_global_id(1);
  if (tx >= blocks(p.out.c) * p.out.w || ty >= p.out.n * p.out.h) return;
  const int c4 = tx / p.out.w, ox = tx % p.out.w, n = ty / p.out.h, oy = ty % p.out.h;
  real4 best = (real4)(-INFINITY), sum = (real4)0;
  int inside = 0, with_padding = 0;
  for (int ky = 0; ky < p.kernel_y; ++ky)
    for (int kx = 0; kx < p.kernel_x; ++kx) {
      const int y = oy * p.stride_y - p.pad_y + ky * p.dilation_y, v = ox * p.stride_x - p.pad_x + kx * p.dilation_x;
      with_padding += y < p.in.h + p.end_y && v < p.in.w + p.end_x;
      if (y < 0 || y >= p.in.h || v < 0 || v >= p.in.w) continue;
      const real4 t = READ(x, c4 * p.in.w + v, n * p.in.h + y);
      best = fmax(best, t);
      sum += t;
      ++inside;
    }
  const int count = p.count_padding ? with_padding : inside;
  WRITE(out, tx, ty, padded(is_max ? best : count == 0 ? (real4)0 : sum / (real4)(count), c4, p.out.c));
}
#endif

#if defined(POINTWISE) && defined(UNARY)
// These are float in any case: their functions lose too much in half.
kernel void unary(read_only image2d_t x, write_only image2d_t out, Extent e, float a, float b) {
  const int tx = get_global_id(0), ty = get_global_id(1);
  if (tx >= blocks(e.c) * e.w || ty >= e.n * e.h) return;
  WRITE_FLOAT(out, tx, ty, padded_float(one(read_imagef(x, nearest, (int2)(tx, ty)), a, b), tx / e.w, e.c));
}
#endif
#if defined(POINTWISE) && defined(BINARY)
kernel void binary(read_only image2d_t x, read_only image2d_t y, write_only image2d_t out, Extent e) {
  const int tx = get_global_id(0), ty = get_global_id(1);
  if (tx >= blocks(e.c) * e.w || ty >= e.n * e.h) return;
  const float4 v = two(read_imagef(x, nearest, (int2)(tx, ty)), read_imagef(y, nearest, (int2)(tx, ty)));
  WRITE_FLOAT(out, tx, ty, padded_float(v, tx / e.w, e.c));
}
#endif

#ifdef CHANNELS
// scale[c] · x + shift[c] of a batch normalisation; its vectors are buffers of float or half.
kernel void batch_norm(read_only image2d_t x, global const uchar* scale, Layout ls, global const uchar* bias, Layout lb,
                       global const uchar* mean, Layout lm, global const uchar* variance, Layout lv, write_only image2d_t out,
                       Extent e, float epsilon) {
  const int tx = get_global_id(0), ty = get_global_id(1);
  if (tx >= blocks(e.c) * e.w || ty >= e.n * e.h) return;
  const int c = tx / e.w * 4;
  float s[4] = {0, 0, 0, 0}, t[4] = {0, 0, 0, 0};
  for (int i = 0; i < 4 && c + i < e.c; ++i) {
    s[i] = load_float(scale, ls.type, ls.offset + (c + i) * ls.stride[0]) /
           sqrt(load_float(variance, lv.type, lv.offset + (c + i) * lv.stride[0]) + epsilon);
    t[i] = load_float(bias, lb.type, lb.offset + (c + i) * lb.stride[0]) - load_float(mean, lm.type, lm.offset + (c + i) * lm.stride[0]) * s[i];
  }
  const float4 v = read_imagef(x, nearest, (int2)(tx, ty));
  WRITE_FLOAT(out, tx, ty, (float4)(s[0], s[1], s[2], s[3]) * v + (float4)(t[0], t[1], t[2], t[3]));
}
// Copies all channels of `x` into the result, after its first `first` blocks of four channels.
kernel void put_channels(read_only image2d_t x, write_only image2d_t out, Extent e, int first) {
  const int tx = get_global_id(0), ty = get_global_id(1);
  if (tx >= blocks(e.c) * e.w || ty >= e.n * e.h) return;
  WRITE_FLOAT(out, first * e.w + tx, ty, read_imagef(x, nearest, (int2)(tx, ty)));
}
#endif
