// SPDX-License-Identifier: MIT
#include <arenascope/graph/lifetime.h>

#include <limits>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/graph/order.h>

#include "slow_lifetime.h"

namespace arenascope {
namespace {

std::vector<NodeId> as_built(const Graph& graph) { return *depth_first_order(graph, {}); }

struct Built {
  GraphBuilder b{*Context::create({1 << 16, nullptr, true})};
  Graph graph;
  void collect(const Tensor& output) {
    REQUIRE(b.ok());
    if (!graph.defined()) graph = *b.context().new_graph(64);
    REQUIRE(graph.expand(output).ok());
  }
};

}  // namespace

TEST_CASE("lifetimes of random graphs agree with a slow simulation, in every order") {
  std::mt19937 random(14);
  int joined = 0, in_place = 0;
  for (int round = 0; round < 300; ++round) {
    const Graph graph = test::random_sharing_graph(random, 4 + round % 30, round % 2 == 1);
    for (const OrderInfo& info : all_orders()) {
      OrderOptions order_options;
      order_options.budget_seconds = 0.001;
      const auto order = info.make(graph, order_options);
      REQUIRE(order);
      LifetimeOptions options;
      options.keep_outputs = round % 5 != 0;
      options.in_place = round % 3 != 0;
      options.join = round % 4 != 0;
      options.alignment = round % 7 == 0 ? 1 : 64;
      test::check_lifetimes(graph, *order, options);
      for (const Lifetime& life : find_lifetimes(graph, *order, options)) {
        joined += life.part_of.valid();
        in_place += life.in_place_of.valid();
      }
    }
  }
  CHECK(joined > 100);
  CHECK(in_place > 100);
}

TEST_CASE("lifetimes computed incrementally equal those of the whole order") {
  std::mt19937 random(15);
  for (int round = 0; round < 200; ++round) {
    const Graph graph = test::random_sharing_graph(random, 2 + round % 40, round % 2 == 0);
    const bool keep = round % 3 != 0;
    LifetimeOptions options;
    options.keep_outputs = keep;
    const auto lives = find_lifetimes(graph, as_built(graph), options);
    struct Seen {
      size_t node;
      Placement placement;
      size_t end;
    };
    std::vector<Seen> seen;
    LifetimeStream stream(graph, keep);
    for (size_t i = 0; i < graph.nodes().size(); ++i)
      stream.step(
          i,
          [&](const TensorImpl& node, Placement placement) {
            CHECK(&node == graph.nodes()[i]);
            seen.push_back({i, placement, graph.nodes().size()});
            return static_cast<int32_t>(seen.size() - 1);
          },
          [&](int32_t number) { seen[static_cast<size_t>(number)].end = i + 1; });
    size_t at = 0;
    for (size_t i = 0; i < lives.size(); ++i) {
      if (lives[i].owner != NodeId(i) || lives[i].bytes == 0) continue;
      REQUIRE(at < seen.size());
      CHECK(seen[at].node == i);
      CHECK(seen[at].placement == lives[i].placement);
      CHECK(seen[at].end == lives[i].last.index());
      ++at;
    }
    CHECK(at == seen.size());
  }
}

TEST_CASE("inputs have no owner and no end of life") {
  Built g;
  const Tensor x = g.b.input("x", {4, 4});
  const Tensor view = g.b.slice(x, 0, 1, 3);
  const Tensor out = g.b.op(Op::Relu, {view});
  g.collect(out);
  const auto lives = find_lifetimes(g.graph, as_built(g.graph));
  REQUIRE(lives.size() == 2);
  CHECK_FALSE(lives[0].owner.valid());
  CHECK(lives[0].placement == Placement::Given);
  CHECK(lives[0].bytes == 64);
  CHECK(lives[0].first == Step(0));
  CHECK(lives[0].last == Step(2));
  CHECK(lives[1].owner == NodeId(1));
}

TEST_CASE("host and packed tensors take no arena bytes") {
  Built g;
  const Tensor x = g.b.input("x", {16});
  const Tensor host = g.b.op(Op::Relu, {x}), packed = g.b.op(Op::Neg, {x});
  host->placement = Placement::Host;
  packed->placement = Placement::Packed;
  g.collect(g.b.op(Op::Add, {host, packed}));
  const auto order = as_built(g.graph);
  LifetimeOptions options;
  options.in_place = true;
  const auto lives = find_lifetimes(g.graph, order, options);
  CHECK(lives[0].placement == Placement::Host);
  CHECK(lives[1].placement == Placement::Packed);
  CHECK(lives[0].last == Step(3));  // they live all the same
  CHECK_FALSE(lives[2].in_place_of.valid());
  CHECK(peak_live_bytes(lives, order.size()) == 64);
}

TEST_CASE("a commutative op runs in place on its second source if the first one is still live") {
  const auto taken = [](Op op, bool both_end) {
    Built g;
    const Tensor x = g.b.input("x", {16});
    const Tensor first = g.b.op(Op::Relu, {x}), second = g.b.op(Op::Neg, {x});
    const Tensor result = g.b.op(op, {first, second});
    const Tensor consumer = both_end ? result : g.b.op(Op::Sub, {result, first});
    g.collect(consumer);
    const auto lives = find_lifetimes(g.graph, as_built(g.graph), {.in_place = true});
    const NodeId from = lives[g.graph.find_node(*result).index()].in_place_of;
    return from == g.graph.find_node(*first) ? 1 : from == g.graph.find_node(*second) ? 2 : 0;
  };
  for (const Op op : {Op::Add, Op::Mul, Op::Min, Op::Max}) {
    CHECK(taken(op, false) == 2);
    CHECK(taken(op, true) == 1);
  }
  for (const Op op : {Op::Sub, Op::Div, Op::Pow}) {
    CHECK(taken(op, false) == 0);
    CHECK(taken(op, true) == 1);
  }
  // One that is broadcast has fewer bytes than the result.
  Built g;
  const Tensor x = g.b.input("x", {16, 4}), row = g.b.input("row", {4});
  const Tensor whole = g.b.op(Op::Relu, {x}), narrow = g.b.op(Op::Neg, {row});
  const Tensor sum = g.b.op(Op::Add, {whole, narrow});
  g.collect(g.b.op(Op::Sub, {sum, whole}));
  CHECK_FALSE(find_lifetimes(g.graph, as_built(g.graph), {.in_place = true})[g.graph.find_node(*sum).index()]
                  .in_place_of.valid());
}

TEST_CASE("byte counts saturate") {
  Built g;
  Tensor last = g.b.input("x", {int64_t{1} << 60, 4}, DType::U8);
  for (int i = 0; i < 3; ++i) {
    last = g.b.op(Op::Neg, {last});
    g.b.output(last);
  }
  g.collect(last);
  const auto order = as_built(g.graph);
  CHECK(peak_live_bytes(find_lifetimes(g.graph, order), order.size()) == std::numeric_limits<Bytes>::max());
}

}  // namespace arenascope
