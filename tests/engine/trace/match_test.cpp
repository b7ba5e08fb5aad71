// SPDX-License-Identifier: MIT
#include <arenascope/trace/match.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

using namespace arenascope;
using namespace arenascope::trace;

namespace {

// A chain with a side branch every third node.
GraphInfo chain(int nodes, const char* prefix) {
  GraphInfo g;
  TensorInfo leaf;
  leaf.name = "input";
  g.leafs.push_back(leaf);
  for (int i = 0; i < nodes; ++i) {
    TensorInfo t;
    t.name = *prefix ? prefix + std::to_string(i) : "";
    t.op = i % 3 == 0 ? "MUL_MAT" : i % 3 == 1 ? "ADD" : "RELU";
    t.shape = {1, 8 + i % 2};
    t.sources = {i == 0 ? TensorRef::leaf(LeafId(0)) : TensorRef::node(NodeId(i - 1))};
    if (i > 3 && i % 3 == 1) t.sources.push_back(TensorRef::node(NodeId(i - 3)));
    g.nodes.push_back(t);
  }
  return g;
}

std::vector<NodeId> in_order(size_t n) {
  std::vector<NodeId> order;
  for (size_t i = 0; i < n; ++i) order.emplace_back(i);
  return order;
}

void check_one_to_one(const GraphMatch& m) {
  for (size_t i = 0; i < m.nodes_to_other.size(); ++i) {
    const TensorRef other = m.nodes_to_other[i];
    if (other.valid()) CHECK(m.from_other(other) == TensorRef::node(NodeId(i)));
  }
}

}  // namespace

TEST_CASE("a graph matches itself for any node names") {
  const GraphInfo a = chain(60, "a"), b = chain(60, "b"), bare = chain(60, "");
  for (const GraphInfo* other : {&a, &b, &bare}) {
    const GraphMatch m = match_graphs(a, *other);
    CHECK(m.matched_nodes() == 60);
    check_one_to_one(m);
    for (size_t i = 0; i < 60; ++i) CHECK(m.nodes_to_other[i] == TensorRef::node(NodeId(i)));
    CHECK(m.leafs_to_other[0] == TensorRef::leaf(LeafId(0)));
  }
}

TEST_CASE("an extra node on one side leaves the others matched") {
  const GraphInfo a = chain(40, "n");
  GraphInfo b = a;
  TensorInfo extra;
  extra.name = "extra";
  extra.op = "SOFT_MAX";
  extra.sources = {TensorRef::node(NodeId(39))};
  b.nodes.push_back(extra);
  b.nodes[7].name = "renamed";
  const GraphMatch m = match_graphs(a, b);
  CHECK(m.matched_nodes() == 40);
  CHECK(m.nodes_to_other[7] == TensorRef::node(NodeId(7)));
  CHECK_FALSE(m.nodes_from_other[40].valid());
  check_one_to_one(m);
}

TEST_CASE("matching is one to one and by kind") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    GraphInfo a = chain(30, "x"), b = chain(25, round % 2 ? "x" : "y");
    for (GraphInfo* g : {&a, &b})
      for (int k = 0; k < 6; ++k) {
        TensorInfo& t = g->nodes[random() % g->nodes.size()];
        t.name = random() % 2 ? "" : "x" + std::to_string(random() % 30);
        if (random() % 3 == 0) t.sources = {TensorRef{static_cast<uint32_t>(random())}};
      }
    check_one_to_one(match_graphs(a, b));
  }
}

TEST_CASE("steps are matched in increasing pairs of maximal number") {
  const GraphInfo a = chain(20, "n");
  const GraphMatch m = match_graphs(a, a);
  auto order = in_order(20);
  auto pairs = match_steps(m, order, order);
  REQUIRE(pairs.size() == 20);
  CHECK(pairs[13] == std::pair<int32_t, int32_t>(13, 13));
  auto other = order;
  std::rotate(other.begin(), other.begin() + 5, other.end());  // the first five run last
  pairs = match_steps(m, order, other);
  CHECK(pairs.size() == 15);
  CHECK(std::is_sorted(pairs.begin(), pairs.end()));
  for (size_t i = 1; i < pairs.size(); ++i) CHECK(pairs[i].second > pairs[i - 1].second);
  CHECK(match_steps(m, {}, other).empty());
}
