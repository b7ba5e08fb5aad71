// SPDX-License-Identifier: MIT
// Pools over up to three spatial dimensions and response normalisation; one work item an element.
typedef struct {
  int kernel_size[3], stride[3], dilation[3], begin[3], end[3];
} Window;

// Layouts are [N, C, D, H, W].
kernel void pool(global const uchar* x, Layout lx, global uchar* out, Layout lo, long n, Window w, int is_max, int count_padding) {
  const long i = get_global_id(0);
  if (i >= n) return;
  long rest = i, at[5];
  for (int d = 4; d >= 0; --d) {
    at[d] = rest % lo.size[d];
    rest /= lo.size[d];
  }
  const long base = lx.offset + at[0] * lx.stride[0] + at[1] * lx.stride[1];
  real best = -INFINITY, sum = 0;
  int inside = 0, padded = 0;
  for (int a = 0; a < w.kernel_size[0]; ++a) {
    const long z = at[2] * w.stride[0] - w.begin[0] + a * w.dilation[0];
    for (int b = 0; b < w.kernel_size[1]; ++b) {
      const long y = at[3] * w.stride[1] - w.begin[1] + b * w.dilation[1];
      for (int c = 0; c < w.kernel_size[2]; ++c) {
        const long v = at[4] * w.stride[2] - w.begin[2] + c * w.dilation[2];
        padded += z < lx.size[2] + w.end[0] && y < lx.size[3] + w.end[1] && v < lx.size[4] + w.end[2];
        if (z < 0 || z >= lx.size[2] || y < 0 || y >= lx.size[3] || v < 0 || v >= lx.size[4]) continue;
        const real value = LOAD(x, lx.type, base + z * lx.stride[2] + y * lx.stride[3] + v * lx.stride[4]);
        ++inside;
        best = fmax(best, value);
        sum += value;
      }
    }
  }
  const int count = count_padding ? padded : inside;
  STORE(out, lo.type, lo.offset + i, is_max ? best : count == 0 ? 0 : sum / count);
}

// Layouts are [N, C, inner].
kernel void lrn(global const uchar* x, Layout lx, global uchar* out, Layout lo, long n, long channels, long inner, int size,
                float alpha, float beta, float bias) {
  const long i = get_global_id(0);
  if (i >= n) return;
  const long c = i / inner % channels, first = max(c - (size - 1) / 2, 0L), last = min(c + size / 2, channels - 1);
  real sum = 0;
  for (long k = first; k <= last; ++k) {
    const real v = LOAD(x, lx.type, place(&lx, i + (k - c) * inner));
    sum += v * v;
  }
  const real base = (real)bias + (real)alpha / size * sum;
  STORE(out, lo.type, lo.offset + i, LOAD(x, lx.type, place(&lx, i)) / pow(base, (real)beta));
}

#if DOMAIN < 2
inline long element_of(const Layout* l, const long* at) {
  return l->offset + at[0] * l->stride[0] + at[1] * l->stride[1] + at[2] * l->stride[2] + at[3] * l->stride[3] + at[4] * l->stride[4];
}

// True if the window that begins at `first` selected its element at `at`: the maximum, the first of equal ones, or the
// last NaN before all others.
bool takes(global const uchar* x, const Layout* l, Window w, const long* first, const long* at, real value) {
  long p[5] = {at[0], at[1], 0, 0, 0};
  bool after = false;
  for (int a = 0; a < w.kernel_size[0]; ++a)
    for (int b = 0; b < w.kernel_size[1]; ++b)
      for (int c = 0; c < w.kernel_size[2]; ++c) {
        p[2] = first[0] + a * w.dilation[0], p[3] = first[1] + b * w.dilation[1], p[4] = first[2] + c * w.dilation[2];
        const bool here = p[2] == at[2] && p[3] == at[3] && p[4] == at[4];
        after = after || here;
        if (here || p[2] < 0 || p[2] >= l->size[2] || p[3] < 0 || p[3] >= l->size[3] || p[4] < 0 || p[4] >= l->size[4]) continue;
        const real other = LOAD(x, l->type, element_of(l, p));
        if (isnan(value) ? after && isnan(other) : !(other < value || (after && other == value))) return false;
      }
  return true;
}

// The gradient of pool's largest elements: each element gathers from the windows that took it, in their order. Layouts are
// [N, C, D, H, W].
kernel void pool_back(global const uchar* x, Layout lx, global const uchar* dy, Layout ld, global uchar* out, Layout lo, long n,
                      Window w) {
  const long i = get_global_id(0);
  if (i >= n) return;
  long rest = i, at[5], low[3], high[3], o[5], first[3];
  for (int d = 4; d >= 0; --d) {
    at[d] = rest % lx.size[d];
    rest /= lx.size[d];
  }
  o[0] = at[0], o[1] = at[1];
  for (int d = 0; d < 3; ++d) {  // the windows that reach it
    const long last = at[d + 2] + w.begin[d], begin = last - (w.kernel_size[d] - 1) * (long)w.dilation[d];
    low[d] = begin <= 0 ? 0 : (begin + w.stride[d] - 1) / w.stride[d];
    high[d] = min(last / w.stride[d], ld.size[d + 2] - 1);
  }
  const real value = LOAD(x, lx.type, element_of(&lx, at));
  real sum = 0;
  for (o[2] = low[0]; o[2] <= high[0]; ++o[2])
    for (o[3] = low[1]; o[3] <= high[1]; ++o[3])
      for (o[4] = low[2]; o[4] <= high[2]; ++o[4]) {
        bool met = true;  // not between two of its dilated elements
        for (int d = 0; d < 3; ++d) {
          first[d] = o[d + 2] * w.stride[d] - w.begin[d];
          met = met && (at[d + 2] - first[d]) % w.dilation[d] == 0;
        }
        if (met && takes(x, &lx, w, first, at, value)) sum += LOAD(dy, ld.type, element_of(&ld, o));
      }
  STORE(out, lo.type, lo.offset + i, sum);
}

// The same for n non-overlapping windows: each is read, then written, by one work item, so that the result may be computed in place.
kernel void pool_back_apart(global const uchar* x, Layout lx, global const uchar* dy, Layout ld, global uchar* out, Layout lo,
                            long n, Window w) {
  const long i = get_global_id(0);
  if (i >= n) return;
  long rest = i, o[5], p[5], best = -1, tap = 0;
  for (int d = 4; d >= 0; --d) {
    o[d] = rest % ld.size[d];
    rest /= ld.size[d];
  }
  p[0] = o[0], p[1] = o[1];
  const real share = LOAD(dy, ld.type, element_of(&ld, o));
  real largest = 0;
  for (int writes = 0; writes < 2; ++writes) {
    tap = 0;
    for (int a = 0; a < w.kernel_size[0]; ++a)
      for (int b = 0; b < w.kernel_size[1]; ++b)
        for (int c = 0; c < w.kernel_size[2]; ++c, ++tap) {
          p[2] = o[2] * w.kernel_size[0] + a, p[3] = o[3] * w.kernel_size[1] + b, p[4] = o[4] * w.kernel_size[2] + c;
          if (writes) {
            STORE(out, lo.type, element_of(&lo, p), tap == best ? share : (real)0);
            continue;
          }
          const real value = LOAD(x, lx.type, element_of(&lx, p));
          if (best < 0 || value > largest || isnan(value)) largest = value, best = tap;
        }
  }
}
#endif
