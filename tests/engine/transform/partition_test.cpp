// SPDX-License-Identifier: MIT
// Graphs partitioned between a device and the host: copies are as few as can be, and can be seen.
#include <arenascope/graph/builder.h>
#include <arenascope/graph/op_params.h>
#include <arenascope/memory/cpu_allocator.h>
#include <arenascope/runtime/device_transfer.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/trace/session.h>
#include <arenascope/transform/partition.h>
#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <set>

#include "support/toy_backend.h"

using namespace arenascope;

namespace {

const Device kToyDevice{DeviceType::Simulated, 3};

// Host memory under another device's name.
class DisguisedAllocator final : public Allocator {
 public:
  Result<void*> allocate(Bytes bytes, size_t alignment) override { return inner_.allocate(bytes, alignment); }
  void deallocate(void* pointer, Bytes bytes) noexcept override { inner_.deallocate(pointer, bytes); }
  Device device() const override { return kToyDevice; }
  MemoryStats stats() const override { return inner_.stats(); }

 private:
  CpuAllocator inner_;
};

// ADD and COPY on a device that has no RELU.
class ToyDeviceBackend final : public StatelessBackend {
 public:
  std::string_view name() const override { return "toy device"; }
  Device device() const override { return kToyDevice; }
  std::string description() const override { return "ADD and COPY"; }
  bool runs_on_host_threads() const override { return false; }
  Status supports(const TensorImpl& node) const override {
    return node.op == Op::Relu ? Status(Error{"the device has no RELU"}) : toy_.supports(node);
  }
  int tasks(const TensorImpl&, int) const override { return 1; }
  Bytes work_bytes(const TensorImpl&, int) const override { return 0; }
  Status compute(const TensorImpl& node, const ComputeParams& params) override {
    for (const TensorImpl* source : node.sources) CHECK(source->storage.device() == kToyDevice);
    CHECK(node.storage.device() == kToyDevice);
    ++computed;
    return toy_.compute(node, params);
  }
  Status register_memory(ExecutionContext& context) override {
    return context.register_allocator(MemoryKind::Default, std::make_shared<DisguisedAllocator>());
  }
  int computed = 0;

 private:
  test::ToyBackend toy_;
};

// A random graph of ADD, RELU and views.
Graph random_graph(uint32_t seed, int nodes, std::vector<Tensor>& outputs) {
  std::mt19937 random(seed);
  GraphBuilder b(*Context::create({.mem_size = 1 << 19, .no_alloc = true}));
  std::vector<Tensor> made{b.input("x", {24}), b.weight("w", {24})};
  for (int i = 0; i < nodes; ++i) {
    const Tensor p = made[made.size() - 1 - random() % std::min<size_t>(made.size(), 4)];
    const Tensor q = made[made.size() - 1 - random() % std::min<size_t>(made.size(), 4)];
    if (random() % 3 == 0)
      made.push_back(b.op(Op::Relu, {p}, {}, "n" + std::to_string(i)));
    else if (random() % 5 == 0)
      made.push_back(b.reshape(b.reshape(p, {4, 6}), {24}));
    else
      made.push_back(b.add(p, q, "n" + std::to_string(i)));
  }
  outputs = {made.back(), b.add(made[made.size() / 2], made[2], "second")};
  for (const Tensor& output : outputs) b.output(output);
  REQUIRE(b.ok());
  Graph graph = *b.context().new_graph(64);
  for (const Tensor& output : outputs) REQUIRE(graph.expand(output).ok());
  return graph;
}

// The copies of an assignment: pairs of a value and a side that reads it from the other one.
int count(const Graph& graph, const std::vector<uint8_t>& sides) {
  std::set<std::pair<size_t, int>> copies;
  const size_t nodes = graph.nodes().size();
  for (size_t i = 0; i < nodes; ++i)
    for (const TensorImpl* source : graph.nodes()[i]->sources) {
      const NodeId node = graph.find_node(*source);
      const size_t from = node.valid() ? node.index() : nodes + graph.find_leaf(*source).index();
      if (sides[from] != sides[i]) copies.insert({from, sides[i]});
    }
  return static_cast<int>(copies.size());
}

PartitionSide side_of(const TensorImpl& node, uint32_t salt) {
  if (node.op == Op::Relu) return PartitionSide::Other;
  if (node.is_view()) return PartitionSide::Either;
  return (node.name.size() + salt + static_cast<uint32_t>(node.sources[0]->op)) % 3 == 0 ? PartitionSide::Main
                                                                                         : PartitionSide::Either;
}

// The number of chunks that the second host thread computed.
int64_t parts_on_second_thread(const trace::Snapshot& seen) {
  int64_t parts = 0;
  for (const trace::TrackView& track : seen.tracks) {
    if (track.info.name != "worker 1") continue;
    for (const trace::LaneView& lane : track.lanes)
      for (size_t i = 0; i < lane.rows.size(); ++i) parts += lane.rows[i].kind() == trace::EventKind::Work;
  }
  return parts;
}

}  // namespace

