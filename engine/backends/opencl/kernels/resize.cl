// SPDX-License-Identifier: MIT
// Resizing with up to four taps a dimension; one work item an element.
typedef struct { float v[8]; } Floats;

inline wide cubic(wide s, wide a) {
  s = fabs(s);
  if (s <= 1) return (a + 2) * s * s * s - (a + 3) * s * s + 1;
  return s < 2 ? a * s * s * s - 5 * a * s * s + 8 * a * s - 4 * a : 0;
}

// `scales` 0: from the sizes. modes: 0 nearest, 1 linear, 2 cubic; coordinates: 0 half pixel, 1 asymmetric, 2 corners,
// 3 half pixel but 0 for one; nearest: 0 round prefer floor, 1 prefer ceil, 2 floor, 3 ceil.
kernel void resize(global const uchar* x, Layout lx, global uchar* out, Layout lo, long n, Floats scales, int mode,
                   int coordinates, int nearest, float cubic_a) {
  const long i = get_global_id(0);
  if (i >= n) return;
  long taps[8][4];
  wide weights[8][4];
  int counts[8];
  long rest = i;
  for (int d = lo.rank - 1; d >= 0; --d) {
    const wide index = (wide)(rest % lo.size[d]), in = (wide)lx.size[d], to = (wide)lo.size[d];
    rest /= lo.size[d];
    const wide scale = scales.v[d] > 0 ? (wide)scales.v[d] : to / in;
    wide at = (index + (wide)0.5) / scale - (wide)0.5;
    if (coordinates == 1) at = index / scale;
    if (coordinates == 2) at = to == 1 || in * scale <= 1 ? 0 : index * (in - 1) / (in * scale - 1);
    if (coordinates == 3 && to == 1) at = 0;
    if (in == to && scale == 1) at = index;
    wide low = floor(at);
    counts[d] = 1;
    weights[d][0] = 1;
    if (mode == 0) {
      low = nearest == 2 ? floor(at) : nearest == 3 ? ceil(at) : nearest == 0 ? ceil(at - (wide)0.5) : floor(at + (wide)0.5);
      taps[d][0] = (long)clamp(low, (wide)0, in - 1);
    } else if (mode == 1) {
      at = clamp(at, (wide)0, in - 1);
      low = floor(at);
      taps[d][0] = (long)low;
      if (at > low) {
        counts[d] = 2;
        weights[d][0] = 1 - (at - low);
        weights[d][1] = at - low;
        taps[d][1] = (long)clamp(low + 1, (wide)0, in - 1);
      }
    } else if (at == low) {
      taps[d][0] = (long)clamp(low, (wide)0, in - 1);
    } else {
      counts[d] = 4;
      for (int k = 0; k < 4; ++k) {
        taps[d][k] = (long)clamp(low + (k - 1), (wide)0, in - 1);
        weights[d][k] = cubic(at - (low + (k - 1)), cubic_a);
      }
    }
  }
  int combinations = 1;
  for (int d = 0; d < lo.rank; ++d) combinations *= counts[d];
  wide sum = 0;
  for (int c = 0; c < combinations; ++c) {
    int left = c;
    long at = lx.offset;
    wide weight = 1;
    for (int d = lo.rank - 1; d >= 0; --d) {
      const int k = left % counts[d];
      left /= counts[d];
      at += taps[d][k] * lx.stride[d];
      weight *= weights[d][k];
    }
    sum += weight * load_wide(x, lx.type, at);
  }
  store_wide(out, lo.type, lo.offset + i, sum);
}
