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
  struct Shape {
    DType type;
    int64_t size;
  };
  for (const Shape& shape : {Shape{DType::F32, 1024}, Shape{DType::Q4_0, 2048}, Shape{DType::Q4_K, 2048}})
    for (int64_t rows : {2, 4, 8}) {
      const std::string title = fmt::format("{}, {} columns", name(shape.type), rows);
      if (!table.wants(title)) continue;
      const int64_t size = shape.size;
      auto node = make(shape.type, size, size, rows);
      if (!node) continue;
      std::vector<Peer> peers;
      if (shape.type == DType::F32) {
        const float *weights = node->source(0).data_as<float>(), *b = node->source(1).data_as<float>();
        peers = {onednn_gemm(Number::F32, rows, size, size), dnnl_sgemm_product(rows, size, size, weights, b),
                 blas_product(rows, size, size, weights, b)};
      } else {
        peers = {onednn_gemm(Number::I8, rows, size, size)};
      }
      const double gflop = 2e-9 * static_cast<double>(rows * size * size);
      table.against(title, {"GFLOP/s", gflop, shape.type == DType::F32 ? 1.0 : 0}, node->runner(), peers);
    }
}

}  // namespace arenascope::cpu_bench
