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
