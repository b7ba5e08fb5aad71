// SPDX-License-Identifier: MIT
// Fused graphs: what is fused and what is not, results against the unfused graph (to the bit) and the reference
// backend, in every strategy and on several threads, and the plan that shrinks.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/graph/builder.h>
#include <arenascope/graph/fused.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/schedule/describe.h>
#include <arenascope/transform/fusion.h>
#include <arenascope/transform/rematerialisation.h>
#include <fmt/format.h>

#include "tests/engine/transform/built_net.h"

using namespace arenascope;

namespace {

struct Pattern {
  std::string name, text;
  size_t nodes;  // with work, when fused
  double tolerance = 1e-5;
};

// A graph of one pattern with seeded leafs.
struct Net {
  Context context;
  Graph graph;
  Tensor output;

  explicit Net(const std::function<Tensor(GraphBuilder&)>& build)
      : context(*Context::create({.mem_size = size_t{1} << 24})) {
    GraphBuilder b(context);
    output = build(b);
    b.output(output);
    REQUIRE_MESSAGE(b.ok(), (b.ok() ? "" : b.status().error().message));
    graph = *context.new_graph(64);
    REQUIRE(graph.expand(output).ok());
    uint32_t state = 1;
    for (TensorImpl* leaf : graph.leafs()) {
      const bool positive = std::string(leaf->name).starts_with("positive");
      for (int64_t i = 0; i < leaf->element_count(); ++i) {
        state = state * 1664525u + 1013904223u;
        const float value = static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
        leaf->data_as<float>()[i] = positive ? value + 0.5f : 4 * value - 2;
      }
    }
  }
};

size_t working(const Graph& graph) {
  size_t n = 0;
  for (const TensorImpl* node : graph.nodes()) n += has_work(*node) ? 1 : 0;
  return n;
}

std::vector<float> run(Backend& backend, const Graph& graph, const Tensor& output, int threads, MemoryStrategy strategy,
                       Bytes* arena = nullptr) {
  auto memory = plan_memory(graph, "search", "depth-first", {.planner = {.budget_seconds = 0.05}});
  REQUIRE_MESSAGE(memory.ok(), (memory.ok() ? "" : memory.error().message));
  if (arena) *arena = memory->arena_bytes;
  auto plan = ExecutionPlan::make(graph, std::move(*memory), backend, threads);
  REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().message));
  auto executor = Executor::create(backend, make_cpu_context(), {threads, strategy, nullptr, {}, {}});
  REQUIRE(executor.ok());
  REQUIRE((*executor)->prepare(std::move(*plan)).ok());
  for (int i = 0; i < 2; ++i) {
    auto report = (*executor)->run();
    REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  }
  const float* data = output->data_as<float>();
  return {data, data + output->element_count()};
}

std::string batch_norm(const std::string& x, int channels) {
  std::string text;
  for (const char* name : {"scale", "shift", "mean", "positive_variance"})
    text += fmt::format("; {} = weight f32 {}", name, channels);
  return text + fmt::format("; n = BATCH_NORM {} scale shift mean positive_variance 1e-5", x);
}

