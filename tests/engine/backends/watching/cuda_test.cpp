// SPDX-License-Identifier: MIT
// Watching on a simulated CUDA device: chains of nodes in one kernel, captured graphs, times from activity records and from
// timers.
#include <doctest/doctest.h>

#include <arenascope/backends/reference/reference_backend.h>
#include <arenascope/runtime/device_transfer.h>
#include "engine/backends/cuda/execution/cuda_backend.h"
#include "support/cuda/simulated_driver.h"
#include "watched_run.h"

namespace arenascope::test {
namespace {

using cuda::emulated::SimulatedDriver;
using cuda::emulated::SimulatedOptions;

class ObservedCuda final : public ObservedBackend {
 public:
  explicit ObservedCuda(const SimulatedOptions& options) : driver_(std::make_shared<SimulatedDriver>(options)) {
    auto made = cuda::CudaBackend::make(driver_, {});
    REQUIRE(made);
    backend_ = std::move(*made);
    driver_->log_launches(true);
  }
  Backend& backend() override { return *backend_; }
  std::vector<std::string> take_launches(const std::byte*) override { return driver_->take_launches(); }

 private:
  const std::shared_ptr<SimulatedDriver> driver_;
  std::unique_ptr<cuda::CudaBackend> backend_;
};

std::function<std::unique_ptr<ObservedBackend>()> opener(SimulatedOptions options = {}) {
  options.memory = Bytes{1} << 28;
  return [options] { return std::make_unique<ObservedCuda>(options); };
}

}  // namespace

TEST_CASE("cuda: watching random graphs changes no kernel, offset, captured graph or result") {
  const auto host = reference::make_reference_backend();
  for (uint32_t seed = 0; seed < random_graphs(200); ++seed) {
    CAPTURE(seed);
    const auto make = [&](const Backend&) {
      auto network = random_network(seed);
      return seed % 8 == 7 ? partly_on_host(std::move(network), *host) : std::move(network);
    };
    SimulatedOptions options;
    options.activities = seed % 2 == 0;
    options.captures = seed % 5 != 4;
    options.graph_timers = seed % 3 != 2;
    check_watching(opener(options), make, two_watches());
  }
}

TEST_CASE("cuda: every way of watching changes nothing under every memory strategy") {
  for (const bool activities : {false, true})
    for (const MemoryStrategy strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None})
      for (uint32_t seed = 0; seed < 5; ++seed) {
        CAPTURE(seed);
        check_watching(
            opener({.activities = activities}), [&](const Backend&) { return random_network(seed); },
            all_watches(strategy));
      }
}

TEST_CASE("cuda: watching a model of the zoo changes nothing") {
  int models = 0;
  for (const models::ZooEntry& entry : models::zoo()) {
    CAPTURE(entry.name);
    const auto make = [&](const Backend&) { return zoo_model(entry, 5'000'000); };
    if (!make(opener()()->backend())) continue;
    check_watching(opener(), make, two_watches());
    ++models;
  }
  CHECK(models >= 3);
}

namespace {

// A network that `grow` adds to its input "x".
template <class Grow>
std::unique_ptr<Subject> network(Grow&& grow) {
  struct Small final : Subject {
    Context context = *Context::create({.mem_size = 1 << 16, .no_alloc = true});
  };
  auto out = std::make_unique<Small>();
  GraphBuilder b(out->context);
  out->outputs = {grow(b, b.input("x", {4, 16}))};
  b.output(out->outputs[0]);
  REQUIRE(b.ok());
  out->graph = *out->context.new_graph(16);
  REQUIRE(out->graph.expand(out->outputs[0]).ok());
  give_memory(*out, 1);
  return out;
}

// A sum and three pointwise nodes, each the only user of the one before it, and a softmax.
std::unique_ptr<Subject> chain() {
  return network([](GraphBuilder& b, const Tensor& x) {
    const Tensor sum = b.add(x, b.weight("w", {4, 16}), "sum");
    const Tensor scaled = b.scale(b.op(Op::Relu, {sum}, {}, "relu"), 2, 0, "scale");
    return b.soft_max(b.op(Op::Sigmoid, {scaled}, {}, "last"), 1, 1, {}, "out");
  });
}

// Nodes that are launched one by one.
std::unique_ptr<Subject> without_chains() {
  return network([](GraphBuilder& b, Tensor x) {
    for (int i = 0; i < 5; ++i) x = b.soft_max(x, 1, 2);
    return x;
  });
}

NodeId node_named(const Graph& graph, std::string_view name) {
  for (size_t i = 0; i < graph.nodes().size(); ++i)
    if (graph.nodes()[i]->name == name) return NodeId(i);
  FAIL("no such node");
  return {};
}

// Device spans of a node in each run.
std::vector<int> spans_of(const trace::Snapshot& recording, NodeId node) {
  std::vector<int> out(recording.runs.size());
  for (const auto& track : recording.tracks)
    for (size_t i = 0; track.info.kind == trace::TrackKind::DeviceQueue && i < track.lanes[0].rows.size(); ++i) {
      const trace::Event& e = track.lanes[0].rows[i];
      if (e.kind() == trace::EventKind::Work && e.node() == node) ++out[e.run().index()];
    }
  return out;
}

}  // namespace

