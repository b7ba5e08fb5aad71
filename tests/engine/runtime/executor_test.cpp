// SPDX-License-Identifier: MIT
#include <arenascope/graph/builder.h>
#include <arenascope/planner/check.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <set>
#include <thread>

#include "support/toy_backend.h"

using namespace arenascope;

namespace {

constexpr int64_t kElements = 96;

// A random graph of ADD and RELU with views in it, its input's data, and the result by plain arithmetic.
struct RandomGraph {
  Context context;
  Graph graph;
  Tensor input, output;
  std::vector<float> data, expected;

  explicit RandomGraph(uint32_t seed, int nodes = 40, bool trained = false) {
    std::mt19937 random(seed);
    context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
    GraphBuilder b(context);
    input = b.input("x", {kElements});
    if (trained) input.set_flag(kFlagParameter);
    data.resize(kElements);
    for (float& v : data) v = static_cast<float>(static_cast<int>(random() % 21) - 10);
    std::vector<Tensor> made{input};
    std::vector<std::vector<float>> values{data};
    for (int i = 0; i < nodes; ++i) {
      const size_t p = made.size() - 1 - random() % std::min<size_t>(made.size(), 6);
      const size_t q = made.size() - 1 - random() % std::min<size_t>(made.size(), 6);
      const std::string name = "n" + std::to_string(i);
      std::vector<float> v(kElements);
      if (random() % 3 == 0) {
        made.push_back(b.op(Op::Relu, {made[p]}, {}, name));
        for (size_t e = 0; e < v.size(); ++e) v[e] = std::max(values[p][e], 0.0f);
      } else if (random() % 4 == 0) {
        made.push_back(b.reshape(b.reshape(made[p], {8, kElements / 8}), {kElements}, name));
        v = values[p];
      } else {
        made.push_back(b.add(made[p], made[q], name));
        for (size_t e = 0; e < v.size(); ++e) v[e] = values[p][e] + values[q][e];
      }
      values.push_back(v);
    }
    output = b.add(made.back(), made[made.size() / 2], "out");
    expected.resize(kElements);
    for (size_t e = 0; e < expected.size(); ++e) expected[e] = values.back()[e] + values[values.size() / 2][e];
    b.output(output);
    REQUIRE(b.ok());
    graph = *context.new_graph(256);
    REQUIRE(graph.expand(output).ok());
    input->storage = *Storage::borrow(data.data(), kElements * 4);
  }

  void check_result() const {
    for (size_t e = 0; e < expected.size(); ++e) REQUIRE(output.data_as<float>()[e] == expected[e]);
  }
};

Result<std::unique_ptr<Executor>> make(RandomGraph& g, Backend& backend, ExecutorOptions options,
                                       const char* planner = "two-level", const char* order = "depth-first",
                                       MemoryPlanOptions plan_options = {},
                                       std::shared_ptr<ExecutionContext> context = make_cpu_context()) {
  auto memory = plan_memory(g.graph, planner, order, plan_options);
  if (!memory) return memory.error();
  auto plan = ExecutionPlan::make(g.graph, *memory, backend, options.threads);
  if (!plan) return plan.error();
  auto executor = Executor::create(backend, std::move(context), options);
  if (!executor) return executor;
  if (auto ok = (*executor)->prepare(std::move(*plan)); !ok) return ok.error();
  return executor;
}

}  // namespace

TEST_CASE("all strategies, planners, orders and thread counts give identical results repeatedly") {
  test::ToyBackend backend;
  for (uint32_t seed = 1; seed <= 8; ++seed)
    for (int threads : {1, 2, 4})
      for (auto strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None})
        for (const char* order : {"depth-first", "breadth-first"})
          for (const char* planner : {"none", "greedy-by-size", "two-level"})
            for (bool in_place : {false, true}) {
              if (strategy != MemoryStrategy::Planned && (in_place || planner != std::string("none"))) continue;
              RandomGraph g(seed);
              MemoryPlanOptions options;
              options.in_place = in_place;
              auto executor = make(g, backend, {threads, strategy, nullptr, {}, {}}, planner, order, options);
              REQUIRE(executor.ok());
              for (int run = 0; run < 3; ++run) {
                auto report = (*executor)->run({.timed = run == 1});
                REQUIRE(report.ok());
                g.check_result();
              }
            }
}

