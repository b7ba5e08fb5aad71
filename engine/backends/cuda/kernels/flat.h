// SPDX-License-Identifier: MIT
// Element by element where all arrays lie as the result does, or hold one number for each channel, or for all: no place
// has to be looked up, and a thread asks for two vectors of its first two inputs before it works on either, so that
// enough bytes are under way for what memory bounds.
#pragma once
#include "engine/backends/cuda/kernels/pointwise.h"

namespace arenascope::cuda {

enum class Lies : int32_t { Dense, Channel, One };

// Of f32, f16 and bf16, a multiple of eight elements; the first step loads input 0, none is Where.
struct FlatWork {
  char* out = nullptr;
  const char* in[kMostInputs] = {};
  DType types[kMostInputs] = {};
  Lies lies[kMostInputs] = {};
  int64_t strides[kMostInputs] = {};  // between channels
  DType out_type = DType::F32;
  int64_t count = 0;
  bool narrow = false;      // all types have 16 bits
  bool by_channel = false;  // an input is
  Divider inner, channels;  // elements of a channel, at least eight; of these in a row
  int32_t inputs = 0, steps = 0;
  PointwiseStep step[kMostSteps];
};

inline constexpr int kFlatVectors = 2, kFlatCount = kFlatVectors * kVector;

// The channels that a vector lies in: the second one begins at its element `change`.
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

// An input's elements for both vectors; `turn` makes of a channel's number what the step wants.
template <class Turn>
ARENASCOPE_DEVICE void fetch_flat(const FlatWork& p, int input, const RawVector (&raw)[kFlatVectors],
                                  const Channels (&channels)[kFlatVectors], Turn turn, float (&to)[kFlatCount]) {
  const DType type = p.types[input];
  if (p.lies[input] == Lies::Dense) {
    ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) open_vector(type, raw[h], to + h * kVector);
    ARENASCOPE_UNROLL for (int j = 0; j < kFlatCount; ++j) to[j] = turn(to[j]);
    return;
  }
  if (p.lies[input] == Lies::One) {
    const float one = turn(get<float>(type, p.in[input], 0));
    ARENASCOPE_UNROLL for (int j = 0; j < kFlatCount; ++j) to[j] = one;
    return;
  }
  ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) {
    const float first = turn(get<float>(type, p.in[input], channels[h].first * p.strides[input])),
                second = turn(get<float>(type, p.in[input], channels[h].second * p.strides[input]));
    ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) to[h * kVector + j] = j < channels[h].change ? first : second;
  }
}

// Steps that are quick where few bits are kept. False: there is no quicker one.
ARENASCOPE_DEVICE bool quick_step(Do what, float (&x)[kFlatCount]) {
  switch (what) {
    case Do::Exp: ARENASCOPE_UNROLL for (int j = 0; j < kFlatCount; ++j) x[j] = quick_exp(x[j]); return true;
    case Do::Sigmoid:
      ARENASCOPE_UNROLL for (int j = 0; j < kFlatCount; ++j) x[j] = quick_quotient(1, 1 + quick_exp(-x[j]));
      return true;
    case Do::Silu:
      ARENASCOPE_UNROLL for (int j = 0; j < kFlatCount; ++j) x[j] = quick_quotient(x[j], 1 + quick_exp(-x[j]));
      return true;
    default: return false;
  }
}

ARENASCOPE_DENSE_KERNEL(pointwise_flat, FlatWork) {
  const int64_t vectors = p.count / kVector, all = blocks() * threads() * kFlatVectors;
  const auto as_it_is = [](float x) { return x; };
  for (int64_t v = block() * threads() * kFlatVectors + thread(); v < vectors; v += all) {
    // Where there is no second vector, the first one is computed twice.
    const int64_t at[kFlatVectors] = {v * kVector, (v + threads() < vectors ? v + threads() : v) * kVector};
    const bool second_dense = p.inputs > 1 && p.lies[1] == Lies::Dense;
    RawVector raw[kFlatVectors] = {}, next[kFlatVectors] = {};
    ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) if (p.lies[0] == Lies::Dense) raw[h] =
        raw_vector(p.types[0], p.in[0], at[h]);
    ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) if (second_dense) next[h] =
        raw_vector(p.types[1], p.in[1], at[h]);
    Channels channels[kFlatVectors] = {};
    if (p.by_channel) ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) channels[h] = channels_at(p, at[h]);
    float x[kFlatCount], y[kFlatCount] = {};
    fetch_flat(p, 0, raw, channels, as_it_is, x);
    ARENASCOPE_ROLLED for (int s = 1; s < p.steps; ++s) {
      const PointwiseStep& step = p.step[s];
      if (takes_input(step.what)) {
        if (step.input > 1 && p.lies[step.input] == Lies::Dense)
          ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) next[h] =
              raw_vector(p.types[step.input], p.in[step.input], at[h]);
        if (step.what == Do::MulRsqrt) {  // once a channel, not once an element
          const auto epsilon = static_cast<float>(step.a);
          fetch_flat(
              p, step.input, next, channels, [&](float variance) { return 1.0f / sqrt(variance + epsilon); }, y);
          ARENASCOPE_UNROLL for (int j = 0; j < kFlatCount; ++j) x[j] *= y[j];
          continue;
        }
        fetch_flat(p, step.input, next, channels, as_it_is, y);
      }
      if (!p.narrow || !quick_step(step.what, x)) do_step(step, false, x, y, y);
    }
    ARENASCOPE_UNROLL for (int h = 0; h < kFlatVectors; ++h) {
      float eight[kVector];
      ARENASCOPE_UNROLL for (int j = 0; j < kVector; ++j) eight[j] = x[h * kVector + j];
      put_floats(p.out_type, p.out, at[h], eight);
    }
  }
}

}  // namespace arenascope::cuda
