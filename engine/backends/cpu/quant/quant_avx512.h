// SPDX-License-Identifier: MIT
// Shared by AVX-512 VNNI and AMX: the vectors of the quantised matmul, included in an anonymous namespace.
struct L {
  using I = __m512i;
  using F = __m512;
  static constexpr int kWidth = 16, kMaxRows = 12;
  static constexpr bool kSignedBytes = false;

  static ARENASCOPE_INLINE I load(const void* p) { return _mm512_loadu_si512(p); }
  template <int Lines>
  static ARENASCOPE_INLINE void prefetch(const void* p) {
#pragma GCC unroll 9
    for (int i = 0; i < Lines; ++i) _mm_prefetch(static_cast<const char*>(p) + 64 * i, _MM_HINT_T0);
  }
  static ARENASCOPE_INLINE I low_nibbles(I v) { return _mm512_and_si512(v, _mm512_set1_epi8(15)); }
  static ARENASCOPE_INLINE I high_nibbles(I v) {
    return _mm512_and_si512(_mm512_srli_epi16(v, 4), _mm512_set1_epi8(15));
  }
  // v | (bits << Left & mask)
  template <int Left, int Mask>
  static ARENASCOPE_INLINE I with_bits(I v, I bits) {
    if constexpr (Left > 0)
      bits = _mm512_slli_epi16(bits, Left);
    else if constexpr (Left < 0)
      bits = _mm512_srli_epi16(bits, -Left);
    return _mm512_ternarylogic_epi32(v, bits, _mm512_set1_epi8(Mask), 0xf8);  // a | (b & c)
  }
  template <int Bits, int N>
  static ARENASCOPE_INLINE I dot(I start, const I* w, const uint8_t* q) {
#pragma GCC unroll 8
    for (int j = 0; j < N; ++j) start = _mm512_dpbusd_epi32(start, w[j], all_words(q + 4 * j));
    return start;
  }
  // A block with R rows, whose sums depend on each other less when they alternate.
  static constexpr int kRowsAtOnce = 4;
  template <int Bits, int R>
  static ARENASCOPE_INLINE void blocks(I* sums, const I* w, const uint8_t* q) {
#pragma GCC unroll 8
    for (int j = 0; j < 8; ++j)
#pragma GCC unroll 4
      for (int r = 0; r < R; ++r) sums[r] = _mm512_dpbusd_epi32(sums[r], w[j], all_words(q + 32 * r + 4 * j));
  }
  static ARENASCOPE_INLINE I all_words(const void* p) {
    int word;
    __builtin_memcpy(&word, p, 4);
    return _mm512_set1_epi32(word);
  }
  // Integer sums start at the bits of 1.5·2^23, so that they are that float plus the sum: subtracting it converts them
  // exactly, on other execution units than the dot products and multiplications (on Zen 4, conversions share these).
  static constexpr int32_t kStart = 0x4b400000;
  static ARENASCOPE_INLINE I start_words() { return _mm512_set1_epi32(kStart); }
  static ARENASCOPE_INLINE F zero() { return _mm512_setzero_ps(); }
  static ARENASCOPE_INLINE F all(const void* p) {
    float x;
    __builtin_memcpy(&x, p, 4);
    return _mm512_set1_ps(x);
  }
  static ARENASCOPE_INLINE F number(I v) { return _mm512_sub_ps(_mm512_castsi512_ps(v), _mm512_set1_ps(12582912)); }
  static ARENASCOPE_INLINE F mul(F a, F b) { return _mm512_mul_ps(a, b); }
  static ARENASCOPE_INLINE F mul_add(F a, F b, F c) { return _mm512_fmadd_ps(a, b, c); }
  static ARENASCOPE_INLINE F neg_mul_add(F a, F b, F c) { return _mm512_fnmadd_ps(a, b, c); }
  static ARENASCOPE_INLINE F halves(const void* p) {
    return _mm512_cvtph_ps(_mm256_loadu_si256(static_cast<const __m256i*>(p)));
  }
  static ARENASCOPE_INLINE F bytes(const void* p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepu8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))));
  }
  static ARENASCOPE_INLINE F signed_bytes(const void* p) {
    return _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128(static_cast<const __m128i*>(p))));
  }
  static ARENASCOPE_INLINE void store(F v, float* to, int columns) {
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << columns) - 1), v);
  }
};
