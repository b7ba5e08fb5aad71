// SPDX-License-Identifier: MIT
// Shared by AVX2 and AVX-VNNI; the including file defines ARENASCOPE_DOT4(sum, unsigned bytes, signed bytes), or leaves
// it undefined.
struct Wide256 {
  using I = __m256i;
  using F = __m256;
  static constexpr int kWidth = 8, kMaxRows = 4;

  static ARENASCOPE_INLINE I load(const void* p) { return _mm256_loadu_si256(static_cast<const __m256i*>(p)); }
  template <int Lines>
  static ARENASCOPE_INLINE void prefetch(const void* p) {
#pragma GCC unroll 9
    for (int i = 0; i < Lines; ++i) _mm_prefetch(static_cast<const char*>(p) + 64 * i, _MM_HINT_T0);
  }
  static ARENASCOPE_INLINE I low_nibbles(I v) { return _mm256_and_si256(v, _mm256_set1_epi8(15)); }
  static ARENASCOPE_INLINE I high_nibbles(I v) {
    return _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
  }
  template <int Left, int Mask>
  static ARENASCOPE_INLINE I with_bits(I v, I bits) {
    if constexpr (Left > 0)
      bits = _mm256_slli_epi16(bits, Left);
    else if constexpr (Left < 0)
      bits = _mm256_srli_epi16(bits, -Left);
    return _mm256_or_si256(v, _mm256_and_si256(bits, _mm256_set1_epi8(Mask)));
  }
  static ARENASCOPE_INLINE I all_words(const void* p) {
    int word;
    __builtin_memcpy(&word, p, 4);
    return _mm256_set1_epi32(word);
  }
  static constexpr int32_t kStart = 0;
  static constexpr int kRowsAtOnce = 1;
  static ARENASCOPE_INLINE I start_words() { return _mm256_setzero_si256(); }
  static ARENASCOPE_INLINE F zero() { return _mm256_setzero_ps(); }
  static ARENASCOPE_INLINE F all(const void* p) {
    float x;
    __builtin_memcpy(&x, p, 4);
    return _mm256_set1_ps(x);
  }
  static ARENASCOPE_INLINE F number(I v) { return _mm256_cvtepi32_ps(v); }
  static ARENASCOPE_INLINE F mul(F a, F b) { return _mm256_mul_ps(a, b); }
  static ARENASCOPE_INLINE F mul_add(F a, F b, F c) { return _mm256_fmadd_ps(a, b, c); }
  static ARENASCOPE_INLINE F neg_mul_add(F a, F b, F c) { return _mm256_fnmadd_ps(a, b, c); }
  static ARENASCOPE_INLINE F halves(const void* p) {
    return _mm256_cvtph_ps(_mm_loadu_si128(static_cast<const __m128i*>(p)));
  }
  static ARENASCOPE_INLINE F bytes(const void* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepu8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p))));
  }
  static ARENASCOPE_INLINE F signed_bytes(const void* p) {
    return _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_loadl_epi64(static_cast<const __m128i*>(p))));
  }
  static ARENASCOPE_INLINE void store(F v, float* to, int columns) {
    if (columns == kWidth) return _mm256_storeu_ps(to, v);
    alignas(32) float lanes[kWidth];
    _mm256_store_ps(lanes, v);
    for (int i = 0; i < columns; ++i) to[i] = lanes[i];
  }
};
