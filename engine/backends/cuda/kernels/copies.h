// SPDX-License-Identifier: MIT
// Copies of elements regardless of type: in pieces of sixteen bytes if both sides allow it, and by tiles in shared
// memory for transposes. A thread issues all its loads before its first store.
#pragma once
#include "engine/backends/cuda/kernels/strided_indexer.h"

namespace arenascope::cuda {

struct CopyWork {
  StridedIndexer<2> indexer;  // of sixteen-byte pieces; arrays: 0 the result, 1 the source
  char* out = nullptr;
  const char* in = nullptr;
};

inline constexpr int kPieces = 4;  // pieces that a thread moves at once

ARENASCOPE_KERNEL(copy, CopyWork) {
  const int64_t all = blocks() * threads() * kPieces;
  for (int64_t first = block() * threads() * kPieces + thread(); first < p.indexer.count; first += all) {
    Quad piece[kPieces];
    ARENASCOPE_UNROLL for (int j = 0; j < kPieces; ++j) if (first + j * threads() < p.indexer.count) piece[j] =
        load_quad(p.in + element_offset(p.indexer, 1, first + j * threads()) * 16);
    ARENASCOPE_UNROLL for (int j = 0; j < kPieces; ++j) if (first + j * threads() < p.indexer.count)
        store_quad(p.out + element_offset(p.indexer, 0, first + j * threads()) * 16, piece[j]);
  }
}

struct TransposeWork {
  StridedIndexer<2> batch;  // arrays: 0 the result, 1 the source
  char* out = nullptr;
  const char* in = nullptr;
  int64_t rows = 0, columns = 0;       // of the result; contiguous along its columns, the source along its rows
  int64_t out_row = 0, in_column = 0;  // strides
  int32_t bytes = 4;
  bool pairs = false;  // two-byte elements: all sizes and strides are even, and pairs are aligned
};

inline constexpr int kTransposeThreads = 256;
ARENASCOPE_DEVICE constexpr int tile_side(int bytes) { return bytes > 4 ? 32 : 64; }

// One tile: `kSide` columns of the source, each with as many contiguous elements, become rows of the result. `kWhole`:
// a full tile without bounds checks.
template <class T, int kSide, bool kWhole>
ARENASCOPE_DEVICE void transpose_tile(const TransposeWork& p, T* tile, const char* in, char* out, int rows,
                                      int columns) {
  constexpr int kPitch = kSide + 1, kStep = kTransposeThreads / kSide, kEach = kSide / kStep;
  constexpr auto kBytes = static_cast<int64_t>(sizeof(T));
  const int lane = thread() % kSide, first = thread() / kSide;
  const int64_t in_step = p.in_column * kStep * kBytes, out_step = p.out_row * kStep * kBytes;
  in += (first * p.in_column + lane) * kBytes;
  out += (first * p.out_row + lane) * kBytes;
  T mine[kEach] = {};
  ARENASCOPE_UNROLL for (int j = 0; j < kEach; ++j, in += in_step) if (kWhole || (first + j * kStep < columns &&
                                                                                  lane < rows)) mine[j] = load<T>(in);
  ARENASCOPE_UNROLL for (int j = 0; j < kEach; ++j) tile[(first + j * kStep) * kPitch + lane] = mine[j];
  sync();
  ARENASCOPE_UNROLL for (int j = 0; j < kEach;
                         ++j, out += out_step) if (kWhole || (first + j * kStep < rows && lane < columns))
      store(out, tile[lane * kPitch + first + j * kStep]);
  sync();
}

// The same for two-byte elements, which are read and written in pairs: from two columns of the source a thread makes
// two rows of the result.
template <bool kWhole>
ARENASCOPE_DEVICE void transpose_pairs(const TransposeWork& p, uint32_t* tile, const char* in, char* out, int rows,
                                       int columns) {
  constexpr int kSide = 64, kPairs = kSide / 2, kPitch = kPairs + 1, kStep = kTransposeThreads / kPairs,
                kEach = kSide / kStep;
  const int pair = thread() % kPairs, first = thread() / kPairs;
  const int64_t in_step = p.in_column * kStep * 2, row_bytes = p.out_row * 2;
  in += (first * p.in_column + pair * 2) * 2;
  out += first * 2 * row_bytes + pair * 4;
  uint32_t mine[kEach] = {};
  ARENASCOPE_UNROLL for (int j = 0; j < kEach;
                         ++j, in += in_step) if (kWhole || (first + j * kStep < columns && pair * 2 < rows)) mine[j] =
      load<uint32_t>(in);
  ARENASCOPE_UNROLL for (int j = 0; j < kEach; ++j) tile[(first + j * kStep) * kPitch + pair] = mine[j];
  sync();
  ARENASCOPE_UNROLL for (int j = 0; j < kEach / 2; ++j, out += kStep * 2 * row_bytes) {
    const uint32_t *from = tile + pair * 2 * kPitch + first + j * kStep, left = from[0], right = from[kPitch];
    if (kWhole || ((first + j * kStep) * 2 < rows && pair * 2 < columns)) {
      store(out, (left & 0xffffu) | right << 16);
      store(out + row_bytes, left >> 16 | (right & 0xffff0000u));
    }
  }
  sync();
}

template <bool kWhole>
ARENASCOPE_DEVICE void transpose_part(const TransposeWork& p, uint64_t* shared, const char* in, char* out, int rows,
                                      int columns) {
  switch (p.bytes) {
    case 1: return transpose_tile<uint8_t, 64, kWhole>(p, reinterpret_cast<uint8_t*>(shared), in, out, rows, columns);
    case 2:
      if (p.pairs)
        return transpose_pairs<kWhole>(p, reinterpret_cast<uint32_t*>(shared), in, out, rows, columns);
      else
        return transpose_tile<uint16_t, 64, kWhole>(p, reinterpret_cast<uint16_t*>(shared), in, out, rows, columns);
    case 4: return transpose_tile<uint32_t, 64, kWhole>(p, reinterpret_cast<uint32_t*>(shared), in, out, rows, columns);
    default: return transpose_tile<uint64_t, 32, kWhole>(p, shared, in, out, rows, columns);
  }
}

// Launched in blocks of kTransposeThreads.
ARENASCOPE_KERNEL(transpose, TransposeWork) {
  ARENASCOPE_SHARED uint64_t shared[64 * 65 / 2];  // the largest tile: 64 rows of 65 four-byte elements
  const int side = tile_side(p.bytes);
  const int64_t across = (p.columns + side - 1) / side, down = (p.rows + side - 1) / side;
  for (int64_t t = block(); t < p.batch.count * down * across; t += blocks()) {
    const int64_t column = t % across * side, row = t / across % down * side;
    int64_t at[2];
    offsets_of(p.batch, t / across / down, at);
    const char* in = p.in + (at[1] + column * p.in_column + row) * p.bytes;
    char* out = p.out + (at[0] + row * p.out_row + column) * p.bytes;
    const int64_t rows = p.rows - row, columns = p.columns - column;
    if (rows >= side && columns >= side)
      transpose_part<true>(p, shared, in, out, side, side);
    else
      transpose_part<false>(p, shared, in, out, static_cast<int>(rows < side ? rows : side),
                            static_cast<int>(columns < side ? columns : side));
  }
}

}  // namespace arenascope::cuda
