// SPDX-License-Identifier: MIT
// Matmuls of float32 (or HALF) as out[m, column] = Σ rows[m, k]·columns[k, column]. MUL_MAT takes the columns from a matrix
// whose rows are contiguous, CONV from an image: column = pixel, k = (channel, tap). Two ways:
//
// panels (one work item per group; WIDTH lanes): columns of WIDTH·2 are packed once per block of k, then 8 rows at a time are
//   multiplied with them in registers. For CPUs, whose caches hold the panel: the larger the block, the less often
//   sums are written and read again. Sums are written as a += b * c,
//   which the compiler may fuse; PoCL's mad() is a multiplication and an addition, at two thirds of the speed.
// tiles  (8×8 work items per group): 32×32 results, 4×4 per work item, both operands staged in local memory. For GPUs.

typedef struct {
  int m, n, k;              // results' rows and columns, depth
  int channels, height, width, out_height, out_width;
  int kernel_height, kernel_width, stride_y, stride_x, dilation_y, dilation_x, pad_y, pad_x;
  int biased;               // 0 none, 1 by row, 2 by column
  int row_parts;            // panels: into how many parts the rows are cut
  int depth;                // panels: of a packed panel
  float scale;
} MatmulParams;

#ifdef MUL_MAT
#define COLUMN_ARGS global const ELEMENT* a
inline float column_at(global const ELEMENT* a, const MatmulParams* p, int k, int column) { return GET(a, (long)column * p->k + k); }
#else
inline float column_at(global const ELEMENT* x, const MatmulParams* p, int k, int column) {
  const int taps = p->kernel_height * p->kernel_width, c = k / taps, tap = k - c * taps;
  const int oy = column / p->out_width, ox = column - oy * p->out_width;
  const int y = oy * p->stride_y - p->pad_y + tap / p->kernel_width * p->dilation_y;
  const int v = ox * p->stride_x - p->pad_x + tap % p->kernel_width * p->dilation_x;
  return y >= 0 && y < p->height && v >= 0 && v < p->width ? GET(x, (c * p->height + y) * p->width + v) : 0.0f;
}
#endif

#ifdef PANELS
#if WIDTH == 16
typedef float16 lanes;
#define LOAD_LANES vload16
#define STORE_LANES vstore16
typedef int16 lane_tests;
#define LOAD_HALVES vload_half16
#define STORE_HALVES vstore_half16_rte
#else
typedef float8 lanes;
#define LOAD_LANES vload8
#define STORE_LANES vstore8
typedef int8 lane_tests;
#define LOAD_HALVES vload_half8
#define STORE_HALVES vstore_half8_rte
#endif
#ifdef HALF
#define LOAD_ELEMENTS LOAD_HALVES
inline void store_elements(lanes v, global half* p) {
#ifdef SATURATE
  const lanes size = fabs(v);
  const lane_tests beyond = isgreater(size, (lanes)65504.0f) & isless(size, (lanes)INFINITY);
  v = select(v, copysign((lanes)65504.0f, v), beyond);
#endif
  STORE_HALVES(v, 0, p);
}
#else
#define LOAD_ELEMENTS LOAD_LANES
inline void store_elements(lanes v, global float* p) { STORE_LANES(v, 0, p); }
#endif
#define COLUMNS (2 * WIDTH)