std::string scales(int count) {
  std::string text, x = "x";
  for (int i = 0; i < count; ++i, x = fmt::format("x{}", i)) text += fmt::format("; x{} = SCALE {} 0.9 0.1", i + 1, x);
  return text;
}

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> list = {
      {"conv, bias, relu",
       "x = input f32 1 5 13 11; w = weight f32 7 5 3 3; bias = weight f32 7"
       "; c = CONV x w bias pads_begin=[1,1] pads_end=[1,1]; y = RELU c",
       1},
      {"conv 3x3 of many channels, clamp",
       "x = input f32 2 32 17 19; w = weight f32 48 32 3 3; bias = weight f32 48"
       "; c = CONV x w bias pads_begin=[1,1] pads_end=[1,1]; y = CLAMP c 0 6",
       1},
      {"conv, batch norm, residual, silu",
       "x = input f32 2 16 9 10; w = weight f32 24 16 3 3"
       "; c = CONV x w strides=[2,2] pads_begin=[1,1] pads_end=[1,1]" +
           batch_norm("c", 24) + "; residual = input f32 2 24 5 5; a = ADD n residual; y = SILU a",
       1},
      {"conv 1x1, residual first, relu",
       "residual = input f32 1 40 7 7; x = input f32 1 24 7 7; w = weight f32 40 24 1 1; bias = weight f32 40"
       "; c = CONV x w bias; a = ADD residual c; y = RELU a",
       1},
      {"depthwise, batch norm, relu6",
       "x = input f32 1 12 15 14; w = weight f32 12 1 3 3"
       "; c = CONV x w pads_begin=[1,1] pads_end=[1,1] groups=12" +
           batch_norm("c", 12) + "; y = CLAMP n 0 6",
       1},
      {"grouped, dilated, a channel's bias by a sum",
       "x = input f32 1 12 9 9; w = weight f32 8 6 3 3"
       "; c = CONV x w dilations=[2,2] pads_begin=[2,2] pads_end=[2,2] groups=2; by_channel = weight f32 8 1 1"
       "; a = ADD c by_channel; y = HARD_SWISH a 0 0",
       1},
      {"matmul, bias, gelu",
       "w = weight f32 37 29; x = input f32 13 29; p = MUL_MAT w x; bias = weight f32 37; a = ADD p bias; y = GELU a",
       1},
      {"matmul of few rows, residual",
       "w = weight f32 65 31; x = input f32 3 31; bias = weight f32 65; p = MUL_MAT w x bias"
       "; residual = input f32 3 65; y = ADD p residual",
       1},
      {"batched matmul, scale, tanh",
       "k = input f32 3 9 12; q = input f32 3 17 12; p = MUL_MAT k q; s = SCALE p 0.25 1; y = TANH s", 1},
      {"rms norm, gain, sum",
       "x = input f32 5 67; n = RMS_NORM x 1 1e-5; gain = weight f32 67; g = MUL n gain; residual = input f32 5 67"
       "; y = ADD g residual",
       1},
      {"norm with gain and bias, gelu",
       "x = input f32 3 7 33; gain = weight f32 33; bias = weight f32 33; n = NORM x gain bias 2 1e-5; y = GELU_TANH n",
       1},
      {"broadcasts on either side; five sources become two nodes",
       "row = input f32 1 37; column = input f32 53 1; a = ADD row column; number = input f32 1; s = SUB number a"
       "; positive = input f32 53 37; m = MUL s positive; positive_row = input f32 37; e = EXP m; y = DIV e "
       "positive_row",
       2},
      {"gelu in pieces: a value that is read again",
       "w = weight f32 21 18; x = input f32 11 18; p = MUL_MAT w x; bias = weight f32 21; a = ADD p bias"
       "; s = SCALE a 0.70710678; e = ERF s; e1 = SCALE e 1 1; m = MUL a e1; y = SCALE m 0.5",
       1},
      {"swish in pieces over 3000 elements", "x = input f32 3000; n = NEG x; s = SIGMOID n; y = MUL n s", 1},
      {"pow, sqrt, max",
       "x = input f32 9 31; positive = input f32 1; two = SCALE positive 0 2; p = POW x two; r = SQRT p"
       "; z = input f32 9 31; y = MAX r z",
       2},
      {"ten in a row become two", "x = input f32 1025" + scales(10), 2},
      {"a strided source", "t = input f32 19 23; u = TRANSPOSE t; x = input f32 23 19; a = ADD x u; y = RELU a", 1},
      {"batch norm alone, relu: one position a channel", "x = input f32 3 35" + batch_norm("x", 35) + "; y = RELU n",
       1},
      {"batch norm alone, relu", "x = input f32 2 5 33 40" + batch_norm("x", 5) + "; y = RELU n", 1},
      {"divided, rounded, shifted and cast to bytes; then back",
       "x = input f32 37 61; positive_step = input f32 []; d = DIV x positive_step; s = SCALE d 90; r = ROUND s"
       "; zero = input f32 []; z = SCALE zero 0 3; a = ADD r z; c = CAST a u8; y = CAST c f32",
       3},
      {"nothing", "x = input f32 0 3; y = RELU x", 0},
  };
  return list;
}

}  // namespace

TEST_CASE("a fused graph gives the bits of the unfused one and agrees with the reference backend") {
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  for (const Pattern& pattern : patterns()) {
    CAPTURE(pattern.name);
    Net net(test::from_text(pattern.text));
    auto fused = fuse_graph(net.graph, *cpu);
    REQUIRE(fused.ok());
    CHECK(working(fused->graph) == pattern.nodes);
    const Tensor output = fused->node_map[net.graph.find_node(*net.output).index()];
    REQUIRE(output);
    CHECK(output->has(kFlagOutput));
    const auto exact = run(*reference, net.graph, net.output, 1, MemoryStrategy::None);
    double largest = 0;
    for (float x : exact) largest = std::max(largest, std::abs(static_cast<double>(x)));
    Bytes before = 0, after = 0;
    for (int threads = 1; threads <= 4; ++threads) {
      CAPTURE(threads);
      const auto plain = run(*cpu, net.graph, net.output, threads, MemoryStrategy::Planned, &before);
      for (auto strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None}) {
        const auto got = run(*cpu, fused->graph, output, threads, strategy, &after);
        REQUIRE(got.size() == plain.size());
        size_t wrong = 0;
        double error = 0;
        for (size_t i = 0; i < got.size(); ++i) {
          wrong += got[i] != plain[i] ? 1 : 0;
          error = std::max(error, std::abs(static_cast<double>(got[i]) - static_cast<double>(exact[i])));
        }
        CHECK(wrong == 0);
        CHECK(error <= pattern.tolerance * largest);
      }
    }
    CHECK(after <= before);
  }
}

