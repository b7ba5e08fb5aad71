// SPDX-License-Identifier: MIT
// Along lines of elements: normalisations, reductions, selections. With LOCAL > 1 a work group shares a line and its
// sums are combined in local memory; with LOCAL 1 a work item has a line of its own.
#if LOCAL > 1
#define LINE_BEGIN(count)              \
  local real shared_[LOCAL];           \
  const long line = get_group_id(0);   \
  const int first = get_local_id(0), step = LOCAL;
#define COMBINE(value, expression)                                 \
  do {                                                             \
    shared_[first] = value;                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                  \
    for (int half_ = LOCAL / 2; half_ > 0; half_ /= 2) {           \
      if (first < half_) {                                         \
        const real a = shared_[first], b = shared_[first + half_]; \
        shared_[first] = expression;                               \
      }                                                            \
      barrier(CLK_LOCAL_MEM_FENCE);                                \
    }                                                              \
    value = shared_[0];                                            \
    barrier(CLK_LOCAL_MEM_FENCE);                                  \
  } while (0)
#else
#define LINE_BEGIN(count)              \
  const long line = get_global_id(0);  \
  if (line >= (count)) return;         \
  const int first = 0, step = 1;
#define COMBINE(value, expression)
#endif

// A sum whose error grows with the square root of the count: parts of at most 64 are added up on their own.
#define SUM_BEGIN real part_ = 0, total_ = 0; int in_part_ = 0;
#define SUM_ADD(x) do { part_ += (x); if (++in_part_ == 64) { total_ += part_; part_ = 0; in_part_ = 0; } } while (0)
#define SUM_END (total_ + part_)

#ifdef REDUCE
// `kept` covers the results, `reduced` the elements that are reduced to each.
kernel void reduce(global const uchar* x, Layout kept, Layout reduced, global uchar* out, Layout lo, long lines, long n, int op) {
  LINE_BEGIN(lines)
  const long base = place(&kept, line) + reduced.offset;
  const bool plain = reduced.rank == 1;
#if DOMAIN == 2
  real v = op == OP_REDUCE_MAX ? LONG_MIN : op == OP_REDUCE_MIN ? LONG_MAX : op == OP_REDUCE_PROD ? 1 : 0;
#else
  real v = op == OP_REDUCE_MAX ? -INFINITY : op == OP_REDUCE_MIN ? INFINITY : op == OP_REDUCE_PROD ? 1 : 0;
#endif
  SUM_BEGIN
  for (long j = first; j < n; j += step) {
    long at = base;
    if (plain) {
      at += j * reduced.stride[0];
    } else {
      long rest = j;
      for (int d = reduced.rank - 1; d >= 0; --d) {
        at += rest % reduced.size[d] * reduced.stride[d];
        rest /= reduced.size[d];
      }
    }
    const real e = LOAD(x, kept.type, at);
    switch (op) {
      case OP_REDUCE_MAX: v = e > v ? e : v; break;
      case OP_REDUCE_MIN: v = e < v ? e : v; break;
      case OP_REDUCE_PROD: v *= e; break;
      case OP_REDUCE_L2: SUM_ADD(e * e); break;
      case OP_REDUCE_SUM:
      case OP_REDUCE_MEAN: SUM_ADD(e); break;
    }
  }
  if (op == OP_REDUCE_SUM || op == OP_REDUCE_MEAN || op == OP_REDUCE_L2) v = SUM_END;
#if LOCAL > 1
  if (op == OP_REDUCE_MAX) COMBINE(v, max(a, b));
  else if (op == OP_REDUCE_MIN) COMBINE(v, min(a, b));
  else if (op == OP_REDUCE_PROD) COMBINE(v, a * b);
  else COMBINE(v, a + b);
#endif
  if (op == OP_REDUCE_MEAN) v = n > 0 ? v / n : v;
#if DOMAIN == 2
  if (op == OP_REDUCE_L2) v = (long)sqrt((wide)v);
#else
  if (op == OP_REDUCE_MEAN && n == 0) v = NAN;
  if (op == OP_REDUCE_L2) v = sqrt(v);
#endif
  if (first == 0) STORE(out, lo.type, lo.offset + line, v);
}
#endif