TEST_CASE("no partition has fewer copies") {
  for (uint32_t seed = 0; seed < 60; ++seed) {
    CAPTURE(seed);
    std::vector<Tensor> outputs;
    const Graph graph = random_graph(seed, 8, outputs);
    const size_t n = graph.nodes().size(), all = n + graph.leafs().size();
    REQUIRE(all < 22);
    const auto place = [&](const TensorImpl& node) { return side_of(node, seed); };
    const auto sides = choose_sides(graph, place);
    REQUIRE(sides.size() == all);
    int fewest = 1 << 20;
    for (uint32_t bits = 0; bits < 1u << all; ++bits) {
      std::vector<uint8_t> tried(all);
      bool right = true;
      for (size_t v = 0; v < all; ++v) tried[v] = bits >> v & 1;
      for (size_t i = 0; i < n && right; ++i) {
        const TensorImpl& node = *graph.nodes()[i];
        const PartitionSide requested = place(node);
        right = requested == PartitionSide::Either || tried[i] == (requested == PartitionSide::Other);
        if (!node.is_view() || !right) continue;
        const NodeId from = graph.find_node(*node.sources[0]);
        right = tried[i] == tried[from.valid() ? from.index() : n + graph.find_leaf(*node.sources[0]).index()];
      }
      if (right) fewest = std::min(fewest, count(graph, tried));
    }
    CHECK(count(graph, sides) == fewest);
    auto split = partition_graph(graph, sides);
    REQUIRE(split);
    CHECK(split->copies == fewest);
    CHECK(split->copied == fewest * 96);
  }
}