TEST_CASE("a fused node lists its parts") {
  auto cpu = cpu::make_cpu_backend();
  Net net([](GraphBuilder& b) {
    const Tensor x = b.conv2d(b.input("x", {1, 3, 8, 8}), b.weight("w", {4, 3, 3, 3}), Tensor(), 1, 1, 1, 1, "conv1");
    return b.op(Op::Relu, {b.add(x, b.input("y", {1, 4, 8, 8}), "add1")}, {}, "relu1");
  });
  auto fused = fuse_graph(net.graph, *cpu);
  REQUIRE(fused.ok());
  REQUIRE(fused->fused.size() == 1);
  const FusedGraph::Fused& node = fused->fused[0];
  CHECK(node.node->op == Op::Fused);
  CHECK(anchor_of(*node.node) == Op::Conv);
  CHECK(held_ops(*node.node) == std::vector<Op>{Op::Conv, Op::Add, Op::Relu});
  CHECK(held_names(*node.node) == std::vector<std::string>{"conv1", "add1", "relu1"});
  CHECK(held_text(*node.node) == "CONV conv1, ADD add1, RELU relu1");
  CHECK(node.held.size() == 3);
  CHECK(flops(*node.node) == 2 * 4 * 64 * 27 + 2 * 256);
  CHECK_FALSE(reference::make_reference_backend()->supports(*node.node).ok());
}

TEST_CASE("parts of a fused node with equal names are distinguished") {
  auto cpu = cpu::make_cpu_backend();
  Net net([](GraphBuilder& b) {
    const Tensor x = b.op(Op::Relu, {b.input("x", {10})}, {}, "a + b");
    return b.op(Op::Exp, {b.op(Op::Neg, {x}, {}, "")}, {}, "c, RELU d");
  });
  auto fused = fuse_graph(net.graph, *cpu);
  REQUIRE(fused.ok());
  REQUIRE(fused->fused.size() == 1);
  CHECK(held_names(*fused->fused[0].node) == std::vector<std::string>{"a + b", "", "c, RELU d"});
  const trace::GraphInfo info = describe_graph(fused->graph);
  const auto node = std::find_if(info.nodes.begin(), info.nodes.end(), [](const auto& n) { return !n.parts.empty(); });
  REQUIRE(node != info.nodes.end());
  CHECK(op_of_number(node->op_number) == Op::Fused);
  CHECK(node->parts == std::vector<trace::PartInfo>{{"RELU", number(Op::Relu), "a + b"},
                                                    {"NEG", number(Op::Neg), ""},
                                                    {"EXP", number(Op::Exp), "c, RELU d"}});
  TensorImpl& renamed = *fused->fused[0].node.impl();
  renamed.name.assign("something else");
  CHECK(held_names(renamed).empty());
}

TEST_CASE("requested tensors are not inside a fused node") {
  auto cpu = cpu::make_cpu_backend();
  const auto build = [](bool output) {
    return [output](GraphBuilder& b) {
      const Tensor x = b.op(Op::Relu, {b.input("x", {10})}, {}, "first");
      const Tensor y = b.op(Op::Neg, {x}, {}, "second");
      if (output) b.output(y);
      return b.op(Op::Exp, {y}, {}, "third");
    };
  };
  Net all(build(false)), asked(build(true));
  CHECK(working(fuse_graph(all.graph, *cpu)->graph) == 1);
  for (const bool watched : {false, true}) {
    FusionOptions options;
    if (watched) options.keep = [](const TensorImpl& node) { return node.name == "second"; };
    Net& net = watched ? all : asked;
    auto fused = fuse_graph(net.graph, *cpu, options);
    REQUIRE(fused.ok());
    REQUIRE(working(fused->graph) == 2);
    CHECK(fused->fused.size() == 1);
    CHECK(held_names(*fused->fused[0].node) == std::vector<std::string>{"first", "second"});
    CHECK_FALSE(fused->node_map[0]);
    CHECK(fused->node_map[1]);
  }
  // Two consumers, one of them outside.
  Net twice([](GraphBuilder& b) {
    const Tensor x = b.op(Op::Relu, {b.input("x", {4, 4})}, {}, "first");
    return b.add(b.reduce(Op::ReduceSum, x, {1}, true), b.op(Op::Neg, {x}));
  });
  CHECK(working(fuse_graph(twice.graph, *cpu)->graph) == 3);
}