TEST_CASE("a parameter is a node with data that its views read") {
  test::ToyBackend backend;
  for (auto strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None})
    for (uint32_t seed = 0; seed < 12; ++seed) {
      CAPTURE(seed);
      RandomGraph g(seed, 40, true);
      REQUIRE(g.graph.find_node(*g.input).valid());
      const std::byte* data = g.input->data();
      auto executor = make(g, backend, {1, strategy, nullptr, {}, {}});
      REQUIRE(executor.ok());
      for (int run = 0; run < 2; ++run) REQUIRE((*executor)->run().ok());
      g.check_result();
      CHECK(g.input->data() == data);
      g.input->storage = Storage();
      auto refused = make(g, backend, {1, strategy, nullptr, {}, {}});
      REQUIRE_FALSE(refused.ok());
      CHECK(refused.error().message == "'x' has no data: every input and weight must be bound before a run");
    }
}

TEST_CASE("eager memory is freed after its last use, planned memory is one block") {
  test::ToyBackend backend;
  RandomGraph g(3);
  Bytes peak[3];
  for (auto strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager, MemoryStrategy::None}) {
    auto context = make_cpu_context();
    auto executor = make(g, backend, {1, strategy, nullptr, {}, {}}, "two-level", "depth-first", {}, context);
    REQUIRE(executor.ok());
    REQUIRE((*executor)->run().ok());
    const MemoryStats stats = context->stats({}, MemoryKind::Workspace);
    peak[static_cast<int>(strategy)] = stats.peak;
    if (strategy == MemoryStrategy::Planned) CHECK(stats.allocations == 2);  // the arena and the work buffer
  }
  CHECK(peak[0] < peak[2]);
  CHECK(peak[1] < peak[2]);
}

TEST_CASE("nodes are bound at their planned offsets, views inside their source") {
  test::ToyBackend backend;
  RandomGraph g(5);
  auto executor = make(g, backend, {1, MemoryStrategy::Planned, nullptr, {}, {}});
  REQUIRE(executor.ok());
  const MemoryPlan& plan = (*executor)->plan().memory;
  CHECK(plan.lower_bound <= plan.arena_bytes);
  const std::byte* base = g.graph.node(plan.tensors[0].node).storage.block()->data();
  for (const PlannedTensor& tensor : plan.tensors) {
    CHECK(g.graph.node(tensor.node).data() == base + tensor.offset);
    CHECK(tensor.first < tensor.last);
  }
  for (const TensorImpl* node : g.graph.nodes())
    if (node->is_view() && node->view_source->op != Op::None) CHECK(node->data() == node->view_source->data());
}

TEST_CASE("the trace has the work of each node and the waits of each thread") {
  test::ToyBackend backend;
  RandomGraph g(7);
  trace::Recorder recorder;
  auto session = std::make_shared<trace::Session>();
  recorder.add_sink(session);
  auto executor = make(g, backend, {2, MemoryStrategy::Planned, &recorder, "toy", {}});
  REQUIRE(executor.ok());
  REQUIRE((*executor)->run().ok());
  recorder.drain();
  const auto snapshot = session->snapshot();
  size_t with_work = 0;
  for (const PlannedStep& step : (*executor)->plan().steps) {
    if (step.tasks == 0) continue;
    ++with_work;
    const auto stats = snapshot->stats((*executor)->trace_graph(), step.node);
    CHECK(stats.parts == step.tasks);
    CHECK(stats.barriers == 1);
  }
  CHECK(with_work > 10);
  CHECK(snapshot->lost == 0);
  const auto* info = snapshot->graph((*executor)->trace_graph());
  REQUIRE(info != nullptr);
  CHECK(info->model == "toy");
  CHECK(info->nodes.size() == g.graph.nodes().size());
  const auto* plan = snapshot->plan((*executor)->trace_plan());
  REQUIRE(plan != nullptr);
  CHECK(plan->slices.size() == (*executor)->plan().memory.tensors.size());
}

TEST_CASE("a kernel error ends the run and names the node; the executor can run again") {
  test::ToyBackend backend;
  RandomGraph g(2);
  for (int threads : {1, 3}) {
    auto executor = make(g, backend, {threads, MemoryStrategy::Eager, nullptr, {}, {}});
    REQUIRE(executor.ok());
    backend.fail_at = "out";
    auto failed = (*executor)->run();
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().message.find("'out'") != std::string::npos);
    CHECK(failed.error().message.find("simulated failure") != std::string::npos);
    backend.fail_at.clear();
    REQUIRE((*executor)->run().ok());
    g.check_result();
  }
}

TEST_CASE("an exception of a kernel, on any thread, ends the run with an error") {
  test::ToyBackend backend;
  RandomGraph g(2);
  for (const int threads : {1, 3})
    for (const MemoryStrategy strategy : {MemoryStrategy::Eager, MemoryStrategy::Planned}) {
      auto executor = make(g, backend, {threads, strategy, nullptr, {}, {}});
      REQUIRE(executor.ok());
      backend.throw_at = "out";  // the last thread does
      auto failed = (*executor)->run();
      REQUIRE_FALSE(failed.ok());
      CHECK(failed.error().message.find("'out'") != std::string::npos);
      CHECK(failed.error().message.find("no memory is left") != std::string::npos);
      backend.throw_at.clear();
      REQUIRE((*executor)->run().ok());
      g.check_result();
    }
}

