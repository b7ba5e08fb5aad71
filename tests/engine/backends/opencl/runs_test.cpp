// SPDX-License-Identifier: MIT
// Whole graphs on the device: the arena is the plan's, recorded runs replay, kernels' times come to the trace.
#include <set>

#include "engine/backends/opencl/layout.h"

#include <arenascope/runtime/device_transfer.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/trace/session.h>
#include <arenascope/transform/partition.h>

#include "kit.h"

using namespace arenascope;
using namespace arenascope::test;

namespace {

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
};

std::unique_ptr<Executor> prepared(Backend& backend, const std::shared_ptr<ExecutionContext>& memory,
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

std::unique_ptr<Executor> on_device(Opened& device, Network& network, ExecutorOptions options = {}) {
  std::vector<TensorImpl*> leafs(network.graph.leafs().begin(), network.graph.leafs().end());
  REQUIRE(move_to_device(*device.backend, *device.memory, leafs, MemoryKind::Persistent).ok());
  return prepared(*device.backend, device.memory, network.graph, std::move(options));
}

void run(Executor& executor) {
  const auto report = executor.run();
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
}

std::vector<std::byte> result(Backend& backend, const Tensor& tensor) {
  auto bytes = read_tensor(backend, *tensor);
  REQUIRE(bytes);
  return *bytes;
}

}  // namespace

TEST_CASE("the planned arena equals the plan, tensor by tensor") {
  Opened device = open_device({{"tuning", "none"}});
  Network network;
  const auto executor = on_device(device, network);
  const MemoryPlan& plan = executor->plan().memory;
  CHECK(executor->arena_bytes() == plan.arena_bytes);
  for (const PlannedTensor& tensor : plan.tensors) {
    const Storage& storage = network.graph.node(tensor.node).storage;
    CHECK(storage.offset() == tensor.offset);
    CHECK(storage.bytes() == tensor.size);
    CHECK(tensor.offset % device.backend->alignment() == 0);
  }
  const MemoryStats stats = device.memory->stats(device.backend->device(), MemoryKind::Workspace);
  CHECK(stats.reserved == plan.arena_bytes + executor->plan().work_bytes);
  run(*executor);
  CHECK(device.memory->stats(device.backend->device(), MemoryKind::Workspace).peak_reserved == stats.reserved);
}

TEST_CASE("recorded runs give what kernel by kernel gives, also for new inputs and after another graph was prepared") {
  Opened direct = open_device({{"replay", "off"}, {"tuning", "none"}}), replayed = open_device({{"tuning", "none"}});
  Network a, b;
  const auto first = on_device(direct, a), second = on_device(replayed, b);
  for (int i = 0; i < 6; ++i) {
    std::vector<float> values(8 * 20 * 20);
    for (size_t k = 0; k < values.size(); ++k)
      values[k] = static_cast<float>((k * 31 + static_cast<size_t>(i) * 7) % 17) * 0.1f - 0.8f;
    const auto bytes = std::as_bytes(std::span(values));
    REQUIRE(write_tensor(*direct.backend, *a.input, bytes).ok());
    REQUIRE(write_tensor(*replayed.backend, *b.input, bytes).ok());
    run(*first);
    run(*second);
    CHECK(result(*direct.backend, a.output) == result(*replayed.backend, b.output));
    // The first run is queued node by node, the second recorded, later ones replayed.
    const auto state = replayed.backend->take_notes().replay;
    REQUIRE(state);
    if (state->state != trace::ReplayState::Unavailable) {  // the device has command buffers
      const bool recorded = i != 0 && i != 5;
      CHECK(state->state == (recorded ? trace::ReplayState::Recorded : trace::ReplayState::Direct));
      CHECK(state->segments == (recorded ? 1 : 0));
      CHECK((state->kernels > 0) == recorded);
      CHECK(state->replays == (i == 5 ? 0 : std::max(i - 1, 0)));
    }
    CHECK(direct.backend->take_notes().replay->state == trace::ReplayState::Unavailable);
    if (i == 4) REQUIRE(second->prepare(second->plan()).ok());
  }
}

TEST_CASE("an allocation at each run gives the same as the plan, and no more than it needs at once") {
  Opened device = open_device({{"tuning", "none"}});
  Network network;
  const auto planned = on_device(device, network);
  run(*planned);
  const auto expected = result(*device.backend, network.output);
  const auto eager =
      prepared(*device.backend, device.memory, network.graph, {1, MemoryStrategy::Eager, nullptr, "", {}});
  run(*eager);
  run(*eager);
  CHECK(result(*device.backend, network.output) == expected);
}

