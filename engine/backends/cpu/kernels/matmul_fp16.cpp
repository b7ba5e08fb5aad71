// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/matmul_fp16.h"

#include <algorithm>
#include <cstring>

#include "engine/backends/cpu/simd/level.h"
#include "engine/backends/cpu/target.h"

#if defined(__x86_64__)
#include <immintrin.h>
ARENASCOPE_BEGIN_TARGET("avx512f,avx512bw,avx512vl,avx512dq,avx512bf16,f16c")
#endif

namespace arenascope::cpu {
namespace {

constexpr int64_t kPairDepth = 1024;  // depth of a block of weights
constexpr int64_t kPairColumns = 48;  // columns of a block; a multiple of the tile's
constexpr int64_t kTileColumns = 6;
constexpr int64_t kWidth = 16;   // rows of a vector
constexpr int64_t kVectors = 4;  // vectors of rows per tile
constexpr int64_t kAtOnce = 32;  // depth positions packed together

int64_t in_vectors(int64_t rows) { return (rows + kWidth - 1) / kWidth * kWidth; }

#if defined(__x86_64__)

bool has_instructions() {
  static const bool has = highest_level() >= Level::Avx512 && __builtin_cpu_supports("avx512bf16") &&
                          __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");
  return has;
}

// Float16 values rounded to bf16; their count is a multiple of 32.
void round_halves(const uint16_t* from, int64_t count, uint16_t* to) {
  for (int64_t i = 0; i < count; i += 32) {
    const __m512 low = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i)));
    const __m512 high = _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i + 16)));
    _mm512_storeu_si512(to + i, reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(high, low)));
  }
}

// Transposes a 16 × 16 matrix of 32-bit words.
void turn(__m512i (&r)[16]) {
  __m512i t[16];
  for (int i = 0; i < 16; i += 2) {
    t[i] = _mm512_unpacklo_epi32(r[i], r[i + 1]);
    t[i + 1] = _mm512_unpackhi_epi32(r[i], r[i + 1]);
  }
  for (int i = 0; i < 16; i += 4) {
    r[i] = _mm512_unpacklo_epi64(t[i], t[i + 2]);
    r[i + 1] = _mm512_unpackhi_epi64(t[i], t[i + 2]);
    r[i + 2] = _mm512_unpacklo_epi64(t[i + 1], t[i + 3]);
    r[i + 3] = _mm512_unpackhi_epi64(t[i + 1], t[i + 3]);
  }
  for (int i = 0; i < 4; ++i) {
    t[i] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0x88);
    t[i + 4] = _mm512_shuffle_i32x4(r[i], r[i + 4], 0xdd);
    t[i + 8] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0x88);
    t[i + 12] = _mm512_shuffle_i32x4(r[i + 8], r[i + 12], 0xdd);
  }
  for (int i = 0; i < 4; ++i) {
    r[i] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0x88);
    r[i + 8] = _mm512_shuffle_i32x4(t[i], t[i + 8], 0xdd);
    r[i + 4] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0x88);
    r[i + 12] = _mm512_shuffle_i32x4(t[i + 4], t[i + 12], 0xdd);
  }
}

// Rows of floats as pairs of bf16: pair k of row r at to[k · padded + r].
void pack_rows(const Lines& rows, int64_t count, int64_t padded, int64_t depth, uint32_t* to) {
  const auto* const first = reinterpret_cast<const float*>(rows.data);
  for (int64_t r = 0; r < padded; r += kWidth)
    for (int64_t k = 0; k < depth; k += kAtOnce) {
      __m512i line[16];
      for (int64_t i = 0; i < kWidth; ++i) {
        line[i] = _mm512_setzero_si512();
        if (r + i >= count) continue;
        const float* const at = first + (r + i) * rows.line_stride + k;
        line[i] = reinterpret_cast<__m512i>(_mm512_cvtne2ps_pbh(_mm512_loadu_ps(at + 16), _mm512_loadu_ps(at)));
      }
      turn(line);
      for (int64_t i = 0; i < kWidth; ++i) _mm512_storeu_si512(to + (k / 2 + i) * padded + r, line[i]);
    }
}

