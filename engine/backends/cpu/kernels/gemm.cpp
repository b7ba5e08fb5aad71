// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/kernels/gemm.h"

#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/quant/quant.h"

namespace arenascope::cpu {

namespace {

constexpr int64_t kTransposeTile = 16;  // tile size of Simd::transpose_tile()

void pack_floats(const Lines& lines, int64_t first, int64_t count, int64_t width, int64_t begin, int64_t depth,
                 float* to) {
  const float* from = reinterpret_cast<const float*>(lines.data) + first * lines.line_stride + begin * lines.stride;
  if (lines.line_stride == 1) {
    for (int64_t k = 0; k < depth; ++k, to += width) {
      std::copy(from + k * lines.stride, from + k * lines.stride + count, to);
      std::fill(to + count, to + width, 0.0f);
    }
    return;
  }
  for (int64_t block = 0; block < depth; block += kTransposeTile) {  // a few cache lines of each row at a time
    const int64_t end = std::min(depth, block + kTransposeTile);
    int64_t i = 0;
    if (lines.stride == 1 && end == block + kTransposeTile)
      for (; i + kTransposeTile <= count; i += kTransposeTile)
        simd().transpose_tile(to + block * width + i, width, from + i * lines.line_stride + block, lines.line_stride);
    if (lines.stride == 1) {
      simd().transpose_rows(to + block * width + i, width, from + i * lines.line_stride + block, lines.line_stride,
                            count - i, end - block);
      continue;
    }
    for (; i < count; ++i)
      for (int64_t k = block; k < end; ++k) to[k * width + i] = from[i * lines.line_stride + k * lines.stride];
  }
  for (int64_t k = 0; count < width && k < depth; ++k) std::fill(to + k * width + count, to + (k + 1) * width, 0.0f);
}

// At most kDepthBlock elements of rows of another type.
void pack_converted(const Lines& lines, int64_t first, int64_t count, int64_t width, int64_t begin, int64_t depth,
                    float* to, float* row) {
  const DTypeInfo& type = info(lines.type);
  const LoadRow<float> load = type.quantised ? nullptr : loader<float>(lines.type);
  const auto fetch = [&](int64_t i, float* line) {
    const std::byte* from =
        lines.data + ((first + i) * lines.line_stride + begin * lines.stride) / type.block_elements * type.block_bytes;
    if (load)
      load(line, from, lines.stride, depth);
    else
      dequantise(lines.type, from, line, depth);
  };
  // Sixteen rows at once are transposed in tiles.
  int64_t i = 0;
  for (const int64_t whole = depth / kTransposeTile * kTransposeTile; i + kTransposeTile <= count;
       i += kTransposeTile) {
    alignas(64) float sixteen[kTransposeTile * kDepthBlock];
    for (int64_t j = 0; j < kTransposeTile; ++j) fetch(i + j, sixteen + j * kDepthBlock);
    for (int64_t k = 0; k < whole; k += kTransposeTile)
      simd().transpose_tile(to + k * width + i, width, sixteen + k, kDepthBlock);
    for (int64_t k = whole; k < depth; ++k)
      for (int64_t j = 0; j < kTransposeTile; ++j) to[k * width + i + j] = sixteen[j * kDepthBlock + k];
  }
  for (; i < count; ++i) {
    fetch(i, row);
    for (int64_t k = 0; k < depth; ++k) to[k * width + i] = row[k];
  }
  for (int64_t k = 0; count < width && k < depth; ++k) std::fill(to + k * width + count, to + (k + 1) * width, 0.0f);
}

}  // namespace

void pack_panel(const Lines& lines, int64_t first, int64_t count, int64_t width, int64_t begin, int64_t depth,
                float* to, float* row) {
  if (lines.type == DType::F32) return pack_floats(lines, first, count, width, begin, depth, to);
  for (int64_t k = 0; k < depth; k += kDepthBlock)
    pack_converted(lines, first, count, width, begin + k, std::min(kDepthBlock, depth - k), to + k * width, row);
}

void pack_all(const Lines& lines, int64_t count, int64_t width, int64_t depth, float* to) {
  float row[kDepthBlock];
  for (int64_t i = 0; i < count; i += width)
    pack_panel(lines, i, std::min(width, count - i), width, 0, depth, to + i * depth, row);
}

}  // namespace arenascope::cpu
