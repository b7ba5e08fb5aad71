// SPDX-License-Identifier: MIT
// Rounding to floating-point formats of one byte or less. All steps except the rounding are exact.
#pragma once
#include <math.h>

#include "engine/backends/cuda/kernels/numbers.h"
#include "engine/backends/cuda/kernels/strided_indexer.h"

namespace arenascope::cuda {

struct RoundSmallWork {
  StridedIndexer<1> indexer;  // the input
  char* out = nullptr;
  const char* in = nullptr;
  DType out_type = DType::F32, type = DType::F32;
  int32_t digits = 4;  // digits of the significand, including the leading one; 0: powers of two from 2^-127 on
  int32_t least = -6;  // exponent of the smallest normal number
  double largest = 0;
  int32_t rounding = 0;        // rounding of powers of two, as SmallRounding
  bool saturate = false;       // values out of range become the largest
  bool infinity = false;       // otherwise infinity, or NaN
  bool negative_zero = false;  // the format has -0
  bool nan = true;             // the format has NaN; otherwise NaN becomes -0
};

template <class N>
ARENASCOPE_DEVICE N not_a_number() {
  return static_cast<N>(float_of(0x7fc00000u));
}

template <class N>
ARENASCOPE_DEVICE N power_of_two(N x, const RoundSmallWork& p) {
  const N largest = static_cast<N>(p.largest);
  if (!(x == x) || signbit(x)) return not_a_number<N>();
  if (x == 0) return ldexp(N(1), -127);
  if (isinf(x)) return p.saturate ? largest : not_a_number<N>();
  int power = 0;
  const N fraction = frexp(x, &power);  // in [1/2, 1)
  const bool up = p.rounding == 1 || (p.rounding == 0 && fraction >= N(0.75));
  if (fraction == N(0.5) || !up) --power;
  if (power > 127) return p.saturate ? largest : not_a_number<N>();
  return ldexp(N(1), power < -127 ? -127 : power);
}

template <class N>
ARENASCOPE_DEVICE N rounded_small(N x, const RoundSmallWork& p) {
  if (p.digits == 0) return power_of_two(x, p);
  if (!(x == x)) return p.nan ? x : -N(0);
  const N largest = static_cast<N>(p.largest);
  N magnitude = fabs(x);
  if (!isinf(magnitude) && magnitude != 0) {
    const int exponent = ilogb(magnitude), unit = (exponent < p.least ? p.least : exponent) - (p.digits - 1);
    magnitude = ldexp(rint(ldexp(magnitude, -unit)), unit);  // ties to even
  }
  if (magnitude > largest)
    magnitude = p.saturate || !p.nan ? largest : p.infinity ? static_cast<N>(INFINITY) : not_a_number<N>();
  if (magnitude == 0 && !p.negative_zero) return 0;
  return signbit(x) ? -magnitude : magnitude;
}

template <class N>
ARENASCOPE_DEVICE void round_small(const RoundSmallWork& p) {
  for (int64_t i = block() * threads() + thread(); i < p.indexer.count; i += blocks() * threads())
    put_one(p.out_type, p.out, i, rounded_small(get_one<N>(p.type, p.in, element_offset(p.indexer, i)), p));
}

ARENASCOPE_KERNEL(round_small_f32, RoundSmallWork) { round_small<float>(p); }
ARENASCOPE_KERNEL(round_small_f64, RoundSmallWork) { round_small<double>(p); }

}  // namespace arenascope::cuda