#ifdef MUL_MAT
// r[i] = the lanes of v[i / 2] and v[i / 2 + WIDTH / 2], alternating; log2(WIDTH) repetitions transpose the block.
inline void interleave(const lanes* v, lanes* r) {
  for (int i = 0; i < WIDTH / 2; ++i) {
    r[2 * i].even = v[i].lo;
    r[2 * i].odd = v[i + WIDTH / 2].lo;
    r[2 * i + 1].even = v[i].hi;
    r[2 * i + 1].odd = v[i + WIDTH / 2].hi;
  }
}
inline void pack(global const ELEMENT* a, const MatmulParams* p, int k0, int depth, int first, local float* panel) {
  for (int side = 0; side < COLUMNS; side += WIDTH) {
    const int left = min(WIDTH, p->n - first - side);
    global const ELEMENT* from = a + (long)(first + side) * p->k + k0;
    int k = 0;
    if (left == WIDTH) {
      for (; k + WIDTH <= depth; k += WIDTH) {
        lanes v[WIDTH], r[WIDTH];
        for (int j = 0; j < WIDTH; ++j) v[j] = LOAD_ELEMENTS(0, from + (long)j * p->k + k);
        interleave(v, r);
        interleave(r, v);
        interleave(v, r);
#if WIDTH == 16
        interleave(r, v);
        for (int j = 0; j < WIDTH; ++j) STORE_LANES(v[j], 0, panel + (k + j) * COLUMNS + side);
#else
        for (int j = 0; j < WIDTH; ++j) STORE_LANES(r[j], 0, panel + (k + j) * COLUMNS + side);
#endif
      }
    }
    for (; k < depth; ++k)
      for (int j = 0; j < WIDTH; ++j) panel[k * COLUMNS + side + j] = j < left ? GET(from, (long)j * p->k + k) : 0;
  }
}
#else
// Row by row of the image: parts of the panel within one row of results are copied as a whole.
inline void pack(global const ELEMENT* x, const MatmulParams* p, int k0, int depth, int first, local float* panel) {
  const int taps = p->kernel_height * p->kernel_width;
  if (taps == 1 && p->stride_x == 1 && p->stride_y == 1 && p->pad_x == 0 && p->pad_y == 0 && p->n == p->height * p->width) {
    const int left = min(COLUMNS, p->n - first);
    if (left < COLUMNS) {
      for (int k = 0; k < depth; ++k) {
        global const ELEMENT* from = x + (long)(k0 + k) * p->n + first;
        for (int t = 0; t < left; ++t) panel[k * COLUMNS + t] = GET(from, t);
        for (int t = left; t < COLUMNS; ++t) panel[k * COLUMNS + t] = 0;
      }
      return;
    }
    for (int k = 0; k < depth; ++k) {
      global const ELEMENT* from = x + (long)(k0 + k) * p->n + first;
      STORE_LANES(LOAD_ELEMENTS(0, from), 0, panel + k * COLUMNS);
      STORE_LANES(LOAD_ELEMENTS(1, from), 1, panel + k * COLUMNS);
    }
    return;
  }
  const int first_y = first / p->out_width, first_x = first - first_y * p->out_width;
  int c = k0 / taps, ty = (k0 - c * taps) / p->kernel_width, tx = (k0 - c * taps) % p->kernel_width;
  for (int k = 0; k < depth; ++k) {
    local float* to = panel + k * COLUMNS;
    int oy = first_y, ox = first_x;
    for (int j = 0; j < COLUMNS;) {
      const int piece = min(COLUMNS - j, p->out_width - ox);
      const int y = oy * p->stride_y - p->pad_y + ty * p->dilation_y;
      const int v = ox * p->stride_x - p->pad_x + tx * p->dilation_x;
      if (y < 0 || y >= p->height || oy >= p->out_height) {
        for (int t = 0; t < piece; ++t) to[j + t] = 0;
      } else {
        global const ELEMENT* from = x + ((long)c * p->height + y) * p->width;
        // Inside for t in [begin, end).
        const int begin = v >= 0 ? 0 : min(piece, (-v + p->stride_x - 1) / p->stride_x);
        const int end = v >= p->width ? begin : max(begin, min(piece, (p->width - 1 - v) / p->stride_x + 1));
        for (int t = 0; t < begin; ++t) to[j + t] = 0;
        if (p->stride_x == 1)
          for (int t = begin; t < end; ++t) to[j + t] = GET(from, v + t);
        else
          for (int t = begin; t < end; ++t) to[j + t] = GET(from, v + t * p->stride_x);
        for (int t = end; t < piece; ++t) to[j + t] = 0;
      }
      j += piece;
      ox = 0;
      ++oy;
    }
    if (++tx == p->kernel_width) {
      tx = 0;
      if (++ty == p->kernel_height) {
        ty = 0;
        ++c;
      }
    }
  }
}
#endif

inline void store_lanes(lanes v, int lane0, int first, const MatmulParams* p, global ELEMENT* row) {
  const int left = p->n - first - lane0;
  if (left >= WIDTH) {
    store_elements(v, row + lane0);
  } else if (left > 0) {
    float each[WIDTH];
    STORE_LANES(v, 0, each);
    for (int i = 0; i < left; ++i) PUT(row, lane0 + i, each[i]);
  }
}
inline lanes load_lanes(int lane0, int first, const MatmulParams* p, global const ELEMENT* row) {
  const int left = p->n - first - lane0;
  if (left >= WIDTH) return LOAD_ELEMENTS(0, row + lane0);
  float each[WIDTH];
  for (int i = 0; i < WIDTH; ++i) each[i] = i < left ? GET(row, lane0 + i) : 0;
  return LOAD_LANES(0, each);
}

