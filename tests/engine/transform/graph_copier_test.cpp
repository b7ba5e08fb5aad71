// SPDX-License-Identifier: MIT
// Properties of a training graph that transforms must keep.
#include <doctest/doctest.h>

#include <functional>

#include <arenascope/graph/autodiff.h>
#include <arenascope/graph/builder.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/transform/fusion.h>
#include <arenascope/transform/image_layout.h>
#include <arenascope/transform/kept_precision.h>
#include <arenascope/transform/partition.h>
#include <arenascope/transform/precision.h>
#include <arenascope/transform/rematerialisation.h>

using namespace arenascope;

namespace {

// x·w, relu, sum; with the gradient of the parameter w, which is added up.
struct Training {
  GraphBuilder b{*Context::create({.no_alloc = true, .grow = true})};
  Tensor x, w, loss;
  Graph graph;

  Training() {
    b.layer("first");
    x = b.input("x", {64, 8});
    w = b.weight("w", {6, 8});
    w.set_flag(kFlagParameter);
    const Tensor y = b.op(Op::Relu, {b.mul_mat(w, x, {}, "product")}, {}, "relu");
    b.layer("loss");
    loss = b.reduce(Op::ReduceSum, y, {0, 1}, false, "loss");
    b.output(loss);
    graph = *b.context().new_graph(8, true);
    REQUIRE(build_gradients(b, graph, loss, {&w, 1}, {.accumulate = true}).ok());
  }
};

// Fuses all that it may.
class Greedy final : public Capabilities {
 public:
  std::string_view name() const override { return "greedy"; }
  bool runs_on_host_threads() const override { return true; }
  Status supports(const TensorImpl&) const override { return {}; }
  int tasks(const TensorImpl&, int) const override { return 1; }
  Bytes work_bytes(const TensorImpl&, int) const override { return 0; }
  bool fuses(const TensorImpl&, const TensorImpl*) const override { return true; }
};

struct Made {
  Graph graph;
  std::vector<Tensor> node_map;
};
struct Transform {
  const char* name;
  std::function<Made(const Graph&)> apply;
};

const std::vector<Transform>& transforms() {
  static const std::vector<Transform> list{
      {"fusion",
       [](const Graph& g) {
         auto made = fuse_graph(g, Greedy());
         CHECK(made->fused.size() > 0);
         return Made{made->graph, made->node_map};
       }},
      {"image layout",
       [](const Graph& g) {
         auto made = lay_out_images(g, Greedy());
         return Made{made->graph, made->node_map};
       }},
      {"partition",
       [](const Graph& g) {
         std::vector<uint8_t> sides(g.nodes().size() + g.leafs().size(), 0);
         for (size_t i = 0; i < g.nodes().size(); ++i) sides[i] = g.nodes()[i]->op == Op::Relu;
         auto made = partition_graph(g, sides);
         CHECK(made->copies > 0);
         return Made{made->graph, made->node_map};
       }},
      {"precision",
       [](const Graph& g) {
         auto made = convert_precision(g);
         CHECK(made->weights.size() == 1);
         return Made{made->graph, made->node_map};
       }},
      {"kept precision",
       [](const Graph& g) {
         auto made = keep_in_bf16(g, *g.nodes()[2], 4);
         CHECK(made->kept == 1);
         return Made{made->graph, made->node_map};
       }},
      {"rewrite",
       [](const Graph& g) {
         std::vector<NodeId> order;
         for (size_t i = 0; i < g.nodes().size(); ++i) order.push_back(NodeId(i));
         Made made;
         made.graph = *Rematerialisation(g, order, true, false).make_graph(made.node_map);
         return made;
       }},
  };
  return list;
}

}  // namespace

TEST_CASE("a parameter is a node of its training graph") {
  const Training t;
  CHECK(t.graph.find_node(*t.w).valid());
  CHECK(t.graph.leafs().size() == 2);  // x and the sum of gradients
}

