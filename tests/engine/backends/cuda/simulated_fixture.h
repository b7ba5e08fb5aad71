// SPDX-License-Identifier: MIT
// A small network on a simulated device, and what it should compute.
#pragma once
#include <arenascope/backends/op_cases/op_cases.h>
#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/graph/builder.h>
#include <arenascope/runtime/device_transfer.h>
#include <arenascope/runtime/executor.h>
#include <doctest/doctest.h>
#include "engine/backends/cuda/execution/cuda_backend.h"
#include "support/cuda/simulated_driver.h"

#include <cstring>
#include <random>
#include <vector>

namespace arenascope::test {

using cuda::CudaBackend;
using cuda::CudaOptions;
using cuda::emulated::SimulatedDriver;
using cuda::emulated::SimulatedOptions;

inline void fill(const Tensor& t, uint32_t seed, int64_t below = 0) {
  std::mt19937 random(seed);
  t->storage = *Storage::allocate(*make_cpu_context(), {}, MemoryKind::Default, t->byte_count());
  for (int64_t i = 0; i < t->element_count(); ++i)
    if (t->dtype == DType::I64)
      t.data_as<int64_t>()[i] = static_cast<int64_t>(random() % static_cast<uint32_t>(below));
    else
      t.data_as<float>()[i] = static_cast<float>(static_cast<int>(random() % 2001) - 1000) / 1000;
}

inline std::vector<std::byte> bytes_of(const TensorImpl& t) { return {t.data(), t.data() + t.byte_count()}; }

// Convolution, a chain of pointwise nodes, pooling, a table lookup, a matmul, softmax.
struct Network {
  Context context;
  Graph graph;
  Tensor x, indices, output;
  std::vector<TensorImpl*> leafs;
  bool in_place = false;  // plans let pointwise nodes overwrite their input
  static constexpr int64_t kEntries = 6;

  Network() {
    context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
    GraphBuilder b(context);
    x = b.input("x", {1, 3, 10, 10});
    indices = b.input("indices", {4}, DType::I64);
    const Tensor w = b.weight("w", {8, 3, 3, 3}), bias = b.weight("bias", {8}),
                 table = b.weight("table", {kEntries, 200});
    const Tensor dense = b.weight("dense", {16, 200}), more = b.weight("more", {1, 8, 10, 10});
    const Tensor c = b.conv2d(x, w, bias, 1, 1, 1, 1, "conv");
    const Tensor chain =
        b.op(Op::Sigmoid, {b.scale(b.op(Op::Relu, {b.add(c, more, "sum")}, {}, "relu"), 0.5f, 0.1f, "scale")}, {},
             "sigmoid");
    const Tensor pooled = b.pool2d(Op::MaxPool, chain, 2, 2, 0, "pool");
    const Tensor flat = b.reshape(pooled, {1, 200});
    const Tensor rows = b.op_with(Op::Gather, {table, indices}, AxisParams{0}, "rows");
    const Tensor sum = b.op(Op::Tanh, {b.add(rows, flat, "join")}, {}, "tanh");
    output = b.soft_max(b.mul_mat(dense, sum, {}, "product"), 1, 1, {}, "out");
    b.output(output);
    REQUIRE_MESSAGE(b.ok(), (b.ok() ? "" : b.status().error().message));
    graph = *context.new_graph(64);
    REQUIRE(graph.expand(output).ok());
    for (const Tensor& t : {x, indices, w, bias, table, dense, more}) leafs.push_back(t.impl());
    uint32_t seed = 1;
    for (const Tensor& t : {x, w, bias, table, dense, more}) fill(t, seed++);
    fill(indices, 9, kEntries);
  }
  Result<ExecutionPlan> plan(const Backend& backend) const {
    MemoryPlanOptions options;
    options.alignment = backend.alignment();
    options.in_place = in_place;
    auto memory = plan_memory(graph, "two-level", "depth-first", options);
    if (!memory) return memory.error();
    return ExecutionPlan::make(graph, *memory, backend, 1);
  }
};

// The results of the reference backend for the current inputs; the leafs are in host memory before and after.
inline std::vector<std::byte> expected_of(Network& net) {
  const auto reference = reference::make_reference_backend();
  auto executor = Executor::create(*reference, make_cpu_context(), {});
  REQUIRE(executor);
  REQUIRE((*executor)->prepare(*net.plan(*reference)).ok());
  REQUIRE((*executor)->run().ok());
  return bytes_of(*net.output);
}

struct OnDevice {
  std::shared_ptr<SimulatedDriver> driver;
  std::unique_ptr<CudaBackend> backend;
  std::shared_ptr<ExecutionContext> context;
  std::unique_ptr<Executor> executor;

  // Opens the backend and brings the network to the device.
  static Result<OnDevice> open(Network& net, std::shared_ptr<SimulatedDriver> driver, const CudaOptions& options = {},
                               MemoryStrategy strategy = MemoryStrategy::Planned) {
    OnDevice out;
    out.driver = std::move(driver);
    auto backend = CudaBackend::make(out.driver, options);
    if (!backend) return backend.error();
    out.backend = std::move(*backend);
    out.context = make_cpu_context();
    if (auto ok = out.backend->register_memory(*out.context); !ok) return ok.error();
    if (auto ok = move_to_device(*out.backend, *out.context, net.leafs, MemoryKind::Persistent); !ok) return ok.error();
    auto plan = net.plan(*out.backend);
    if (!plan) return plan.error();
    ExecutorOptions executor_options;
    executor_options.strategy = strategy;
    auto executor = Executor::create(*out.backend, out.context, executor_options);
    if (!executor) return executor.error();
    out.executor = std::move(*executor);
    if (auto ok = out.executor->prepare(std::move(*plan)); !ok) return ok.error();
    return out;
  }

  Result<std::vector<std::byte>> run(Network& net) {
    auto report = executor->run();
    if (!report) return report.error();
    return read_tensor(*backend, *net.output);
  }
};

inline double difference(const Network& net, const std::vector<std::byte>& got,
                         const std::vector<std::byte>& expected) {
  return compare_elements(net.output->dtype, got.data(), expected.data(), net.output->element_count()).relative();
}

}  // namespace arenascope::test
