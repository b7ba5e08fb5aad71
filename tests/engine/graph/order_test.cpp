// SPDX-License-Identifier: MIT
#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/graph/order.h>
#include <arenascope/graph/order_ge.h>
#include <arenascope/graph/order_peak.h>
#include "engine/graph/order_problem.h"

#include "random_graph.h"

namespace arenascope {
namespace {

std::vector<NodeId> ids(std::initializer_list<int> values) {
  std::vector<NodeId> out;
  for (int v : values) out.push_back(NodeId(v));
  return out;
}

GraphBuilder builder() { return GraphBuilder(*Context::create({1 << 16, nullptr, true})); }

// A u8 vector of another length made from one.
Tensor resized(GraphBuilder& b, const Tensor& x, int64_t bytes, std::string_view name) {
  PadParams pad{};
  pad.end[0] = static_cast<int32_t>(bytes - x.sizes()[0]);
  return b.op_with(Op::Pad, {x}, pad, name);
}

}  // namespace

TEST_CASE("an invalid order is an error") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {4});
  Graph g = *b.context().new_graph(8);
  REQUIRE(g.expand(b.add(b.op(Op::Neg, {x}), b.op(Op::Abs, {x}))).ok());
  CHECK(check_order(g, ids({0, 1, 2})).ok());
  CHECK(check_order(g, ids({1, 0, 2})).ok());
  CHECK(check_order(g, ids({0, 2, 1})).error().message == "an order runs node 2 before its input 1");
  CHECK_FALSE(check_order(g, ids({0, 1})).ok());
  CHECK_FALSE(check_order(g, ids({0, 1, 1})).ok());
  CHECK_FALSE(check_order(g, ids({0, 1, 3})).ok());
  CHECK_FALSE(check_order(g, ids({0, 1, -1})).ok());
}

TEST_CASE("the peak is the largest number of live bytes of any step") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {1}, DType::U8);
  const Tensor big = resized(b, x, 100, "big");
  const Tensor cut = b.slice(big, 0, 0, 10, 1, "cut");  // shares big's bytes
  const Tensor small = resized(b, x, 7, "small");
  const Tensor both = b.concat(std::vector{cut, small}, 0, "both");  // 17
  Graph g = *b.context().new_graph(8);
  REQUIRE(g.expand(both).ok());
  REQUIRE(g.nodes().size() == 4);
  CHECK(order_peak(g, ids({0, 1, 2, 3})) == 124);
  SUBCASE("an output lives to the end") {
    b.output(cut);
    const Tensor more = resized(b, both, 50, "more");
    REQUIRE(g.expand(more).ok());
    CHECK(order_peak(g, ids({0, 1, 2, 3, 4})) == 167);
  }
  SUBCASE("a result without consumers is live in its own step only") {
    const Tensor unread = resized(b, x, 120, "unread");
    REQUIRE(g.expand(unread).ok());
    CHECK(order_peak(g, ids({4, 0, 1, 2, 3})) == 124);
    CHECK(order_peak(g, ids({0, 4, 1, 2, 3})) == 220);
  }
}

TEST_CASE("results beyond 2^63-1 bytes in total are an error for orders that compare bytes, never an overflow") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {int64_t{1} << 60, 4}, DType::U8);
  const Tensor sum = b.add(b.op(Op::Neg, {x}), b.op(Op::Abs, {x}));
  Graph g = *b.context().new_graph(8);
  REQUIRE(g.expand(sum).ok());
  CHECK(order_peak(g, ids({0, 1, 2})) == std::numeric_limits<Bytes>::max());
  for (const OrderInfo& order : all_orders()) {
    const auto made = order.make(g, {});
    if (made)
      CHECK(check_order(g, *made).ok());
    else
      CHECK(made.error().message == "the results in this graph have more than 2^63-1 bytes in total");
  }
}

TEST_CASE("breadth-first goes level by level, reverse depth-first takes the last source first") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {4});
  const Tensor a = b.op(Op::Neg, {b.op(Op::Neg, {x})}), c = b.op(Op::Abs, {x});
  Graph g = *b.context().new_graph(8);
  REQUIRE(g.expand(b.add(a, c)).ok());  // 0 → 1 → 3 ← 2
  CHECK(*depth_first_order(g, {}) == ids({0, 1, 2, 3}));
  CHECK(*breadth_first_order(g, {}) == ids({0, 2, 1, 3}));
  CHECK(*reverse_depth_first_order(g, {}) == ids({2, 0, 1, 3}));
}

TEST_CASE("least-peak-first defers nodes that raise the peak") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {1}, DType::U8);
  const Tensor large = resized(b, x, 100, "large"), little = resized(b, large, 1, "little");
  const Tensor other = resized(b, x, 60, "other"), tiny = resized(b, other, 2, "tiny");
  Graph g = *b.context().new_graph(8);
  REQUIRE(g.expand(b.concat(std::vector{little, tiny}, 0)).ok());
  // The smaller branch first (60), then its end (it frees), then the larger one.
  CHECK(*least_peak_first_order(g, {}) == ids({2, 3, 0, 1, 4}));
  CHECK(order_peak(g, ids({2, 3, 0, 1, 4})) == 103);
}

