// SPDX-License-Identifier: MIT
// Data movement: copies by element size in bytes, one work item per element.

typedef struct { int v[8]; } Ints;

inline void move_cell(global const uchar* from, long f, global uchar* to, long t, int width) {
  switch (width) {
    case 1: to[t] = from[f]; break;
    case 2: ((global ushort*)to)[t] = ((global const ushort*)from)[f]; break;
    case 4: ((global uint*)to)[t] = ((global const uint*)from)[f]; break;
    default: ((global ulong*)to)[t] = ((global const ulong*)from)[f];
  }
}
inline void put_bits(global uchar* to, long t, int width, ulong bits) {
  switch (width) {
    case 1: to[t] = (uchar)bits; break;
    case 2: ((global ushort*)to)[t] = (ushort)bits; break;
    case 4: ((global uint*)to)[t] = (uint)bits; break;
    default: ((global ulong*)to)[t] = bits;
  }
}

kernel void copy_cells(global const uchar* from, Layout lf, global uchar* to, Layout lt, long n, int width) {
  const long i = get_global_id(0);
  if (i < n) move_cell(from, place(&lf, i), to, place(&lt, i), width);
}

kernel void fill_bits(global uchar* to, long offset, long n, int width, ulong bits) {
  const long i = get_global_id(0);
  if (i < n) put_bits(to, offset + i, width, bits);
}

kernel void arange(global uchar* to, Layout lt, long n, wide start, wide step, long whole_start, long whole_step) {
  const long i = get_global_id(0);
  if (i >= n) return;
  if (is_whole(lt.type)) store_integer(to, lt.type, lt.offset + i, whole_start + i * whole_step);
  else store_wide(to, lt.type, lt.offset + i, start + (wide)i * step);
}

// mode 0: bits outside, 1: reflected, 2: the edge again.
kernel void pad(global const uchar* from, Layout lf, global uchar* to, Layout lt, long n, int width, Ints begin, int mode, ulong bits) {
  const long i = get_global_id(0);
  if (i >= n) return;
  long rest = i, at = lf.offset;
  bool outside = false;
  for (int d = lt.rank - 1; d >= 0; --d) {
    long p = rest % lt.size[d] - begin.v[d];
    const long size = lf.size[d];
    rest /= lt.size[d];
    if (mode == 0) outside = outside || p < 0 || p >= size;
    if (mode == 2) p = clamp(p, 0L, size - 1);
    while (mode == 1 && (p < 0 || p >= size)) p = p < 0 ? -p : 2 * (size - 1) - p;
    at += p * lf.stride[d];
  }
  if (outside) put_bits(to, lt.offset + i, width, bits);
  else move_cell(from, at, to, lt.offset + i, width);
}

// Table entries by index along one axis; both layouts go over the result's elements. An index outside the table is
// noted in problem[1] and problem[0] set.
kernel void gather(global const uchar* table, Layout lt, global const uchar* index, Layout li, global uchar* out, Layout lo,
                   long n, int width, long axis_size, long axis_stride, global long* problem) {
  const long i = get_global_id(0);
  if (i >= n) return;
  long k = load_whole(index, li.type, place(&li, i));
  if (k < -axis_size || k >= axis_size) {
    problem[1] = k;
    problem[0] = 1;
    return;
  }
  if (k < 0) k += axis_size;
  const long from = place(&lt, i) + k * axis_stride;
  if (width > 0) move_cell(table, from, out, lo.offset + i, width);
  else store_float(out, lo.type, lo.offset + i, load_float(table, lt.type, from));
}

kernel void triangle(global const uchar* from, Layout lf, global uchar* to, Layout lt, long n, int width, long rows, long columns,
                     long diagonal, int upper) {
  const long i = get_global_id(0);
  if (i >= n) return;
  const long over = i % columns - i / columns % rows - diagonal;
  if (upper ? over >= 0 : over <= 0) move_cell(from, place(&lf, i), to, lt.offset + i, width);
  else put_bits(to, lt.offset + i, width, 0);
}

// where(condition, a, b)
kernel void choose(global const uchar* c, Layout lc, global const uchar* a, Layout la, global const uchar* b, Layout lb,
                   global uchar* out, Layout lo, long n, int width) {
  const long i = get_global_id(0);
  if (i >= n) return;
  if (c[place(&lc, i)] != 0) move_cell(a, place(&la, i), out, lo.offset + i, width);
  else move_cell(b, place(&lb, i), out, lo.offset + i, width);
}

inline void convert_cell(global const uchar* from, int from_type, long f, global uchar* to, int to_type, long t) {
  if (is_whole(from_type)) {
    const long v = load_whole(from, from_type, f);
    if (is_whole(to_type)) store_integer(to, to_type, t, v);
    else store_wide(to, to_type, t, from_type == T_U64 ? (wide)(ulong)v : (wide)v);
  } else {
    store_wide(to, to_type, t, load_wide(from, from_type, f));
  }
}

kernel void cast(global const uchar* from, Layout lf, global uchar* to, Layout lt, long n) {
  const long i = get_global_id(0);
  if (i < n) convert_cell(from, lf.type, place(&lf, i), to, lt.type, lt.offset + i);
}

// Writes rows into a tensor in place. All layouts cover the written elements: `to` without the row dimension, `rows` only
// that dimension. If several rows have one index, the last one wins. With an index per element (has_rows is 2) a work item
// writes one column in order: the layouts then cover the columns, whose `steps` are `from_step` and `rows_step` apart.
kernel void set_rows(global uchar* to, Layout lt, global const uchar* from, Layout lf, global const uchar* rows, Layout lr, long n,
                     int width, int has_rows, long entries, long row_stride, long steps, long from_step, long rows_step, global long* problem) {
  const long i = get_global_id(0);
  if (i >= n) return;
  for (long k = 0; k < steps; ++k) {
    long at = place(&lt, i);
    if (has_rows) {
      const long named = load_whole(rows, lr.type, place(&lr, i) + k * rows_step);
      if (named < 0 && has_rows < 2) return;
      const long row = named < 0 ? named + entries : named;
      if (row < 0 || row >= entries) {
        problem[1] = named;
        problem[0] = 1;
        return;
      }
      at += row * row_stride;
    }
    const long source = place(&lf, i) + k * from_step;
    if (lf.type == lt.type) move_cell(from, source, to, at, width);
    else convert_cell(from, lf.type, source, to, lt.type, at);
  }
}
