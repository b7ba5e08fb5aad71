// SPDX-License-Identifier: MIT
// Matmuls with weights that stay quantised (BITS 8: Q8_0, 4: Q4_0), contiguous; out[m, n] = scale·Σ a[n]·b[m]. A work item has
// COLUMNS columns and ROWS rows of the result, and iterates over the blocks of both, 32 values at a time.
//
// INTEGER: the rows of b were quantised to int8 as well, and a block is an integer dot product. HAS_DOT: the device has one
// for four packed bytes; otherwise it is emulated.
#if BITS == 8
#define BLOCK 34
#else
#define BLOCK 18
#endif
#ifdef HALF
#define LOAD16(p) vload_half16(0, p)
#else
#define LOAD16(p) vload16(0, p)
#endif

inline float block_scale(global const uchar* block) { return vload_half(0, (global const half*)block); }

#ifdef INTEGER
#ifdef HAS_DOT
#pragma OPENCL EXTENSION cl_khr_integer_dot_product : enable
#define DOT4(w, x) dot_4x8packed_ss_int(w, x)
#else
inline int DOT4(uint w, uint x) {
  const int4 p = convert_int4(as_char4(w)) * convert_int4(as_char4(x));
  return (p.x + p.y) + (p.z + p.w);
}
#endif

// Quantises the rows of b to int8, scaled so that the largest magnitude of a block is 127; the scales are stored after all
// int8 values. count: blocks of all rows.
kernel void to_bytes(global const ELEMENT* b, long ob, global char* bytes, global float* scales, long count) {
  const long i = get_global_id(0);
  if (i >= count) return;
  float most = 0;
  for (int k = 0; k < 32; ++k) most = fmax(most, fabs(GET(b, ob + i * 32 + k)));
  const float scale = most / 127, inverse = most > 0 ? 127 / most : 0.0f;
  scales[i] = scale;
  for (int k = 0; k < 32; ++k) bytes[i * 32 + k] = convert_char_sat_rte(GET(b, ob + i * 32 + k) * inverse);
}

inline int block_dot(global const uchar* block, global const char* x) {
  int sum = 0;
#if BITS == 8
  for (int k = 0; k < 32; k += 4)
    sum += DOT4(as_uint(vload4(0, block + 2 + k)), as_uint(vload4(0, x + k)));
#else
  for (int k = 0; k < 16; k += 4) {
    const uchar4 q = vload4(0, block + 2 + k);
    sum += DOT4(as_uint(convert_char4(q & (uchar)15) - (char)8), as_uint(vload4(0, x + k)));
    sum += DOT4(as_uint(convert_char4(q >> (uchar)4) - (char)8), as_uint(vload4(0, x + 16 + k)));
  }
#endif
  return sum;
}
#define VALUES global const char* x, global const float* scales
#define TOTAL float
#else
inline float sum16(float16 v) {
  const float8 a = v.lo + v.hi;
  const float4 b = a.lo + a.hi;
  return (b.x + b.y) + (b.z + b.w);
}
#define VALUES global const ELEMENT* b, long ob
#define TOTAL float16
#endif

kernel void matmul(global const uchar* a, long oa, VALUES, global const ELEMENT* bias, long os, global ELEMENT* out, long oo, int m,
                   int n, int blocks, float scale, int biased) {
  const int column = get_global_id(0) * COLUMNS, row = get_global_id(1) * ROWS;
  if (column >= n || row >= m) return;
  TOTAL total[ROWS][COLUMNS];
  for (int r = 0; r < ROWS; ++r)
    for (int c = 0; c < COLUMNS; ++c) total[r][c] = 0;
  for (int k = 0; k < blocks; ++k) {
#ifndef INTEGER
    float16 low[COLUMNS], high[COLUMNS];
#endif
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) {
      global const uchar* block = a + oa + ((long)min(column + c, n - 1) * blocks + k) * BLOCK;
      const float d = block_scale(block);
#ifdef INTEGER
#pragma unroll
      for (int r = 0; r < ROWS; ++r) {
        const long at = (long)min(row + r, m - 1) * blocks + k;
        total[r][c] += d * scales[at] * block_dot(block, x + at * 32);
      }
#elif BITS == 8
      low[c] = d * convert_float16(vload16(0, (global const char*)block + 2));
      high[c] = d * convert_float16(vload16(0, (global const char*)block + 18));
#else
      const uchar16 q = vload16(0, block + 2);
      low[c] = d * (convert_float16(q & (uchar)15) - 8.0f);
      high[c] = d * (convert_float16(q >> (uchar)4) - 8.0f);
#endif
    }
#ifndef INTEGER
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
      global const ELEMENT* from = b + ob + ((long)min(row + r, m - 1) * blocks + k) * 32;
      const float16 first = LOAD16(from), second = LOAD16(from + 16);
#pragma unroll
      for (int c = 0; c < COLUMNS; ++c) {
        total[r][c] += first * low[c];
        total[r][c] += second * high[c];
      }
    }
#endif
  }
  for (int r = 0; r < ROWS && row + r < m; ++r)
    for (int c = 0; c < COLUMNS && column + c < n; ++c) {
#ifdef INTEGER
      const float sum = total[r][c];
#else
      const float sum = sum16(total[r][c]);
#endif
      PUT(out, oo + (long)(row + r) * n + column + c, scale * sum + (biased ? GET(bias, os + column + c) : 0.0f));
    }
}
