// SPDX-License-Identifier: MIT
// Attention with streaming softmax.
#pragma once
#include <math.h>

#include "engine/backends/cuda/kernels/group.h"
#include "engine/backends/cuda/kernels/quant.h"
#include "engine/backends/cuda/kernels/strided_indexer.h"

namespace arenascope::cuda {

struct AttentionWork {
  StridedIndexer<4> outer;  // the dimensions before the heads: 0 q, 1 k, 2 v, 3 the mask
  char* out = nullptr;      // f32, contiguous
  const char* q = nullptr;
  const char* k = nullptr;
  const char* v = nullptr;
  const char* mask = nullptr;  // f32
  DType q_type = DType::F32, k_type = DType::F32, v_type = DType::F32;
  int64_t heads = 1, key_heads = 1, queries = 1, keys = 1, width = 1, value_width = 1;
  int64_t q_strides[3] = {}, k_strides[3] = {}, v_strides[3] = {}, mask_strides[3] = {};  // head, row, element
  float scale = 1;
  bool causal = false;
};

inline constexpr int kQueries = 16, kKeys = 32, kWidthPart = 64, kValuePart = 128;
inline constexpr int kAttentionThreads = 128;  // four warps, each with four queries

// A block computes 16 queries of a head and 128 columns of the values, in one pass over the keys (online softmax:
// Milakov and Gimelshein 2018).
ARENASCOPE_KERNEL(attention, AttentionWork) {
  constexpr int kRows = kQueries / (kAttentionThreads / kWarp), kColumns = kValuePart / kWarp;
  constexpr int kScores = kQueries * kKeys / kAttentionThreads;
  ARENASCOPE_SHARED float q_part[kQueries][kWidthPart + 1];
  ARENASCOPE_SHARED float k_part[kKeys][kWidthPart + 1];
  ARENASCOPE_SHARED float v_part[kKeys][kValuePart];
  ARENASCOPE_SHARED float scores[kQueries][kKeys + 1];
  const int lane = thread() % kWarp, warp = thread() / kWarp;
  const CooperativeGroup group{GroupKind::Warp, lane, kWarp, 0, 1};
  const int64_t groups = (p.value_width + kValuePart - 1) / kValuePart, tiles = (p.queries + kQueries - 1) / kQueries;
  for (int64_t t = block(); t < p.outer.count * p.heads * tiles * groups; t += blocks()) {
    const int64_t column = t % groups * kValuePart, first = t / groups % tiles * kQueries,
                  head = t / groups / tiles % p.heads;
    const int64_t outer = t / groups / tiles / p.heads, key_head = head / (p.heads / p.key_heads);
    int64_t starts[4];
    offsets_of(p.outer, outer, starts);
    const int64_t q = starts[0] + head * p.q_strides[0], k = starts[1] + key_head * p.k_strides[0];
    const int64_t v = starts[2] + key_head * p.v_strides[0], mask = starts[3] + head * p.mask_strides[0];
    float highest[kRows], total[kRows], sum[kRows][kColumns] = {};
    ARENASCOPE_UNROLL for (int r = 0; r < kRows; ++r) {
      highest[r] = lowest<float>();
      total[r] = 0;
    }
    const int64_t last_query = first + kQueries < p.queries ? first + kQueries : p.queries;
    const int64_t seen = last_query + p.keys - p.queries;
    const int64_t end = p.causal && seen < p.keys ? seen : p.keys;
    for (int64_t s0 = 0; s0 < end; s0 += kKeys) {
      float dot[kScores] = {};
      for (int64_t w0 = 0; w0 < p.width; w0 += kWidthPart) {
        sync();
        for (int i = thread(); i < (kQueries + kKeys) * kWidthPart; i += threads()) {
          const int w = i % kWidthPart, r = i / kWidthPart;
          const bool in_width = w0 + w < p.width;
          if (r < kQueries)
            q_part[r][w] = in_width && first + r < p.queries
                               ? get<float>(p.q_type, p.q, q + (first + r) * p.q_strides[1] + (w0 + w) * p.q_strides[2])
                               : 0.0f;
          else
            k_part[r - kQueries][w] =
                in_width && s0 + r - kQueries < p.keys
                    ? any<float>(p.k_type, p.k, k + (s0 + r - kQueries) * p.k_strides[1] + (w0 + w) * p.k_strides[2])
                    : 0.0f;
        }
        sync();
        const int parts = p.width - w0 < kWidthPart ? static_cast<int>(p.width - w0) : kWidthPart;
        for (int w = 0; w < parts; ++w)
          ARENASCOPE_UNROLL for (int j = 0; j < kScores; ++j) dot[j] +=
              q_part[warp + j * (kAttentionThreads / kWarp)][w] * k_part[lane][w];
      }
      const int64_t s = s0 + lane;
      ARENASCOPE_UNROLL for (int j = 0; j < kScores; ++j) {
        const int r = warp + j * (kAttentionThreads / kWarp);
        const int64_t row = first + r;
        float score = p.scale * dot[j];
        if (p.mask && s < p.keys && row < p.queries)
          score += get<float>(DType::F32, p.mask, mask + row * p.mask_strides[1] + s * p.mask_strides[2]);
        if (s >= p.keys || row >= p.queries || (p.causal && s > row + p.keys - p.queries)) score = lowest<float>();
        scores[r][lane] = score;
      }
      for (int i = thread(); i < kKeys * kValuePart; i += threads()) {
        const int c = i % kValuePart, r = i / kValuePart;
        v_part[r][c] = s0 + r < p.keys && column + c < p.value_width
                           ? any<float>(p.v_type, p.v, v + (s0 + r) * p.v_strides[1] + (column + c) * p.v_strides[2])
                           : 0.0f;
      }
      sync();
      ARENASCOPE_UNROLL for (int r = 0; r < kRows; ++r) {
        float* line = scores[warp * kRows + r];
        const float mine = line[lane], best = joined(group, mine, Larger()),
                    now = highest[r] < best ? best : highest[r];
        const float e = mine == lowest<float>() ? 0.0f : exp(mine - now);
        const float before = highest[r] == lowest<float>() ? 0.0f : exp(highest[r] - now);
        total[r] = total[r] * before + joined(group, e, Plus());
        highest[r] = now;
        line[lane] = e;
        ARENASCOPE_UNROLL for (int c = 0; c < kColumns; ++c) sum[r][c] *= before;
      }
      sync();
      for (int s1 = 0; s1 < kKeys; ++s1) ARENASCOPE_UNROLL for (int c = 0; c < kColumns; ++c) {
          const float value = v_part[s1][lane + c * kWarp];
          ARENASCOPE_UNROLL for (int r = 0; r < kRows; ++r) sum[r][c] += scores[warp * kRows + r][s1] * value;
        }
      sync();
    }
    ARENASCOPE_UNROLL for (int r = 0; r < kRows; ++r) ARENASCOPE_UNROLL for (int c = 0; c < kColumns; ++c) {
      const int64_t row = first + warp * kRows + r, at = column + lane + c * kWarp;
      if (row < p.queries && at < p.value_width)
        put(DType::F32, p.out, ((outer * p.heads + head) * p.queries + row) * p.value_width + at, sum[r][c] / total[r]);
    }
  }
}

// The same for vectors of eight elements: the innermost strides are 1, all others and both widths multiples of eight, the
// addresses aligned, and the widths at most kWide. A tile has 4096 elements of the keys, and then of the values. The
// loads of the values are issued before the scores are computed, and those of the following keys before the values are
// summed.
inline constexpr int kTileElements = 4096;

template <int kWide>
struct AttentionTile {
  static constexpr int kKeys = kTileElements / kWide, kPieces = kWide / kVector, kPitch = kWide / 4 + 1;  // of Quads
  static constexpr int kEach = kTileElements / kVector / kAttentionThreads;
  RawVector raw[kEach];

