// SPDX-License-Identifier: MIT
// Dense matmuls of square matrices with constant weights.
#include <fmt/format.h>

#include <arenascope/graph/builder.h>
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {

void product_rows(Table& table) {
  for (DType type : {DType::F32, DType::BF16, DType::F16})
    for (int64_t size : {512, 1024, 2048}) {
      const std::string one = fmt::format("{} matmul {}", name(type), size), two = one + ", 2 threads";
      if (!table.wants(one) && !table.wants(two)) continue;
      auto node = Node::make(12 * size * size, [&](GraphBuilder& g) {
        return g.mul_mat(g.weight("a", {size, size}, type), g.input("b", {size, size}));
      });
      if (!node) continue;
      const double gflop = 2e-9 * static_cast<double>(size) * static_cast<double>(size) * static_cast<double>(size);
      std::vector<Peer> peers;
      if (type == DType::BF16) {
        peers = {onednn_gemm(Number::BF16, size, size, size)};
      } else {
        const float* b = node->source(1).data_as<float>();
        peers = {onednn_gemm(Number::F32, size, size, size)};
        if (type == DType::F32) {
          peers.push_back(dnnl_sgemm_product(size, size, size, node->source(0).data_as<float>(), b));
          peers.push_back(blas_product(size, size, size, node->source(0).data_as<float>(), b));
        }
      }
      if (type == DType::F16 && peers[0].run) peers[0].name += ", f32";
      table.against(one, {"GFLOP/s", gflop, type == DType::F16 ? 0 : 1.0}, node->runner(), peers);
      table.scaling(two, 2, 1.9, [&](int i, int n) { node->part(i, n); });
    }
}

}  // namespace arenascope::cpu_bench
