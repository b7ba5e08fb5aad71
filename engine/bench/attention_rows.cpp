// SPDX-License-Identifier: MIT
// Attention of many tokens, which is compute-bound, and of one token over a long cache, which is memory-bound.
#include <cmath>

#include <fmt/format.h>

#include <arenascope/graph/builder.h>
#include <arenascope/graph/op_params.h>
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {
namespace {

struct Shape {
  int64_t heads, key_heads, queries, keys, width;
};

std::unique_ptr<Node> make(const Shape& s, DType cache, bool causal) {
  const int64_t floats = 2 * s.heads * s.queries * s.width + 2 * s.key_heads * s.keys * s.width;
  return Node::make(4 * floats + 65536, [&](GraphBuilder& g) {
    return g.op_with(
        Op::Attention,
        {g.input("q", {1, s.heads, s.queries, s.width}), g.input("k", {1, s.key_heads, s.keys, s.width}, cache),
         g.input("v", {1, s.key_heads, s.keys, s.width}, cache)},
        AttentionParams{1 / std::sqrt(static_cast<float>(s.width)), causal});
  });
}

}  // namespace

void attention_rows(Table& table) {
  for (bool causal : {false, true}) {
    const std::string title = causal ? "attention, 512 tokens, causal" : "attention, 512 tokens";
    if (!table.wants(title)) continue;
    const Shape s{12, 12, 512, 512, 64};
    const double flops = 4.0 * static_cast<double>(s.heads * s.queries * s.keys * s.width) * (causal ? 0.5 : 1);
    auto node = make(s, DType::F32, causal);
    if (node)
      table.against(title, {"GFLOP/s", 1e-9 * flops, causal ? 0 : 0.7}, node->runner(), {multiply_add_loop(flops)});
  }
  // The same number of bytes with shared keys: more than any cache holds.
  for (DType cache : {DType::F32, DType::F16})
    for (int64_t shared : {1, 4}) {
      const Shape s{32, 32 / shared, 1, 8192 * shared, 128};
      const std::string title =
          fmt::format("attention, one token over {}, {}{}", s.keys, name(cache), shared > 1 ? ", 4 heads per key" : "");
      if (!table.wants(title)) continue;
      auto node = make(s, cache, true);
      const int64_t bytes = 2 * s.key_heads * s.keys * s.width * element_bytes(cache);
      if (node)
        table.against(title, {"GB/s", 1e-9 * static_cast<double>(bytes), shared > 1 && cache == DType::F16 ? 0.7 : 0.9},
                      node->runner(), {read_loop(bytes / 4)});
    }
}

}  // namespace arenascope::cpu_bench