TEST_CASE("cuda: a chain is one span of its last node with its parts, also in replayed graphs") {
  for (const bool activities : {false, true}) {
    CAPTURE(activities);
    const auto on = opener({.activities = activities})();
    const auto subject = chain();
    const Observation seen = observe(*on, *subject, {.recorded = true, .timed = true});
    REQUIRE(seen.recording->runs.size() == 4);
    const NodeId last = node_named(subject->graph, "last"), out = node_named(subject->graph, "out");
    CHECK(spans_of(*seen.recording, last) == std::vector<int>{1, 1, 1, 1});
    CHECK(spans_of(*seen.recording, out) == std::vector<int>{1, 1, 1, 1});
    const trace::GraphId graph = seen.recording->runs[0].info.graph;
    CHECK(seen.recording->stats(graph, last).runs == 3);  // without the cold one
    const auto& nodes = seen.recording->graph(graph)->nodes;
    std::vector<std::string> parts;
    for (const trace::PartInfo& part : nodes[last.index()].parts) parts.push_back(part.name);
    CHECK(parts == std::vector<std::string>{"sum", "relu", "scale", "last"});
    for (const char* inner : {"sum", "relu", "scale"}) {
      const NodeId node = node_named(subject->graph, inner);
      CHECK(spans_of(*seen.recording, node) == std::vector<int>{0, 0, 0, 0});
      CHECK(seen.recording->stats(graph, node).runs == 0);  // its time is unknown
      for (const ObservedRun& run : seen.runs)
        for (size_t step = 0; step < run.times.size(); ++step)
          if (seen.plan.steps[step].node == node) CHECK_FALSE(run.times[step].nanoseconds);
    }
  }
}

TEST_CASE("cuda: nodes of a graph are not timed if its records are incomplete or it cannot have timers") {
  for (const bool activities : {false, true}) {
    CAPTURE(activities);
    const auto on = opener({.activities = activities, .all_records = false, .graph_timers = false})();
    const auto subject = chain();
    const Observation seen = observe(*on, *subject, {.recorded = true, .timed = true});
    const NodeId out = node_named(subject->graph, "out");
    CHECK(spans_of(*seen.recording, out) == std::vector<int>{activities ? 0 : 1, 0, 0, 0});
    for (size_t run = 1; run < seen.runs.size(); ++run)
      for (const PlannedStep& step : seen.plan.steps)
        if (step.tasks > 0)
          CHECK_FALSE(seen.runs[run].times[static_cast<size_t>(&step - seen.plan.steps.data())].nanoseconds);
  }
}

TEST_CASE("cuda: a request during a run that cannot stop waits for the next one, and an aborted run is not captured") {
  for (const bool chained : {false, true}) {
    CAPTURE(chained);
    const auto driver = std::make_shared<SimulatedDriver>();
    auto backend = std::move(*cuda::CudaBackend::make(driver, {}));
    const auto context = make_cpu_context();
    REQUIRE(backend->register_memory(*context).ok());
    const auto subject = chained ? chain() : without_chains();
    const auto executor = prepare(*backend, context, *subject, {});
    RunControl control;
    const auto run = [&](bool aborted) {
      const auto report = executor->run({.control = &control});
      REQUIRE(report);
      CHECK(report->aborted == aborted);
      auto bytes = read_tensor(*backend, *subject->outputs[0]);
      REQUIRE(bytes);
      return *bytes;
    };
    const auto abort_in_run = [&] {
      int queued = 0;
      driver->on_queue = [&] {
        if (++queued == 2) control.abort();
      };
    };
    const auto resume = [&] {
      driver->on_queue = nullptr;
      control.reset();
    };
    abort_in_run();
    run(!chained);
    resume();
    const auto expected = run(false);
    for (int i = 0; i < 3; ++i) CHECK(run(false) == expected);
    CHECK(backend->replays() == (chained ? 4 : 3));
    control.abort();
    run(true);
    resume();
    CHECK(run(false) == expected);
  }
}

}  // namespace arenascope::test
