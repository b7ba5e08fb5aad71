// SPDX-License-Identifier: MIT
// Channels-last graphs: which tensors have the layout, and results compared with the
// reference backend, with and without fusion, in several chunks, strategies and shapes.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/graph/builder.h>
#include <arenascope/graph/fused.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/transform/fusion.h>
#include <arenascope/transform/image_layout.h>
#include <arenascope/transform/rematerialisation.h>

#include "tests/engine/transform/built_net.h"

using namespace arenascope;

namespace {

// The CPU's layout preferences, but any possible change to channels-last counts as a gain.
class Eager : public Backend {
 public:
  explicit Eager(Backend& own) : own_(own) {}
  std::string_view name() const override { return own_.name(); }
  Device device() const override { return own_.device(); }
  std::string description() const override { return own_.description(); }
  bool runs_on_host_threads() const override { return true; }
  Status supports(const TensorImpl& node) const override { return own_.supports(node); }
  int tasks(const TensorImpl& node, int threads) const override { return own_.tasks(node, threads); }
  Bytes work_bytes(const TensorImpl& node, int tasks) const override { return own_.work_bytes(node, tasks); }
  Result<std::unique_ptr<PreparedGraph>> prepare(std::span<const TensorImpl* const> nodes, ExecutionContext& context,
                                                 const PreparedGraph* previous) override {
    return own_.prepare(nodes, context, previous);
  }
  ChannelsLast channels_last(const TensorImpl& node) const override {
    ChannelsLast out = own_.channels_last(node);
    if (out.computes) out.gain = 1 << 30;
    return out;
  }