TEST_CASE("a backend without fusion gets the same graph; other types are not fused") {
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  Net net(test::from_text(patterns()[0].text));
  CHECK(fuse_graph(net.graph, *reference)->fused.empty());
  Net half([](GraphBuilder& b) {
    const Tensor x = b.op_with(Op::Cast, {b.input("x", {8})}, CastParams{DType::F16});
    return b.op_with(Op::Cast, {b.op(Op::Neg, {b.op(Op::Relu, {x})})}, CastParams{DType::F32});
  });
  CHECK(fuse_graph(half.graph, *cpu)->fused.empty());
}

TEST_CASE("a fused graph can be copied, e.g. for rematerialisation") {
  auto cpu = cpu::make_cpu_backend();
  Net net(test::from_text(patterns()[2].text));
  auto fused = fuse_graph(net.graph, *cpu);
  REQUIRE(fused.ok());
  std::vector<NodeId> order;
  for (size_t i = 0; i < fused->graph.nodes().size(); ++i) order.push_back(NodeId(static_cast<int32_t>(i)));
  std::vector<Tensor> node_map;
  auto again = Rematerialisation(fused->graph, order, true, false).make_graph(node_map);
  REQUIRE(again.ok());
  const Tensor output = fused->node_map[net.graph.find_node(*net.output).index()];
  const auto expected = run(*cpu, net.graph, net.output, 2, MemoryStrategy::Planned);
  CHECK(run(*cpu, *again, node_map[fused->graph.find_node(*output).index()], 2, MemoryStrategy::Planned) == expected);
}

TEST_CASE("invalid parameters are errors") {
  auto context = Context::create({.mem_size = size_t{1} << 20});
  REQUIRE(context);
  const Tensor x = *context->new_tensor(DType::F32, {4, 6}), y = *context->new_tensor(DType::F32, {5});
  const Tensor sources[] = {x, y};
  const auto refused = [&](FusedParams p, size_t count = 2) {
    OpParams params;
    params.set(p);
    return !context->apply(Op::Fused, std::span(sources, count), params).ok();
  };
  FusedParams p;
  CHECK(refused(p));
  p.steps = 1;
  p.step[0] = {static_cast<uint16_t>(Op::Relu), 0, -1, 0, 0};
  CHECK_FALSE(refused(p));
  p.step[0].left = -1;
  CHECK(refused(p));  // no anchor
  p.step[0] = {static_cast<uint16_t>(Op::Add), 0, 1, 0, 0};
  CHECK(refused(p));  // [4, 6] and [5]
  p.step[0] = {static_cast<uint16_t>(Op::Add), 0, 2, 0, 0};
  CHECK(refused(p));
  p.step[0] = {static_cast<uint16_t>(Op::Concat), 0, 0, 0, 0};
  CHECK(refused(p));
  p.step[0] = {static_cast<uint16_t>(Op::BatchNorm), 0, 1, 0, 0};
  CHECK(refused(p));
  p.step[0] = {60000, 0, 0, 0, 0};
  CHECK(refused(p));
  p.step[0] = {static_cast<uint16_t>(Op::Cast), 0, -1, static_cast<float>(DType::U8), 0};
  CHECK_FALSE(refused(p));
  p.step[0].p = 1000;
  CHECK(refused(p));  // no type
  p.step[0].p = static_cast<float>(DType::U8), p.step[1] = {static_cast<uint16_t>(Op::Relu), -2, -1, 0, 0}, p.steps = 2;
  CHECK(refused(p));  // not the last
  p.steps = 1;
  p.steps = 200;
  CHECK(refused(p));
  p.steps = 1;
  p.anchor = static_cast<uint16_t>(Op::Fused);
  CHECK(refused(p));
  p.anchor = 60000;
  CHECK(refused(p));
  p.anchor = static_cast<uint16_t>(Op::Conv);
  p.anchor_sources = 2;
  p.step[0] = {static_cast<uint16_t>(Op::Relu), -1, -1, 0, 0};
  CHECK(refused(p));
}
