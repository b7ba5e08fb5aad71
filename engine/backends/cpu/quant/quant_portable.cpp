// SPDX-License-Identifier: MIT
// Plain loops over small arrays of lanes; compilers for CPUs with dot products (NEON) recognise them in dot().
#include "engine/backends/cpu/kernels/half.h"
#include "engine/backends/cpu/quant/quant_levels.h"

#define ARENASCOPE_INLINE inline

namespace arenascope::cpu {
namespace {

struct L {
  static constexpr int kWidth = 8, kMaxRows = 4;
  static constexpr bool kSignedBytes = false;
  struct I {
    union {
      uint8_t bytes[4 * kWidth];
      int32_t words[kWidth];
    };
  };
  struct F {
    float x[kWidth];
  };
  static I load(const void* p) {
    I v;
    __builtin_memcpy(v.bytes, p, sizeof v.bytes);
    return v;
  }
  template <int Lines>
  static void prefetch(const void*) {}
  template <class G>
  static I each_byte(G&& g) {
    I v;
    for (int i = 0; i < 4 * kWidth; ++i) v.bytes[i] = static_cast<uint8_t>(g(i));
    return v;
  }
  static I low_nibbles(const I& v) {
    return each_byte([&](int i) { return v.bytes[i] & 15u; });
  }
  static I high_nibbles(const I& v) {
    return each_byte([&](int i) { return v.bytes[i] >> 4; });
  }
  template <int Left, int Mask>
  static I with_bits(const I& v, const I& bits) {
    return each_byte([&](int i) {
      return v.bytes[i] | ((Left >= 0 ? bits.bytes[i] << (Left & 7) : bits.bytes[i] >> (-Left & 7)) & Mask);
    });
  }
  template <int Bits, int N>
  static I dot(I start, const I* w, const uint8_t* q) {
    for (int j = 0; j < N; ++j)
      for (int l = 0; l < kWidth; ++l)
        for (int t = 0; t < 4; ++t)
          start.words[l] += static_cast<int32_t>(w[j].bytes[4 * l + t]) * static_cast<int8_t>(q[4 * j + t]);
    return start;
  }
  template <int Bits, int R>
  static void blocks(I* sums, const I* w, const uint8_t* q) {
    for (int r = 0; r < R; ++r) sums[r] = dot<Bits, 8>(sums[r], w, q + 32 * r);
  }
  static I all_words(const void* p) {
    I v;
    for (int l = 0; l < kWidth; ++l) __builtin_memcpy(&v.words[l], p, 4);
    return v;
  }
  static constexpr int32_t kStart = 0;
  static constexpr int kRowsAtOnce = 1;
  static I start_words() { return I{}; }
  template <class G>
  static F each(G&& g) {
    F f;
    for (int l = 0; l < kWidth; ++l) f.x[l] = g(l);
    return f;
  }
  static F zero() { return F{}; }
  static F all(const void* p) {
    float x;
    __builtin_memcpy(&x, p, 4);
    return each([x](int) { return x; });
  }
  static F number(const I& v) {
    return each([&](int l) { return static_cast<float>(v.words[l]); });
  }
  static F mul(const F& a, const F& b) {
    return each([&](int l) { return a.x[l] * b.x[l]; });
  }
  static F mul_add(const F& a, const F& b, const F& c) {
    return each([&](int l) { return a.x[l] * b.x[l] + c.x[l]; });
  }
  static F neg_mul_add(const F& a, const F& b, const F& c) {
    return each([&](int l) { return c.x[l] - a.x[l] * b.x[l]; });
  }
  static F halves(const uint8_t* p) {
    return each([p](int l) {
      Half h;
      __builtin_memcpy(&h, p + 2 * l, 2);
      return to_float(h);
    });
  }
  static F bytes(const uint8_t* p) {
    return each([p](int l) { return static_cast<float>(p[l]); });
  }
  static F signed_bytes(const uint8_t* p) {
    return each([p](int l) { return static_cast<float>(static_cast<int8_t>(p[l])); });
  }
  static void store(const F& v, float* to, int columns) {
    for (int i = 0; i < columns; ++i) to[i] = v.x[i];
  }
};

#include "engine/backends/cpu/quant/quant_tile-inl.h"

}  // namespace

QuantKernels quant_portable() { return made("portable"); }

}  // namespace arenascope::cpu
