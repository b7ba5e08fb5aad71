// SPDX-License-Identifier: MIT
// Random graphs for properties of orders: results of many sizes, shared sources, views, outputs, parameters.
#pragma once
#include <algorithm>
#include <random>
#include <vector>

#include <arenascope/graph/builder.h>
#include <arenascope/graph/graph.h>

namespace arenascope::test {

struct RandomGraph {
  int ops = 10;
  int reach = 6;          // sources are taken from that many results before
  double view_share = 0.2;
  double leaf_share = 0.15;
  int largest = 100;      // bytes of a result
};

// Concatenations of u8 vectors cut to a random length stand for ops of any size.
inline Graph random_graph(std::mt19937& random, const RandomGraph& shape) {
  const auto chance = [&](double share) { return std::uniform_real_distribution<>(0, 1)(random) < share; };
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const size_t n = static_cast<size_t>(shape.ops);
  GraphBuilder b(*Context::create({(6 * n + 20) * Context::tensor_overhead(6) + Context::graph_overhead(4 * n + 8) +
                                       Context::graph_overhead(8), nullptr, true}));
  std::vector<Tensor> leafs{b.input("x", {64}, DType::U8), b.weight("w", {64}, DType::U8)};
  std::vector<Tensor> made;
  const auto pick = [&] {
    if (made.empty() || chance(shape.leaf_share)) return leafs[below(leafs.size())];
    const size_t first = made.size() > static_cast<size_t>(shape.reach) ? made.size() - static_cast<size_t>(shape.reach) : 0;
    return made[first + below(made.size() - first)];
  };
  for (size_t i = 0; i < n; ++i) {
    if (!made.empty() && chance(shape.view_share)) {
      const Tensor from = pick();
      made.push_back(b.slice(from, 0, 0, std::max<int64_t>(from.sizes()[0] / 2, 1)));
      continue;
    }
    // PAD gives any size to one source; with two and three, CONCAT of one-byte slices does before it.
    std::vector<Tensor> sources;
    const size_t count = 1 + below(3);
    for (size_t k = 0; k < count; ++k) sources.push_back(pick());
    const auto wanted = static_cast<int32_t>(1 + below(static_cast<size_t>(shape.largest)));
    if (count == 1) {
      PadParams pad{};
      pad.end[0] = wanted - static_cast<int32_t>(sources[0].sizes()[0]);
      made.push_back(b.op_with(Op::Pad, {sources[0]}, pad));
    } else {
      made.push_back(b.concat(sources, 0));
      if (made.back().sizes()[0] > 4 * shape.largest) {
        PadParams pad{};
        pad.end[0] = wanted - static_cast<int32_t>(made.back().sizes()[0]);
        made.back() = b.op_with(Op::Pad, {made.back()}, pad);
      }
    }
    if (chance(0.1)) b.output(made.back());
  }
  Graph graph = *b.context().new_graph(4 * n + 8);
  std::shuffle(made.begin(), made.end(), random);
  for (const Tensor& t : made)
    if (chance(0.5)) (void)graph.expand(t).ok();
  for (const Tensor& t : made) (void)graph.expand(t).ok();
  return graph;
}

}  // namespace arenascope::test