TEST_CASE("gradients, accumulators and parameters survive every transform") {
  for (const Transform& transform : transforms()) {
    CAPTURE(transform.name);
    const Training t;
    const Made made = transform.apply(t.graph);
    REQUIRE(made.graph.has_grads());
    const auto mapped = [&](const TensorImpl& tensor) {
      return made.node_map[t.graph.find_node(tensor).index()].impl();
    };
    const TensorImpl* w = mapped(*t.w);
    REQUIRE(w);
    CHECK(w->name == "w");
    CHECK(made.graph.find_node(*w).valid());
    CHECK((w->has(kFlagParameter) && w->has(kFlagWeight)));
    CHECK(made.graph.grad(*w) == mapped(*t.graph.grad(*t.w)));
    CHECK(made.graph.grad(*w) != nullptr);
    CHECK(made.graph.grad_accumulator(*w) == t.graph.grad_accumulator(*t.w));
    CHECK(made.graph.find_leaf(*t.graph.grad_accumulator(*t.w)).valid());
    CHECK(mapped(*t.loss)->has(kFlagOutput));

    // As a recording and the window see it.
    const trace::GraphInfo seen = describe_graph(made.graph);
    int parameters = 0;
    for (const trace::TensorInfo& node : seen.nodes) {
      if (!node.op.empty()) continue;
      ++parameters;
      CHECK(node.name == "w");
      CHECK((node.flags & ~uint32_t{trace::kNoWork}) == (trace::kParameter | trace::kWeight));
    }
    CHECK(parameters == 1);
    for (const trace::TensorInfo& leaf : seen.leafs) CHECK((leaf.flags & trace::kWeight) == 0);
  }
}

TEST_CASE("fusion keeps gradients of inputs and hides others") {
  Training t;
  const TensorImpl* of_w = t.graph.grad(*t.w);
  REQUIRE(of_w->op == Op::Add);  // to the accumulator
  CHECK_FALSE(of_w->has(kFlagOutput));
  const Tensor after = t.b.op(Op::Neg, {Tensor(const_cast<TensorImpl*>(of_w))}, {}, "step");
  REQUIRE(t.graph.expand(after).ok());
  auto fused = fuse_graph(t.graph, Greedy());
  REQUIRE(fused);
  CHECK(fused->node_map[t.graph.find_node(*of_w).index()]);
  CHECK_FALSE(fused->node_map[t.graph.find_node(*t.graph.nodes()[1]).index()]);  // the matmul, before its RELU
}

TEST_CASE("parameter statistics are fused like constants") {
  for (const bool trained : {false, true}) {
    GraphBuilder b(*Context::create({.no_alloc = true, .grow = true}));
    std::vector<Tensor> sources{b.op(Op::Relu, {b.input("x", {1, 4, 5, 5})}, {}, "relu")};
    for (const char* name : {"scale", "shift", "mean", "variance"}) {
      sources.push_back(b.weight(name, {4}));
      if (trained) sources.back().set_flag(kFlagParameter);
    }
    const Tensor y = b.op(Op::BatchNorm, sources, [] {
      OpParams p;
      p.set(BatchNormParams{1e-5f});
      return p;
    }());
    b.output(y);
    Graph graph = *b.context().new_graph(8);
    REQUIRE(graph.expand(y).ok());
    CHECK(fuse_graph(graph, Greedy())->fused.size() == 1);
  }
}

TEST_CASE("a parameter read by the host only is stored there, without a copy") {
  const Training t;
  const auto sides = choose_sides(t.graph, [](const TensorImpl& node) {
    return node.op == Op::MulMat || node.is_view() ? PartitionSide::Other : PartitionSide::Either;
  });
  auto split = partition_graph(t.graph, sides);
  REQUIRE(split);
  CHECK(split->copies == 0);
  CHECK(std::find(split->main_leafs.begin(), split->main_leafs.end(), t.w.impl()) == split->main_leafs.end());
}
