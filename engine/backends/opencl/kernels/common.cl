// SPDX-License-Identifier: MIT
// Common prefix of all programs: layouts, loads and stores of any element type.
#ifdef HAS_FP64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
typedef double wide;
#else
typedef float wide;
#endif

// The location of elements: `offset` elements from the buffer's start, row-major index over size[], strides in elements.
typedef struct {
  long offset;
  long size[8];
  long stride[8];
  int rank;
  int type;
} Layout;

inline long place(const Layout* l, long i) {
  long at = l->offset;
  for (int d = l->rank - 1; d > 0; --d) {
    const long rest = i / l->size[d];
    at += (i - rest * l->size[d]) * l->stride[d];
    i = rest;
  }
  return l->rank > 0 ? at + i * l->stride[0] : at;
}

inline bool is_whole(int t) { return t >= T_I8 && t <= T_BOOL; }

#ifdef WITH_QUANTISED
inline float half_at(global const uchar* p) { return vload_half(0, (global const half*)p); }
// Element i of a block-quantised row of blocks.
float dequantised(global const uchar* p, int t, long index) {
  const int i = (int)(index % (t <= T_Q8_0 ? 32 : 256));
  const long block = index / (t <= T_Q8_0 ? 32 : 256);
  const int sizes[10] = {18, 20, 22, 24, 34, 84, 110, 144, 176, 210};
  global const uchar* b = p + block * sizes[t - T_Q4_0];
  const int low = i < 16 ? 15 : 240, shift = i < 16 ? 0 : 4, n = i & 15;
  switch (t) {
    case T_Q4_0: return half_at(b) * (((b[2 + n] & low) >> shift) - 8);
    case T_Q4_1: return half_at(b) * ((b[4 + n] & low) >> shift) + half_at(b + 2);
    case T_Q5_0: return half_at(b) * (((b[6 + n] & low) >> shift) + ((b[2 + i / 8] >> (i & 7)) & 1) * 16 - 16);
    case T_Q5_1: return half_at(b) * (((b[8 + n] & low) >> shift) + ((b[4 + i / 8] >> (i & 7)) & 1) * 16) + half_at(b + 2);
    case T_Q8_0: return half_at(b) * (char)b[2 + i];
    case T_Q2_K: {
      const int bits = (b[16 + i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2)) & 3, s = b[i / 16];
      return half_at(b + 80) * (s & 15) * bits - half_at(b + 82) * (s >> 4);
    }
    case T_Q3_K: {
      const int g = i / 16, bits = (b[32 + i / 128 * 32 + i % 32] >> (i / 32 % 4 * 2)) & 3;
      const int least = g < 8 ? b[96 + g] & 15 : b[96 + g - 8] >> 4, most = (b[104 + g % 4] >> (g / 4 * 2)) & 3;
      return half_at(b + 108) * (least + 16 * most - 32) * (bits - (((b[i % 32] >> (i / 32)) & 1) ? 0 : 4));
    }
    case T_Q4_K:
    case T_Q5_K: {
      const int g = i / 32;
      global const uchar* s = b + 4;
      const int scale = g < 4 ? s[g] & 63 : (s[g + 4] & 15) + 16 * (s[g - 4] >> 6);
      const int minimum = g < 4 ? s[g + 4] & 63 : (s[g + 4] >> 4) + 16 * (s[g] >> 6);
      const int from = (t == T_Q4_K ? 16 : 48) + i / 64 * 32 + i % 32;
      int q = (b[from] >> (i / 32 % 2 * 4)) & 15;
      if (t == T_Q5_K) q += 16 * ((b[16 + i % 32] >> (i / 32)) & 1);
      return half_at(b) * scale * q - half_at(b + 2) * minimum;
    }
    default: {  // Q6_K
      const int r = i % 128, least = (b[i / 128 * 64 + r % 64] >> (r / 64 * 4)) & 15;
      const int most = (b[128 + i / 128 * 32 + r % 32] >> (r / 32 * 2)) & 3;
      return half_at(b + 208) * (char)b[192 + i / 16] * (least + 16 * most - 32);
    }
  }
}
#else
inline float dequantised(global const uchar* p, int t, long index) { return 0; }
#endif

long load_whole(global const uchar* p, int t, long i) {
  switch (t) {
    case T_I8: return ((global const char*)p)[i];
    case T_U8: return p[i];
    case T_I16: return ((global const short*)p)[i];
    case T_U16: return ((global const ushort*)p)[i];
    case T_I32: return ((global const int*)p)[i];
    case T_U32: return ((global const uint*)p)[i];
    case T_I64:
    case T_U64: return ((global const long*)p)[i];
    default: return p[i] != 0;
  }
}

float load_float(global const uchar* p, int t, long i) {
  switch (t) {
    case T_F32: return ((global const float*)p)[i];
    case T_F16: return vload_half(i, (global const half*)p);
    case T_BF16: return as_float((uint)((global const ushort*)p)[i] << 16);
#ifdef HAS_FP64
    case T_F64: return (float)((global const double*)p)[i];
#endif
    case T_U64: return (float)((global const ulong*)p)[i];
    default: return t >= T_Q4_0 ? dequantised(p, t, i) : (float)load_whole(p, t, i);
  }
}

