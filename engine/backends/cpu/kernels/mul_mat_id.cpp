// SPDX-License-Identifier: MIT
// MUL_MAT_ID: the rows routed to one matrix are gathered and multiplied by it together; matrices without rows are not
// read. A chunk is a range of columns of every matrix.
#include <fmt/format.h>

#include "engine/backends/cpu/kernel.h"
#include "engine/backends/cpu/kernels/elements.h"
#include "engine/backends/cpu/packed.h"
#include "engine/backends/cpu/quant/quant.h"
#include "engine/backends/cpu/quant/quant_matmul.h"
#include "engine/backends/cpu/simd/simd.h"

namespace arenascope::cpu {
namespace {

constexpr int64_t kTogether = 32;  // rows
constexpr int64_t kFloatRows = 8;  // rows of these that are multiplied by an unpacked matrix at once

struct Experts {
  int64_t matrices, columns, depth, rows, each;
  explicit Experts(const TensorImpl& node)
      : matrices(node.sources[0]->sizes[0]),
        columns(node.sizes[2]),
        depth(node.sources[0]->sizes[2]),
        rows(node.sizes[0] * node.sizes[1]),
        each(node.sizes[1]) {}
};

Bytes share(const TensorImpl& node) {
  const Experts e(node);
  QuantLayout layout;
  const Bytes quantised = quant_layout(node, layout) ? quant_rows_work(layout, kTogether) : 0;
  return round_to_line(4 * kTogether * e.depth) + round_to_line(4 * kTogether * e.columns) +
         round_to_line(4 * e.depth) + quantised;
}

// Row `row` of the input as floats.
void load_row(const TensorImpl& x, const Experts& e, int64_t row, float* to) {
  const int64_t at =
      x.rank() == 3 ? row / e.each * x.strides[0] + row % e.each * x.strides[1] : row / e.each * x.strides[0];
  loader<float>(x.dtype)(to, x.data() + at * element_bytes(x.dtype), x.strides.back(), e.depth);
}

int place_of(const TensorImpl& a) {
  if (!a.contiguous()) return -1;
  return a.dtype == DType::F32 ? 0 : a.dtype == DType::F16 ? 1 : a.dtype == DType::BF16 ? 2 : -1;
}

// c[m, columns] for `count` rows x of one matrix, with unpacked weights.
void plain(const TensorImpl& a, const Experts& e, int64_t matrix, Range columns, const float* x, int64_t count,
           float* line, float* c) {
  const int64_t first = matrix * e.columns;
  for (int64_t begin = 0; begin < count; begin += kFloatRows) {
    const int64_t rows = std::min(kFloatRows, count - begin);
    const float* from = x + begin * e.depth;
    float* to = c + begin * e.columns;
    if (const int place = place_of(a); place >= 0) {
      for (int64_t m = 0; m < rows; ++m)
        std::fill(to + m * e.columns + columns.begin, to + m * e.columns + columns.end, 0.0f);
      simd().dots[place](a.data() + (first + columns.begin) * e.depth * element_bytes(a.dtype), e.depth, columns.size(),
                         from, e.depth, rows, e.depth, to + columns.begin, e.columns);
      continue;
    }
    for (int64_t n = columns.begin; n < columns.end; ++n) {
      const DTypeInfo& type = info(a.dtype);
      const int64_t at = matrix * a.strides[0] + n * a.strides[1];
      const std::byte* row = a.data() + at / type.block_elements * type.block_bytes;
      if (type.quantised)
        dequantise(a.dtype, row, line, e.depth);
      else
        loader<float>(a.dtype)(line, row, a.strides[2], e.depth);
      for (int64_t m = 0; m < rows; ++m) to[m * e.columns + n] = simd().lines.dot(line, from + m * e.depth, e.depth);
    }
  }
}

}  // namespace

Bytes mul_mat_id_work(const TensorImpl& node, int tasks) { return tasks * share(node); }

Status mul_mat_id(const KernelArgs& args) {
  const TensorImpl &node = args.node, &a = args.source(0), &x = args.source(1), &ids = args.source(2);
  const Experts e(node);
  std::vector<std::vector<int64_t>> rows_of(static_cast<size_t>(e.matrices));
  for (int64_t r = 0; r < e.rows; ++r) {
    const int64_t at = r / e.each * ids.strides[0] + r % e.each * ids.strides[1];
    const int64_t id = ids.dtype == DType::I64 ? ids.data_as<int64_t>()[at] : ids.data_as<int32_t>()[at];
    if (id < 0 || id >= e.matrices)
      return refuse(node, fmt::format("expert index {} is out of range for {} matrices", id, e.matrices));
    rows_of[static_cast<size_t>(id)].push_back(r);
  }
  const QuantPanels* panels = args.packed ? args.packed->quantised() : nullptr;
  const Range columns = args.part(e.columns, panels ? panels->layout().width : 16);
  if (columns.size() <= 0) return {};
  float* const given = args.scratch<float>(share(node));
  float* const made = given + round_to_line(4 * kTogether * e.depth) / 4;
  float* const line = made + round_to_line(4 * kTogether * e.columns) / 4;
  auto* const rest = reinterpret_cast<std::byte*>(line) + round_to_line(4 * e.depth);
  for (int64_t matrix = 0; matrix < e.matrices; ++matrix) {
    const std::vector<int64_t>& rows = rows_of[static_cast<size_t>(matrix)];
    for (size_t begin = 0; begin < rows.size(); begin += kTogether) {
      const auto count = std::min<int64_t>(kTogether, static_cast<int64_t>(rows.size() - begin));
      for (int64_t i = 0; i < count; ++i) load_row(x, e, rows[begin + static_cast<size_t>(i)], given + i * e.depth);
      const Lines lines{reinterpret_cast<const std::byte*>(given), DType::F32, e.depth, 1};
      const int64_t first = matrix * e.columns;
      if (!panels || !quant_product(*panels, {0, count}, {first + columns.begin, first + columns.end}, lines, rest,
                                    made - first, e.columns)) {
        args.need_original_weights();
        plain(a, e, matrix, columns, given, count, line, made);
      }
      for (int64_t i = 0; i < count; ++i)
        std::copy(made + i * e.columns + columns.begin, made + i * e.columns + columns.end,
                  node.data_as<float>() + rows[begin + static_cast<size_t>(i)] * e.columns + columns.begin);
    }
  }
  return {};
}

}  // namespace arenascope::cpu