  // Rows from `first` on; those from `end` on, and columns from `width` on, are zero.
  ARENASCOPE_DEVICE void fetch(DType type, const char* base, int64_t at, int64_t stride, int64_t first, int64_t end,
                               int64_t width) {
    ARENASCOPE_UNROLL for (int j = 0; j < kEach; ++j) {
      const int i = thread() + j * kAttentionThreads, piece = i % kPieces;
      const int64_t row = first + i / kPieces;
      raw[j] = {};
      if (row < end && piece * kVector < width) raw[j] = raw_vector(type, base, at + row * stride + piece * kVector);
    }
  }
  ARENASCOPE_DEVICE void write(DType type, Quad* tile) const {
    ARENASCOPE_UNROLL for (int j = 0; j < kEach; ++j) {
      const int i = thread() + j * kAttentionThreads;
      float x[kVector];
      open_vector(type, raw[j], x);
      Quad* to = tile + i / kPieces * kPitch + i % kPieces * 2;
      ARENASCOPE_UNROLL for (int h = 0; h < 2; ++h) {
        Quad q;
        ARENASCOPE_UNROLL for (int k = 0; k < 4; ++k) q.w[k] = bits_of(x[h * 4 + k]);
        store_quad(to + h, q);
      }
    }
  }
};
ARENASCOPE_DEVICE void open_quad(const Quad& q, float (&x)[4]) {
  ARENASCOPE_UNROLL for (int k = 0; k < 4; ++k) x[k] = float_of(q.w[k]);
}

// The steps of attention_dense(). Arrays are registers of a thread.
template <int kWide>
ARENASCOPE_DEVICE void load_queries(const AttentionWork& p, int64_t first, int64_t q, Quad* q_tile) {
  constexpr int kPieces = kWide / kVector;
  for (int i = thread(); i < kQueries * kPieces; i += kAttentionThreads) {
    const int piece = i % kPieces;
    const int64_t row = first + i / kPieces;
    float x[kVector] = {};
    if (row < p.queries && piece * kVector < p.width)
      get_floats(p.q_type, p.q, q + row * p.q_strides[1] + piece * kVector, x);
    ARENASCOPE_UNROLL for (int half = 0; half < 2; ++half) {
      Quad of_q;
      ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j) of_q.w[j] = bits_of(x[half * 4 + j]);
      store_quad(q_tile + i * 2 + half, of_q);
    }
  }
}

