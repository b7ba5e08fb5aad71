// SPDX-License-Identifier: MIT
// Elementwise operators, one work item per element, for all types and layouts; the operator is given by number.

// Helpers of the formulas, then the formulas: *_CASES are those of graph/elementwise.h as switch cases.
#if DOMAIN == 2
inline bool less(long x, long y, bool u) { return u ? (ulong)x < (ulong)y : x < y; }
inline long least(long x, long y, bool u) { return less(y, x, u) ? y : x; }
inline long most(long x, long y, bool u) { return less(x, y, u) ? y : x; }
inline long negative(long x) { return (long)(0ul - (ulong)x); }
inline long sum(long x, long y) { return (long)((ulong)x + (ulong)y); }
inline long difference(long x, long y) { return (long)((ulong)x - (ulong)y); }
inline long product(long x, long y) { return (long)((ulong)x * (ulong)y); }
inline long quotient(long x, long y, bool u) {
  return y == 0 ? 0 : u ? (long)((ulong)x / (ulong)y) : y == -1 ? negative(x) : x / y;
}
inline long floor_mod(long x, long y, bool u) {
  if (y == 0) return 0;
  if (u) return (long)((ulong)x % (ulong)y);
  if (y == -1) return 0;
  const long rest = x % y;
  return rest != 0 && ((rest < 0) != (y < 0)) ? rest + y : rest;
}
inline long power(long x, long y) {
  long result = 1;
  if (y < 0) return x == 1 ? 1 : x == -1 ? (y & 1 ? -1 : 1) : 0;
  for (; y > 0; y >>= 1) {
    if (y & 1) result = product(result, x);
    x = product(x, x);
  }
  return result;
}
inline long shifted_left(long x, long y) { return (ulong)y < 64 ? (long)((ulong)x << (ulong)y) : 0; }
inline long shifted_right(long x, long y) { return (ulong)y < 64 ? (long)((ulong)x >> (ulong)y) : 0; }
#define BINARY_CASES INTEGER_BINARY_CASES
#define UNARY_CASES INTEGER_UNARY_CASES
#else
#define BINARY_CASES REAL_BINARY_CASES
#define UNARY_CASES REAL_UNARY_CASES
#endif
inline real two(int op, real x, real y, bool u) {
  switch (op) { BINARY_CASES }
  return 0;  // no op: never requested by the host
}
inline real one(int op, real x, real a, real b, bool u) {
  switch (op) { UNARY_CASES }
  return 0;
}

// A predicate's result is a Bool, whatever the type of the arithmetic is.
inline void put(global uchar* out, int type, long at, real v) {
  if (type == T_BOOL) out[at] = v != 0;
  else STORE(out, type, at, v);
}

kernel void unary(global const uchar* x, Layout lx, global uchar* out, Layout lo, long n, int op, real a, real b,
                  int is_unsigned) {
  const long i = get_global_id(0);
  if (i >= n) return;
  put(out, lo.type, lo.offset + i, one(op, LOAD(x, lx.type, place(&lx, i)), a, b, is_unsigned));
}

kernel void binary(global const uchar* x, Layout lx, global const uchar* y, Layout ly, global uchar* out, Layout lo, long n,
                   int op, int is_unsigned) {
  const long i = get_global_id(0);
  if (i >= n) return;
  put(out, lo.type, lo.offset + i, two(op, LOAD(x, lx.type, place(&lx, i)), LOAD(y, ly.type, place(&ly, i)), is_unsigned));
}
