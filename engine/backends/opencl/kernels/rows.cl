// SPDX-License-Identifier: MIT
// Windows over the rows of planes, float32 (or HALF): depthwise convolution, largest and mean. KY, KX, SY, SX are the window's size
// and steps, given when the program is built; a work item computes `rows` rows of one plane's results.
typedef struct {
  int height, width, out_height, out_width, pad_y, pad_x, dilation_y, dilation_x;
  int planes_weights;  // planes that have weights of their own
  int rows, end_y, end_x, count_padding, biased;
} Planes;

#if MODE == 0  // depthwise
#define FIRST(b) (b)
#define NEXT(acc, value, tap) ((acc) + (value) * weight[tap])
#elif MODE == 1  // largest
#define FIRST(b) (-INFINITY)
#define NEXT(acc, value, tap) fmax(acc, value)
#else  // mean
#define FIRST(b) (0.0f)
#define NEXT(acc, value, tap) ((acc) + (value))
#endif

kernel void rows(global const ELEMENT* x, int ox, global const ELEMENT* w, int ow, global const ELEMENT* bias, int ob, global ELEMENT* out,
                 int oo, Planes p) {
  const int plane = get_global_id(1), begin = get_global_id(0) * p.rows, end = min(p.out_height, begin + p.rows);
  if (begin >= end) return;
  x += ox + (long)plane * p.height * p.width;
  out += oo + (long)plane * p.out_height * p.out_width;
#if MODE == 0
  float weight[KY * KX];
  for (int t = 0; t < KY * KX; ++t) weight[t] = GET(w, ow + plane % p.planes_weights * KY * KX + t);
  const float start = p.biased ? GET(bias, ob + plane % p.planes_weights) : 0.0f;
#else
  const float start = 0;
#endif
  // Results whose windows are completely inside, from left to right.
  const int inner_begin = min(p.out_width, (p.pad_x + SX - 1) / SX);
  const int span = (KX - 1) * p.dilation_x;
  const int inner_end = p.width - 1 + p.pad_x - span < 0 ? inner_begin : max(inner_begin, min(p.out_width, (p.width - 1 + p.pad_x - span) / SX + 1));
  for (int oy = begin; oy < end; ++oy) {
    global ELEMENT* to = out + (long)oy * p.out_width;
    const int top = oy * SY - p.pad_y;
    const bool inside = top >= 0 && top + (KY - 1) * p.dilation_y < p.height;
    for (int o = 0; o < p.out_width; ++o) {
      if (inside && o == inner_begin) {
        global const ELEMENT* from = x + top * p.width - p.pad_x;
        for (int i = inner_begin; i < inner_end; ++i) {
          float acc = FIRST(start);
#pragma unroll
          for (int ky = 0; ky < KY; ++ky)
#pragma unroll
            for (int kx = 0; kx < KX; ++kx)
              acc = NEXT(acc, GET(from, ky * p.dilation_y * p.width + i * SX + kx * p.dilation_x), ky * KX + kx);
#if MODE == 2
          acc /= KY * KX;
#endif
          PUT(to, i, acc);
        }
        o = inner_end;
        if (o >= p.out_width) break;
      }
      float acc = FIRST(start);
      int count = 0, padded = 0;
      for (int ky = 0; ky < KY; ++ky)
        for (int kx = 0; kx < KX; ++kx) {
          const int y = top + ky * p.dilation_y, v = o * SX - p.pad_x + kx * p.dilation_x;
          padded += y < p.height + p.end_y && v < p.width + p.end_x;
          if (y < 0 || y >= p.height || v < 0 || v >= p.width) continue;
          acc = NEXT(acc, GET(x, y * p.width + v), ky * KX + kx);
          ++count;
        }
#if MODE == 2
      if (p.count_padding) count = padded;
      acc = count == 0 ? 0 : acc / count;
#endif
      PUT(to, o, acc);
    }
  }
}
