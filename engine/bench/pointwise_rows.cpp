// SPDX-License-Identifier: MIT
// Element-wise ops over arrays larger than the caches, compared with loops that only move the data.
#include <arenascope/graph/builder.h>
#include "engine/bench/peers.h"

namespace arenascope::cpu_bench {
namespace {

constexpr int64_t kFloats = int64_t{16} << 20;

template <class F>
std::unique_ptr<Node> of_one(F&& node) {
  return Node::make(8 * kFloats, [&](GraphBuilder& g) { return node(g, g.input("x", {4096, kFloats / 4096})); });
}

void one(Table& table, const std::string& name, double target, Op op) {
  if (!table.wants(name)) return;
  auto node =
      of_one([&](GraphBuilder& g, const Tensor& x) { return op == Op::Scale ? g.scale(x, 2, 1) : g.op(op, {x}); });
  if (node) table.against(name, {"GB/s", 8e-9 * kFloats, target}, node->runner(), {copy_loop(kFloats)});
}

// Arrays in L2, compared with the library.
void beside_library(Table& table, const std::string& name, Op op, Function function) {
  if (!table.wants(name)) return;
  constexpr int64_t kFew = 64 << 10;
  auto node = Node::make(8 * kFew, [&](GraphBuilder& g) { return g.op(op, {g.input("x", {kFew})}); });
  if (node) table.against(name, {"GB/s", 8e-9 * kFew, 1.0}, node->runner(), {dnnl_function(function, kFew)});
}

}  // namespace

void pointwise_rows(Table& table) {
  for (const auto& [name, op] : {std::pair{"add", Op::Add}, std::pair{"mul", Op::Mul}}) {
    if (!table.wants(name)) continue;
    auto node = Node::make(12 * kFloats, [&, op = op](GraphBuilder& g) {
      return g.op(op, {g.input("x", {4096, kFloats / 4096}), g.input("y", {4096, kFloats / 4096})});
    });
    if (node) table.against(name, {"GB/s", 12e-9 * kFloats, 0.95}, node->runner(), {combine_loop(kFloats)});
  }
  if (table.wants("add, row broadcast")) {
    auto node = of_one([&](GraphBuilder& g, const Tensor& x) { return g.add(x, g.input("row", {kFloats / 4096})); });
    if (node) table.against("add, row broadcast", {"GB/s", 8e-9 * kFloats, 0.95}, node->runner(), {copy_loop(kFloats)});
  }
  one(table, "copy", 0.95, Op::Cont);
  one(table, "relu", 0.95, Op::Relu);
  one(table, "scale", 0.95, Op::Scale);
  one(table, "silu", 0.95, Op::Silu);
  one(table, "gelu", 0.9, Op::Gelu);
  one(table, "gelu by tanh", 0.9, Op::GeluTanh);
  one(table, "exp", 0.9, Op::Exp);
  one(table, "tanh", 0, Op::Tanh);
  beside_library(table, "relu against oneDNN, 256 KiB", Op::Relu, Function::Relu);
  beside_library(table, "exp against oneDNN, 256 KiB", Op::Exp, Function::Exp);
  beside_library(table, "gelu against oneDNN, 256 KiB", Op::Gelu, Function::Gelu);
  beside_library(table, "silu against oneDNN, 256 KiB", Op::Silu, Function::Silu);
}

}  // namespace arenascope::cpu_bench
