// SPDX-License-Identifier: MIT
// Concatenations whose inputs are aliased into their result: bit-identical, no larger arena, nothing copied.
#include <doctest/doctest.h>

#include <cstring>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/graph/builder.h>
#include <arenascope/runtime/executor.h>

using namespace arenascope;

namespace {

// A dense block: each layer reads the concatenation of all before it; at the end, branches are put side by side.
struct Network {
  Context context;
  Graph graph;
  Tensor input, output;

  Network() : context(*Context::create({.mem_size = size_t{1} << 24})) {
    GraphBuilder b(context);
    input = b.input("input", {1, 16, 8, 8});
    Tensor x = b.op(Op::Relu, {input});
    for (int layer = 0; layer < 5; ++layer) {
      const Tensor fresh = b.op(Op::Sigmoid, {b.slice(x, 1, layer, layer + 8, 1)});
      const Tensor parts[] = {x, b.add(fresh, fresh)};
      x = b.concat(parts, 1);
    }
    const Tensor branches[] = {b.op(Op::Tanh, {x}), b.op(Op::Relu, {x}), b.op(Op::Exp, {b.op(Op::Neg, {x})})};
    const Tensor wide = b.concat(branches, 1);
    const Tensor rows[] = {wide, wide};  // the same one twice, and along rows: this one copies
    output = b.concat(rows, 3);
    b.output(output);
    REQUIRE(b.ok());
    graph = *context.new_graph(128);
    REQUIRE(graph.expand(output).ok());
    float* values = input.data_as<float>();
    for (int64_t i = 0; i < input->element_count(); ++i) values[i] = static_cast<float>((i * 37) % 101) / 25 - 2;
  }
};

struct Outcome {
  std::vector<std::byte> bytes;
  Bytes arena = 0;
  size_t joined = 0;
  std::vector<std::string> worked;  // the concatenations that had work
};

Outcome run(bool join, bool in_place, MemoryStrategy strategy, const char* planner, int threads) {
  Network n;
  auto cpu = cpu::make_cpu_backend();
  MemoryPlanOptions options;
  options.join = join;
  options.in_place = in_place;
  options.planner.budget_seconds = 0.1;
  auto memory = plan_memory(n.graph, planner, "depth-first", options);
  REQUIRE_MESSAGE(memory.ok(), memory.error().message);
  Outcome out;
  out.arena = memory->arena_bytes;
  out.joined = memory->joined.size();
  auto plan = ExecutionPlan::make(n.graph, std::move(*memory), *cpu, threads);
  REQUIRE(plan.ok());
  auto executor = Executor::create(*cpu, make_cpu_context(), {threads, strategy, nullptr, {}, {}});
  REQUIRE(executor.ok());
  REQUIRE((*executor)->prepare(std::move(*plan)).ok());
  auto report = (*executor)->run({.timed = true});
  REQUIRE(report.ok());
  for (const PlannedStep& step : (*executor)->plan().steps)
    if (n.graph.node(step.node).op == Op::Concat && step.tasks > 0)
      out.worked.emplace_back(n.graph.node(step.node).name);
  out.bytes.assign(n.output->data(), n.output->data() + n.output->byte_count());
  return out;
}

}  // namespace

TEST_CASE("joined concatenations copy nothing and give equal results") {
  const Outcome plain = run(false, false, MemoryStrategy::None, "none", 1);
  CHECK(plain.joined == 0);
  CHECK(plain.worked.size() == 7);
  for (const char* planner : {"none", "two-level", "greedy-by-size", "best-fit-online", "search"}) {
    for (const bool in_place : {false, true}) {
      for (const int threads : {1, 2}) {
        const Outcome apart = run(false, in_place, MemoryStrategy::Planned, planner, threads);
        const Outcome joined = run(true, in_place, MemoryStrategy::Planned, planner, threads);
        CHECK(apart.bytes == plain.bytes);
        CHECK(joined.bytes == plain.bytes);
        CHECK(joined.arena <= apart.arena);
        if (joined.joined == 0) continue;  // this planner does better without
        CHECK(joined.joined == 6);
        CHECK(joined.worked.size() == 1);  // the one along rows
      }
    }
  }
  CHECK(run(true, false, MemoryStrategy::Planned, "search", 1).joined == 6);
}

TEST_CASE("concatenated branches need no copy") {
  Context context = *Context::create({.mem_size = size_t{1} << 20});
  GraphBuilder b(context);
  const Tensor x = b.input("input", {1, 16, 8, 8});
  const Tensor branches[] = {b.op(Op::Tanh, {x}), b.op(Op::Relu, {x}), b.op(Op::Exp, {x})};
  const Tensor wide = b.concat(branches, 1);
  b.output(wide);
  REQUIRE(b.ok());
  Graph graph = *context.new_graph(16);
  REQUIRE(graph.expand(wide).ok());
  for (const char* planner : {"greedy-by-size", "two-level", "search"}) {
    CHECK(plan_memory(graph, planner, "depth-first", {.join = false})->arena_bytes == 2 * wide->byte_count());
    CHECK(plan_memory(graph, planner, "depth-first", {})->arena_bytes == wide->byte_count());
  }
}

TEST_CASE("without a plan, concatenations copy") {
  const Outcome plain = run(false, false, MemoryStrategy::None, "none", 1);
  for (const auto strategy : {MemoryStrategy::Eager, MemoryStrategy::None}) {
    const Outcome out = run(true, false, strategy, "search", 2);
    CHECK(out.bytes == plain.bytes);
    CHECK(out.worked.size() == 7);
  }
}
