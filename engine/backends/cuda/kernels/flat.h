// SPDX-License-Identifier: MIT
// Elementwise programs in which every array has the result's layout, or one value per channel, or a single value: no
// index arithmetic. A thread loads two vectors of its first two inputs before it computes, so that enough bytes are in
// flight for memory-bound ops.
#pragma once
#include "engine/backends/cuda/kernels/pointwise.h"

namespace arenascope::cuda {

enum class Lies : int32_t { Dense, Channel, One };

// For f32, f16 and bf16 with a multiple of eight elements; the first step loads input 0, and Where does not occur.
struct FlatWork {
  char* out = nullptr;
  const char* in[kMaxInputs] = {};
  DType types[kMaxInputs] = {};
  Lies lies[kMaxInputs] = {};
  int64_t strides[kMaxInputs] = {};  // between channels
  DType out_type = DType::F32;
  int64_t count = 0;
  bool narrow = false;      // all types have 16 bits
  bool by_channel = false;  // some input is per channel
  Divider inner, channels;  // elements per channel, at least eight; channels per image
  int32_t inputs = 0, steps = 0;
  PointwiseStep step[kMaxSteps];
};

inline constexpr int kFlatVectors = 2, kFlatCount = kFlatVectors * kVector;

// The channels of a vector: the second one begins at its element `change`.
struct Channels {
  uint32_t first, second;
  int32_t change;
};
ARENASCOPE_DEVICE Channels channels_at(const FlatWork& p, int64_t i) {
  const auto n = static_cast<uint32_t>(i);
  const uint32_t row = divide(n, p.inner), first = row - divide(row, p.channels) * p.channels.divisor;
  return {first, first + 1 == p.channels.divisor ? 0 : first + 1,
          static_cast<int32_t>(p.inner.divisor - (n - row * p.inner.divisor))};
}

// Loads the elements of one input for both vectors. `convert` gives each value the form that the step needs.
template <FixedType kFixed, class Convert>
ARENASCOPE_DEVICE void fetch_flat(const FlatWork& p, int input, const RawVector (&raw)[kFlatVectors],
                                  const Channels (&channels)[kFlatVectors], Convert convert, float (&to)[kFlatCount]) {
  const DType type = p.types[input];
  if (p.lies[input] == Lies::Dense) {
    ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) open_vector(fixed<kFixed>(type), raw[h], to + h * kVector);
    ARENASCOPE_UNROLL for (int j = 0; j < kFlatCount; ++j) to[j] = convert(to[j]);
    return;
  }
  if (p.lies[input] == Lies::One) {
    const float one = convert(get<float>(type, p.in[input], 0));
    ARENASCOPE_UNROLL for (int j = 0; j < kFlatCount; ++j) to[j] = one;
    return;
  }
  ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) {
    const float first = convert(get<float>(type, p.in[input], channels[h].first * p.strides[input])),
                second = convert(get<float>(type, p.in[input], channels[h].second * p.strides[input]));
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) to[h * kVector + j] = j < channels[h].change ? first : second;
  }
}

// Approximate versions of steps whose result has few bits. False: there is none.
template <int kCount>
ARENASCOPE_DEVICE bool quick_step(PointwiseOpcode what, float (&x)[kCount]) {
  switch (what) {
    case PointwiseOpcode::Exp: ARENASCOPE_UNROLL for (int j = 0; j < kCount; ++j) x[j] = quick_exp(x[j]); return true;
    case PointwiseOpcode::Sigmoid:
      ARENASCOPE_UNROLL for (int j = 0; j < kCount; ++j) x[j] = quick_quotient(1, 1 + quick_exp(-x[j]));
      return true;
    case PointwiseOpcode::Silu:
      ARENASCOPE_UNROLL for (int j = 0; j < kCount; ++j) x[j] = quick_quotient(x[j], 1 + quick_exp(-x[j]));
      return true;
    default: return false;
  }
}

