// SPDX-License-Identifier: MIT
#include "engine/backends/cpu/quant/quant_matmul.h"

#include <cstring>

#include "engine/backends/cpu/kernels/elements.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kChunk = 192;  // rows quantised together: they stay in L2

int64_t blocks_of(const QuantLayout& l) { return l.units() * quant_shape(l.kind).blocks; }

// Index of the smallest group for `rows`, or of the largest group.
int group_place(int64_t rows, int most) {
  int place = 0;
  while (place + 1 < kGroupKinds && kGroupSizes[place] < rows && kGroupSizes[place + 1] <= most) ++place;
  return place;
}

// Rows of the groups that `count` rows are quantised into.
int64_t padded_rows(int64_t count) {
  int64_t padded = 0;
  while (padded < count) padded += kGroupSizes[group_place(count - padded, quant_kernels().max_rows)];
  return padded;
}

}  // namespace

bool quant_layout(const TensorImpl& node, QuantLayout& layout) {
  const TensorImpl& a = *node.sources[0];
  if (!quant_kind(a.dtype, layout.kind) || !a.has(kFlagWeight) || !a.contiguous()) return false;
  layout.width = quant_kernels().width;
  layout.columns = a.sizes.back(1);
  layout.depth = a.sizes.back();
  // All matrices, each in whole panels.
  if (node.op == Op::MulMatId) {
    if (layout.columns % layout.width != 0) return false;
    layout.columns *= a.sizes[0];
  }
  return layout.depth > 0 && a.element_count() == layout.columns * layout.depth;
}

Bytes quant_product_work(const TensorImpl& node) {
  QuantLayout l;
  if (!quant_layout(node, l)) return 0;
  return quant_rows_work(l, node.element_count() / l.columns);
}

Bytes quant_rows_work(const QuantLayout& l, int64_t rows) {
  return round_to_line(padded_rows(std::min(kChunk, rows)) * blocks_of(l) * kGroupBlockBytes) +
         round_to_line(4 * l.depth);
}

bool quant_product(const QuantPanels& packed, Range rows, Range columns, const Lines& b, std::byte* scratch, float* c,
                   int64_t c_stride) {
  const QuantKernels& kernels = quant_kernels();
  const QuantLayout& l = packed.layout();
  const int64_t blocks = blocks_of(l), given = l.depth / 32;
  float* const row = reinterpret_cast<float*>(scratch);
  std::byte* const groups = scratch + round_to_line(4 * l.depth);
  const LoadRow<float> load = b.type == DType::F32 && b.stride == 1 ? nullptr : loader<float>(b.type);
  const int64_t bytes = element_bytes(b.type);
  const auto& tiles = kernels.tile[static_cast<int>(l.kind)];
  for (int64_t first = rows.begin; first < rows.end; first += kChunk) {
    const int64_t count = std::min(kChunk, rows.end - first);
    std::byte* at = groups;
    for (int64_t done = 0; done < count;) {
      const int m = kGroupSizes[group_place(count - done, kernels.max_rows)];
      if (given < blocks || count - done < m) std::memset(at, 0, static_cast<size_t>(blocks * kGroupBlockBytes * m));
      for (int r = 0; r < m && done < count; ++r, ++done) {
        const std::byte* from = b.data + (first + done) * b.line_stride * bytes;
        const float* x = reinterpret_cast<const float*>(from);
        if (load) load(row, from, b.stride, l.depth), x = row;
        if (!kernels.quantise(l.kind, kernels.signed_bytes && l.kind == QuantKind::Q8_0, x, given, m, r, at))
          return false;
      }
      at += blocks * kGroupBlockBytes * m;
    }
    for (int64_t column = columns.begin; column < columns.end; column += l.width) {
      const std::byte* panel = packed.panel(column / l.width);
      const int width = static_cast<int>(std::min<int64_t>(l.width, columns.end - column));
      at = groups;
      for (int64_t done = 0; done < count;) {
        const int place = group_place(count - done, kernels.max_rows), m = kGroupSizes[place];
        float* to = c + (first + done) * c_stride + column;
        if (count - done >= m) {
          tiles[place](panel, at, l.units(), to, c_stride, width);
        } else {
          float edge[kMaxGroup * 16];
          tiles[place](panel, at, l.units(), edge, l.width, width);
          for (int64_t r = 0; r < count - done; ++r)
            std::memcpy(to + r * c_stride, edge + r * l.width, static_cast<size_t>(width) * 4);
        }
        at += blocks * kGroupBlockBytes * m;
        done += m;
      }
    }
  }
  return true;
}

}  // namespace arenascope::cpu
