// SPDX-License-Identifier: MIT
// Matmuls of any element types and layouts, one work item a result. The fast ones for float32 are in gemm.cl.
#ifdef MUL_MAT
// a [.., N, K], b [.., M, K]; layouts of the leading dimensions go over the result's. out[m, n] = scale·Σ a[n]·b[m].
kernel void mul_mat(global const uchar* a, Layout la, long a_row, long a_column, global const uchar* b, Layout lb, long b_row,
                    long b_column, global const uchar* bias, Layout ls, global uchar* out, Layout lo, long count, long m, long n,
                    long depth, float scale, int biased) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const long column = i % n, row = i / n % m, batch = i / n / m;
  const long from_a = place(&la, batch) + column * a_row, from_b = place(&lb, batch) + row * b_row;
  real total = 0, part = 0;
  for (long k = 0; k < depth; ++k) {
    part += LOAD(a, la.type, from_a + k * a_column) * LOAD(b, lb.type, from_b + k * b_column);
    if ((k & 63) == 63) {
      total += part;
      part = 0;
    }
  }
  total = (real)scale * (total + part);
  if (biased) total += LOAD(bias, ls.type, ls.offset + column * ls.stride[0]);
  STORE(out, lo.type, lo.offset + i, total);
}
#endif

typedef struct {
  int stride[3], dilation[3], begin[3];
  int groups;
} Conv;

// The coordinates of element i of a result [N, C, D, H, W].
inline void coordinates(const Layout* l, long i, long* at) {
  for (int d = 4; d >= 0; --d) {
    at[d] = i % l->size[d];
    i /= l->size[d];
  }
}

#ifdef CONV
// Sums of integers are exact, their results floats.
#if DOMAIN == 2
#define FIRST 0
#define RESULT(total) store_float(out, lo.type, lo.offset + i, (float)(total) + (biased ? load_float(bias, lb.type, lb.offset + at[1] * lb.stride[0]) : 0))
#else
#define FIRST biased ? LOAD(bias, lb.type, lb.offset + at[1] * lb.stride[0]) : 0
#define RESULT(total) STORE(out, lo.type, lo.offset + i, total)
#endif
// Layouts are [N, C, D, H, W] and [M, C/groups, d, h, w].
kernel void conv(global const uchar* x, Layout lx, global const uchar* w, Layout lw, global const uchar* bias, Layout lb,
                 global uchar* out, Layout lo, long count, Conv p, int biased) {
  const long i = get_global_id(0);
  if (i >= count) return;
  long at[5];
  coordinates(&lo, i, at);
  const long inputs = lw.size[1], group = at[1] / (lo.size[1] / p.groups);
  const long base = lx.offset + at[0] * lx.stride[0] + group * inputs * lx.stride[1], weights = lw.offset + at[1] * lw.stride[0];
  real total = FIRST;
  for (long c = 0; c < inputs; ++c) {
    real sum = 0;
    for (long a = 0; a < lw.size[2]; ++a) {
      const long z = at[2] * p.stride[0] - p.begin[0] + a * p.dilation[0];
      if (z < 0 || z >= lx.size[2]) continue;
      for (long b = 0; b < lw.size[3]; ++b) {
        const long y = at[3] * p.stride[1] - p.begin[1] + b * p.dilation[1];
        if (y < 0 || y >= lx.size[3]) continue;
        for (long e = 0; e < lw.size[4]; ++e) {
          const long v = at[4] * p.stride[2] - p.begin[2] + e * p.dilation[2];
          if (v < 0 || v >= lx.size[4]) continue;
          sum += LOAD(x, lx.type, base + c * lx.stride[1] + z * lx.stride[2] + y * lx.stride[3] + v * lx.stride[4]) *
                 LOAD(w, lw.type, weights + c * lw.stride[1] + a * lw.stride[2] + b * lw.stride[3] + e * lw.stride[4]);
        }
      }
    }
    total += sum;
  }
  RESULT(total);
}

// Each result gathers the source elements whose kernel reaches it. Layouts [N, C, D, H, W] and [C, M/groups, d, h, w].
kernel void conv_transpose(global const uchar* x, Layout lx, global const uchar* w, Layout lw, global const uchar* bias, Layout lb,
                           global uchar* out, Layout lo, long count, Conv p, int biased) {
  const long i = get_global_id(0);
  if (i >= count) return;
  long at[5];
  coordinates(&lo, i, at);
  const long outputs = lw.size[1], group = at[1] / outputs, inputs = lx.size[1] / p.groups;
  real total = biased ? LOAD(bias, lb.type, lb.offset + at[1] * lb.stride[0]) : 0;
  for (long a = 0; a < lw.size[2]; ++a) {
    const long z = at[2] + p.begin[0] - a * p.dilation[0];
    if (z < 0 || z % p.stride[0] != 0 || z / p.stride[0] >= lx.size[2]) continue;
    for (long b = 0; b < lw.size[3]; ++b) {
      const long y = at[3] + p.begin[1] - b * p.dilation[1];
      if (y < 0 || y % p.stride[1] != 0 || y / p.stride[1] >= lx.size[3]) continue;
      for (long e = 0; e < lw.size[4]; ++e) {
        const long v = at[4] + p.begin[2] - e * p.dilation[2];
        if (v < 0 || v % p.stride[2] != 0 || v / p.stride[2] >= lx.size[4]) continue;
        const long from = lx.offset + at[0] * lx.stride[0] + group * inputs * lx.stride[1] + z / p.stride[0] * lx.stride[2] +
                          y / p.stride[1] * lx.stride[3] + v / p.stride[2] * lx.stride[4];
        const long with = lw.offset + group * inputs * lw.stride[0] + at[1] % outputs * lw.stride[1] + a * lw.stride[2] +
                          b * lw.stride[3] + e * lw.stride[4];
        real sum = 0;
        for (long c = 0; c < inputs; ++c)
          sum += LOAD(x, lx.type, from + c * lx.stride[1]) * LOAD(w, lw.type, with + c * lw.stride[0]);
        total += sum;
      }
    }
  }
  STORE(out, lo.type, lo.offset + i, total);
}
#endif

