// SPDX-License-Identifier: MIT
// The values and scales of a packed unit for an instruction set L, which the including file defines. No include guard.

template <QuantKind K>
struct Unit {
  static constexpr QuantShape kShape = quant_shape(K);
  static constexpr int W = L::kWidth;
  static constexpr bool kSix = K == QuantKind::Q6_K, kSuper = kShape.blocks == 8;
  static constexpr bool kFive = K == QuantKind::Q5_0 || K == QuantKind::Q5_1 || K == QuantKind::Q5_K;
  static constexpr int kValues = kSix ? 16 * W : kSuper ? 20 * W : kShape.minima ? 8 * W : 4 * W;
  static constexpr int kHigh = kSix ? 144 * W : K == QuantKind::Q5_K ? 148 * W : kValues + 32 * W;
  // Prefetch distance. Types that are slow to unpack keep too few loads in flight to hide memory latency.
  static constexpr int kAhead = K == QuantKind::Q4_K                                   ? 4096
                                : K == QuantKind::Q5_K || kSix || K == QuantKind::Q5_0 ? 8192
                                                                                       : 0;
  static constexpr int kBits = K == QuantKind::Q8_0 ? 8 : kSix ? 6 : kFive ? 5 : 4;

  // The values of a block, quad by quad.
  static ARENASCOPE_INLINE void values(const uint8_t* unit, int block, typename L::I* w) {
    if constexpr (K == QuantKind::Q8_0) {
#pragma GCC unroll 8
      for (int j = 0; j < 8; ++j) w[j] = L::load(unit + kValues + block * 32 * W + j * 4 * W);
      return;
    } else {
      const uint8_t* low = unit + kValues + block * 16 * W;
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) {
        const typename L::I both = L::load(low + j * 4 * W);
        w[j] = L::low_nibbles(both);
        w[j + 4] = L::high_nibbles(both);
      }
      if constexpr (kFive) {
        const typename L::I high = L::load(unit + kHigh + block * 4 * W);
        w[0] = L::template with_bits<4, 0x10>(w[0], high);
        w[1] = L::template with_bits<3, 0x10>(w[1], high);
        w[2] = L::template with_bits<2, 0x10>(w[2], high);
        w[3] = L::template with_bits<1, 0x10>(w[3], high);
        w[4] = L::template with_bits<0, 0x10>(w[4], high);
        w[5] = L::template with_bits<-1, 0x10>(w[5], high);
        w[6] = L::template with_bits<-2, 0x10>(w[6], high);
        w[7] = L::template with_bits<-3, 0x10>(w[7], high);
      } else if constexpr (kSix) {
#pragma GCC unroll 2
        for (int v = 0; v < 2; ++v) {
          const typename L::I high = L::load(unit + kHigh + block * 8 * W + v * 4 * W);
          w[4 * v] = L::template with_bits<4, 0x30>(w[4 * v], high);
          w[4 * v + 1] = L::template with_bits<2, 0x30>(w[4 * v + 1], high);
          w[4 * v + 2] = L::template with_bits<0, 0x30>(w[4 * v + 2], high);
          w[4 * v + 3] = L::template with_bits<-2, 0x30>(w[4 * v + 3], high);
        }
      }
    }
  }

  struct Scales {
    typename L::F scale, second, minimum;  // `second` for the upper half of Q6_K's blocks
  };
  // `whole` and `least` are those of super().
  static ARENASCOPE_INLINE Scales scales(const uint8_t* unit, int block, typename L::F whole, typename L::F least) {
    Scales s{L::zero(), L::zero(), L::zero()};
    if constexpr (kSix) {
      s.scale = L::mul(whole, L::signed_bytes(unit + 2 * block * W));
      s.second = L::mul(whole, L::signed_bytes(unit + (2 * block + 1) * W));
    } else if constexpr (kSuper) {
      s.scale = L::mul(whole, L::bytes(unit + 4 * W + block * W));
      s.minimum = L::mul(least, L::bytes(unit + 12 * W + block * W));
    } else {
      s.scale = L::halves(unit + block * 2 * W);
      if constexpr (kShape.minima) s.minimum = L::halves(unit + 4 * W + block * 2 * W);
    }
    return s;
  }
  // Scale and least scale of a K type's unit.
  static ARENASCOPE_INLINE void super(const uint8_t* unit, typename L::F& whole, typename L::F& least) {
    whole = L::zero(), least = L::zero();
    if constexpr (kSix)
      whole = L::halves(unit + 208 * W);
    else if constexpr (kSuper)
      whole = L::halves(unit), least = L::halves(unit + 2 * W);
  }
  // Adds a block's minima times `total`, the sum of the row's values: Q4_1 and Q5_1 add them, K types subtract them.
  static ARENASCOPE_INLINE typename L::F with_minimum(typename L::F sum, typename L::F minimum, typename L::F total) {
    return kSuper ? L::neg_mul_add(minimum, total, sum) : L::mul_add(minimum, total, sum);
  }
};
