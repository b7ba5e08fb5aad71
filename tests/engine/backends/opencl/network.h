// SPDX-License-Identifier: MIT
// A small network and what it takes to run it on a device by an executor.
#pragma once
#include <memory>
#include <span>
#include <vector>

#include <arenascope/runtime/device_transfer.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/transform/partition.h>

#include "fixture.h"

namespace arenascope::test {

// Convolutions with a branch, pooling, a reduction; values by a seed.
struct Network {
  Context context;
  Graph graph;
  Tensor input, output;

  Network() {
    context = *Context::create({.mem_size = 1 << 20});
    GraphBuilder b(context);
    input = b.input("x", {1, 8, 20, 20});
    const Tensor w1 = b.weight("w1", {16, 8, 3, 3}), w2 = b.weight("w2", {16, 16, 1, 1}), bias = b.weight("bias", {16});
    const Tensor a = b.op(Op::Relu, {b.conv2d(input, w1, bias, 1, 1, 1, 1, "first")}, {}, "relu");
    const Tensor c = b.add(b.conv2d(a, w2, {}, 1, 0, 1, 1, "second"), a, "sum");
    const Tensor d = b.pool2d(Op::MaxPool, b.op(Op::Sigmoid, {c}, {}, "sigmoid"), 2, 2, 0, "pool");
    output = b.soft_max(b.reshape(d, {16, 100}), 1, 1, {}, "out");
    b.output(output);
    REQUIRE(b.ok());
    BuiltCase values{output, {{input}, {w1, -0.3, 0.3}, {w2, -0.3, 0.3}, {bias}}};
    fill_inputs(values, 5);
    graph = *context.new_graph(32);
    REQUIRE(graph.expand(output).ok());
  }

  // The input of the `i`-th run.
  static std::vector<float> values_of(int i) {
    std::vector<float> values(8 * 20 * 20);
    for (size_t k = 0; k < values.size(); ++k)
      values[k] = static_cast<float>((k * 31 + static_cast<size_t>(i) * 7) % 17) * 0.1f - 0.8f;
    return values;
  }
};

inline std::unique_ptr<Executor> prepared(Backend& backend, const std::shared_ptr<ExecutionContext>& memory,
                                          const Graph& graph, ExecutorOptions options = {}) {
  for (TensorImpl* node : graph.nodes()) node->storage = Storage();
  MemoryPlanOptions plan_options;
  plan_options.alignment = backend.alignment();
  auto planned = plan_memory(graph, "two-level", "depth-first", plan_options, {});
  REQUIRE(planned);
  auto plan = ExecutionPlan::make(graph, std::move(*planned), backend, options.threads, {}, options.host);
  REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().message));
  auto executor = Executor::create(backend, memory, std::move(options));
  REQUIRE(executor);
  const Status ready = (*executor)->prepare(std::move(*plan));
  REQUIRE_MESSAGE(ready.ok(), (ready.ok() ? "" : ready.error().message));
  return std::move(*executor);
}

inline std::unique_ptr<Executor> on_device(Opened& device, const Graph& graph, ExecutorOptions options = {}) {
  std::vector<TensorImpl*> leafs(graph.leafs().begin(), graph.leafs().end());
  REQUIRE(move_to_device(*device.backend, *device.memory, leafs, MemoryKind::Persistent).ok());
  return prepared(*device.backend, device.memory, graph, std::move(options));
}
inline std::unique_ptr<Executor> on_device(Opened& device, Network& network, ExecutorOptions options = {}) {
  return on_device(device, network.graph, std::move(options));
}

inline void run(Executor& executor, const RunOptions& options = {}) {
  const auto report = executor.run(options);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
}

inline std::vector<std::byte> result(Backend& backend, const Tensor& tensor) {
  auto bytes = read_tensor(backend, *tensor);
  REQUIRE(bytes);
  return *bytes;
}

// The network with its nodes of one op computed by the host, between copies.
inline PartitionedGraph with_host(const Network& network, Op op) {
  const auto sides = choose_sides(network.graph, [op](const TensorImpl& node) {
    return node.op == op ? PartitionSide::Other : has_work(node) ? PartitionSide::Main : PartitionSide::Either;
  });
  auto split = partition_graph(network.graph, sides);
  REQUIRE(split);
  return std::move(*split);
}

// The network with what has kernels on images there, copied to and from them.
inline PartitionedGraph on_images(const Network& network, const Backend& backend) {
  const PartitionOptions options{
      Placement::Packed, " (packed)", " (plain)",
      [&](const TensorImpl& n, int source) { return backend.packing(n, source) == PartitionSide::Other; }, true};
  const auto sides = choose_sides(
      network.graph, [&](const TensorImpl& n) { return n.is_view() ? PartitionSide::Main : backend.packing(n, -1); },
      options);
  auto split = partition_graph(network.graph, sides, options);
  REQUIRE(split);
  REQUIRE(split->other_nodes > 0);
  return std::move(*split);
}

inline TensorImpl& leaf(const Graph& graph, std::string_view name) {
  const auto leafs = graph.leafs();
  const auto at = std::find_if(leafs.begin(), leafs.end(), [&](const TensorImpl* t) { return t->name == name; });
  REQUIRE(at != leafs.end());
  return **at;
}

inline Tensor mapped(const PartitionedGraph& graph, const Network& network, const Tensor& of) {
  return graph.node_map[network.graph.find_node(*of).index()];
}

}  // namespace arenascope::test
