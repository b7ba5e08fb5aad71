// SPDX-License-Identifier: MIT
// What single elements become, for the programs that are built for one operation: OP, and NUMBER, float or float4. They
// are part of every program that says what NUMBER is. A condition of vectors chooses element by element.
#ifdef NUMBER
inline NUMBER one(NUMBER x, float a, float b) {
#if OP == OP_RELU
  return x < 0 ? (NUMBER)0 : x;
#elif OP == OP_LEAKY_RELU
  return x < 0 ? a * x : x;
#elif OP == OP_CLAMP
  return isnan(x) ? x : fmin(fmax(x, (NUMBER)a), (NUMBER)b);
#elif OP == OP_SIGMOID
  return 1 / (1 + exp(-x));
#elif OP == OP_SILU
  return x / (1 + exp(-x));
#elif OP == OP_TANH
  return tanh(x);
#elif OP == OP_EXP
  return exp(x);
#elif OP == OP_SQRT
  return sqrt(x);
#elif OP == OP_ERF
  return erf(x);
#elif OP == OP_GELU
  return x / 2 * (1 + erf(x * 0.70710678118654752440f));
#elif OP == OP_HARD_SIGMOID
  return clamp(a * x + b, (NUMBER)0, (NUMBER)1);
#elif OP == OP_HARD_SWISH
  return x * clamp(a * x + b, (NUMBER)0, (NUMBER)1);
#elif OP == OP_SCALE
  return a * x + b;
#elif OP == OP_NEG
  return -x;
#elif OP == OP_ABS
  return fabs(x);
#elif OP == OP_RECIPROCAL
  return 1 / x;
#else
  return x;
#endif
}
inline NUMBER two(NUMBER a, NUMBER b) {
#if OP == OP_SUB
  return a - b;
#elif OP == OP_MUL
  return a * b;
#elif OP == OP_DIV
  return a / b;
#elif OP == OP_MAX
  return (isnan(a) | (a > b)) ? a : b;
#elif OP == OP_MIN
  return (isnan(a) | (a < b)) ? a : b;
#else
  return a + b;
#endif
}
#endif