#define EACH_ROW(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)

// A batch of `outer` matmuls; the strides between them are in elements.
kernel __attribute__((reqd_work_group_size(1, 1, 1))) void panels(
    global const ELEMENT* columns, long columns_offset, long columns_stride, global const ELEMENT* rows, long rows_offset,
    long rows_stride, int rows_repeat, global const ELEMENT* bias, long bias_offset, global ELEMENT* out, long out_offset,
    long out_stride, MatmulParams p, local float* panel) {
  const int first = get_group_id(0) * COLUMNS, outer = get_group_id(1), part = get_group_id(2);
  const int per_part = ((p.m + p.row_parts - 1) / p.row_parts + 7) / 8 * 8;
  const int m_begin = part * per_part, m_end = min(p.m, m_begin + per_part);
  if (m_begin >= m_end) return;
  columns += columns_offset + outer * columns_stride;
  rows += rows_offset + (outer % rows_repeat) * rows_stride;
  bias += bias_offset + (p.biased == 1 ? (outer % rows_repeat) * p.m : 0);
  out += out_offset + outer * out_stride + first;
  for (int k0 = 0; k0 < p.k; k0 += p.depth) {
    const int depth = min(p.depth, p.k - k0);
    const bool last = k0 + depth >= p.k;
    pack(columns, &p, k0, depth, first, panel);
    for (int m = m_begin; m < m_end; m += 8) {
#ifdef HALF
      // Eight rows are made float32 first, as each is used for all columns of the panel.
      local float* staged = panel + p.depth * COLUMNS;
      for (int r = 0; r < 8; ++r) {
        global const half* from = rows + (long)min(m + r, p.m - 1) * p.k + k0;
        int k = 0;
        for (; k + WIDTH <= depth; k += WIDTH) STORE_LANES(LOAD_HALVES(0, from + k), 0, staged + r * p.depth + k);
        for (; k < depth; ++k) staged[r * p.depth + k] = GET(from, k);
      }
#define POINT(r) local const float* row##r = staged + r * p.depth; lanes left##r, right##r;
#else
#define POINT(r) global const float* row##r = rows + (long)min(m + r, p.m - 1) * p.k + k0; lanes left##r, right##r;
#endif
      EACH_ROW(POINT)
      if (k0 == 0) {
#define BEGIN(r) left##r = right##r = (lanes)(p.biased == 1 ? GET(bias, min(m + r, p.m - 1)) : 0.0f);
        EACH_ROW(BEGIN)
      } else {
#define RELOAD(r) { global const ELEMENT* o = out + (long)min(m + r, p.m - 1) * p.n; left##r = load_lanes(0, first, &p, o); right##r = load_lanes(WIDTH, first, &p, o); }
        EACH_ROW(RELOAD)
      }
      for (int k = 0; k < depth; ++k) {
        const lanes b0 = LOAD_LANES(0, panel + k * COLUMNS), b1 = LOAD_LANES(1, panel + k * COLUMNS);
#define STEP(r) left##r += row##r[k] * b0; right##r += row##r[k] * b1;
        EACH_ROW(STEP)
      }
      if (last && (p.scale != 1.0f || p.biased == 2)) {
        lanes s0 = (lanes)0.0f, s1 = (lanes)0.0f;
        if (p.biased == 2) { s0 = load_lanes(0, first, &p, bias + first); s1 = load_lanes(WIDTH, first, &p, bias + first); }
#define SCALE(r) left##r = left##r * p.scale + s0; right##r = right##r * p.scale + s1;
        EACH_ROW(SCALE)
      }
#define WRITE(r) if (m + r < m_end) { global ELEMENT* o = out + (long)(m + r) * p.n; store_lanes(left##r, 0, first, &p, o); store_lanes(right##r, WIDTH, first, &p, o); }
      EACH_ROW(WRITE)
    }
  }
}
#endif