TEST_CASE("an exception in after_node ends the run with an error while the other threads wait") {
  test::ToyBackend backend;
  RandomGraph g(4);
  auto executor = make(g, backend, {3, MemoryStrategy::Planned, nullptr, {}, {}});
  REQUIRE(executor.ok());
  RunOptions options;
  int calls = 0;
  options.after_node = [&](NodeId, Step) -> bool {
    if (++calls == 3) throw std::bad_alloc();
    return true;
  };
  auto failed = (*executor)->run(options);
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message.find("no memory is left") != std::string::npos);
  REQUIRE((*executor)->run().ok());
  g.check_result();
}

TEST_CASE("callbacks are called once per node and can end the run") {
  test::ToyBackend backend;
  RandomGraph g(4);
  auto executor = make(g, backend, {2, MemoryStrategy::Planned, nullptr, {}, {}});
  REQUIRE(executor.ok());
  std::vector<int32_t> seen;
  RunOptions options;
  options.after_node = [&](NodeId node, Step) {
    seen.push_back(node.value);
    return true;
  };
  REQUIRE((*executor)->run(options).ok());
  size_t with_work = 0;
  for (const PlannedStep& step : (*executor)->plan().steps) with_work += step.tasks > 0;
  CHECK(seen.size() == with_work);
  options.after_node = [&](NodeId, Step step) { return step.value < 5; };
  auto report = (*executor)->run(options);
  REQUIRE(report.ok());
  CHECK(report->aborted);
}

