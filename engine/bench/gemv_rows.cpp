// SPDX-License-Identifier: MIT
// Matmuls with few columns: one column is bound by reading the weights; 2 to 8 columns share one read.
#include <fmt/format.h>

#include <arenascope/graph/builder.h>
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {
namespace {

std::unique_ptr<Node> make(DType type, int64_t columns, int64_t depth, int64_t rows) {
  const Bytes weights = columns * depth / info(type).block_elements * info(type).block_bytes;
  return Node::make(weights + rows * (depth + columns) * 4 + 4096, [&](GraphBuilder& g) {
    return g.mul_mat(g.weight("a", {columns, depth}, type), g.input("b", {rows, depth}));
  });
}

}  // namespace

void column_rows(Table& table) {
  constexpr DType kTypes[] = {DType::F32,  DType::F16,  DType::BF16, DType::Q8_0, DType::Q4_0, DType::Q4_1,
                              DType::Q5_0, DType::Q5_1, DType::Q4_K, DType::Q5_K, DType::Q6_K};
  for (DType type : kTypes) {
    const std::string title = fmt::format("{}, 1 column", name(type));
    if (!table.wants(title)) continue;
    constexpr int64_t kDepth = 4096, kBytes = int64_t{96} << 20;
    const int64_t line = kDepth / info(type).block_elements * info(type).block_bytes, columns = kBytes / line / 64 * 64;
    auto node = make(type, columns, kDepth, 1);
    if (!node) continue;
    table.against(title, {"GB/s", 1e-9 * static_cast<double>(columns * line), 0.95}, node->runner(),
                  {read_loop(columns * line / 4)});
  }
  // Measured speed of ggml with 2 and with 8 columns.
  struct Known {
    DType type;
    int64_t size;
    double two, eight;
  };
  for (const Known& known :
       {Known{DType::F32, 1024, 38, 51}, Known{DType::Q4_0, 2048, 82, 100}, Known{DType::Q4_K, 2048, 82, 100}})
    for (int64_t rows : {2, 4, 8}) {
      const std::string title = fmt::format("{}, {} columns", name(known.type), rows);
      if (!table.wants(title)) continue;
      auto node = make(known.type, known.size, known.size, rows);
      if (!node) continue;
      const double gflop = 2e-9 * static_cast<double>(rows * known.size * known.size);
      const double figure = known.two + (known.eight - known.two) * static_cast<double>(rows - 2) / 6;
      table.against_figure(title, {"GFLOP/s", gflop, 1.5}, node->runner(), "ggml", figure);
    }
}

}  // namespace arenascope::cpu_bench
