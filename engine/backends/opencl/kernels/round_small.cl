// SPDX-License-Identifier: MIT
// Rounds numbers to a floating-point format of at most one byte. All steps except the rounding are exact.
typedef struct {
  int digits;  // of the significand, with the leading one; 0: powers of two from 2^-127 on
  int least;   // exponent of the least normal number
  float largest;
  int rounding;  // of powers of two: 0 the nearest, 1 up, 2 down
  int saturate, infinity, negative_zero, nan;
} Format;

inline real power_of_two(real x, const Format* p) {
  if (isnan(x) || signbit(x)) return NAN;
  if (x == 0) return ldexp((real)1, -127);
  if (isinf(x)) return p->saturate ? (real)p->largest : (real)NAN;
  int power = 0;
  const real fraction = frexp(x, &power);  // in [1/2, 1)
  const bool up = p->rounding == 1 || (p->rounding == 0 && fraction >= (real)0.75f);
  if (fraction == (real)0.5f || !up) --power;
  if (power > 127) return p->saturate ? (real)p->largest : (real)NAN;
  return ldexp((real)1, max(power, -127));
}

inline real rounded(real x, const Format* p) {
  if (p->digits == 0) return power_of_two(x, p);
  if (isnan(x)) return p->nan ? x : -(real)0;
  real magnitude = fabs(x);
  if (!isinf(magnitude) && magnitude != 0) {
    const int unit = max(ilogb(magnitude), p->least) - (p->digits - 1);
    magnitude = ldexp(rint(ldexp(magnitude, -unit)), unit);  // ties to even
  }
  if (magnitude > (real)p->largest)
    magnitude = p->saturate || !p->nan ? (real)p->largest : p->infinity ? (real)INFINITY : (real)NAN;
  if (magnitude == 0 && !p->negative_zero) return 0;
  return signbit(x) ? -magnitude : magnitude;
}

kernel void round_small(global const uchar* x, Layout lx, global uchar* out, Layout lo, long n, Format p) {
  const long i = get_global_id(0);
  if (i < n) STORE(out, lo.type, lo.offset + i, rounded(LOAD(x, lx.type, place(&lx, i)), &p));
}
