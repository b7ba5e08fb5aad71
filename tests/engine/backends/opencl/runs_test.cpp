// SPDX-License-Identifier: MIT
// Whole graphs on the device: the arena is the plan's, kernels' times come to the trace.
#include <set>

#include "engine/backends/opencl/layout.h"

#include <arenascope/trace/session.h>

#include "network.h"

using namespace arenascope;
using namespace arenascope::test;

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

TEST_CASE("allocation in each run gives the results of the plan within the live bytes") {
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

TEST_CASE("buffers with MNN's padding to vectors of channels, rows and columns give equal results") {
  // [1, 3, 10, 10]: 8 channels of 100, 6 more rows of 10 by 4, 6 more columns by 4.
  CHECK(opencl::padded_bytes({1, 3, 10, 10}, 4) == 4 * (800 + 240 + 24));
  CHECK(opencl::padded_bytes({7}, 4) == 4 * 8);
  CHECK(opencl::padded_bytes({1, 3, 10, 10}, 2, 4) == 2 * (2 * 12) * 10 * 4);  // two packs of channels, rows of 12
  Opened exact = open_device({{"tuning", "none"}}), packed = open_device({{"tuning", "none"}, {"sizes", "packed"}});
  Network a, b;
  const ExecutorOptions eager{1, MemoryStrategy::Eager, nullptr, "", {}};
  const auto moved = std::pair(on_device(exact, a), on_device(packed, b));
  const auto first = prepared(*exact.backend, exact.memory, a.graph, eager),
             second = prepared(*packed.backend, packed.memory, b.graph, eager);
  run(*first);
  run(*second);
  CHECK(result(*exact.backend, a.output) == result(*packed.backend, b.output));
  std::multiset<Bytes> buffer_sizes;
  for (const TensorImpl* node : b.graph.nodes())
    if (has_work(*node)) buffer_sizes.insert(std::max(node->byte_count(), opencl::padded_bytes(node->sizes, 4)));
  int found = 0, weights = 0;
  for (const PoolBlock& block : packed.backend->pool_blocks()) {
    found += block.storage == trace::StorageType::Dynamic && buffer_sizes.contains(block.last) ? 1 : 0;
    weights += block.storage == trace::StorageType::Static ? 1 : 0;
  }
  CHECK(found > 0);
  CHECK(weights > 0);
}

TEST_CASE("queued, submitted, started and ended times are on tracks of the device, by the host's clock") {
  Opened device = open_device({{"tuning", "normal"}, {"replay", "off"}});
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
  // Each tuning result is recorded once.
  CHECK(seen->tunings.size() > 0);
}

TEST_CASE("nodes assigned to the host run there, between copies with their own track") {
  Opened device = open_device({{"tuning", "none"}});
  Network network;
  const auto alone = on_device(device, network);
  run(*alone);
  const auto expected = result(*device.backend, network.output);
  const PartitionedGraph split = with_host(network, Op::Sigmoid);
  CHECK(split.copies == 2);
  const Tensor output = mapped(split, network, network.output);
  const auto host = reference::make_reference_backend();
  trace::Recorder recorder;
  auto session = std::make_shared<trace::Session>();
  recorder.add_sink(session);
  const auto executor = prepared(*device.backend, device.memory, split.graph,
                                 {.threads = 2, .recorder = &recorder, .model = "partitioned", .host = host.get()});
  run(*executor);
  const auto got = result(*device.backend, output);
  CHECK(compare_elements(DType::F32, got.data(), expected.data(), 1600).relative() < 1e-5);
  recorder.drain();
  CHECK(session->snapshot()->copies.size() == 2);
}
