// SPDX-License-Identifier: MIT
// Ops over rows: norms, softmax, sums, transposition, sorting.
#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include <arenascope/graph/builder.h>
#include <arenascope/graph/op_params.h>
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {
namespace {

constexpr int64_t kRows = 8192, kColumns = 2048, kFloats = kRows * kColumns;
constexpr int64_t kFewRows = 64, kFewColumns = 1024;  // 256 KiB

using Describe = Tensor (*)(GraphBuilder&, const Tensor&);

void row(Table& table, const std::string& name, Describe describe, double sides, double target, const Peer& loop,
         Peer (*library)(int64_t, int64_t)) {
  if (table.wants(name)) {
    auto node = Node::make(8 * kFloats + 65536, [&](GraphBuilder& g) {
      return describe(g, g.input("x", {kRows, kColumns}));
    });
    if (node) table.against(name, {"GB/s", sides * 4e-9 * kFloats, target}, node->runner(), {loop});
  }
  const std::string beside = name + " against oneDNN, 256 KiB";
  if (!library || !table.wants(beside)) return;
  auto node = Node::make(8 * kFewRows * kFewColumns + 65536, [&](GraphBuilder& g) {
    return describe(g, g.input("x", {kFewRows, kFewColumns}));
  });
  if (node)
    table.against(beside, {"GB/s", sides * 4e-9 * kFewRows * kFewColumns, 1.0}, node->runner(),
                  {library(kFewRows, kFewColumns)});
}

// std::sort of the indices of each row by its elements.
Peer sort_loop(const float* x, int64_t rows, int64_t columns) {
  auto indices = std::make_shared<std::vector<int32_t>>(static_cast<size_t>(columns));
  return {"std::sort", [=] {
            for (const float* row = x; row < x + rows * columns; row += columns) {
              std::iota(indices->begin(), indices->end(), 0);
              std::sort(indices->begin(), indices->end(), [row](int32_t a, int32_t b) { return row[a] < row[b]; });
            }
          }};
}

}  // namespace

void line_rows(Table& table) {
  row(
      table, "rms_norm",
      [](GraphBuilder& g, const Tensor& x) { return g.rms_norm(x, 1e-5f, g.input("gain", {x->sizes.back()})); }, 2, 0.9,
      copy_loop(kFloats), dnnl_layer_norm);
  row(
      table, "norm",
      [](GraphBuilder& g, const Tensor& x) {
        return g.norm(x, 1, 1e-5f, g.input("gain", {x->sizes.back()}), g.input("bias", {x->sizes.back()}));
      },
      2, 0.9, copy_loop(kFloats), dnnl_layer_norm);
  row(
      table, "softmax", [](GraphBuilder& g, const Tensor& x) { return g.soft_max(x, 1); }, 2, 0.9, copy_loop(kFloats),
      dnnl_soft_max);
  row(
      table, "row sums", [](GraphBuilder& g, const Tensor& x) { return g.reduce(Op::ReduceSum, x, {1}, false); }, 1,
      0.9, read_loop(kFloats), dnnl_row_sums);
  row(
      table, "column sums", [](GraphBuilder& g, const Tensor& x) { return g.reduce(Op::ReduceSum, x, {0}, false); }, 1,
      0.9, read_loop(kFloats), nullptr);
  row(
      table, "transpose", [](GraphBuilder& g, const Tensor& x) { return g.cont(g.transpose(x)); }, 2, 0.9,
      copy_loop(kFloats), dnnl_transpose);
  if (table.wants("argsort")) {
    constexpr int64_t kLines = 256, kLength = 4096;
    auto node = Node::make(16 * kLines * kLength, [&](GraphBuilder& g) {
      return g.op_with(Op::TopKIndices, {g.input("x", {kLines, kLength})}, TopKParams{1, kLength, false, true});
    });
    if (node)
      table.against("argsort", {"GB/s", 4e-9 * kLines * kLength, 5}, node->runner(),
                    {sort_loop(node->source(0).data_as<float>(), kLines, kLength)});
  }
}

}  // namespace arenascope::cpu_bench
