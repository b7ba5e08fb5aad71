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
  Divider across, down;  // tiles of a matrix, if there are fewer than 2^31 in all
  bool many = false;     // 2^31 tiles or more
  bool vectors = false;  // elements of two or four bytes; sizes, strides, addresses are multiples of sixteen bytes
};

inline constexpr int kTransposeThreads = 256;
ARENASCOPE_DEVICE constexpr int tile_side(int bytes) { return bytes > 4 ? 32 : 64; }
inline constexpr int kVectorPitch = 67;  // words of a tile's row

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

// The same with accesses of sixteen bytes on both sides, for elements of two or four bytes. The tile's pitch and the gaps
// after its first half keep the accesses of a warp in different banks of shared memory.
template <bool kWhole>
ARENASCOPE_DEVICE void transpose_vectors_of_two(const TransposeWork& p, uint32_t* tile, const char* in, char* out,
                                                int rows, int columns) {
  constexpr int kPitch = 33, kGap = 4, kPiece = 8;  // words, words, elements
  const int piece = thread() % 8, other = thread() / 8;
  Quad mine[2] = {};
  ARENASCOPE_UNROLL for (int h = 0; h < 2; ++h) {
    const int column = other + h * 32;
    if (kWhole || (column < columns && piece * kPiece < rows))
      mine[h] = load_quad_once(in + (column * p.in_column + piece * kPiece) * 2);
  }
  ARENASCOPE_UNROLL for (int h = 0; h < 2; ++h) ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j)
      tile[(other + h * 32) * kPitch + h * kGap + piece * 4 + j] = mine[h].w[j];
  sync();
  if (kWhole || (other * 2 < rows && piece * kPiece < columns)) {
    uint32_t pair[kPiece];  // two rows of the result, eight columns
    ARENASCOPE_UNROLL for (int k = 0; k < kPiece; ++k) pair[k] =
        tile[(piece * kPiece + k) * kPitch + (piece >= 4 ? kGap : 0) + other];
    Quad first, second;
    ARENASCOPE_UNROLL for (int k = 0; k < 4; ++k) {
      first.w[k] = (pair[k * 2] & 0xffffu) | pair[k * 2 + 1] << 16;
      second.w[k] = pair[k * 2] >> 16 | (pair[k * 2 + 1] & 0xffff0000u);
    }
    store_quad_once(out + (other * 2 * p.out_row + piece * kPiece) * 2, first);
    store_quad_once(out + ((other * 2 + 1) * p.out_row + piece * kPiece) * 2, second);
  }
  sync();
}
template <bool kWhole>
ARENASCOPE_DEVICE void transpose_vectors_of_four(const TransposeWork& p, uint32_t* tile, const char* in, char* out,
                                                 int rows, int columns) {
  constexpr int kPitch = kVectorPitch, kPiece = 4;
  const int piece = thread() % 16, other = thread() / 16;
  Quad mine[4] = {};
  ARENASCOPE_UNROLL for (int h = 0; h < 4; ++h) {
    const int column = other + h * 16;
    if (kWhole || (column < columns && piece * kPiece < rows))
      mine[h] = load_quad_once(in + (column * p.in_column + piece * kPiece) * 4);
  }
  ARENASCOPE_UNROLL for (int h = 0; h < 4; ++h) ARENASCOPE_UNROLL for (int j = 0; j < 4; ++j)
      tile[(other + h * 16) * kPitch + (h >= 2 ? 2 : 0) + piece * kPiece + (piece >= 8 ? 1 : 0) + j] = mine[h].w[j];
  sync();
  ARENASCOPE_UNROLL for (int h = 0; h < 4; ++h) {
    const int row = other + h * 16;
    if (!kWhole && (row >= rows || piece * kPiece >= columns)) continue;
    Quad q;
    ARENASCOPE_UNROLL for (int k = 0; k < kPiece; ++k) q.w[k] =
        tile[(piece * kPiece + k) * kPitch + (piece >= 8 ? 2 : 0) + row + (h >= 2 ? 1 : 0)];
    store_quad(out + (row * p.out_row + piece * kPiece) * 4, q);
  }
  sync();
}

template <bool kWhole>
ARENASCOPE_DEVICE void transpose_part(const TransposeWork& p, uint64_t* shared, const char* in, char* out, int rows,
                                      int columns) {
  switch (p.bytes) {
    case 1: return transpose_tile<uint8_t, 64, kWhole>(p, reinterpret_cast<uint8_t*>(shared), in, out, rows, columns);
    case 2: return transpose_tile<uint16_t, 64, kWhole>(p, reinterpret_cast<uint16_t*>(shared), in, out, rows, columns);
    case 4: return transpose_tile<uint32_t, 64, kWhole>(p, reinterpret_cast<uint32_t*>(shared), in, out, rows, columns);
    default: return transpose_tile<uint64_t, 32, kWhole>(p, shared, in, out, rows, columns);
  }
}

// Calls tile(in, out, rows, columns, is_full) for each tile of the block.
template <class Tile>
ARENASCOPE_DEVICE void each_tile(const TransposeWork& p, int side, Tile tile) {
  const int64_t across = (p.columns + side - 1) / side, down = (p.rows + side - 1) / side;
  for (int64_t t = block(); t < p.batch.count * down * across; t += blocks()) {
    const int64_t of_column = p.many ? t / across : divide(static_cast<uint32_t>(t), p.across);
    const int64_t matrix = p.many ? of_column / down : divide(static_cast<uint32_t>(of_column), p.down);
    const int64_t column = (t - of_column * across) * side, row = (of_column - matrix * down) * side;
    int64_t at[2];
    offsets_of(p.batch, matrix, at);
    const char* in = p.in + (at[1] + column * p.in_column + row) * p.bytes;
    char* out = p.out + (at[0] + row * p.out_row + column) * p.bytes;
    const int64_t rows = p.rows - row, columns = p.columns - column;
    const bool full = rows >= side && columns >= side;
    tile(in, out, static_cast<int>(rows < side ? rows : side), static_cast<int>(columns < side ? columns : side), full);
  }
}

// Launched in blocks of kTransposeThreads; the last two for TransposeWork::vectors.
ARENASCOPE_KERNEL(transpose, TransposeWork) {
  ARENASCOPE_SHARED uint64_t shared[64 * 65 / 2];  // the largest tile: 64 rows of 65 four-byte elements
  each_tile(p, tile_side(p.bytes), [&](const char* in, char* out, int rows, int columns, bool full) {
    if (full)
      transpose_part<true>(p, shared, in, out, rows, columns);
    else
      transpose_part<false>(p, shared, in, out, rows, columns);
  });
}
ARENASCOPE_DENSE_KERNEL(transpose_two, TransposeWork) {
  ARENASCOPE_SHARED uint32_t shared[64 * 33 + 4];
  each_tile(p, 64, [&](const char* in, char* out, int rows, int columns, bool full) {
    if (full)
      transpose_vectors_of_two<true>(p, shared, in, out, rows, columns);
    else
      transpose_vectors_of_two<false>(p, shared, in, out, rows, columns);
  });
}
ARENASCOPE_DENSE_KERNEL(transpose_four, TransposeWork) {
  ARENASCOPE_SHARED uint32_t shared[64 * kVectorPitch + 4];
  each_tile(p, 64, [&](const char* in, char* out, int rows, int columns, bool full) {
    if (full)
      transpose_vectors_of_four<true>(p, shared, in, out, rows, columns);
    else
      transpose_vectors_of_four<false>(p, shared, in, out, rows, columns);
  });
}

}  // namespace arenascope::cuda
