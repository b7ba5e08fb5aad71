// SPDX-License-Identifier: MIT
// Images sampled at fractional coordinates, given by a grid in [-1, 1]. A work item computes the weights of a position once
// and applies them to some channels.

// Into [low, high], by turning back at the ends.
inline wide reflected(wide x, wide low, wide high) {
  const wide range = high - low;
  if (!(range > 0)) return low;
  if (x >= low && x <= high) return x;
  const wide over = x < low ? low - x : x - high, reflections = floor(over / range), rest = over - reflections * range;
  return (x < low) == (fmod(reflections, (wide)2) == 0) ? low + rest : high - rest;
}

// padding: 0 zeros (the index is -1), 1 clamp to the border, 2 reflect at the ends.
inline long element_at(wide x, wide low, wide high, wide last, int padding) {
  if (x >= 0 && x <= last) return (long)x;
  if (padding == 0 || isnan(x)) return -1;
  if (padding == 2) x = trunc(reflected(x, low, high));
  return (long)clamp(x, (wide)0, last);
}

// Up to four elements of one dimension and their weights. modes: 0 nearest, 1 linear, 2 cubic with a = -3/4.
int taps_of(long size, wide coordinate, int mode, int padding, int corners, long* at, wide* weight) {
  const wide length = (wide)size, last = length - 1, edge = (wide)0.5;
  const wide low = corners ? 0 : -edge, high = corners ? last : last + edge;
  wide x = corners ? (coordinate + 1) / 2 * last : ((coordinate + 1) * length - 1) / 2;
  if (mode == 0) x = rint(x);
  if (x < low || x > high) {
    if (padding == 1) x = clamp(x, (wide)0, last);
    if (padding == 2) x = reflected(x, low, high);
  }
  weight[0] = 1;
  if (mode == 0) {
    at[0] = element_at(rint(x), low, high, last, padding);
    return 1;
  }
  const wide first = floor(x), t = x - first;
  const int count = mode == 1 ? 2 : 4;
  for (int k = 0; k < count; ++k) at[k] = element_at(first + (mode == 1 ? k : k - 1), low, high, last, padding);
  if (mode == 1) {
    weight[0] = 1 - t;
    weight[1] = t;
    return count;
  }
  for (int k = 0; k < 4; ++k) {
    const wide s = fabs(t - (k - 1));
    weight[k] = s <= 1 ? ((wide)1.25 * s - (wide)2.25) * s * s + 1 : (((wide)3.75 - (wide)0.75 * s) * s - 6) * s + 3;
  }
  return count;
}

// x and out [N, C, d, h, w]; grid [N, d, h, w, coordinates], the last dimension's first. n positions, of all groups of channels.
kernel void grid_sample(global const uchar* x, Layout lx, global const uchar* grid, Layout lg, global uchar* out, Layout lo,
                        long n, int spatial, int together, int mode, int padding, int corners) {
  const long i = get_global_id(0);
  if (i >= n) return;
  const long positions = lo.size[2] * lo.size[3] * lo.size[4], groups = (lo.size[1] + together - 1) / together;
  const long batch = i / (positions * groups), group = i / positions % groups;
  long rest = i % positions, in_grid = lg.offset + batch * lg.stride[0], to = lo.offset + batch * lo.stride[0];
  for (int d = 4; d >= 2; --d) {
    const long index = rest % lo.size[d];
    rest /= lo.size[d];
    in_grid += index * lg.stride[d - 1];
    to += index * lo.stride[d];
  }
  long at[3][4];
  wide weight[3][4];
  int count[3];
  for (int d = 0; d < 3; ++d) {
    count[d] = 1;
    at[d][0] = 0;
    weight[d][0] = 1;
    if (d >= 3 - spatial)
      count[d] = taps_of(lx.size[d + 2], load_wide(grid, lg.type, in_grid + (2 - d) * lg.stride[4]), mode, padding, corners,
                         at[d], weight[d]);
  }
  const long end = min((group + 1) * together, lo.size[1]);
  for (long c = group * together; c < end; ++c) {
    const long from = lx.offset + batch * lx.stride[0] + c * lx.stride[1];
    wide sum = 0;
    for (int a = 0; a < count[0]; ++a)
      for (int b = 0; b < count[1]; ++b)
        for (int e = 0; e < count[2]; ++e)
          if (at[0][a] >= 0 && at[1][b] >= 0 && at[2][e] >= 0)
            sum += weight[0][a] * weight[1][b] * weight[2][e] *
                   load_wide(x, lx.type, from + at[0][a] * lx.stride[2] + at[1][b] * lx.stride[3] + at[2][e] * lx.stride[4]);
    store_wide(out, lo.type, to + c * lo.stride[1], sum);
  }
}