// kFixed: the type of the result and of all dense inputs.
template <FixedType kFixed>
ARENASCOPE_DEVICE void pointwise_flat_of(const FlatWork& p) {
  const int64_t vectors = p.count / kVector, all = blocks() * threads() * kFlatVectors;
  const auto as_it_is = [](float x) { return x; };
  for (int64_t v = block() * threads() * kFlatVectors + thread(); v < vectors; v += all) {
    // Without a second vector the first one is computed twice.
    const int64_t at[kFlatVectors] = {v * kVector, (v + threads() < vectors ? v + threads() : v) * kVector};
    const bool second_dense = p.inputs > 1 && p.lies[1] == Lies::Dense;
    RawVector raw[kFlatVectors] = {}, next[kFlatVectors] = {};
    ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) if (p.lies[0] == Lies::Dense) raw[h] =
        raw_vector(fixed<kFixed>(p.types[0]), p.in[0], at[h]);
    ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) if (second_dense) next[h] =
        raw_vector(fixed<kFixed>(p.types[1]), p.in[1], at[h]);
    Channels channels[kFlatVectors] = {};
    if (p.by_channel) ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) channels[h] = channels_at(p, at[h]);
    float x[kFlatCount], y[kFlatCount] = {};
    fetch_flat<kFixed>(p, 0, raw, channels, as_it_is, x);
    ARENASCOPE_ROLLED for (int s = 1; s < p.steps; ++s) {
      const PointwiseStep& step = p.step[s];
      if (takes_input(step.what)) {
        if (step.input > 1 && p.lies[step.input] == Lies::Dense)
          ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) next[h] =
              raw_vector(fixed<kFixed>(p.types[step.input]), p.in[step.input], at[h]);
        if (step.what == PointwiseOpcode::MulRsqrt) {  // once per channel, not per element
          const auto epsilon = static_cast<float>(step.a);
          fetch_flat<kFixed>(
              p, step.input, next, channels, [&](float variance) { return 1.0f / sqrt(variance + epsilon); }, y);
          ARENASCOPE_UNROLL for (int j = 0; j < kFlatCount; ++j) x[j] *= y[j];
          continue;
        }
        fetch_flat<kFixed>(p, step.input, next, channels, as_it_is, y);
      }
      if (!p.narrow || !quick_step(step.what, x)) do_step(step, false, x, y, y);
    }
    ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) {
      float eight[kVector];
      ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) eight[j] = x[h * kVector + j];
      put_floats(fixed<kFixed>(p.out_type), p.out, at[h], eight);
    }
  }
}

// Programs of one dense input. A thread computes four pieces of sixteen bytes; those of a block's threads are adjacent.
inline constexpr int kUnaryPieces = 4;
template <FixedType kFixed>
ARENASCOPE_DEVICE void unary_of(const FlatWork& p) {
  using P = Piece<kFixed>;
  const auto pieces = static_cast<uint32_t>(p.count / P::kCount);
  const auto step_of = static_cast<uint32_t>(threads());
  const uint32_t first = static_cast<uint32_t>(block()) * step_of * kUnaryPieces + static_cast<uint32_t>(thread());
  Quad raw[kUnaryPieces] = {};
  ARENASCOPE_UNROLL for (uint32_t k = 0; k < kUnaryPieces; ++k) if (first + k * step_of < pieces) raw[k] =
      load_quad(p.in[0] + int64_t{first + k * step_of} * 16);
  float x[kUnaryPieces * P::kCount];
  ARENASCOPE_UNROLL for (int k = 0; k < kUnaryPieces; ++k) P::open(raw[k], x + k * P::kCount);
  ARENASCOPE_ROLLED for (int s = 1; s < p.steps; ++s) if (!p.narrow || !quick_step(p.step[s].what, x))
      do_step(p.step[s], false, x, x, x);
  ARENASCOPE_UNROLL for (uint32_t k = 0; k < kUnaryPieces; ++k) if (first + k * step_of < pieces)
      store_quad(p.out + int64_t{first + k * step_of} * 16, P::pack(x + k * P::kCount));
}
ARENASCOPE_DENSE_KERNEL(unary_f32, FlatWork) { unary_of<FixedType::F32>(p); }
ARENASCOPE_DENSE_KERNEL(unary_f16, FlatWork) { unary_of<FixedType::F16>(p); }

ARENASCOPE_DENSE_KERNEL(pointwise_flat, FlatWork) { pointwise_flat_of<FixedType::None>(p); }
ARENASCOPE_DENSE_KERNEL(pointwise_flat_f32, FlatWork) { pointwise_flat_of<FixedType::F32>(p); }
ARENASCOPE_DENSE_KERNEL(pointwise_flat_f16, FlatWork) { pointwise_flat_of<FixedType::F16>(p); }

}  // namespace arenascope::cuda
