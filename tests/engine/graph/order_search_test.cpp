// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <random>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/graph/order_peak.h>
#include <arenascope/graph/order_search.h>

#include "random_graph.h"
#include "slow_lifetime.h"

namespace arenascope {
namespace {

// The least peak of all orders, by trying each.
class EveryOrder {
 public:
  explicit EveryOrder(const Graph& graph) : graph_(graph), done_(graph.nodes().size(), 0) { extend(); }
  Bytes best() const { return best_; }

 private:
  void extend() {
    if (order_.size() == done_.size()) {
      best_ = std::min(best_, order_peak(graph_, order_));
      return;
    }
    for (size_t i = 0; i < done_.size(); ++i) {
      if (done_[i]) continue;
      bool ready = true;
      for (const TensorImpl* source : graph_.nodes()[i]->sources) {
        const NodeId from = graph_.find_node(*source);
        ready = ready && (!from.valid() || done_[from.index()]);
      }
      if (!ready) continue;
      done_[i] = 1;
      order_.push_back(NodeId(i));
      extend();
      order_.pop_back();
      done_[i] = 0;
    }
  }
  const Graph& graph_;
  std::vector<uint8_t> done_;
  std::vector<NodeId> order_;
  Bytes best_ = std::numeric_limits<Bytes>::max();
};

OrderOptions seconds(double budget) {
  OrderOptions options;
  options.budget_seconds = budget;
  return options;
}

Bytes best_of_others(const Graph& g) {
  Bytes best = std::numeric_limits<Bytes>::max();
  for (const OrderInfo& order : all_orders())
    if (order.make != searched_order) best = std::min(best, order_peak(g, *order.make(g, {})));
  return best;
}

}  // namespace

TEST_CASE("on small graphs the search finds and proves the optimum of exhaustive enumeration") {
  std::mt19937 random(5);
  for (int round = 0; round < 1500; ++round) {
    test::RandomGraph shape;
    shape.ops = 1 + static_cast<int>(random() % 8);
    shape.reach = 1 + static_cast<int>(random() % 8);
    shape.view_share = (round % 3) * 0.15;
    shape.leaf_share = (round % 4) * 0.15;
    const Graph g = test::random_graph(random, shape);
    if (g.nodes().size() > 10) continue;
    const auto found = search_order(g, seconds(10));
    REQUIRE(found);
    REQUIRE(check_order(g, found->order).ok());
    REQUIRE(found->optimal);
    REQUIRE(found->peak == found->lower_bound);
    REQUIRE(found->peak == order_peak(g, found->order));
    REQUIRE(found->peak == EveryOrder(g).best());
  }
}

TEST_CASE("host and packed tensors count neither in an order's score nor in its bound") {
  std::mt19937 random(7);
  int aside = 0;
  for (int round = 0; round < 300; ++round) {
    test::RandomGraph shape;
    shape.ops = 1 + static_cast<int>(random() % 8);
    const Graph g = test::random_graph(random, shape);
    if (g.nodes().size() > 10) continue;
    for (TensorImpl* node : g.nodes())
      if (!node->is_view() && random() % 3 == 0)
        node->placement = random() % 2 ? Placement::Host : Placement::Packed, ++aside;
    const auto found = search_order(g, seconds(10));
    REQUIRE(found);
    REQUIRE(found->optimal);
    REQUIRE(found->lower_bound == found->peak);
    REQUIRE(found->peak == EveryOrder(g).best());
    REQUIRE(found->peak == test::SlowLifetimes(g, found->order, true).peak_live_bytes());
    for (const OrderInfo& order : all_orders()) {
      const auto made = order.make(g, {});
      REQUIRE(made);
      REQUIRE(order_peak(g, *made) == test::SlowLifetimes(g, *made, true).peak_live_bytes());
    }
  }
  CHECK(aside > 100);
}

TEST_CASE("never worse than any other order for any budget; the bound holds; deterministic") {
  std::mt19937 random(6);
  for (int round = 0; round < 60; ++round) {
    test::RandomGraph shape;
    shape.ops = 10 + static_cast<int>(random() % 150);
    shape.reach = 2 + static_cast<int>(random() % 30);
    const Graph g = test::random_graph(random, shape);
    for (double budget : {0.0, 0.002, 0.05}) {
      const auto found = search_order(g, seconds(budget));
      REQUIRE(found);
      REQUIRE(check_order(g, found->order).ok());
      CHECK(found->peak == order_peak(g, found->order));
      CHECK(found->peak <= best_of_others(g));
      CHECK(found->lower_bound <= found->peak);
      CHECK(found->optimal == (found->lower_bound == found->peak));
    }
  }
}

TEST_CASE("decomposable graphs of any length are proved optimal") {
  // A chain of diamonds with unequal arms: each is solved by itself.
  GraphBuilder b(*Context::create({1 << 22, nullptr, true}));
  std::mt19937 random(2);
  const auto sized = [&](const Tensor& x) {
    PadParams pad{};
    pad.end[0] = static_cast<int32_t>(1 + random() % 1000) - static_cast<int32_t>(x.sizes()[0]);
    return b.op_with(Op::Pad, {x}, pad);
  };
  Tensor t = sized(b.input("x", {8}, DType::U8));
  for (int diamond = 0; diamond < 300; ++diamond) {
    std::vector<Tensor> arms;
    for (int i = 0; i < 4; ++i) arms.push_back(sized(sized(t)));
    t = sized(b.concat(arms, 0));
  }
  REQUIRE(b.ok());
  Graph g = *b.context().new_graph(4000);
  REQUIRE(g.expand(t).ok());
  const auto found = search_order(g, seconds(5));
  REQUIRE(found);
  CHECK(check_order(g, found->order).ok());
  CHECK(found->optimal);
}

TEST_CASE("a stopped search returns a good order at once") {
  std::mt19937 random(9);
  test::RandomGraph shape;
  shape.ops = 800;
  shape.reach = 60;
  const Graph g = test::random_graph(random, shape);
  OrderOptions options = seconds(60);
  std::stop_source stop;
  options.stop = stop.get_token();
  stop.request_stop();
  const auto start = std::chrono::steady_clock::now();
  const auto found = search_order(g, options);
  CHECK(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < 2);
  REQUIRE(found);
  CHECK(found->peak <= best_of_others(g));
}

}  // namespace arenascope