TEST_CASE("least-peak-first, then as late as possible: tensors are not live at peaks before their use") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {1}, DType::U8);
  const Tensor kept = resized(b, x, 40, "kept"), mask = resized(b, kept, 30, "mask");
  const Tensor wide = resized(b, kept, 200, "wide"), narrow = resized(b, wide, 10, "narrow");
  const Tensor both = b.concat(std::vector{narrow, mask}, 0);
  Graph g = *b.context().new_graph(16);
  REQUIRE(g.expand(b.concat(std::vector{both, kept}, 0)).ok());
  const auto early = *least_peak_first_order(g, {}), late = *least_peak_late_order(g, {});
  REQUIRE(check_order(g, late).ok());
  CHECK(order_peak(g, early) == 280);  // kept, mask, wide and narrow
  CHECK(order_peak(g, late) == 250);
  CHECK(late[2] == g.find_node(*narrow));
}

TEST_CASE("GE moves down readers of inputs and of long-lived tensors") {
  GraphBuilder b = builder();
  const Tensor x = b.input("x", {1}, DType::U8);
  const auto tall = [&](Tensor t) {  // 200 bytes twice, then 10
    for (const int64_t bytes : {200, 200, 10}) t = resized(b, t, bytes, "t");
    return t;
  };
  const auto moved = [](const Graph& g, GeRule rule, std::initializer_list<int> order) {
    CHECK(*ge_order(g, {}) == ids(order));
    GeOptions options;
    options.peaks = true;
    auto ge = optimise_like_ge(g, options);
    REQUIRE(ge.ok());
    CHECK(ge->taken);
    CHECK(ge->peak == order_peak(g, ge->order));
    CHECK(ge->base_peak == order_peak(g, ge->base));
    CHECK(ge->base_peak - ge->peak == 50);
    REQUIRE(ge->moves.size() == 1);
    const GeMove& move = ge->moves[0];
    CHECK(move.rule == rule);
    CHECK(g.node(move.node).byte_count() == 50);
    CHECK(ge->base[move.from.index()] == move.node);
    CHECK(ge->order[move.to.index()] == move.node);
    CHECK(ge->order[move.to.index() + 1] == move.reader);
    CHECK(move.peak_before == ge->base_peak);
    CHECK(move.peak_after == ge->peak);
    // Without its rule nothing moves.
    (rule == GeRule::Type ? options.by_type : options.by_lifetime) = false;
    CHECK(optimise_like_ge(g, options)->moves.empty());
  };
  SUBCASE("by type") {
    const Tensor early = resized(b, x, 50, "early");
    Graph g = *b.context().new_graph(8);
    REQUIRE(g.expand(b.concat(std::vector{early, tall(x)}, 0)).ok());
    moved(g, GeRule::Type, {1, 2, 3, 0, 4});
  }
  SUBCASE("by lifetime: its input is read again after its own result") {
    const Tensor a = resized(b, x, 20, "a");
    const Tensor f = resized(b, a, 50, "f");  // read late, while `a` lives on
    const Tensor u = b.concat(std::vector{f, tall(a)}, 0);
    Graph g = *b.context().new_graph(16);
    REQUIRE(g.expand(b.concat(std::vector{u, a}, 0)).ok());
    moved(g, GeRule::Lifetime, {0, 2, 3, 4, 1, 5, 6});
  }
  SUBCASE("but nothing where the peak does not fall") {
    const Tensor early = resized(b, x, 50, "early");
    Tensor t = resized(b, x, 10, "t");
    for (int i = 0; i < 3; ++i) t = resized(b, t, 10, "t");
    Graph g = *b.context().new_graph(8);
    REQUIRE(g.expand(b.concat(std::vector{early, t}, 0)).ok());
    CHECK(*ge_order(g, {}) == ids({0, 1, 2, 3, 4, 5}));
    const auto ge = optimise_like_ge(g, {});
    CHECK(!ge->taken);
    CHECK(ge->moves.size() == 1);
    CHECK(!optimise_like_ge(g, {.base = "ge"}).ok());
    CHECK(!optimise_like_ge(g, {.base = "sideways"}).ok());
  }
  SUBCASE("but not what would keep its input alive") {
    const Tensor a = resized(b, x, 90, "a");
    const Tensor f = resized(b, a, 5, "f");
    Tensor t = resized(b, x, 10, "t");
    for (int i = 0; i < 2; ++i) t = resized(b, t, 10, "t");
    Graph g = *b.context().new_graph(8);
    REQUIRE(g.expand(b.concat(std::vector{f, t}, 0)).ok());
    CHECK(*ge_order(g, {}) == ids({0, 1, 2, 3, 4, 5}));
  }
}