#ifdef ATTENTION
// scores[r, s] of all rows r = (outer, head, t), then in place exp, then times v. Layouts q, k, v and mask go over
// [outer…, head, row, column]; the sums of the rows are stored after the scores.
kernel void scores(global const uchar* q, Layout lq, global const uchar* k, Layout lk, global const uchar* mask, Layout lm,
                   global float* out, long count, long queries, long keys, long heads, long key_heads, long width, float scale,
                   int masked, int causal) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const long s = i % keys, r = i / keys, t = r % queries, head = r / queries % heads, outer = r / queries / heads;
  const long key = ((outer * key_heads + head / (heads / key_heads)) * keys + s) * width;
  float total = 0;
  if (causal && s > t + keys - queries) {
    out[i] = -INFINITY;
    return;
  }
  for (long d = 0; d < width; ++d)
    total += load_float(q, lq.type, place(&lq, r * width + d)) * load_float(k, lk.type, place(&lk, key + d));
  total *= scale;
  if (masked) total += load_float(mask, lm.type, place(&lm, i));
  out[i] = total;
}
kernel void row_soft_max(global float* scores, long rows, long keys) {
  const long r = get_global_id(0);
  if (r >= rows) return;
  global float* row = scores + r * keys;
  float highest = -INFINITY, sum = 0;
  for (long s = 0; s < keys; ++s) highest = fmax(highest, row[s]);
  for (long s = 0; s < keys; ++s) {
    const float e = exp(row[s] - highest);
    row[s] = e;
    sum += e;
  }
  for (long s = 0; s < keys; ++s) row[s] /= sum;
}
kernel void values(global const float* scores, global const uchar* v, Layout lv, global uchar* out, Layout lo, long count,
                   long queries, long keys, long heads, long key_heads, long width) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const long d = i % width, r = i / width, head = r / queries % heads, outer = r / queries / heads;
  const long base = (outer * key_heads + head / (heads / key_heads)) * keys;
  float total = 0;
  for (long s = 0; s < keys; ++s) {
    const float weight = scores[r * keys + s];
    if (weight != 0) total += weight * load_float(v, lv.type, place(&lv, (base + s) * width + d));
  }
  store_float(out, lo.type, lo.offset + i, total);
}
#endif

#ifdef LSTM
// One time step: the four gates of every (direction, batch, unit), then cell and state. Layouts contiguous indices.
kernel void gates(global const uchar* x, Layout lx, global const uchar* w, Layout lw, global const uchar* r, Layout lr,
                  global const uchar* bias, Layout lb, global const float* state, global float* gate, long count, long step,
                  long steps, long batch, long input, long hidden, int direction, int biased) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const long g = i % (4 * hidden), b = i / (4 * hidden) % batch, d = i / (4 * hidden) / batch;
  const long t = direction == 1 || d == 1 ? steps - 1 - step : step;
  float sum = 0;
  if (biased)
    sum = load_float(bias, lb.type, place(&lb, d * 8 * hidden + g)) + load_float(bias, lb.type, place(&lb, d * 8 * hidden + 4 * hidden + g));
  for (long k = 0; k < input; ++k)
    sum += load_float(w, lw.type, place(&lw, (d * 4 * hidden + g) * input + k)) * load_float(x, lx.type, place(&lx, (t * batch + b) * input + k));
  for (long k = 0; k < hidden; ++k)
    sum += load_float(r, lr.type, place(&lr, (d * 4 * hidden + g) * hidden + k)) * state[(d * batch + b) * hidden + k];
  gate[i] = sum;
}
kernel void cells(global const float* gate, global float* state, global float* cell, global uchar* out, Layout lo, long count,
                  long step, long steps, long batch, long hidden, long directions, int direction) {
  const long i = get_global_id(0);
  if (i >= count) return;
  const long u = i % hidden, b = i / hidden % batch, d = i / hidden / batch;
  const long t = direction == 1 || d == 1 ? steps - 1 - step : step, first = (d * batch + b) * 4 * hidden;
  const float in = 1 / (1 + exp(-gate[first + u])), o = 1 / (1 + exp(-gate[first + hidden + u]));
  const float f = 1 / (1 + exp(-gate[first + 2 * hidden + u]));
  const float c = f * cell[i] + in * tanh(gate[first + 3 * hidden + u]), h = o * tanh(c);
  cell[i] = c;
  state[i] = h;
  store_float(out, lo.type, lo.offset + ((t * directions + d) * batch + b) * hidden + u, h);
  if (step == steps - 1) {
    const long end = steps * directions * batch * hidden;
    store_float(out, lo.type, lo.offset + end + i, h);
    store_float(out, lo.type, lo.offset + end + directions * batch * hidden + i, c);
  }
}
// The initial state and cell: the given ones, or zeros.
kernel void begin_states(global const uchar* from, Layout lf, global float* to, long count, int given) {
  const long i = get_global_id(0);
  if (i < count) to[i] = given ? load_float(from, lf.type, place(&lf, i)) : 0;
}
#endif