TEST_CASE("a graph on two devices gives the results of one, and its copies are recorded nodes") {
  int64_t all_copies = 0, all_on_host = 0, host_parts = 0;
  for (uint32_t seed = 0; seed < 40; ++seed) {
    CAPTURE(seed);
    std::vector<Tensor> outputs;
    Graph graph = random_graph(seed, 20, outputs);
    std::vector<float> data(24);
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(static_cast<int>((i * 7 + seed) % 11) - 5);
    const auto run = [&](Backend& backend, const Graph& g, const std::vector<Tensor>& results,
                         const std::vector<TensorImpl*>& on_device, trace::Recorder* recorder, MemoryStrategy strategy,
                         Backend* host = nullptr) {
      std::shared_ptr<ExecutionContext> memory = make_cpu_context();
      REQUIRE(backend.register_memory(*memory).ok());
      for (TensorImpl* leaf : g.leafs()) {
        leaf->storage = *Storage::allocate(*memory, {}, MemoryKind::Default, leaf->byte_count());
        std::memcpy(leaf->data(), data.data(), 96);
      }
      REQUIRE(move_to_device(backend, *memory, on_device, MemoryKind::Default).ok());
      auto planned = plan_memory(g, "two-level", "depth-first", {}, {});
      REQUIRE_MESSAGE(planned.ok(), (planned.ok() ? "" : planned.error().message));
      const int threads = host ? 2 : 1;
      auto plan = ExecutionPlan::make(g, std::move(*planned), backend, threads, {}, host);
      REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().message));
      auto executor = Executor::create(
          backend, memory,
          {.threads = threads, .strategy = strategy, .recorder = recorder, .force_multithreaded = true, .host = host});
      REQUIRE(executor);
      REQUIRE((*executor)->prepare(std::move(*plan)).ok());
      for (int i = 0; i < 2; ++i) {
        const auto report = (*executor)->run();
        REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
      }
      std::vector<std::byte> all;
      for (const Tensor& result : results) {
        auto bytes = read_tensor(backend, *result);
        REQUIRE(bytes);
        all.insert(all.end(), bytes->begin(), bytes->end());
      }
      return all;
    };
    test::ToyBackend alone;
    const auto expected = run(alone, graph, outputs, {}, nullptr, MemoryStrategy::Planned);
    for (TensorImpl* leaf : graph.leafs()) leaf->storage = Storage();
    for (TensorImpl* node : graph.nodes()) node->storage = Storage();

    ToyDeviceBackend device;
    test::ToyBackend host;
    const auto sides = choose_sides(graph, [&](const TensorImpl& node) {
      if (!has_work(node)) return PartitionSide::Either;
      if (!device.supports(node).ok()) return PartitionSide::Other;
      return node.name.size() % 2 ? PartitionSide::Main : side_for(node, false);
    });
    auto split = partition_graph(graph, sides);
    REQUIRE(split);
    all_copies += split->copies;
    std::vector<Tensor> node_map;
    for (const Tensor& output : outputs) node_map.push_back(split->node_map[graph.find_node(*output).index()]);
    trace::Recorder recorder;
    auto session = std::make_shared<trace::Session>();
    recorder.add_sink(session);
    const auto got = run(device, split->graph, node_map, split->main_leafs, &recorder,
                         seed % 3 == 0   ? MemoryStrategy::Planned
                         : seed % 3 == 1 ? MemoryStrategy::Eager
                                         : MemoryStrategy::None,
                         &host);
    CHECK(got == expected);
    recorder.drain();
    const auto seen = session->snapshot();
    REQUIRE(!seen->graphs.empty());
    int copies = 0, on_host = 0;
    for (const trace::TensorInfo& node : seen->graphs.back()->nodes) {
      copies += node.op == "COPY";
      on_host += node.op == "RELU" && node.backend == "toy";
      CHECK((node.op != "ADD" || node.backend == "toy device" || node.backend == "toy"));
    }
    CHECK(copies == split->copies);
    all_on_host += on_host;
    host_parts += parts_on_second_thread(*seen);
    CHECK((on_host == 0 || !seen->barriers.empty()));
  }
  CHECK(all_copies > 100);
  CHECK(all_on_host > 40);
  CHECK(host_parts >= 2 * all_on_host);
}

TEST_CASE(
    "a node that writes into its first source is on its device; other sources stay where fewest bytes are copied") {
  Context context = *Context::create({.mem_size = 1 << 16, .no_alloc = true});
  GraphBuilder b(context);
  const Tensor x = b.input("x", {16, 256}), rows = b.input("rows", {16}, DType::I64);
  const Tensor wide = b.add(x, x, "wide");
  const Tensor sums = b.reduce(Op::ReduceSum, wide, {1}, true, "sums");
  const Tensor places = b.scale(sums, 0, 0, "places");
  OpParams params;
  params.set(SetRowsParams{0, true});
  const Tensor turned = b.op(Op::SetRows, {places, sums, rows}, params, "turned");
  const Tensor out = b.add(wide, turned, "out");
  b.output(out);
  REQUIRE(b.ok());
  Graph graph = *context.new_graph(16);
  REQUIRE(graph.expand(out).ok());
  const auto on_host = choose_sides(graph, [&](const TensorImpl& node) {
    if (node.op == Op::SetRows) return PartitionSide::Other;
    return node.op == Op::Add ? PartitionSide::Main : PartitionSide::Either;
  });
  const auto side = [&](const Tensor& t) { return on_host[graph.find_node(*t).index()]; };
  CHECK(side(turned) == 1);
  CHECK(side(places) == 1);
  CHECK(side(sums) == 0);  // else the wide tensor would be copied
  CHECK(side(out) == 0);
}
