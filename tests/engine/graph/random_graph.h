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
  int reach = 6;  // inputs are taken from that many results before
  double view_share = 0.2;
  double leaf_share = 0.15;
  int largest = 100;  // bytes of a result
};

// OPAQUE takes any inputs and makes a result of any size.
inline Graph random_graph(std::mt19937& random, const RandomGraph& shape) {
  const auto chance = [&](double share) { return std::uniform_real_distribution<>(0, 1)(random) < share; };
  const auto below = [&](size_t n) { return static_cast<size_t>(random() % n); };
  const size_t n = static_cast<size_t>(shape.ops);
  GraphBuilder b(*Context::create(
      {(n + 8) * Context::tensor_overhead(4) + Context::graph_overhead(n + 8) + Context::graph_overhead(8), nullptr,
       true}));
  std::vector<Tensor> leafs{b.input("x", {64}, DType::U8), b.weight("w", {64}, DType::U8)};
  std::vector<Tensor> made;
  const auto pick = [&] {
    if (made.empty() || chance(shape.leaf_share)) return leafs[below(leafs.size())];
    const size_t first =
        made.size() > static_cast<size_t>(shape.reach) ? made.size() - static_cast<size_t>(shape.reach) : 0;
    return made[first + below(made.size() - first)];
  };
  for (size_t i = 0; i < n; ++i) {
    if (!made.empty() && chance(shape.view_share)) {
      const Tensor from = pick();
      made.push_back(b.slice(from, 0, 0, std::max<int64_t>(from.sizes()[0] / 2, 1)));
      continue;
    }
    std::vector<Tensor> sources;
    for (size_t count = 1 + below(3); count > 0; --count) sources.push_back(pick());
    OpParams params;
    params.set(FillParams{{static_cast<int64_t>(1 + below(static_cast<size_t>(shape.largest)))}, DType::U8, 0, 0});
    made.push_back(b.op(Op::Opaque, sources, params));
    if (chance(0.1)) b.output(made.back());
  }
  Graph graph = *b.context().new_graph(n + 8);
  std::shuffle(made.begin(), made.end(), random);
  for (const Tensor& t : made)
    if (chance(0.5)) (void)graph.expand(t).ok();
  for (const Tensor& t : made) (void)graph.expand(t).ok();
  return graph;
}

}  // namespace arenascope::test