TEST_CASE("a run can be paused, stepped, stopped at breakpoints and aborted from another thread") {
  test::ToyBackend backend;
  RandomGraph g(6);
  auto executor = make(g, backend, {2, MemoryStrategy::Planned, nullptr, {}, {}});
  REQUIRE(executor.ok());
  RunControl control;
  std::atomic<int> done{0};
  RunOptions options;
  options.control = &control;
  options.after_node = [&](NodeId, Step) { return ++done, true; };
  options.break_before = [&](NodeId node, Step) { return g.graph.node(node).name == "out"; };
  std::atomic<bool> ended{false};
  bool ok = false, aborted = true;
  std::thread runner([&] {
    auto report = (*executor)->run(options);
    ok = report.ok();
    aborted = !ok || report->aborted;
    ended = true;
  });
  const auto wait_pause = [&] {
    for (int i = 0; i < 5000 && !control.paused(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    REQUIRE(control.paused());
  };
  wait_pause();
  size_t with_work = 0;
  for (const PlannedStep& step : (*executor)->plan().steps) with_work += step.tasks > 0;
  CHECK(done == static_cast<int>(with_work) - 1);
  control.resume();
  runner.join();
  CHECK(ok);
  CHECK_FALSE(aborted);
  g.check_result();
  control.pause();
  std::thread again([&] {
    auto report = (*executor)->run(options);
    aborted = report.ok() && report->aborted;
  });
  wait_pause();
  control.abort();
  again.join();
  CHECK(aborted);
}

TEST_CASE("unsupported graphs are errors before anything runs") {
  test::ToyBackend backend;
  RandomGraph g(1);
  CHECK(plan_memory(g.graph, "missing", "depth-first").error().message.find("no planner 'missing'") !=
        std::string::npos);
  CHECK(plan_memory(g.graph, "none", "sideways").error().message.find("no order 'sideways'") != std::string::npos);
  auto memory = plan_memory(g.graph, "none", "depth-first");
  REQUIRE(memory.ok());
  CHECK_FALSE(ExecutionPlan::make(g.graph, *memory, backend, 0).ok());
  {
    GraphBuilder b(g.context);
    Tensor odd = b.op(Op::Exp, {g.input}, {}, "odd");
    Graph other = *g.context.new_graph(8);
    REQUIRE(other.expand(odd).ok());
    auto plan = ExecutionPlan::make(other, *plan_memory(other, "none", "depth-first"), backend, 1);
    REQUIRE_FALSE(plan.ok());
    CHECK(plan.error().message.find("EXP is not one of its ops") != std::string::npos);
  }
  g.input->storage = Storage();
  auto executor = make(g, backend, {1, MemoryStrategy::Planned, nullptr, {}, {}});
  REQUIRE_FALSE(executor.ok());
  CHECK(executor.error().message.find("'x' has no data") != std::string::npos);
}

TEST_CASE("an arena that cannot be allocated is an error value") {
  test::ToyBackend backend;
  RandomGraph g(1);
  for (auto strategy : {MemoryStrategy::Planned, MemoryStrategy::None, MemoryStrategy::Eager}) {
    auto context = make_cpu_context();
    context->set_limit({}, 512);
    auto executor = make(g, backend, {1, strategy, nullptr, {}, {}}, "none", "depth-first", {}, context);
    if (strategy == MemoryStrategy::Eager && executor.ok()) {
      auto report = (*executor)->run();
      REQUIRE_FALSE(report.ok());
      CHECK(report.error().message.find("cannot allocate '") != std::string::npos);
    } else {
      REQUIRE_FALSE(executor.ok());
    }
  }
}

TEST_CASE("copies between a device and a host with shared memory run on the host") {
  Context context = *Context::create({.mem_size = 1 << 16, .no_alloc = true});
  GraphBuilder b(context);
  const auto on_host = [](const Tensor& tensor) {
    tensor->placement = Placement::Host;
    return tensor;
  };
  const Tensor x = b.input("x", {kElements});
  const Tensor made = b.op(Op::Relu, {x}, {}, "made");
  const Tensor given_there = on_host(b.op(Op::Copy, {x}, {}, "x (to the host)"));
  const Tensor made_there = on_host(b.op(Op::Copy, {made}, {}, "made (to the host)"));
  const Tensor sum = on_host(b.add(given_there, made_there, "sum"));
  const Tensor back = b.op(Op::Copy, {sum}, {}, "sum (to the device)");
  const Tensor out = b.add(back, x, "out");
  b.output(out);
  REQUIRE(b.ok());
  Graph graph = *context.new_graph(16);
  REQUIRE(graph.expand(out).ok());
  std::vector<float> data(kElements);
  for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 9) - 4;
  x->storage = *Storage::borrow(data.data(), kElements * 4);

  test::ToyBackend device, host;
  device.host_threads = false;
  auto memory = plan_memory(graph, "greedy-by-size", "depth-first");
  REQUIRE(memory);
  auto plan = ExecutionPlan::make(graph, *memory, device, 2, {}, &host);
  REQUIRE(plan);
  const auto kinds = [&](const ExecutionPlan& of, Op op) {
    std::multiset<StepKind> found;
    for (const PlannedStep& step : of.steps)
      if (graph.node(step.node).op == op) found.insert(step.kind);
    return found;
  };
  CHECK(kinds(*plan, Op::Copy).count(StepKind::Transfer) == 3);
  ExecutorOptions options;
  options.threads = 2;
  options.host = &host;
  auto executor = Executor::create(device, make_cpu_context(), options);
  REQUIRE(executor);
  REQUIRE((*executor)->prepare(std::move(*plan)).ok());
  CHECK(kinds((*executor)->plan(), Op::Copy).count(StepKind::Host) == 3);
  CHECK(kinds((*executor)->plan(), Op::Add) == std::multiset{StepKind::Main, StepKind::Host});
  REQUIRE((*executor)->run().ok());
  for (size_t i = 0; i < data.size(); ++i) CHECK(out.data_as<float>()[i] == 2 * data[i] + std::max(data[i], 0.0f));
  CHECK(device.calls == 2);  // RELU and the last ADD
}

TEST_CASE("executors share an external thread pool, one after the other") {
  test::ToyBackend backend;
  std::shared_ptr<ThreadPool> pool = *ThreadPool::create(3);
  std::vector<std::unique_ptr<RandomGraph>> graphs;
  std::vector<std::unique_ptr<Executor>> executors;
  for (uint32_t seed = 1; seed <= 4; ++seed) {
    graphs.push_back(std::make_unique<RandomGraph>(seed));
    ExecutorOptions options;
    options.threads = 3;
    options.shared_pool = pool;
    auto executor = make(*graphs.back(), backend, options);
    REQUIRE_MESSAGE(executor.ok(), executor.error().message);
    executors.push_back(std::move(*executor));
  }
  CHECK(pool.use_count() > 4);
  for (int round = 0; round < 3; ++round)
    for (size_t i = 0; i < executors.size(); ++i) {
      REQUIRE(executors[i]->run().ok());
      graphs[i]->check_result();
    }
  executors.clear();
  CHECK(pool.use_count() == 1);
  std::atomic<int> parts{0};
  pool->run([&](int) { ++parts; });  // it outlives them
  CHECK(parts == 3);
  ExecutorOptions options;
  options.threads = 2;
  options.shared_pool = pool;
  const auto refused = make(*graphs[0], backend, options);
  REQUIRE(!refused.ok());
  CHECK(refused.error().message == "the shared thread pool has 3 threads, but the executor was created for 2");
}