// kTileColumns columns of V vectors of rows; sums of column n at sums + n · padded.
template <int V>
void pair_tile(const uint32_t* rows, int64_t padded, const uint32_t* columns, int64_t pairs, float* sums, bool add) {
  __m512 sum[kTileColumns][V];
  for (int n = 0; n < kTileColumns; ++n)
    for (int v = 0; v < V; ++v) sum[n][v] = add ? _mm512_loadu_ps(sums + n * padded + kWidth * v) : _mm512_setzero_ps();
  for (int64_t k = 0; k < pairs; ++k) {
    __m512bh row[V];
    for (int v = 0; v < V; ++v) row[v] = reinterpret_cast<__m512bh>(_mm512_loadu_si512(rows + k * padded + kWidth * v));
    for (int n = 0; n < kTileColumns; ++n) {
      const auto column = reinterpret_cast<__m512bh>(_mm512_set1_epi32(static_cast<int>(columns[n * pairs + k])));
      for (int v = 0; v < V; ++v) sum[n][v] = _mm512_dpbf16_ps(sum[n][v], row[v], column);
    }
  }
  for (int n = 0; n < kTileColumns; ++n)
    for (int v = 0; v < V; ++v) _mm512_storeu_ps(sums + n * padded + kWidth * v, sum[n][v]);
}

// All rows with a block of rounded columns, added to `sums`.
void pair_block(const uint32_t* rows, int64_t padded, const uint32_t* columns, int64_t count, int64_t pairs,
                float* sums, bool add) {
  for (int64_t r = 0; r < padded; r += kVectors * kWidth) {
    const int64_t vectors = std::min(kVectors, (padded - r) / kWidth);
    const auto tile = vectors == 4   ? pair_tile<4>
                      : vectors == 3 ? pair_tile<3>
                      : vectors == 2 ? pair_tile<2>
                                     : pair_tile<1>;
    for (int64_t n = 0; n < count; n += kTileColumns)
      tile(rows + r, padded, columns + n * pairs, pairs, sums + n * padded + r, add);
  }
}

void multiply(int64_t rows, Range columns, int64_t depth, const Lines& left, const Lines& right, std::byte* scratch,
              float* c, int64_t c_stride) {
  const int64_t padded = in_vectors(rows);
  auto* const packed = reinterpret_cast<uint32_t*>(scratch);
  auto* const block = reinterpret_cast<uint16_t*>(packed + depth / 2 * padded);
  auto* const sums = reinterpret_cast<float*>(block + kPairColumns * kPairDepth);
  const auto* const weights = reinterpret_cast<const uint16_t*>(right.data);
  pack_rows(left, rows, padded, depth, packed);
  for (int64_t n = columns.begin; n < columns.end; n += kPairColumns) {
    const int64_t count = std::min(kPairColumns, columns.end - n);
    for (int64_t k = 0; k < depth; k += kPairDepth) {
      const int64_t deep = std::min(kPairDepth, depth - k);
      for (int64_t i = 0; i < count; ++i)
        round_halves(weights + (n + i) * right.line_stride + k, deep, block + i * deep);
      const int64_t whole = (count + kTileColumns - 1) / kTileColumns * kTileColumns;
      std::memset(block + count * deep, 0, static_cast<size_t>(2 * (whole - count) * deep));
      pair_block(packed + k / 2 * padded, padded, reinterpret_cast<const uint32_t*>(block), count, deep / 2, sums,
                 k > 0);
    }
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t i = 0; i < count; ++i) c[r * c_stride + n + i] = sums[i * padded + r];
  }
}

#else

bool has_instructions() { return false; }
void multiply(int64_t, Range, int64_t, const Lines&, const Lines&, std::byte*, float*, int64_t) {}

#endif

}  // namespace

bool is_fp16_matmul(const TensorImpl& node) {
  const TensorImpl &w = *node.sources[0], &x = *node.sources[1];
  return has_instructions() && w.dtype == DType::F16 && w.rank() == 2 && w.has(kFlagWeight) && x.dtype == DType::F32 &&
         w.sizes[1] > 0 && w.sizes[1] % kAtOnce == 0 && node.sizes.back(1) > 0 &&
         node.element_count() == node.sizes.back(1) * node.sizes.back();
}

Bytes fp16_matmul_work(const TensorImpl& node) {
  if (!is_fp16_matmul(node)) return 0;
  const int64_t padded = in_vectors(node.sizes.back(1));
  return round_to_line(2 * node.sources[0]->sizes[1] * padded + 2 * kPairColumns * kPairDepth +
                       4 * kPairColumns * padded);
}

bool fp16_matmul(int64_t rows, Range columns, int64_t depth, const Lines& left, const Lines& right, std::byte* scratch,
                 float* c, int64_t c_stride) {
  if (left.type != DType::F32 || left.stride != 1 || right.type != DType::F16 || right.stride != 1) return false;
  multiply(rows, columns, depth, left, right, scratch, c, c_stride);
  return true;
}

}  // namespace arenascope::cpu

#if defined(__x86_64__)
ARENASCOPE_END_TARGET
#endif