// One step of the online softmax: writes the exponentials of the scores of the keys from `s0` on, and scales the sums.
template <int kWide, int kRows, int kOfLane, int kColumns>
ARENASCOPE_DEVICE void softmax_step(const AttentionWork& p, int64_t first, int64_t mask, int64_t s0, int64_t end,
                                    float (&score)[kRows][kOfLane], float (&highest)[kRows], float (&total)[kRows],
                                    float (&sum)[kRows][kColumns], Quad* scores) {
  constexpr int kScorePitch = AttentionTile<kWide>::kKeys / 4 + 1;
  const int lane = thread() % kWarp, warp = thread() / kWarp;
  const CooperativeGroup group{GroupKind::Warp, lane, kWarp, 0, 1};
  ARENASCOPE_UNROLL for (int r = 0; r < kRows; ++r) {
    const int64_t row = first + warp * kRows + r;
    float best = lowest<float>(), part = 0;
    ARENASCOPE_UNROLL for (int j = 0; j < kOfLane; ++j) {
      const int64_t s = s0 + lane + j * kWarp;
      float& mine = score[r][j];
      mine *= p.scale;
      if (p.mask && s < end && row < p.queries)
        mine += load<float>(p.mask + (mask + row * p.mask_strides[1] + s * p.mask_strides[2]) * 4);
      if (s >= end || row >= p.queries || (p.causal && s > row + p.keys - p.queries)) mine = lowest<float>();
      best = best < mine ? mine : best;
    }
    best = joined(group, best, Larger());
    const float now = highest[r] < best ? best : highest[r];
    const float before = highest[r] == lowest<float>() ? 0.0f : exp(highest[r] - now);
    highest[r] = now;
    ARENASCOPE_UNROLL for (int j = 0; j < kOfLane; ++j) {
      const float e = score[r][j] == lowest<float>() ? 0.0f : exp(score[r][j] - now);
      part += e;
      reinterpret_cast<float*>(scores + (warp * kRows + r) * kScorePitch)[lane + j * kWarp] = e;
    }
    total[r] = total[r] * before + joined(group, part, Plus());
    ARENASCOPE_UNROLL for (int c = 0; c < kColumns; ++c) sum[r][c] *= before;
  }
}
// The scores of the queries of a warp, for one tile of keys.
template <int kWide, int kRows, int kOfLane>
ARENASCOPE_DEVICE void multiply(const Quad* q_tile, const Quad* tile, float (&score)[kRows][kOfLane]) {
  const int lane = thread() % kWarp, warp = thread() / kWarp;
  ARENASCOPE_ROLLED for (int w = 0; w < kWide / 4; ++w) {
    float x[kOfLane][4];
    ARENASCOPE_UNROLL for (int j = 0; j < kOfLane; ++j)
        open_quad(load_quad(tile + (lane + j * kWarp) * AttentionTile<kWide>::kPitch + w), x[j]);
    ARENASCOPE_UNROLL for (int r = 0; r < kRows; ++r) {
      float y[4];
      open_quad(load_quad(q_tile + (warp * kRows + r) * (kWide / 4) + w), y);
      ARENASCOPE_UNROLL for (int j = 0; j < kOfLane; ++j) ARENASCOPE_UNROLL for (int i = 0; i < 4; ++i) score[r][j] +=
          x[j][i] * y[i];
    }
  }
}
// `start`: the first row of the head in the result.
template <int kRows, int kColumns>
ARENASCOPE_DEVICE void store_rows(const AttentionWork& p, int64_t start, int64_t first,
                                  const float (&sum)[kRows][kColumns], const float (&total)[kRows]) {
  const int lane = thread() % kWarp, warp = thread() / kWarp;
  ARENASCOPE_UNROLL for (int r = 0; r < kRows; ++r) ARENASCOPE_UNROLL for (int c = 0; c < kColumns; ++c) {
    const int64_t row = first + warp * kRows + r, column = lane + c * kWarp;
    if (row < p.queries && column < p.value_width)
      store(p.out + ((start + row) * p.value_width + column) * 4, sum[r][c] / total[r]);
  }
}
template <int kWide>
ARENASCOPE_DEVICE void attention_dense(const AttentionWork& p) {
  using Tile = AttentionTile<kWide>;
  constexpr int kWarps = kAttentionThreads / kWarp, kRows = kQueries / kWarps, kColumns = kWide / kWarp;
  constexpr int kOfLane = Tile::kKeys / kWarp, kScorePitch = Tile::kKeys / 4 + 1;
  ARENASCOPE_SHARED Quad tile[Tile::kKeys * Tile::kPitch];
  ARENASCOPE_SHARED Quad q_tile[kQueries * (kWide / 4)];
  ARENASCOPE_SHARED Quad scores[kQueries * kScorePitch];
  const int lane = thread() % kWarp, warp = thread() / kWarp;
  const int64_t tiles = (p.queries + kQueries - 1) / kQueries;
  for (int64_t t = block(); t < p.outer.count * p.heads * tiles; t += blocks()) {
    const int64_t first = t % tiles * kQueries, head = t / tiles % p.heads, outer = t / tiles / p.heads;
    const int64_t key_head = head / (p.heads / p.key_heads);
    int64_t starts[4];
    offsets_of(p.outer, outer, starts);
    const int64_t q = starts[0] + head * p.q_strides[0], k = starts[1] + key_head * p.k_strides[0];
    const int64_t v = starts[2] + key_head * p.v_strides[0], mask = starts[3] + head * p.mask_strides[0];
    const int64_t last_query = first + kQueries < p.queries ? first + kQueries : p.queries;
    const int64_t seen = last_query + p.keys - p.queries;
    const int64_t end = p.causal && seen < p.keys ? seen : p.keys;
    float highest[kRows], total[kRows], sum[kRows][kColumns] = {};
    ARENASCOPE_UNROLL for (int r = 0; r < kRows; ++r) {
      highest[r] = lowest<float>();
      total[r] = 0;
    }
    Tile keys, values;
    keys.fetch(p.k_type, p.k, k, p.k_strides[1], 0, end, p.width);
    load_queries<kWide>(p, first, q, q_tile);
    for (int64_t s0 = 0; s0 < end; s0 += Tile::kKeys) {
      sync();  // the values of the previous tile are summed
      keys.write(p.k_type, tile);
      values.fetch(p.v_type, p.v, v, p.v_strides[1], s0, end, p.value_width);
      sync();
      float score[kRows][kOfLane] = {};
      multiply<kWide>(q_tile, tile, score);
      softmax_step<kWide>(p, first, mask, s0, end, score, highest, total, sum, scores);
      sync();
      values.write(p.v_type, tile);
      if (s0 + Tile::kKeys < end) keys.fetch(p.k_type, p.k, k, p.k_strides[1], s0 + Tile::kKeys, end, p.width);
      sync();
      ARENASCOPE_ROLLED for (int s = 0; s < Tile::kKeys; s += 4) {
        float y[kRows][4];
        ARENASCOPE_UNROLL for (int r = 0; r < kRows; ++r)
            open_quad(load_quad(scores + (warp * kRows + r) * kScorePitch + s / 4), y[r]);
        ARENASCOPE_UNROLL for (int i = 0; i < 4; ++i) {
          const auto* row = reinterpret_cast<const float*>(tile + (s + i) * Tile::kPitch);
          ARENASCOPE_UNROLL for (int c = 0; c < kColumns; ++c) {
            const float x = row[lane + c * kWarp];
            ARENASCOPE_UNROLL for (int r = 0; r < kRows; ++r) sum[r][c] += y[r][i] * x;
          }
        }
      }
    }
    store_rows(p, (outer * p.heads + head) * p.queries, first, sum, total);
    sync();  // the queries of the next tile replace these
  }
}
ARENASCOPE_SMALL_KERNEL(attention_64, AttentionWork, kAttentionThreads) { attention_dense<64>(p); }
ARENASCOPE_SMALL_KERNEL(attention_128, AttentionWork, kAttentionThreads) { attention_dense<128>(p); }

}  // namespace arenascope::cuda
