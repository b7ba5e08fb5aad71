// SPDX-License-Identifier: MIT
// Dense float GEMM with packed panels (Goto and van de Geijn 2008): blocks of the right side are packed into panels
// that stay in L2, blocks of the left side into panels for L1, and the CPU's register tile iterates over them. Each
// result is summed along the depth in the same order, however the work is split.
#pragma once
#include <algorithm>
#include <type_traits>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {

inline constexpr int64_t kDepthBlock = 256;         // a multiple of every quantised block
inline constexpr int64_t kPackedDepthBlock = 1024;  // with PackedRight: C is accumulated less often
inline constexpr int64_t kColumnBlock = 512;
inline constexpr int64_t kRowBlock = 96;
inline constexpr int64_t kWidestTile = 64;  // columns of the widest tile

// Depth, columns and rows of a block.
inline int64_t gemm_depth(int64_t depth) { return std::clamp<int64_t>(depth, 1, kDepthBlock); }
inline int64_t gemm_columns(int64_t columns) { return std::clamp<int64_t>(columns, 1, kColumnBlock); }
inline int64_t gemm_rows(int64_t rows) { return std::clamp<int64_t>(rows, 1, kRowBlock); }
// Scratch bytes, starting with a row buffer for the providers of the sides.
inline Bytes gemm_scratch(int64_t rows, int64_t columns, int64_t depth) {
  const int64_t wide = gemm_columns(columns) + gemm_rows(rows) + 3 * kWidestTile;
  return static_cast<Bytes>(sizeof(float)) * (gemm_depth(depth) * (wide + 1) + 32 * kWidestTile);
}
inline Bytes packed_gemm_scratch(int64_t rows, int64_t depth) {
  const int64_t deepest = std::clamp<int64_t>(depth, 1, kPackedDepthBlock);
  return static_cast<Bytes>(sizeof(float)) * (deepest * (gemm_rows(rows) + kWidestTile + 1) + 32 * kWidestTile);
}
inline float* gemm_row(float* scratch) { return scratch; }

// Rows of a matrix operand of any type: element k of row i is at first + i·line_stride + k·stride. Quantised rows have
// stride 1 and a line stride that is a multiple of the block.
struct Lines {
  const std::byte* data;
  DType type;
  int64_t line_stride;
  int64_t stride;
};

// Packs rows [first, first + count) at depth [begin, begin + depth) into a panel [depth][width], padded with zeros.
// `row`: kDepthBlock floats, not used for F32.
void pack_panel(const Lines& lines, int64_t first, int64_t count, int64_t width, int64_t begin, int64_t depth,
                float* to, float* row);

// All panels of `count` rows, for operands that are used often: panel p is at to + p·depth·width.
void pack_all(const Lines& lines, int64_t count, int64_t width, int64_t depth, float* to);

// C[rows, columns] = L·R. `left(first, count, begin, depth, buffer)` returns the panels of rows [first, first + count)
// at depth [begin, begin + depth): the address and the distance between panels. `right(first, count, begin, depth,
// buffer)` returns panels of columns. Row r of C starts at c + r·c_stride.
struct Panels {
  const float* data;
  int64_t stride;
};
// Columns packed by pack_all(); column ranges must start at a panel.
struct PackedRight {
  const float* panels;
  int64_t depth;
  Panels operator()(int64_t first, int64_t, int64_t begin, int64_t, float*) const {
    return {panels + first * depth + begin * simd().tile_columns, depth * simd().tile_columns};
  }
};
template <class Left, class Right>
void gemm(Range rows, Range columns, int64_t depth, float* scratch, Left&& left, Right&& right, float* c,
          int64_t c_stride) {
  const Simd& s = simd();
  const int64_t mr = s.tile_rows, nr = s.tile_columns;
  // Packed columns need no buffer, and rows are then packed only once.
  constexpr bool kInPlace = std::is_same_v<std::decay_t<Right>, PackedRight>;
  constexpr int64_t kDeepest = kInPlace ? kPackedDepthBlock : kDepthBlock;
  const int64_t row_block = kRowBlock / mr * mr, column_block = kInPlace ? columns.size() : kColumnBlock / nr * nr;
  const int64_t deepest = std::clamp<int64_t>(depth, 1, kDeepest);
  float* const right_buffer = scratch + deepest;
  float* const left_buffer =
      kInPlace ? right_buffer : right_buffer + deepest * (gemm_columns(columns.size()) + kWidestTile);
  float* const edge = left_buffer + deepest * (gemm_rows(rows.size()) + kWidestTile);
  if (depth == 0)
    for (int64_t r = rows.begin; r < rows.end; ++r)
      std::fill(c + r * c_stride + columns.begin, c + r * c_stride + columns.end, 0.0f);
  for (int64_t j = columns.begin; j < columns.end; j += column_block) {
    const int64_t nc = std::min(column_block, columns.end - j);
    for (int64_t k = 0; k < depth; k += kDeepest) {
      const int64_t kc = std::min(kDeepest, depth - k);
      const Panels right_panels = right(j, nc, k, kc, right_buffer);
      for (int64_t i = rows.begin; i < rows.end; i += row_block) {
        const int64_t mc = std::min(row_block, rows.end - i);
        const Panels left_panels = left(i, mc, k, kc, left_buffer);
        for (int64_t jj = 0; jj < nc; jj += nr)
          for (int64_t ii = 0; ii < mc; ii += mr) {
            const float* a = left_panels.data + ii / mr * left_panels.stride;
            const float* b = right_panels.data + jj / nr * right_panels.stride;
            float* to = c + (i + ii) * c_stride + j + jj;
            const int64_t height = std::min(mr, mc - ii);
            if (jj + nr <= nc) {
              s.tile(kc, a, b, to, c_stride, height, k > 0);
              continue;
            }
            s.tile(kc, a, b, edge, nr, height, false);
            for (int64_t y = 0; y < height; ++y)
              for (int64_t x = 0; x < std::min(nr, nc - jj); ++x)
                to[y * c_stride + x] = k > 0 ? to[y * c_stride + x] + edge[y * nr + x] : edge[y * nr + x];
          }
      }
    }
  }
}

// Providers of the sides of gemm() for plain matrices.
struct LeftLines {
  Lines lines;
  float* row;  // kDepthBlock floats
  Panels operator()(int64_t first, int64_t count, int64_t begin, int64_t depth, float* buffer) const {
    const int64_t mr = simd().tile_rows;
    for (int64_t i = 0; i < count; i += mr)
      pack_panel(lines, first + i, std::min(mr, count - i), mr, begin, depth, buffer + i * depth, row);
    return {buffer, depth * mr};
  }
};
struct RightLines {
  Lines lines;
  float* row;
  Panels operator()(int64_t first, int64_t count, int64_t begin, int64_t depth, float* buffer) const {
    const int64_t nr = simd().tile_columns;
    for (int64_t j = 0; j < count; j += nr)
      pack_panel(lines, first + j, std::min(nr, count - j), nr, begin, depth, buffer + j * depth, row);
    return {buffer, depth * nr};
  }
};
// Rows packed by pack_all(); row ranges must start at a panel.
struct PackedLeft {
  const float* panels;
  int64_t depth;
  Panels operator()(int64_t first, int64_t, int64_t begin, int64_t, float*) const {
    const int64_t mr = simd().tile_rows;
    return {panels + first * depth + begin * mr, depth * mr};
  }
};

}  // namespace arenascope::cpu
