// SPDX-License-Identifier: MIT
// Plans leave out barriers between nodes of one thread, and results do not change.
#include <arenascope/graph/builder.h>
#include <arenascope/planner/check.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/schedule/quick_plan.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <map>
#include <random>

#include "support/toy_backend.h"

using namespace arenascope;

namespace {

constexpr int64_t kElements = 64;

// Long nodes are shared by all threads, in `cut` times as many chunks; short ones (by name) run on one thread.
class UnevenBackend final : public StatelessBackend {
 public:
  std::string_view name() const override { return "uneven"; }
  Device device() const override { return {}; }
  std::string description() const override { return "short and long nodes"; }
  bool runs_on_host_threads() const override { return true; }
  Status supports(const TensorImpl&) const override { return {}; }
  int tasks(const TensorImpl& node, int threads) const override {
    return node.name.view().starts_with("short") ? 1 : threads;
  }
  int parts(const TensorImpl&, int tasks) const override { return tasks * cut; }
  Bytes work_bytes(const TensorImpl&, int) const override { return work; }
  Status compute(const TensorImpl& node, const ComputeParams& p) override { return toy_.compute(node, p); }
  int cut = 4;
  Bytes work = 0;
  std::string& fail_at() { return toy_.fail_at; }
  int calls() const { return toy_.calls; }

 private:
  test::ToyBackend toy_;
};

struct Random {
  Context context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
  Graph graph;
  Tensor input, output;
  std::vector<float> data = std::vector<float>(kElements), expected;

  // `branches` chains of short and long nodes from one input, summed up.
  Random(uint32_t seed, int branches, int length) {
    std::mt19937 random(seed);
    GraphBuilder b(context);
    input = b.input("x", {kElements});
    for (float& v : data) v = static_cast<float>(static_cast<int>(random() % 21) - 10);
    Tensor sum = input;
    std::vector<float> total = data;
    for (int branch = 0; branch < branches; ++branch) {
      Tensor last = input;
      std::vector<float> values = data;
      for (int i = 0; i < length; ++i) {
        const std::string name = (random() % 2 ? "short " : "long ") + std::to_string(branch) + "." + std::to_string(i);
        if (random() % 3 == 0) {
          last = b.op(Op::Relu, {last}, {}, name);
          for (float& v : values) v = std::max(v, 0.0f);
        } else {
          last = b.op(Op::Add, {last, input}, {}, name);
          for (size_t e = 0; e < values.size(); ++e) values[e] += data[e];
        }
      }
      sum = b.add(sum, last, "sum");
      for (size_t e = 0; e < total.size(); ++e) total[e] += values[e];
    }
    b.output(sum);
    REQUIRE(b.ok());
    output = sum;
    expected = total;
    graph = *context.new_graph(512);
    REQUIRE(graph.expand(output).ok());
    input->storage = *Storage::borrow(data.data(), kElements * 4);
  }
  void check_result() const {
    for (size_t e = 0; e < expected.size(); ++e) REQUIRE(output.data_as<float>()[e] == expected[e]);
  }
};

std::unique_ptr<Executor> prepared(Random& g, Backend& backend, int threads, const ExecutionPlanOptions& options,
                                   const char* order = "depth-first", trace::Recorder* recorder = nullptr,
                                   MemoryStrategy strategy = MemoryStrategy::Planned) {
  auto memory = plan_memory(g.graph, "two-level", order);
  REQUIRE(memory.ok());
  auto plan = ExecutionPlan::make(g.graph, *memory, backend, threads, options);
  REQUIRE(plan.ok());
  auto executor =
      Executor::create(backend, make_cpu_context(), {.threads = threads, .strategy = strategy, .recorder = recorder});
  REQUIRE(executor.ok());
  REQUIRE((*executor)->prepare(std::move(*plan)).ok());
  return std::move(*executor);
}

std::map<SyncAfter, int> kinds(const ExecutionPlan& plan) {
  std::map<SyncAfter, int> out;
  for (const PlannedStep& step : plan.steps) ++out[step.sync_after];
  return out;
}

}  // namespace