 private:
  Backend& own_;
};

struct Net : test::BuiltNet {
  explicit Net(const test::Build& build) : BuiltNet(build, size_t{1} << 25) {
    uint32_t state = 7;
    for (TensorImpl* leaf : graph.leafs()) {
      const bool positive = std::string(leaf->name).starts_with("positive");
      if (!std::string(leaf->name).starts_with("x")) leaf->flags |= kFlagWeight;
      for (int64_t i = 0; i < leaf->element_count(); ++i) {
        state = state * 1664525u + 1013904223u;
        const float value = static_cast<float>(state >> 8) / static_cast<float>(1 << 24);
        leaf->data_as<float>()[i] = positive ? value + 0.5f : 2 * value - 1;
      }
    }
  }
};

std::vector<float> run(Backend& backend, const Graph& graph, const Tensor& output, int threads, MemoryStrategy strategy,
                       bool in_place = false) {
  auto memory =
      plan_memory(graph, "search", "depth-first", {.in_place = in_place, .planner = {.budget_seconds = 0.02}});
  REQUIRE_MESSAGE(memory.ok(), (memory.ok() ? "" : memory.error().message));
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

int64_t serial = 0;  // names of weights
std::string fresh(const char* what) { return std::string(what) + std::to_string(++serial); }

Tensor conv(GraphBuilder& b, const Tensor& x, int64_t channels, int kernel, int stride = 1, int pad = 0,
            bool bias = true, int groups = 1, int dilation = 1) {
  const int64_t in = x.sizes()[1] / groups;
  return b.conv2d(x, b.weight(fresh("w"), {channels, in, kernel, kernel}),
                  bias ? b.weight(fresh("bias"), {channels}) : Tensor(), stride, pad, groups, dilation);
}
Tensor relu(GraphBuilder& b, const Tensor& x) { return b.op(Op::Relu, {x}); }
Tensor norm(GraphBuilder& b, const Tensor& x) {
  const int64_t c = x.sizes()[1];
  return b.op_with(Op::BatchNorm,
                   {x, b.weight(fresh("scale"), {c}), b.weight(fresh("shift"), {c}), b.weight(fresh("mean"), {c}),
                    b.weight(fresh("positive variance"), {c})},
                   BatchNormParams{1e-5f});
}
Tensor pool(GraphBuilder& b, Op op, const Tensor& x, int kernel, int stride, int pad) {
  return b.pool2d(op, x, kernel, stride, pad);
}

Tensor transposed(GraphBuilder& b, const Tensor& x, int64_t channels, std::array<int, 2> kernel, bool bias) {
  const ConvParams params{2, {kernel[0], kernel[1], 1}, {1, 1, 1}, {}, {}, {}, 1};
  const Tensor w = b.weight(fresh("w"), {x.sizes()[1], channels, kernel[0], kernel[1]});
  return bias ? b.op_with(Op::ConvTranspose, {x, w, b.weight(fresh("bias"), {channels})}, params)
              : b.op_with(Op::ConvTranspose, {x, w}, params);
}

struct Pattern {
  std::string name;
  std::function<Tensor(GraphBuilder&)> build;
};

const std::vector<Pattern>& patterns() {
  static const std::vector<Pattern> list = {
      {"a stem of three channels",
       [](GraphBuilder& b) {
         return conv(b, relu(b, conv(b, b.input("x", {2, 3, 29, 31}), 16, 3, 2, 1)), 5, 3, 1, 1);
       }},
      {"residuals, batch norm, strides",
       [](GraphBuilder& b) {
         Tensor x = relu(b, norm(b, conv(b, b.input("x", {2, 5, 21, 19}), 17, 3, 1, 1, false)));
         const Tensor y = norm(b, conv(b, relu(b, norm(b, conv(b, x, 17, 3, 1, 1, false))), 17, 1));
         x = relu(b, b.add(y, x));
         const Tensor side = norm(b, conv(b, x, 144, 1, 2));
         return conv(b, relu(b, b.add(norm(b, conv(b, relu(b, conv(b, x, 48, 3, 2, 1)), 144, 1)), side)), 7, 1);
       }},
      {"branches joined along the channels",
       [](GraphBuilder& b) {
         const Tensor x = relu(b, conv(b, b.input("x", {1, 4, 17, 17}), 32, 3, 1, 1));
         const Tensor parts[] = {relu(b, conv(b, x, 16, 1)), relu(b, conv(b, x, 24, 3, 1, 1)),
                                 conv(b, pool(b, Op::MaxPool, x, 3, 1, 1), 5, 1), x};
         return conv(b, b.concat(parts, 1), 12, 3, 1, 1);
       }},
      {"pooling, flattened",
       [](GraphBuilder& b) {
         Tensor x = relu(b, conv(b, b.input("x", {2, 3, 30, 27}), 20, 3));
         x = pool(b, Op::MaxPool, x, 3, 2, 0);
         x = pool(b, Op::AvgPool, relu(b, conv(b, x, 36, 3, 1, 1)), 3, 2, 1);
         return b.mul_mat(b.weight("w out", {11, 36 * 7 * 6}), b.reshape(conv(b, x, 36, 1), {2, 36 * 7 * 6}));
       }},
      {"global means",
       [](GraphBuilder& b) {
         const Tensor x = relu(b, conv(b, b.input("x", {2, 3, 23, 25}), 40, 3));
         return b.add(b.reduce(Op::ReduceMean, conv(b, x, 40, 1), {2, 3}, true),
                      b.op_with(Op::AvgPool, {conv(b, x, 40, 3)}, [&] {
                        PoolParams p{};
                        p.spatial = 2;
                        p.kernel[0] = 19, p.kernel[1] = 21;
                        for (int i = 0; i < 2; ++i) p.strides[i] = p.dilations[i] = 1;
                        return p;
                      }()));
       }},
      {"a gate a channel, a bias a channel, a number",
       [](GraphBuilder& b) {
         const Tensor x = conv(b, b.input("x", {2, 8, 14, 15}), 32, 3, 1, 1);
         const Tensor gate = b.op(Op::Sigmoid, {conv(b, b.reduce(Op::ReduceMean, x, {2, 3}, true), 32, 1)});
         const Tensor y = b.add(b.mul(x, gate), b.weight("by channel", {32, 1, 1}));
         return conv(b, b.scale(b.mul(y, b.weight("number", {1})), 0.5f, 1), 9, 3);
       }},
      {"dilated, more channels than a piece",
       [](GraphBuilder& b) {
         const Tensor x = relu(b, norm(b, conv(b, b.input("x", {1, 6, 9, 8}), 1100, 1)));
         return conv(b, relu(b, norm(b, conv(b, x, 32, 3, 1, 2, true, 1, 2))), 64, 3, 1, 1);
       }},
      {"what has no such kernel in between",
       [](GraphBuilder& b) {
         const Tensor x = relu(b, conv(b, b.input("x", {1, 5, 16, 16}), 24, 3, 1, 1));
         const Tensor y = relu(b, conv(b, x, 24, 3, 1, 1, true, 24));
         const Tensor z = b.op(Op::DepthToSpace, {y}, [] {
           OpParams p;
           p.set(DepthToSpaceParams{2, false});
           return p;
         }());
         return b.add(conv(b, z, 12, 3, 2, 1), b.slice(conv(b, y, 24, 1), 1, 3, 15));
       }},
      {"few rows for many parts",
       [](GraphBuilder& b) {
         Tensor x = relu(b, conv(b, b.input("x", {1, 8, 5, 7}), 48, 3, 1, 1));
         for (int i = 0; i < 3; ++i) x = relu(b, conv(b, x, i == 1 ? 192 : 144, i == 2 ? 1 : 3, 1, i == 2 ? 0 : 1));
         return conv(b, x, 3, 2);
       }},
      {"a kernel a channel: strides, dilation, windows wider than the image",
       [](GraphBuilder& b) {
         Tensor x = b.op_with(Op::Clamp, {conv(b, b.input("x", {2, 3, 17, 19}), 37, 1)}, ClampParams{-1, 1});
         x = relu(b, norm(b, conv(b, x, 37, 3, 1, 1, false, 37)));
         x = b.add(x, conv(b, x, 37, 5, 1, 4, true, 37, 2));
         x = conv(b, conv(b, x, 37, 3, 2, 1, true, 37), 48, 1);
         return conv(b, conv(b, conv(b, x, 48, 3, 2, 1, true, 48), 48, 7, 1, 3, true, 48), 9, 1);
       }},
      {"split along the channels, joined again with what half of them became",
       [](GraphBuilder& b) {
         const Tensor both = b.op(Op::Silu, {conv(b, b.input("x", {2, 5, 12, 14}), 48, 3, 1, 1)});
         const Tensor half = b.slice(both, 1, 24, 48);
         const Tensor deep = b.add(half, conv(b, relu(b, conv(b, half, 24, 3, 1, 1)), 24, 3, 1, 1));
         const Tensor parts[] = {both, deep, b.slice(both, 1, 0, 17)};
         return conv(b, b.concat(parts, 1), 40, 1);
       }},
      {"windows put beside each other, joined with what they came from",
       [](GraphBuilder& b) {
         const Tensor skip = relu(b, conv(b, b.input("x", {2, 5, 14, 18}), 16, 3, 1, 1));
         const Tensor deep = relu(b, conv(b, pool(b, Op::MaxPool, skip, 2, 2, 0), 37, 3, 1, 1));
         const Tensor parts[] = {skip, transposed(b, deep, 40, {2, 2}, true)};
         const Tensor x = conv(b, b.concat(parts, 1), 32, 3, 1, 1);
         return conv(b, transposed(b, relu(b, x), 16, {3, 1}, false), 7, 1);
       }},
  };
  return list;
}

}  // namespace

TEST_CASE("channels-last images give the results of channels-first ones") {
  auto cpu = cpu::make_cpu_backend();
  auto unpacked = cpu::make_cpu_backend({.packs = false});
  auto reference = reference::make_reference_backend();
  const Eager eager(*cpu);
  for (const Pattern& pattern : patterns()) {
    CAPTURE(pattern.name);
    Net net(pattern.build);
    const auto exact = run(*reference, net.graph, net.output, 1, MemoryStrategy::None);
    double largest = 0;
    for (float x : exact) largest = std::max(largest, std::abs(static_cast<double>(x)));
    for (const bool fuse : {false, true}) {
      CAPTURE(fuse);
      Graph graph = net.graph;
      Tensor output = net.output;
      if (fuse) {
        auto fused = fuse_graph(graph, *cpu);
        REQUIRE(fused.ok());
        output = fused->node_map[graph.find_node(*output).index()];
        graph = fused->graph;
      }
      auto laid_out = lay_out_images(graph, eager);
      REQUIRE(laid_out.ok());
      output = laid_out->node_map[graph.find_node(*output).index()];
      CHECK(output->contiguous());
      CHECK(output->has(kFlagOutput));
      int64_t found = 0, copies = 0;
      for (const TensorImpl* node : laid_out->graph.nodes()) {
        found += node->op != Op::Cont && node->channels_last();
        copies += node->op == Op::Cont;
      }
      CHECK(found == laid_out->channels_last);
      CHECK(copies >= laid_out->copies);
      const auto check = [&](const std::vector<float>& got) {
        REQUIRE(got.size() == exact.size());
        double error = 0;
        for (size_t i = 0; i < got.size(); ++i)
          error = std::max(error, std::abs(static_cast<double>(got[i]) - static_cast<double>(exact[i])));
        CHECK(error <= 1e-5 * largest);
      };
      for (int threads = 1; threads <= 4; ++threads) {
        CAPTURE(threads);
        for (auto strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager})
          check(run(*cpu, laid_out->graph, output, threads, strategy));
        check(run(*cpu, laid_out->graph, output, threads, MemoryStrategy::Planned, true));
        if (threads == 2) check(run(*unpacked, laid_out->graph, output, threads, MemoryStrategy::Planned));
      }
      // Reordered, as for tensors that are rematerialised.
      std::vector<NodeId> order;
      for (size_t i = 0; i < laid_out->graph.nodes().size(); ++i) order.push_back(NodeId(static_cast<int32_t>(i)));
      std::vector<Tensor> node_map;
      auto again = Rematerialisation(laid_out->graph, order, true, false).make_graph(node_map);
      REQUIRE(again.ok());
      check(run(*cpu, *again, node_map[laid_out->graph.find_node(*output).index()], 2, MemoryStrategy::Planned));
    }
  }
}