TEST_CASE("buffers as large as MNN's have room for whole vectors of channels, rows and columns, and compute the same") {
  // [1, 3, 10, 10]: 8 channels of 100, 6 more rows of 10 by 4, 6 more columns by 4.
  CHECK(opencl::packed_room({1, 3, 10, 10}, 4) == 4 * (800 + 240 + 24));
  CHECK(opencl::packed_room({7}, 4) == 4 * 8);
  CHECK(opencl::packed_room({1, 3, 10, 10}, 2, 4) == 2 * (2 * 12) * 10 * 4);  // two packs of channels, rows of 12
  Opened exact = open_device({{"tuning", "none"}}), packed = open_device({{"tuning", "none"}, {"sizes", "packed"}});
  Network a, b;
  const ExecutorOptions eager{1, MemoryStrategy::Eager, nullptr, "", {}};
  const auto moved = std::pair(on_device(exact, a), on_device(packed, b));
  const auto first = prepared(*exact.backend, exact.memory, a.graph, eager),
             second = prepared(*packed.backend, packed.memory, b.graph, eager);
  run(*first);
  run(*second);
  CHECK(result(*exact.backend, a.output) == result(*packed.backend, b.output));
  std::multiset<Bytes> rooms;
  for (const TensorImpl* node : b.graph.nodes())
    if (has_work(*node)) rooms.insert(std::max(node->byte_count(), opencl::packed_room(node->sizes, 4)));
  int found = 0, weights = 0;
  for (const PoolBlock& block : packed.backend->pool_blocks()) {
    found += block.storage == trace::StorageType::Dynamic && rooms.contains(block.last) ? 1 : 0;
    weights += block.storage == trace::StorageType::Static ? 1 : 0;
  }
  CHECK(found > 0);
  CHECK(weights > 0);
}

TEST_CASE("queued, submitted, started and ended come to rows of the device, by the host's clock") {
  Opened device = open_device({{"tuning", "normal"}});
  Network network;
  trace::Recorder recorder;
  auto session = std::make_shared<trace::Session>();
  recorder.add_sink(session);
  const auto executor = on_device(device, network, {1, MemoryStrategy::Planned, &recorder, "network", {}});
  const Nanoseconds begin = recorder.now();
  run(*executor);
  run(*executor);
  const Nanoseconds end = recorder.now();
  recorder.drain();
  const auto seen = session->snapshot();
  int rows = 0;
  for (const trace::TrackView& track : seen->tracks) rows += track.info.kind == trace::TrackKind::DeviceQueue;
  CHECK(rows == 1);
  // Each node with work ran on the device twice, between the run's begin and end.
  for (size_t i = 0; i < network.graph.nodes().size(); ++i) {
    if (!has_work(*network.graph.nodes()[i])) continue;
    int spans = 0;
    for (const trace::TrackView& track : seen->tracks) {
      if (track.info.kind != trace::TrackKind::DeviceQueue) continue;
      for (const trace::LaneView& lane : track.lanes)
        for (size_t k = 0; k < lane.rows.size(); ++k) {
          const trace::Event& span = lane.rows[k];
          if (span.kind() != trace::EventKind::Work || span.node() != NodeId(i)) continue;
          ++spans;
          CHECK(span.begin() >= begin);
          CHECK(span.end() >= span.begin());
          CHECK(span.end() <= end);
        }
    }
    CHECK(spans >= 2);
  }
  // What tuning found is told, once each.
  CHECK(seen->tunings.size() > 0);
}

TEST_CASE("what is told to run on the host does, between copies that have a row of their own") {
  Opened device = open_device({{"tuning", "none"}});
  Network network;
  const auto alone = on_device(device, network);
  run(*alone);
  const auto expected = result(*device.backend, network.output);
  const auto sides = choose_sides(network.graph, [](const TensorImpl& node) {
    return node.op == Op::Sigmoid ? Side::Other : has_work(node) ? Side::Main : Side::Either;
  });
  auto split = partition_graph(network.graph, sides);
  REQUIRE(split);
  CHECK(split->copies == 2);
  const Tensor output = split->twins[network.graph.find_node(*network.output).index()];
  const auto host = reference::make_reference_backend();
  trace::Recorder recorder;
  auto session = std::make_shared<trace::Session>();
  recorder.add_sink(session);
  const auto executor = prepared(*device.backend, device.memory, split->graph,
                                 {.threads = 2, .recorder = &recorder, .model = "partitioned", .host = host.get()});
  run(*executor);
  const auto got = result(*device.backend, output);
  CHECK(compare_elements(DType::F32, got.data(), expected.data(), 1600).relative() < 1e-5);
  recorder.drain();
  CHECK(session->snapshot()->copies.size() == 2);
}