TEST_CASE("results are the same without elided barriers and with work stealing") {
  UnevenBackend backend;
  for (uint32_t seed = 1; seed <= 6; ++seed)
    for (int threads : {1, 2, 3, 5})
      for (const char* order : {"depth-first", "breadth-first"})
        for (int options = 0; options < 8; ++options)
          for (auto strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager}) {
            Random g(seed, 4, 8);
            auto executor = prepared(g, backend, threads, {(options & 1) != 0, (options & 2) != 0, (options & 4) != 0},
                                     order, nullptr, strategy);
            for (int run = 0; run < 3; ++run) {
              auto report = executor->run({.timed = run == 1});
              REQUIRE(report.ok());
              g.check_result();
              if (run == 1)
                for (const PlannedStep& step : executor->plan().steps)
                  CHECK((step.tasks == 0 || report->nodes[executor->plan().steps.size() - 1].nanoseconds >= 0));
            }
          }
}

TEST_CASE("a row has nodes of one thread, and independent nodes do not share bytes") {
  UnevenBackend backend;
  Random g(3, 5, 6);
  {
    auto executor = prepared(g, backend, 2, {.rows = true, .stealing = true, .independent = false});
    const auto& steps = executor->plan().steps;
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      CHECK((steps[i].sync_after == SyncAfter::SameThread) == (steps[i].tasks == 1 && steps[i + 1].tasks == 1));
      CHECK(steps[i].parts == (steps[i].tasks > 1 ? 8 : steps[i].tasks));
    }
    CHECK(kinds(executor->plan())[SyncAfter::None] == 0);
  }
  {
    auto executor = prepared(g, backend, 2, {.rows = false, .stealing = false, .independent = false});
    CHECK(kinds(executor->plan())[SyncAfter::Barrier] == static_cast<int>(executor->plan().steps.size()));
  }
  {
    auto executor = prepared(g, backend, 2, {.rows = true, .stealing = true, .independent = true}, "breadth-first");
    const ExecutionPlan& plan = executor->plan();
    CHECK(kinds(plan)[SyncAfter::None] > 0);
    for (size_t i = 0; i + 1 < plan.steps.size(); ++i) {
      if (plan.steps[i].sync_after != SyncAfter::None) continue;
      const TensorImpl& a = plan.graph.node(plan.steps[i].node);
      const TensorImpl& b = plan.graph.node(plan.steps[i + 1].node);
      const auto overlap = [](const TensorImpl& x, const TensorImpl& y) {
        return x.data() < y.data() + y.byte_count() && y.data() < x.data() + x.byte_count();
      };
      for (const TensorImpl* source : b.sources) CHECK_FALSE(overlap(a, *source));
      for (const TensorImpl* source : a.sources) CHECK_FALSE(overlap(b, *source));
      CHECK_FALSE(overlap(a, b));
      CHECK(plan.steps[i].parts == plan.steps[i].tasks);
    }
    backend.work = 256;  // one work buffer: no thread may be a node ahead
    auto shared = prepared(g, backend, 2, {.rows = true, .stealing = true, .independent = true}, "breadth-first");
    CHECK(kinds(shared->plan())[SyncAfter::None] == 0);
  }
}