#ifdef NORMS
// mode 0: mean and variance, 1: root mean square only. `channels` > 0: gain and shift by channel, else broadcast.
kernel void norm(global const uchar* x, Layout lx, global const uchar* gain, Layout lg, global const uchar* shift, Layout ls,
                 global uchar* out, Layout lo, long lines, long n, int mode, int sources, float epsilon, long channels, long inner) {
  LINE_BEGIN(lines)
  const long start = line * n;
  real mean = 0;
  if (mode == 0) {
    SUM_BEGIN
    for (long j = first; j < n; j += step) SUM_ADD(LOAD(x, lx.type, place(&lx, start + j)));
    mean = SUM_END;
    COMBINE(mean, a + b);
    mean /= n;
  }
  real variance = 0;
  {
    SUM_BEGIN
    for (long j = first; j < n; j += step) {
      const real d = LOAD(x, lx.type, place(&lx, start + j)) - mean;
      SUM_ADD(d * d);
    }
    variance = SUM_END;
    COMBINE(variance, a + b);
    variance /= n;
  }
  const real factor = 1 / sqrt(variance + (real)epsilon);
  for (long j = first; j < n; j += step) {
    const long i = start + j;
    const long c = channels > 0 ? i / inner % channels : i;
    real v = (LOAD(x, lx.type, place(&lx, i)) - mean) * factor;
    if (sources > 1) v *= LOAD(gain, lg.type, place(&lg, c));
    if (sources > 2) v += LOAD(shift, ls.type, place(&ls, c));
    STORE(out, lo.type, lo.offset + i, v);
  }
}

// Lines along one axis: `outer` and `mask_outer` go over the lines, strides along the axis are given.
kernel void soft_max(global const uchar* x, Layout outer, long stride, global const uchar* mask, Layout mask_outer, long mask_stride,
                     global uchar* out, Layout out_outer, long out_stride, long lines, long n, float scale, int masked, int is_log) {
  LINE_BEGIN(lines)
  const long from = place(&outer, line), to = place(&out_outer, line), with = masked ? place(&mask_outer, line) : 0;
  real highest = -INFINITY;
  for (long j = first; j < n; j += step) {
    real v = (real)scale * LOAD(x, outer.type, from + j * stride);
    if (masked) v += LOAD(mask, mask_outer.type, with + j * mask_stride);
    highest = fmax(highest, v);
  }
  COMBINE(highest, fmax(a, b));
  SUM_BEGIN
  for (long j = first; j < n; j += step) {
    real v = (real)scale * LOAD(x, outer.type, from + j * stride);
    if (masked) v += LOAD(mask, mask_outer.type, with + j * mask_stride);
    SUM_ADD(exp(v - highest));
  }
  real sum = SUM_END;
  COMBINE(sum, a + b);
  const real less = is_log ? log(sum) : 0;
  for (long j = first; j < n; j += step) {
    real v = (real)scale * LOAD(x, outer.type, from + j * stride);
    if (masked) v += LOAD(mask, mask_outer.type, with + j * mask_stride);
    STORE(out, out_outer.type, to + j * out_stride, is_log ? v - highest - less : exp(v - highest) / sum);
  }
}

kernel void batch_norm(global const uchar* x, Layout lx, global const uchar* scale, Layout ls, global const uchar* bias, Layout lb,
                       global const uchar* mean, Layout lm, global const uchar* variance, Layout lv, global uchar* out, Layout lo,
                       long n, long channels, long inner, float epsilon) {
  const long i = get_global_id(0);
  if (i >= n) return;
  const long c = i / inner % channels;
  const real deviation = sqrt(LOAD(variance, lv.type, place(&lv, c)) + (real)epsilon);
  STORE(out, lo.type, lo.offset + i, (LOAD(x, lx.type, place(&lx, i)) - LOAD(mean, lm.type, place(&lm, c))) / deviation *
                                         LOAD(scale, ls.type, place(&ls, c)) + LOAD(bias, lb.type, place(&lb, c)));
}

