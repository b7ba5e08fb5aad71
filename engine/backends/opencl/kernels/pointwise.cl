// SPDX-License-Identifier: MIT
// Element by element, one work item an element; any types and layouts, operations by number.

#if DOMAIN == 2
#define UNSIGNED(expression) (is_unsigned ? (long)(expression) : 0)
inline long floor_mod(long a, long b) {
  const long r = a % b;
  return r != 0 && ((r < 0) != (b < 0)) ? r + b : r;
}
inline real two(int op, real a, real b, bool u) {
  switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return b == 0 ? 0 : u ? (long)((ulong)a / (ulong)b) : b == -1 ? (long)(0ul - (ulong)a) : a / b;
    case OP_MOD: return b == 0 || b == -1 ? (u && b == -1 ? (long)((ulong)a % (ulong)b) : 0) : u ? (long)((ulong)a % (ulong)b) : floor_mod(a, b);
    case OP_MIN: return (u ? (ulong)a < (ulong)b : a < b) ? a : b;
    case OP_MAX: return (u ? (ulong)a > (ulong)b : a > b) ? a : b;
    case OP_EQUAL: return a == b;
    case OP_LESS: return u ? (ulong)a < (ulong)b : a < b;
    case OP_LESS_EQUAL: return u ? (ulong)a <= (ulong)b : a <= b;
    case OP_GREATER: return u ? (ulong)a > (ulong)b : a > b;
    case OP_GREATER_EQUAL: return u ? (ulong)a >= (ulong)b : a >= b;
    case OP_AND: return a != 0 && b != 0;
    case OP_OR: return a != 0 || b != 0;
    case OP_XOR: return (a != 0) != (b != 0);
    default: {  // POW
      long result = 1;
      if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
      for (; b > 0; b >>= 1) {
        if (b & 1) result *= a;
        a *= a;
      }
      return result;
    }
  }
}
inline real one(int op, real x, long a, long b) {
  switch (op) {
    case OP_NEG: return -x;
    case OP_ABS: return x < 0 ? -x : x;
    case OP_SIGN: return (x > 0) - (x < 0);
    case OP_RELU: return x < 0 ? 0 : x;
    case OP_CLAMP: return min(max(x, a), b);
    case OP_NOT: return x == 0;
    case OP_IS_NAN: return 0;
    default: return x;
  }
}
#else
inline real two(int op, real a, real b, bool u) {
  switch (op) {
    case OP_ADD: return a + b;
    case OP_SUB: return a - b;
    case OP_MUL: return a * b;
    case OP_DIV: return a / b;
    case OP_MOD: return fmod(a, b);
    case OP_MIN: return isnan(a) || a < b ? a : b;
    case OP_MAX: return isnan(a) || a > b ? a : b;
    case OP_EQUAL: return a == b;
    case OP_LESS: return a < b;
    case OP_LESS_EQUAL: return a <= b;
    case OP_GREATER: return a > b;
    case OP_GREATER_EQUAL: return a >= b;
    case OP_AND: return a != 0 && b != 0;
    case OP_OR: return a != 0 || b != 0;
    case OP_XOR: return (a != 0) != (b != 0);
    default: return pow(a, b);
  }
}
inline real softplus(real x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }
inline real one(int op, real x, real a, real b) {
  switch (op) {
    case OP_NEG: return -x;
    case OP_ABS: return fabs(x);
    case OP_SIGN: return isnan(x) ? x : (real)((x > 0) - (x < 0));
    case OP_FLOOR: return floor(x);
    case OP_CEIL: return ceil(x);
    case OP_ROUND: return rint(x);
    case OP_SQRT: return sqrt(x);
    case OP_RECIPROCAL: return 1 / x;
    case OP_EXP: return exp(x);
    case OP_LOG: return log(x);
    case OP_ERF: return erf(x);
    case OP_SIN: return sin(x);
    case OP_COS: return cos(x);
    case OP_TANH: return tanh(x);
    case OP_SIGMOID: return 1 / (1 + exp(-x));
    case OP_RELU: return x < 0 ? 0 : x;
    case OP_LEAKY_RELU: return x < 0 ? a * x : x;
    case OP_ELU: return x < 0 ? a * expm1(x) : x;
    case OP_SOFTPLUS: return softplus(x);
    case OP_SOFTSIGN: return x / (1 + fabs(x));
    case OP_GELU: return x / 2 * (1 + erf(x * (real)0.70710678118654752440));
    case OP_GELU_TANH: return x / 2 * (1 + tanh((real)0.79788456080286535588 * (x + (real)0.044715 * x * x * x)));
    case OP_SILU: return x / (1 + exp(-x));
    case OP_MISH: return x * tanh(softplus(x));
    case OP_HARD_SIGMOID: return clamp(a * x + b, (real)0, (real)1);
    case OP_HARD_SWISH: return x * clamp(a * x + b, (real)0, (real)1);
    case OP_CLAMP: return isnan(x) ? x : fmin(fmax(x, a), b);
    case OP_SCALE: return a * x + b;
    case OP_NOT: return x == 0;
    default: return isnan(x);  // IS_NAN
  }
}
#endif

// A predicate's result is a Bool whatever the arithmetic.
inline void put(global uchar* out, int type, long at, real v) {
  if (type == T_BOOL) out[at] = v != 0;
  else STORE(out, type, at, v);
}

kernel void unary(global const uchar* x, Layout lx, global uchar* out, Layout lo, long n, int op, real a, real b) {
  const long i = get_global_id(0);
  if (i >= n) return;
  put(out, lo.type, lo.offset + i, one(op, LOAD(x, lx.type, place(&lx, i)), a, b));
}

kernel void binary(global const uchar* x, Layout lx, global const uchar* y, Layout ly, global uchar* out, Layout lo, long n,
                   int op, int is_unsigned) {
  const long i = get_global_id(0);
  if (i >= n) return;
  put(out, lo.type, lo.offset + i, two(op, LOAD(x, lx.type, place(&lx, i)), LOAD(y, ly.type, place(&ly, i)), is_unsigned));
}
