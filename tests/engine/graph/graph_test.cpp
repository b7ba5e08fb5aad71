// SPDX-License-Identifier: MIT
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include <doctest/doctest.h>

#include <arenascope/graph/builder.h>
#include <arenascope/graph/graph.h>

namespace arenascope {
namespace {

Context descriptors(size_t bytes = 1 << 20) { return *Context::create({bytes, nullptr, true}); }

Tensor add(Context& c, const Tensor& a, const Tensor& b) { return *c.apply(Op::Add, std::vector{a, b}); }

// The observable state of a graph.
struct Seen {
  std::vector<TensorImpl*> nodes, leafs, grads;
  std::vector<int32_t> uses;
  bool operator==(const Seen&) const = default;
};
Seen see(const Graph& g, std::span<const Tensor> tensors) {
  Seen s{{g.nodes().begin(), g.nodes().end()}, {g.leafs().begin(), g.leafs().end()}, {}, {}};
  for (const Tensor& t : tensors) {
    s.uses.push_back(g.use_count(*t));
    s.uses.push_back(g.find_node(*t).value);
    s.uses.push_back(g.find_leaf(*t).value);
    s.grads.push_back(g.grad(*t));
    s.grads.push_back(g.grad_accumulator(*t));
  }
  return s;
}

}  // namespace

TEST_CASE("a graph holds each node and leaf once, sources before users, with use counts") {
  Context c = descriptors();
  const Tensor x = *c.new_tensor(DType::F32, {4}, "x"), w = *c.new_tensor(DType::F32, {4}, "w");
  w.set_flag(kFlagParameter);
  const Tensor z = add(c, x, x);
  const Tensor y = add(c, z, w), out = add(c, y, z);
  Graph g = *c.new_graph(8);
  REQUIRE(g.expand(out).ok());
  CHECK(g.nodes().size() == 4);  // the parameter too
  CHECK(g.leafs().size() == 1);
  CHECK(g.use_count(*x) == 2);  // z = x + x
  CHECK(g.use_count(*z) == 2);
  CHECK(g.use_count(*w) == 1);
  CHECK(g.use_count(*out) == 0);
  CHECK(g.find_leaf(*x) == LeafId(0));
  CHECK_FALSE(g.find_node(*x).valid());
  CHECK(g.find_node(*out) == NodeId(3));
  CHECK(&g.node(NodeId(3)) == out.impl());
  const Tensor other = add(c, x, w);
  CHECK_FALSE(g.find_node(*other).valid());
  CHECK(g.use_count(*other) == 0);

  REQUIRE(g.expand(out).ok());  // nothing new
  CHECK(g.nodes().size() == 4);
  CHECK(g.use_count(*x) == 2);
  REQUIRE(g.expand(other).ok());
  CHECK(g.use_count(*x) == 3);
  CHECK(g.use_count(*w) == 2);
  CHECK_FALSE(g.expand(Tensor()).ok());
}

TEST_CASE("a chain of 100,000 nodes is collected without recursion") {
  const size_t n = 100000;
  Context c = descriptors(n * Context::tensor_overhead(1) + Context::graph_overhead(n) + 4096);
  Tensor t = *c.new_tensor(DType::F32, {1});
  const Tensor first = t;
  for (size_t i = 0; i < n; ++i) t = *c.apply(Op::Neg, {&t, 1});
  Graph g = *c.new_graph(n);
  REQUIRE(g.expand(t).ok());
  CHECK(g.nodes().size() == n);
  CHECK(g.leafs().size() == 1);
  CHECK(g.find_node(*t) == NodeId(n - 1));
  CHECK(g.use_count(*first) == 1);
}

TEST_CASE("expanding a graph beyond its capacity is an error and changes nothing") {
  Context c = descriptors();
  const Tensor x = *c.new_tensor(DType::F32, {4}, "x");
  const Tensor a = add(c, x, x), b = add(c, a, x), d = add(c, b, a);
  Tensor deep = d;
  deep.set_name("deep");
  std::vector<Tensor> all{x, a, b, d};
  for (int i = 0; i < 20; ++i) all.push_back(deep = add(c, deep, *c.new_tensor(DType::F32, {4})));
  deep.set_name("the deep one");
  Graph g = *c.new_graph(4, true);
  REQUIRE(g.expand(b).ok());
  g.set_grad(*a, d.impl());
  g.set_grad_accumulator(*b, x.impl());
  const Seen before = see(g, all);
  const Status status = g.expand(deep);
  REQUIRE_FALSE(status.ok());
  CHECK(status.error().message ==
        "a graph with a capacity of 4 nodes and as many leafs is too small for 'the deep one'");
  CHECK(see(g, all) == before);
  REQUIRE(g.expand(d).ok());
  CHECK(g.nodes().size() == 3);
  CHECK(g.grad(*a) == d.impl());
  CHECK(g.grad(*d) == nullptr);
}

TEST_CASE("a graph in a growing pool holds any number of nodes and gradients, seen by every handle") {
  Context grows = *Context::create({.no_alloc = true, .grow = true}), wide = descriptors(1 << 24);
  std::mt19937 random(3);
  Graph g = *grows.new_graph(1, true);
  const Graph handle = g;
  Graph large = *wide.new_graph(6000, true);
  std::vector<Tensor> all{*wide.new_tensor(DType::F32, {4}, "x")};
  for (int i = 0; i < 3000; ++i) {
    const auto any = [&] { return all[random() % all.size()]; };
    all.push_back(random() % 4 == 0 ? *wide.new_tensor(DType::F32, {4}) : add(wide, any(), any()));
    if (random() % 3 != 0) continue;
    REQUIRE(g.expand(all.back()).ok());
    REQUIRE(large.expand(all.back()).ok());
    const Tensor tensor = any(), other = any();
    for (Graph* graph : {&g, &large}) {
      graph->set_grad(*tensor, other.impl());
      graph->set_grad_accumulator(*other, tensor.impl());
    }
  }
  CHECK(g.capacity() < 6000);
  CHECK(see(g, all) == see(large, all));
  CHECK(see(handle, all) == see(large, all));
}

TEST_CASE("too many leafs and too many nodes are separate errors") {
  Context c = descriptors();
  Tensor t = *c.new_tensor(DType::F32, {1});
  for (int i = 0; i < 4; ++i) t = add(c, t, *c.new_tensor(DType::F32, {1}));  // 4 nodes, 5 leafs
  CHECK_FALSE(c.new_graph(4)->expand(t).ok());
  CHECK(c.new_graph(5)->expand(t).ok());
  Tensor chain = *c.new_tensor(DType::F32, {1});
  for (int i = 0; i < 4; ++i) chain = add(c, chain, chain);  // 4 nodes, 1 leaf
  CHECK(c.new_graph(4)->expand(chain).ok());
  CHECK_FALSE(c.new_graph(3)->expand(chain).ok());
  CHECK_FALSE(c.new_graph(0)->expand(chain).ok());
}

TEST_CASE("random graphs: a failed expansion changes nothing, nodes follow their sources") {
  std::mt19937 random(3);
  for (int round = 0; round < 200; ++round) {
    Context c = descriptors(1 << 18);
    std::vector<Tensor> all;
    for (int i = 0; i < 4; ++i) all.push_back(*c.new_tensor(DType::F32, {2}));
    for (int i = 0; i < 40; ++i) all.push_back(add(c, all[random() % all.size()], all[random() % all.size()]));
    Graph g = *c.new_graph(5 + random() % 30, true);
    for (int i = 0; i < 12; ++i) {
      const Seen before = see(g, all);
      if (!g.expand(all[random() % all.size()]).ok()) {
        REQUIRE(see(g, all) == before);
        continue;
      }
      const auto nodes = g.nodes();
      if (!nodes.empty()) g.set_grad(*nodes[random() % nodes.size()], all[0].impl());
      std::set<const TensorImpl*> seen(g.leafs().begin(), g.leafs().end());
      std::vector<int32_t> uses(all.size(), 0);
      for (const TensorImpl* node : nodes) {
        for (const TensorImpl* source : node->sources) {
          REQUIRE(seen.count(source) == 1);
          for (size_t k = 0; k < all.size(); ++k) uses[k] += all[k].impl() == source;
        }
        REQUIRE(seen.insert(node).second);
      }
      for (size_t k = 0; k < all.size(); ++k) REQUIRE(g.use_count(*all[k]) == uses[k]);
    }
  }
}

TEST_CASE("only training graphs have gradients") {
  Context c = descriptors();
  const Tensor x = *c.new_tensor(DType::F32, {2}), y = add(c, x, x);
  Graph plain = *c.new_graph(4), training = *c.new_graph(4, true);
  REQUIRE(plain.expand(y).ok());
  REQUIRE(training.expand(y).ok());
  CHECK_FALSE(plain.has_grads());
  plain.set_grad(*y, x.impl());
  CHECK(plain.grad(*y) == nullptr);
  CHECK(training.has_grads());
  CHECK(training.grad(*y) == nullptr);
  training.set_grad(*x, y.impl());
  CHECK(training.grad(*x) == y.impl());
  CHECK(training.grad_accumulator(*x) == nullptr);
  const Tensor stranger = add(c, y, y);
  training.set_grad(*stranger, y.impl());
  CHECK(training.grad(*stranger) == nullptr);
}

TEST_CASE("views are no-op nodes") {
  GraphBuilder b(descriptors());
  const Tensor x = b.input("x", {4, 4});
  const Tensor t = b.transpose(x);
  const Tensor y = b.op(Op::Relu, {t});
  Graph g = *b.context().new_graph(4);
  REQUIRE(g.expand(y).ok());
  CHECK(g.nodes().size() == 2);
  CHECK_FALSE(has_work(*t));
  CHECK(has_work(*y));
  CHECK_FALSE(has_work(*x));
  CHECK(flops(*y) == 16);
  CHECK(flops(*t) == 0);
  CHECK(bytes_moved(*y) == 128);
  CHECK(bytes_moved(*t) == 0);
  const Tensor none = b.op(Op::Relu, {b.input("none", {0, 3})});
  CHECK_FALSE(has_work(*none));
}

}  // namespace arenascope