TEST_CASE("all orders of random graphs are valid and deterministic, and two peak computations agree") {
  std::mt19937 random(11);
  for (int round = 0; round < 400; ++round) {
    test::RandomGraph shape;
    shape.ops = 1 + static_cast<int>(random() % 60);
    shape.reach = 1 + static_cast<int>(random() % 20);
    const Graph g = test::random_graph(random, shape);
    const bool keep = random() % 2 == 0;  // the outputs
    const auto problem = make_order_problem(g, false, keep);
    const auto lazy = make_order_problem(g, true, keep);
    REQUIRE(problem);
    REQUIRE(lazy);
    for (const OrderInfo& order : all_orders()) {
      CAPTURE(order.name);
      OrderOptions options;
      options.budget_seconds = 0.3;
      options.keep_outputs = keep;
      options.by_clock = false;
      const auto made = order.make(g, options);
      REQUIRE(made);
      const Status status = check_order(g, *made);
      REQUIRE_MESSAGE(status.ok(), (status.ok() ? "" : status.error().message));
      const Bytes peak = order_peak(g, *made, keep);
      // Views right after their source: equal, unless an unused view kept the source alive.
      const std::vector<NodeId> prompt = problem->expand(problem->contract(*made));
      REQUIRE(check_order(g, prompt).ok());
      CHECK(order_peak(g, prompt, keep) == problem->peak(problem->contract(*made)));
      CHECK(order_peak(g, prompt, keep) <= peak);
      // Delaying inputs never costs anything.
      const std::vector<NodeId> delayed = lazy->expand(lazy->contract(*made));
      REQUIRE(check_order(g, delayed).ok());
      CHECK(order_peak(g, delayed, keep) <= peak);
      CHECK(order_peak(g, delayed, keep) == lazy->peak(lazy->contract(*made)));
      CHECK(*order.make(g, options) == *made);
    }
  }
}

TEST_CASE("GE moves never raise the peak of any starting order") {
  std::mt19937 random(12);
  int fell = 0;
  for (int round = 0; round < 150; ++round) {
    test::RandomGraph shape;
    shape.ops = 1 + static_cast<int>(random() % 60);
    shape.reach = 1 + static_cast<int>(random() % 20);
    const Graph g = test::random_graph(random, shape);
    for (const char* base : {"depth-first", "breadth-first", "reverse-depth-first"}) {
      GeOptions options;
      options.base = base;
      options.peaks = true;
      const auto ge = optimise_like_ge(g, options);
      REQUIRE(ge);
      CHECK(check_order(g, ge->order).ok());
      CHECK(ge->peak <= ge->base_peak);
      CHECK(ge->taken == (ge->peak < ge->base_peak));
      for (const GeMove& move : ge->moves) {
        CHECK(move.from < move.to);
        CHECK(move.peak_after <= move.peak_before);
      }
      fell += ge->taken ? 1 : 0;
    }
  }
  CHECK(fell > 20);
}

TEST_CASE("a node that writes into an input follows it in every order") {
  std::mt19937 random(4);
  for (int round = 0; round < 60; ++round) {
    GraphBuilder b(*Context::create({1 << 18, nullptr, true}));
    std::vector<Tensor> states, made, ends;
    for (int i = 0; i < 3; ++i) states.push_back(b.input("state" + std::to_string(i), {16}));
    made.push_back(b.op(Op::Neg, {b.input("x", {16})}));
    for (int i = 0; i < 20; ++i) {
      const Tensor any = made[random() % made.size()], state = states[random() % states.size()];
      if (random() % 4 != 0) {
        made.push_back(random() % 2 == 0 ? b.op(Op::Abs, {any}) : b.add(any, random() % 2 == 0 ? state : any));
        continue;
      }
      OpParams params;
      params.set(SetRowsParams{0, false});
      const Tensor written = b.op(Op::SetRows, {state, any}, params);
      made.push_back(random() % 2 == 0 ? written : b.op(Op::Neg, {b.slice(written, 0, 0, 16)}));
      ends.push_back(written);
    }
    ends.push_back(made.back());
    REQUIRE(b.ok());
    Graph g = *b.context().new_graph(256);
    for (const Tensor& end : ends) REQUIRE(g.expand(end).ok());
    for (const OrderInfo& order : all_orders()) {
      CAPTURE(order.name);
      OrderOptions options;
      options.budget_seconds = 0.05;
      const auto sequence = order.make(g, options);
      REQUIRE(sequence);
      const Status status = check_order(g, *sequence);
      CHECK_MESSAGE(status.ok(), (status.ok() ? "" : status.error().message));
    }
  }
}

TEST_CASE("orders are found by name; an empty graph has an order") {
  Graph empty = *Context::create({1 << 12, nullptr, true})->new_graph(4);
  for (const OrderInfo& order : all_orders()) {
    CHECK(find_order(order.name) == &order);
    CHECK(std::string(order.description).size() > 10);
    REQUIRE(order.make(empty, {}));
    CHECK(order.make(empty, {})->empty());
  }
  CHECK(find_order("sideways") == nullptr);
}

}  // namespace arenascope