wide load_wide(global const uchar* p, int t, long i) {
#ifdef HAS_FP64
  if (t == T_F64) return ((global const double*)p)[i];
  if (t == T_U64) return (double)((global const ulong*)p)[i];
  if (is_whole(t)) return (double)load_whole(p, t, i);
#endif
  return load_float(p, t, i);
}

inline ushort bf16_bits(float v) {
  const uint bits = as_uint(v);
  if (isnan(v)) return (ushort)(bits >> 16 | 0x40);
  return (ushort)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

// In low precision (SATURATE) a finite number that is stored as float16 stays finite: else one sum beyond 65,504 makes a
// whole softmax NaN.
#ifdef SATURATE
#define FOR_HALF(v) (((fabs(v) > 65504.0f) & (fabs(v) < INFINITY)) ? copysign(65504.0f, v) : (v))
#else
#define FOR_HALF(v) (v)
#endif

// Elements of the fast kernels: float32, or stored as float16 (HALF); computed as float32 either way.
#ifdef HALF
#define ELEMENT half
#define GET(p, i) vload_half(i, p)
inline void put_half(global half* p, long i, float v) { vstore_half_rte(FOR_HALF(v), i, p); }
#define PUT(p, i, v) put_half(p, i, v)
#else
#define ELEMENT float
#define GET(p, i) ((p)[i])
#define PUT(p, i, v) ((p)[i] = (v))
#endif

// Keeps the low bits.
void store_integer(global uchar* p, int t, long i, long v) {
  switch (t) {
    case T_I8:
    case T_U8: p[i] = (uchar)v; break;
    case T_I16:
    case T_U16: ((global ushort*)p)[i] = (ushort)v; break;
    case T_I32:
    case T_U32: ((global uint*)p)[i] = (uint)v; break;
    case T_BOOL: p[i] = v != 0; break;
    default: ((global long*)p)[i] = v;
  }
}

// Integers get the nearest that they hold, NaN is 0.
void store_wide(global uchar* p, int t, long i, wide v) {
  switch (t) {
    case T_F32: ((global float*)p)[i] = (float)v; break;
    case T_F16: vstore_half_rte(FOR_HALF((float)v), i, (global half*)p); break;
    case T_BF16: ((global ushort*)p)[i] = bf16_bits((float)v); break;
#ifdef HAS_FP64
    case T_F64: ((global double*)p)[i] = v; break;
#endif
    case T_BOOL: p[i] = v != 0; break;
    case T_I8: ((global char*)p)[i] = isnan(v) ? (char)0 : (char)clamp(v, (wide)-128, (wide)127); break;
    case T_U8: p[i] = isnan(v) ? (uchar)0 : (uchar)clamp(v, (wide)0, (wide)255); break;
    case T_I16: ((global short*)p)[i] = isnan(v) ? (short)0 : (short)clamp(v, (wide)-32768, (wide)32767); break;
    case T_U16: ((global ushort*)p)[i] = isnan(v) ? (ushort)0 : (ushort)clamp(v, (wide)0, (wide)65535); break;
    case T_I32: ((global int*)p)[i] = isnan(v) ? 0 : v >= (wide)2147483647 ? INT_MAX : v <= (wide)-2147483648L ? INT_MIN : (int)v; break;
    case T_U32: ((global uint*)p)[i] = isnan(v) || v <= 0 ? 0u : v >= (wide)4294967295L ? UINT_MAX : (uint)v; break;
    case T_I64:
      ((global long*)p)[i] = isnan(v) ? 0 : v >= (wide)9223372036854775807L ? LONG_MAX : v <= -(wide)9223372036854775807L ? LONG_MIN : (long)v;
      break;
    case T_U64: ((global ulong*)p)[i] = isnan(v) || v <= 0 ? 0ul : v >= (wide)18446744073709551615ul ? ULONG_MAX : (ulong)v; break;
  }
}

void store_float(global uchar* p, int t, long i, float v) {
  switch (t) {
    case T_F32: ((global float*)p)[i] = v; break;
    case T_F16: vstore_half_rte(FOR_HALF(v), i, (global half*)p); break;
    case T_BF16: ((global ushort*)p)[i] = bf16_bits(v); break;
    default: store_wide(p, t, i, v);
  }
}

// Element type of the arithmetic. DOMAIN: 0 float, 1 double, 2 64-bit integers.
#ifndef DOMAIN
#define DOMAIN 0
#endif
#if DOMAIN == 0
typedef float real;
#define LOAD load_float
#define STORE store_float
#elif DOMAIN == 1
typedef wide real;
#define LOAD load_wide
#define STORE store_wide
#else
typedef long real;
#define LOAD load_whole
#define STORE store_integer
#endif