TEST_CASE("a recording counts the nodes without a barrier") {
  UnevenBackend backend;
  Random g(5, 3, 10);
  trace::Recorder recorder;
  auto session = std::make_shared<trace::Session>();
  recorder.add_sink(session);
  auto executor = prepared(g, backend, 2, {}, "depth-first", &recorder);
  REQUIRE(executor->run().ok());
  recorder.drain();
  const auto snapshot = session->snapshot();
  const ExecutionPlan& plan = executor->plan();
  size_t barrier = 0;
  int nodes = 0, longest = 0;
  for (const PlannedStep& step : plan.steps) {
    if (step.tasks == 0) continue;
    ++nodes;
    const auto stats = snapshot->stats(executor->trace_graph(), step.node);
    CHECK(stats.parts == step.parts);
    CHECK(stats.barriers == (step.sync_after == SyncAfter::Barrier ? 1 : 0));
    if (step.sync_after != SyncAfter::Barrier) continue;
    REQUIRE(barrier < snapshot->barriers.size());
    CHECK(snapshot->barriers[barrier].node == step.node);
    CHECK(snapshot->barriers[barrier].nodes == nodes);
    CHECK(snapshot->barriers[barrier].threads == 2);
    longest = std::max(longest, nodes);
    nodes = 0;
    ++barrier;
  }
  CHECK(barrier == snapshot->barriers.size());
  CHECK(longest > 1);
  const auto after = snapshot->barrier_after(snapshot->barriers[1].run, snapshot->barriers[0].last_arrival + 1);
  REQUIRE(after.has_value());
  CHECK(after->node == snapshot->barriers[1].node);
}

TEST_CASE("a failure inside a row, a group or a part ends the run on all threads, which run again afterwards") {
  UnevenBackend backend;
  for (int threads : {1, 2, 4})
    for (bool independent : {false, true}) {
      Random g(4, 4, 6);
      auto executor = prepared(g, backend, threads, {.independent = independent}, "breadth-first");
      for (const TensorImpl* node : g.graph.nodes()) {
        backend.fail_at() = node->name.str();
        CHECK_FALSE(executor->run().ok());
      }
      backend.fail_at().clear();
      REQUIRE(executor->run().ok());
      g.check_result();
    }
}

TEST_CASE("a graph of tiny nodes runs on the calling thread and can be stopped in the middle") {
  UnevenBackend backend;
  Context context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
  GraphBuilder b(context);
  Tensor x = b.input("x", {kElements}), last = x;
  std::vector<float> data(kElements, 1.0f);
  for (int i = 0; i < 20; ++i) last = b.op(Op::Add, {last, x}, {}, "short " + std::to_string(i));
  b.output(last);
  Graph graph = *context.new_graph(64);
  REQUIRE(graph.expand(last).ok());
  x->storage = *Storage::borrow(data.data(), kElements * 4);
  auto plan = ExecutionPlan::make(graph, *quick_plan(graph), backend, 3);
  REQUIRE(plan.ok());
  auto executor = *Executor::create(backend, make_cpu_context(), {.threads = 3});
  REQUIRE(executor->prepare(std::move(*plan)).ok());
  REQUIRE(executor->run().ok());
  CHECK(backend.calls() == 20);
  CHECK(last.data_as<float>()[7] == 21.0f);
  int seen = 0;
  RunOptions options;
  options.after_node = [&](NodeId, Step) { return ++seen < 5; };
  auto report = executor->run(options);
  REQUIRE(report.ok());
  CHECK(report->aborted);
  CHECK(seen == 5);
  CHECK(backend.calls() == 25);
}

TEST_CASE("the quick plan keeps every tensor for its lifetime") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    Random g(seed, 6, 7);
    std::vector<NodeId> order(g.graph.nodes().size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = NodeId(i);
    auto quick = quick_plan(g.graph);
    REQUIRE(quick.ok());
    const GraphIntervals intervals = graph_intervals(g.graph, order, {});
    REQUIRE(quick->tensors.size() == intervals.owners.size());
    planner::Plan answer;
    answer.arena_bytes = quick->arena_bytes;
    for (size_t i = 0; i < quick->tensors.size(); ++i) {
      CHECK(quick->tensors[i].node == intervals.owners[i]);
      CHECK(quick->tensors[i].first.value == intervals.problem.intervals[i].lower);
      CHECK(quick->tensors[i].last.value == intervals.problem.intervals[i].upper);
      answer.offsets.push_back(quick->tensors[i].offset);
    }
    CHECK(planner::check(intervals.problem, answer).ok());
    CHECK(quick->lower_bound <= quick->arena_bytes);
  }
}