// Pairs rotated by an angle that grows with the position; neox: pairs half a head apart.
kernel void rope(global const uchar* x, Layout lx, global const uchar* positions, Layout lp, global uchar* out, Layout lo, long n,
                 long steps, long width, int dims, float base, float scale, int start, int neox, int given) {
  const long i = get_global_id(0);
  if (i >= n) return;
  const long at = i % width, t = i / width % steps, begin = i - at;
  if (at >= dims) {
    STORE(out, lo.type, lo.offset + i, LOAD(x, lx.type, place(&lx, i)));
    return;
  }
  const int half_dims = dims / 2, pair = neox ? (int)at % half_dims : (int)at / 2;
  const bool second = neox ? at >= half_dims : (at & 1) != 0;
  const wide position = given ? load_wide(positions, lp.type, place(&lp, t)) : (wide)(t + start);
  const wide angle = position * (wide)scale * pow((wide)base, -2 * (wide)pair / dims);
  const real u = LOAD(x, lx.type, place(&lx, begin + (neox ? pair : 2 * pair)));
  const real v = LOAD(x, lx.type, place(&lx, begin + (neox ? pair + half_dims : 2 * pair + 1)));
  const real s = (real)sin(angle), c = (real)cos(angle);
  STORE(out, lo.type, lo.offset + i, second ? u * s + v * c : u * c - v * s);
}
#endif

#ifdef SELECT
kernel void arg(global const uchar* x, Layout outer, long stride, global uchar* out, Layout lo, long lines, long n, int is_max, int last) {
  const long line = get_global_id(0);
  if (line >= lines) return;
  const long from = place(&outer, line);
  long best = 0;
  real value = LOAD(x, outer.type, from);
  for (long j = 1; j < n; ++j) {
    const real v = LOAD(x, outer.type, from + j * stride);
    if ((is_max ? v > value : v < value) || (last && v == value)) {
      best = j;
      value = v;
    }
  }
  store_integer(out, lo.type, lo.offset + line, best);
}

// The k best elements in order; each search continues after the previous result. Equal elements are ordered by index.
kernel void top_k(global const uchar* x, Layout outer, long stride, global uchar* out, Layout out_outer, long out_stride, long lines,
                  long n, long k, int largest, int indices) {
  const long line = get_global_id(0);
  if (line >= lines) return;
  const long from = place(&outer, line), to = place(&out_outer, line);
  long previous = -1;
  real before = 0;
  for (long r = 0; r < k; ++r) {
    long best = -1;
    real value = 0;
    for (long j = 0; j < n; ++j) {
      const real v = LOAD(x, outer.type, from + j * stride);
      if (previous >= 0 && ((largest ? v > before : v < before) || (v == before && j <= previous))) continue;
      if (best < 0 || (largest ? v > value : v < value)) {
        best = j;
        value = v;
      }
    }
    if (best < 0) break;  // NaNs are unordered
    if (indices) store_integer(out, out_outer.type, to + r * out_stride, best);
    else STORE(out, out_outer.type, to + r * out_stride, value);
    previous = best;
    before = value;
  }
}

kernel void cum_sum(global const uchar* x, Layout outer, long stride, global uchar* out, Layout out_outer, long out_stride, long lines,
                    long n, int exclusive, int reverse, int is_product) {
  const long line = get_global_id(0);
  if (line >= lines) return;
  const long from = place(&outer, line), to = place(&out_outer, line);
  real running = is_product;
  for (long r = 0; r < n; ++r) {
    const long j = reverse ? n - 1 - r : r;
    const real v = LOAD(x, outer.type, from + j * stride);
    const real next = is_product ? running * v : running + v;
    STORE(out, out_outer.type, to + j * out_stride, exclusive ? running : next);
    running = next;
  }
}
#endif
