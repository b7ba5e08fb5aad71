// SPDX-License-Identifier: MIT
// float32 (or HALF), contiguous, one operation: OP is defined when the program is built; its formula is in formulas.cl.
// Rows of neighbours: a work item has `per` whole rows, which suits CPUs, or with SPREAD one element of one row, which
// suits GPUs.
#ifdef SPREAD
#define EACH_ROW(row) for (int row = get_global_id(1), once = 1; once; once = 0)
#define EACH_ELEMENT(i) for (int i = get_global_id(0), once_more = i < inner; once_more; once_more = 0)
#else
#define EACH_ROW(row) for (int row = get_global_id(0) * per, end = min(rows, row + per); row < end; ++row)
#define EACH_ELEMENT(i) for (int i = 0; i < inner; ++i)
#endif

#ifdef UNARY
kernel void unary(global const ELEMENT* x, int ox, global ELEMENT* out, int oo, int n, float a, float b) {
  const int i = get_global_id(0);
  if (i < n) PUT(out, oo + i, one(GET(x, ox + i), a, b));
}
#endif
#ifdef BINARY
// y[i / inner % count] for count·inner elements of y: a whole tensor (inner 1), one number a channel, or one (count 1).
kernel void binary(global const ELEMENT* x, int ox, global const ELEMENT* y, int oy, global ELEMENT* out, int oo, int n) {
  const int i = get_global_id(0);
  if (i < n) PUT(out, oo + i, two(GET(x, ox + i), GET(y, oy + i)));
}
// `rows` rows of `inner` elements, one number of y a row.
kernel void by_channel(global const ELEMENT* x, int ox, global const ELEMENT* y, int oy, global ELEMENT* out, int oo, int rows, int inner,
                       int count, int per) {
  EACH_ROW(row) {
    const float other = GET(y, oy + row % count);
    EACH_ELEMENT(i) PUT(out, oo + row * inner + i, two(GET(x, ox + row * inner + i), other));
  }
}
#endif
#ifdef AFFINE
// scale·x + shift by channel, where scale and shift come from a batch normalisation's four vectors.
kernel void batch_norm(global const ELEMENT* x, int ox, global const ELEMENT* scale, int os, global const ELEMENT* bias, int ob,
                       global const ELEMENT* mean, int om, global const ELEMENT* variance, int ov, global ELEMENT* out, int oo,
                       int rows, int inner, int count, int per, float epsilon) {
  EACH_ROW(row) {
    const int c = row % count;
    const float s = GET(scale, os + c) / sqrt(GET(variance, ov + c) + epsilon), t = GET(bias, ob + c) - GET(mean, om + c) * s;
    EACH_ELEMENT(i) PUT(out, oo + row * inner + i, GET(x, ox + row * inner + i) * s + t);
  }
}
#endif
