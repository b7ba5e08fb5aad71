// SPDX-License-Identifier: MIT
// Training and mixture-of-experts operators: row gradients scattered to their table, optimizer updates, dropout, and
// matmuls whose matrix is selected per row. A work item computes one element.

inline long entry_of(global const uchar* ids, const Layout* l, long at, long size, bool negative, global long* problem) {
  const long k = load_whole(ids, l->type, at);
  if (k >= (negative ? -size : 0) && k < size) return k < 0 ? k + size : k;
  problem[1] = k;
  problem[0] = 1;
  return -1;
}

// out[row] = base[row] + Σ dy[k] over the k with index row. Layouts: dy [count, rest…], out and base flat.
kernel void gather_back(global const uchar* dy, Layout ld, global const uchar* indices, Layout lp, global const uchar* base,
                        Layout lb, global uchar* out, Layout lo, long n, long width, long size, long count, int based,
                        global long* problem) {
  const long i = get_global_id(0);
  if (i >= n) return;
  const long row = i / width, within = i % width;
  wide sum = based ? load_wide(base, lb.type, lb.offset + i) : 0;
  for (long k = 0; k < count; ++k)
    if (entry_of(indices, &lp, lp.offset + k * lp.stride[0], size, true, problem) == row)
      sum += load_wide(dy, ld.type, place(&ld, k * width + within));
  store_wide(out, lo.type, lo.offset + i, sum);
}

inline ulong mixed(ulong z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ul;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBul;
  return z ^ (z >> 31);
}

// The mask is that of arenascope/graph/dropout_mask.h, with its `below` and `factor`.
kernel void dropout(global const uchar* x, Layout lx, global const uchar* seed, Layout ls, global uchar* out, Layout lo, long n,
                    ulong below, float factor, uint sequence) {
  const long i = get_global_id(0);
  if (i >= n) return;
  const ulong step = 0x9E3779B97F4A7C15ul;
  const ulong first = (ulong)load_whole(seed, ls.type, ls.offset), second = (ulong)load_whole(seed, ls.type, ls.offset + ls.stride[0]);
  const ulong own = mixed(mixed(first * step + second + 1) + step), state = mixed(own * step + sequence + 1);
  const bool keeps = (mixed(state + ((ulong)i + 1) * step) >> 11) >= below;
  store_wide(out, lo.type, lo.offset + i, keeps ? load_wide(x, lx.type, place(&lx, i)) * (wide)factor : 0);
}

typedef struct {
  int keep, adaptive, states;
  float beta1, rest1, beta2, rest2, epsilon, decay;
} Optimizer;

// All contiguous float32: the parameter, which is written, its gradient, the step's numbers, and states where there are some.
kernel void optimizer_step(global float* to, int ot, global const float* gradient, int og, global const float* numbers, int on,
                           global const uchar* spoilt, int os, global float* first, int of, global float* second, int oe, long n,
                           Optimizer p) {
  const long i = get_global_id(0);
  if (i >= n || spoilt[os] != 0) return;
  float g = gradient[og + i];
  if (p.adaptive) {
    const float m = p.beta1 * first[of + i] + p.rest1 * g, v = p.beta2 * second[oe + i] + p.rest2 * (g * g);
    first[of + i] = m;
    second[oe + i] = v;
    to[ot + i] = to[ot + i] * numbers[on + p.keep] - numbers[on + 1] * (m / (sqrt(v) * numbers[on + 2] + p.epsilon));
    return;
  }
  g += p.decay * to[ot + i];
  if (p.states > 0) first[of + i] = g = p.beta1 * first[of + i] + g;
  to[ot + i] -= numbers[on] * g;
}

// out [token, one, column] = Σ a[id(token, one), column, k] · x[token, (one,) k]
kernel void mul_mat_id(global const uchar* a, Layout la, global const uchar* x, Layout lx, global const uchar* ids, Layout li,
                          global uchar* out, Layout lo, long n, long columns, long depth, long each, long entries,
                          global long* problem) {
  const long i = get_global_id(0);
  if (i >= n) return;
  const long column = i % columns, row = i / columns, token = row / each, one = row % each;
  const long id = entry_of(ids, &li, li.offset + token * li.stride[0] + one * li.stride[1], entries, false, problem);
  if (id < 0) return;
  const long from = la.offset + id * la.stride[0] + column * la.stride[1];
  const long with = lx.offset + token * lx.stride[0] + (lx.rank == 3 ? one * lx.stride[1] : 0);
  float total = 0, part = 0;
  for (long k = 0; k < depth; ++k) {
    part += load_float(a, la.type, from + k * la.stride[2]) * load_float(x, lx.type, with + k * lx.stride[lx.rank - 1]);
    if ((k & 63) == 63) {
      total += part;
      part = 0;
    }
  }
  store_float(out, lo.type, lo.offset + i, total + part);
}