TEST_CASE("layouts are unchanged without a gain") {
  auto cpu = cpu::make_cpu_backend();
  auto reference = reference::make_reference_backend();
  Net net(patterns()[1].build);
  const auto none = lay_out_images(net.graph, *reference);
  REQUIRE(none.ok());
  CHECK(none->channels_last == 0);
  CHECK(none->copies == 0);
  CHECK(none->graph.nodes().size() == net.graph.nodes().size());
  // A single convolution between plain images does not pay for two copies.
  Net one([](GraphBuilder& b) { return relu(b, conv(b, relu(b, b.input("x", {1, 16, 64, 64})), 16, 3, 1, 1)); });
  CHECK(lay_out_images(one.graph, *cpu)->channels_last == 0);
}

TEST_CASE("one copy serves all readers of the other layout, and the largest gain decides") {
  // A backend that knows one op: RELU gains, NEG can do either, EXP cannot.
  class Stub : public Eager {
   public:
    using Eager::Eager;
    ChannelsLast channels_last(const TensorImpl& node) const override {
      if (node.op == Op::Relu) return {true, false, 1, int64_t{1} << 30};
      if (node.op == Op::Neg) return {true, false, 1, 0};
      return {};
    }
  };
  auto cpu = cpu::make_cpu_backend();
  const Stub stub(*cpu);
  Net net([](GraphBuilder& b) {
    const Tensor x = b.op(Op::Relu, {b.input("x", {1, 8, 4, 4})}, {}, "first");
    const Tensor y = b.op(Op::Relu, {b.op(Op::Neg, {x}, {}, "between")}, {}, "second");
    const Tensor p = b.op(Op::Exp, {y}, {}, "p"), q = b.op(Op::Exp, {y}, {}, "q");
    return b.op(Op::Exp, {b.add(p, b.op(Op::Neg, {q}, {}, "plain"))});
  });
  auto laid_out = lay_out_images(net.graph, stub);
  REQUIRE(laid_out.ok());
  CHECK(laid_out->channels_last == 3);  // first, between, second
  CHECK(laid_out->copies == 2);         // into the first, out of the second
  for (const TensorImpl* node : laid_out->graph.nodes()) {
    const std::string name = node->name.str();
    if (name == "between") CHECK(node->channels_last());
    if (name == "plain") CHECK_FALSE(node->channels_last());
    if (name == "p" || name == "q") CHECK(node->sources[0]->name.str() == "second (plain)");
  }
  const auto expected = run(*cpu, net.graph, net.output, 1, MemoryStrategy::Planned);
  const Tensor output = laid_out->node_map[net.graph.find_node(*net.output).index()];
  for (int threads = 1; threads <= 3; ++threads)
    CHECK(run(*cpu, laid_out->graph, output, threads, MemoryStrategy::Planned) == expected);
}
