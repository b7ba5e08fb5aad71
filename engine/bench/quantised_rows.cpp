// SPDX-License-Identifier: MIT
// Matmuls with block-quantised weights, compared with the library's int8 matmul of the same shape.
#include <fmt/format.h>

#include <arenascope/graph/builder.h>
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {

void quantised_rows(Table& table) {
  constexpr int64_t kDepth = 4096, kColumns = 4096;
  for (DType type :
       {DType::Q8_0, DType::Q4_0, DType::Q4_K, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q5_K, DType::Q6_K})
    for (int64_t rows : {32, 128, 512}) {
      const bool target = type == DType::Q8_0 || type == DType::Q4_0 || type == DType::Q4_K;
      const std::string title = fmt::format("{} matmul, {} columns", name(type), rows);
      if (!table.wants(title) || (!target && rows != 128)) continue;
      auto node = Node::make(kColumns * kDepth * 2 + rows * (kDepth + kColumns) * 4, [&](GraphBuilder& g) {
        return g.mul_mat(g.weight("a", {kColumns, kDepth}, type), g.input("b", {rows, kDepth}));
      });
      if (!node) continue;
      const double gflop = 2e-9 * static_cast<double>(rows * kColumns * kDepth);
      table.against(title, {"GFLOP/s", gflop, target ? 0.6 : 0}, node->runner(),
                    {onednn_gemm(Number::I8, rows, kColumns, kDepth)});
    }
}

}  // namespace arenascope::cpu_bench