#ifdef TILES
#define TILE 32
#define STEPS 16
kernel __attribute__((reqd_work_group_size(8, 8, 1))) void tiles(
    global const ELEMENT* columns, long columns_offset, long columns_stride, global const ELEMENT* rows, long rows_offset,
    long rows_stride, int rows_repeat, global const ELEMENT* bias, long bias_offset, global ELEMENT* out, long out_offset,
    long out_stride, MatmulParams p) {
  local float staged_rows[STEPS][TILE + 1], staged_columns[STEPS][TILE + 1];
  const int lx = get_local_id(0), ly = get_local_id(1), first = get_group_id(0) * TILE, m0 = get_group_id(1) * TILE, outer = get_group_id(2);
  columns += columns_offset + outer * columns_stride;
  rows += rows_offset + (outer % rows_repeat) * rows_stride;
  bias += bias_offset + (p.biased == 1 ? (outer % rows_repeat) * p.m : 0);
  out += out_offset + outer * out_stride;
  float sums[4][4];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) sums[i][j] = 0;
  for (int k0 = 0; k0 < p.k; k0 += STEPS) {
    for (int i = ly * 8 + lx; i < STEPS * TILE; i += 64) {
      // Rows are contiguous in k; columns of images in the column, of matrices in k.
      const int rk = i % STEPS, rm = i / STEPS;
      staged_rows[rk][rm] = k0 + rk < p.k && m0 + rm < p.m ? GET(rows, (long)(m0 + rm) * p.k + k0 + rk) : 0;
#ifdef MUL_MAT
      const int ck = i % STEPS, cn = i / STEPS;
#else
      const int ck = i / TILE, cn = i % TILE;
#endif
      staged_columns[ck][cn] = k0 + ck < p.k && first + cn < p.n ? column_at(columns, &p, k0 + ck, first + cn) : 0;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < STEPS; ++k) {
      float a[4], b[4];
      for (int i = 0; i < 4; ++i) a[i] = staged_rows[k][ly + 8 * i];
      for (int j = 0; j < 4; ++j) b[j] = staged_columns[k][lx + 8 * j];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sums[i][j] += a[i] * b[j];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < 4; ++i) {
    const int m = m0 + ly + 8 * i;
    for (int j = 0; j < 4; ++j) {
      const int n = first + lx + 8 * j;
      if (m < p.m && n < p.n)
        PUT(out, (long)m * p.n + n, sums[i][j] * p.scale + (p.biased == 1 ? GET(bias, m) : p.biased == 2 ? GET(bias, n) : 0.0f));
    }
  }
}
#endif

#ifdef DOTS
// A few rows by many columns: each work item has four columns of a matrix, read once. count: columns.
#ifdef HALF
#define LOAD16(p) vload_half16(0, p)
#else
#define LOAD16(p) vload16(0, p)
#endif
inline float sum16(float16 v) {
  const float8 a = v.lo + v.hi;
  const float4 b = a.lo + a.hi;
  return (b.x + b.y) + (b.z + b.w);
}
kernel void dots(global const ELEMENT* a, long oa, global const ELEMENT* b, long ob, global const ELEMENT* bias, long os, global ELEMENT* out,
                 long oo, int m, int n, int depth, float scale, int biased) {
  const int first = get_global_id(0) * 4;
  if (first >= n) return;
  global const ELEMENT* c0 = a + oa + (long)first * depth;
  global const ELEMENT* c1 = a + oa + (long)min(first + 1, n - 1) * depth;
  global const ELEMENT* c2 = a + oa + (long)min(first + 2, n - 1) * depth;
  global const ELEMENT* c3 = a + oa + (long)min(first + 3, n - 1) * depth;
  for (int r = 0; r < m; ++r) {
    global const ELEMENT* row = b + ob + (long)r * depth;
    float16 s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    int k = 0;
    for (; k + 16 <= depth; k += 16) {
      const float16 v = LOAD16(row + k);
      s0 += v * LOAD16(c0 + k);
      s1 += v * LOAD16(c1 + k);
      s2 += v * LOAD16(c2 + k);
      s3 += v * LOAD16(c3 + k);
    }
    float4 sum = (float4)(sum16(s0), sum16(s1), sum16(s2), sum16(s3));
    for (; k < depth; ++k) sum += GET(row, k) * (float4)(GET(c0, k), GET(c1, k), GET(c2, k), GET(c3, k));
    const float each[4] = {sum.x, sum.y, sum.z, sum.w};
    for (int j = 0; j < 4 && first + j < n; ++j)
      PUT(out, oo + (long)r * n + first + j, scale * each[j] + (biased ? GET(bias, os + first + j) : 0.0f));
  }
}
#endif
