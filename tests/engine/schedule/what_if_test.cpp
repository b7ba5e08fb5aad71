// SPDX-License-Identifier: MIT
#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/graph/builder.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/schedule/frontier.h>
#include <arenascope/schedule/what_if.h>
#include <doctest/doctest.h>

#include <random>

#include "support/toy_backend.h"

using namespace arenascope;

namespace {

constexpr int64_t kElements = 64;
constexpr Bytes kBytes = kElements * 4;

// A chain of nodes followed by a mirrored chain, each node of which also reads the matching result of the first: the
// dependencies of a forward and a backward pass.
struct Hourglass {
  Context context;
  Graph graph;
  Tensor input, output;
  std::vector<float> data = std::vector<float>(kElements);

  explicit Hourglass(int depth, uint32_t seed = 1, bool views = false) {
    context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
    GraphBuilder b(context);
    std::mt19937 random(seed);
    for (float& v : data) v = static_cast<float>(static_cast<int>(random() % 21) - 10);
    input = b.input("x", {kElements});
    std::vector<Tensor> down{b.add(input, input, "d0")};
    for (int i = 1; i < depth; ++i) {
      const std::string name = "d" + std::to_string(i);
      down.push_back(random() % 2 ? b.op(Op::Relu, {down.back()}, {}, name) : b.add(down.back(), input, name));
    }
    Tensor up = down.back();
    for (int i = depth - 1; i >= 0; --i) {
      Tensor from = down[static_cast<size_t>(i)];
      if (views) from = b.reshape(b.reshape(from, {8, kElements / 8}), {kElements});
      up = b.add(up, from, "u" + std::to_string(i));
    }
    output = up;
    b.output(output);
    REQUIRE(b.ok());
    graph = *context.new_graph(512);
    REQUIRE(graph.expand(output).ok());
    input->storage = *Storage::borrow(data.data(), kBytes);
  }

  std::vector<NodeId> order() const {
    std::vector<NodeId> out;
    for (size_t k = 0; k < graph.nodes().size(); ++k) out.emplace_back(NodeId(k));
    return out;
  }
};

std::vector<float> run_by(Backend& backend, const Graph& graph, MemoryPlan plan, const Tensor& output) {
  auto execution = ExecutionPlan::make(graph, std::move(plan), backend, 2);
  REQUIRE(execution.ok());
  ExecutorOptions options;
  options.threads = 2;
  auto executor = Executor::create(backend, make_cpu_context(), options);
  REQUIRE(executor.ok());
  REQUIRE((*executor)->prepare(std::move(*execution)).ok());
  REQUIRE((*executor)->run().ok());
  const float* data = output.data_as<float>();
  return {data, data + kElements};
}

std::vector<float> run(const Graph& graph, MemoryPlan plan, const Tensor& output) {
  test::ToyBackend backend;
  return run_by(backend, graph, std::move(plan), output);
}

}  // namespace

TEST_CASE("what-if: a plan that fits is unchanged") {
  Hourglass g(6);
  auto answer = what_if(g.graph, g.order(), "given", {.capacity = 1 << 20});
  REQUIRE(answer.ok());
  CHECK(answer->fits);
  CHECK(answer->steps.empty());
  CHECK(answer->plan.arena_bytes == answer->before.arena_bytes);
}

TEST_CASE("what-if: rematerialising, offloading and both meet the capacity and give equal results") {
  for (uint32_t seed = 1; seed <= 6; ++seed)
    for (const bool views : {false, true})
      for (const auto& [rematerialise, offload] :
           {std::pair{true, false}, std::pair{false, true}, std::pair{true, true}}) {
        Hourglass g(12, seed, views);
        WhatIfOptions options;
        options.rematerialise = rematerialise;
        options.offload = offload;
        options.in_place = options.reorder = false;
        options.capacity = 7 * kBytes;
        auto answer = what_if(g.graph, g.order(), "given", options);
        REQUIRE(answer.ok());
        CAPTURE(answer->why);
        CHECK(answer->before.arena_bytes > options.capacity);
        REQUIRE(answer->fits);
        CHECK(answer->plan.arena_bytes <= options.capacity);
        REQUIRE(!answer->steps.empty());
        Bytes moved = 0;
        for (const MemorySaving& step : answer->steps) {
          CHECK(!sentence(step).empty());
          CHECK(step.from < step.to);
          CHECK(step.bytes == kBytes);
          CHECK(step.extra_bytes > 0);
          CHECK(step.peak_after < step.peak_before);
          if (!offload) CHECK(step.method == Saving::Rematerialise);
          if (!rematerialise) CHECK(step.method == Saving::Offload);
          if (step.method == Saving::Rematerialise) CHECK(step.extra_flops > 0);
          moved += step.extra_bytes;
        }
        CHECK(moved == answer->extra_bytes);
        const std::vector<float> expected = run(g.graph, answer->before, g.output);
        const Tensor mapped = answer->node_map[g.graph.find_node(*g.output).index()];
        CHECK(mapped->has(kFlagOutput));
        CHECK(run(answer->graph, answer->plan, mapped) == expected);
      }
}

// Lines down and up again, where what each left was written into meanwhile, and a reader of the older numbers is read
// last.
TEST_CASE("what-if: tensors written during the run stay, as do their earlier readers") {
  constexpr int kDepth = 6;
  Hourglass g(2);
  g.context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
  GraphBuilder b(g.context);
  g.input = b.input("x", {kElements});
  std::vector<Tensor> older, newer;
  Tensor down = b.add(g.input, g.input);
  for (int i = 0; i < kDepth; ++i) {
    const Tensor state = b.add(down, g.input);
    older.push_back(b.op(Op::Neg, {state}));
    OpParams all;
    all.set(SetRowsParams{0, false});
    newer.push_back(b.op(Op::SetRows, {state, b.op(Op::Relu, {b.add(down, older.back())}), older.back()}, all));
    down = b.add(newer.back(), g.input);
  }
  g.output = down;
  for (int i = kDepth; i-- > 0;) g.output = b.add(b.add(g.output, older[i]), newer[i]);
  b.output(g.output);
  REQUIRE_MESSAGE(b.ok(), (b.ok() ? "" : b.status().error().message));
  g.graph = *g.context.new_graph(256);
  REQUIRE(g.graph.expand(g.output).ok());
  g.input->storage = *Storage::borrow(g.data.data(), kBytes);
  const auto backend = cpu::make_cpu_backend();
  for (Bytes capacity = 3; capacity < 2 * kDepth; ++capacity)
    for (const bool offload : {false, true}) {
      WhatIfOptions options;
      options.in_place = options.reorder = false;
      options.rematerialise = !offload;
      options.offload = offload;
      options.capacity = capacity * kBytes;
      auto answer = what_if(g.graph, g.order(), "given", options);
      REQUIRE_MESSAGE(answer.ok(), (answer.ok() ? "" : answer.error().message));
      int writes = 0;
      for (const TensorImpl* node : answer->graph.nodes()) writes += node->op == Op::SetRows ? 1 : 0;
      CHECK(writes == kDepth);
      const std::vector<float> expected = run_by(*backend, g.graph, answer->before, g.output);
      const Tensor mapped = answer->node_map[g.graph.find_node(*g.output).index()];
      CHECK(run_by(*backend, answer->graph, answer->plan, mapped) == expected);
    }
}

// As a training step: each way down is made by a weight, which is written into as early as may be, and read on the way
// up.
TEST_CASE("what-if: a weight is written after the nodes rematerialised from it") {
  constexpr int kDepth = 10;
  Hourglass g(2);
  g.context = *Context::create({.mem_size = 1 << 20, .no_alloc = true});
  GraphBuilder b(g.context);
  g.input = b.input("x", {kElements});
  std::vector<Tensor> weights, down, written;
  for (int i = 0; i < kDepth; ++i) {
    weights.push_back(b.input("w" + std::to_string(i), {1}));
    down.push_back(b.add(i == 0 ? g.input : down.back(), weights.back(), "d" + std::to_string(i)));
  }
  OpParams all;
  all.set(SetRowsParams{0, false});
  for (int i = 0; i < kDepth; ++i)
    written.push_back(
        b.op(Op::SetRows,
             {weights[static_cast<size_t>(i)], b.reduce(Op::ReduceSum, down[static_cast<size_t>(i)], {0}, true)}, all));
  Tensor up = down.back();
  for (size_t i = kDepth; i-- > 0;) up = b.add(up, down[i], "u" + std::to_string(i));
  g.output = up;
  for (const Tensor& w : written) b.output(w);
  b.output(up);
  REQUIRE_MESSAGE(b.ok(), (b.ok() ? "" : b.status().error().message));
  g.graph = *g.context.new_graph(256);
  for (const Tensor& w : written) REQUIRE(g.graph.expand(w).ok());
  REQUIRE(g.graph.expand(up).ok());
  g.input->storage = *Storage::borrow(g.data.data(), kBytes);
  std::vector<std::vector<float>> stores(kDepth, std::vector<float>(1));
  for (size_t i = 0; i < kDepth; ++i) weights[i]->storage = *Storage::borrow(stores[i].data(), sizeof(float));
  const auto backend = cpu::make_cpu_backend();
  const auto numbers = [&](const Graph& graph, const MemoryPlan& plan, const Tensor& output) {
    for (size_t i = 0; i < kDepth; ++i) stores[i][0] = static_cast<float>(static_cast<int>(i * 7 % 11) - 5);
    std::vector<float> out = run_by(*backend, graph, plan, output);
    for (const auto& store : stores) out.insert(out.end(), store.begin(), store.end());
    return out;
  };
  int points = 0;
  for (Bytes capacity = 3; capacity < kDepth; ++capacity)
    for (const bool reorder : {false, true}) {
      WhatIfOptions options;
      options.in_place = false;
      options.reorder = reorder;
      options.offload = false;
      options.capacity = capacity * kBytes;
      auto answer = what_if(g.graph, g.order(), "given", options);
      REQUIRE_MESSAGE(answer.ok(), (answer.ok() ? "" : answer.error().message));
      for (const MemorySaving& step : answer->steps) points += step.method == Saving::Rematerialise ? 1 : 0;
      const Tensor mapped = answer->node_map[g.graph.find_node(*g.output).index()];
      CHECK(numbers(answer->graph, answer->plan, mapped) == numbers(g.graph, answer->before, g.output));
      // Every reader of a weight is ordered after its reload: another order of the same graph computes the same.
      auto other = find_order("reverse-depth-first")->make(answer->graph, {});
      REQUIRE(other.ok());
      auto plan =
          plan_memory(answer->graph, *other, "reverse-depth-first", *planner::find_planner("greedy-by-size"), {});
      REQUIRE(plan.ok());
      CHECK(numbers(answer->graph, *plan, mapped) == numbers(g.graph, answer->before, g.output));
    }
  CHECK(points > 4);
}

TEST_CASE("what-if: tensors on the host cost nothing and cannot be improved") {
  Hourglass g(8);
  const std::vector<float> reference =
      run(g.graph, *plan_memory(g.graph, g.order(), "given", *planner::find_planner("greedy-by-size")), g.output);
  // The first four results of the descending branch, with the longest lifetimes, are offloaded separately.
  std::vector<TensorImpl*> aside;
  for (TensorImpl* node : g.graph.nodes())
    if (node->name.str() < "d4") aside.push_back(node);
  REQUIRE(aside.size() == 4);
  for (TensorImpl* node : aside) node->placement = Placement::Host;
  WhatIfOptions options;
  options.capacity = 4 * kBytes;
  options.in_place = options.reorder = false;
  auto answer = what_if(g.graph, g.order(), "given", options);
  REQUIRE(answer.ok());
  CHECK(answer->before.arena_bytes == 5 * kBytes);
  CHECK(answer->fits);
  REQUIRE(answer->steps.size() == 1);
  CHECK(answer->steps[0].peak_before == 5 * kBytes);
  CHECK(answer->steps[0].peak_after == 4 * kBytes);
  for (const MemorySaving& step : answer->steps) CHECK(g.graph.node(step.node).placement == Placement::Arena);
  CHECK(run(answer->graph, answer->plan, answer->node_map[g.graph.find_node(*g.output).index()]) == reference);
}

TEST_CASE("what-if: a capacity below the needs of one op is an error") {
  Hourglass g(8);
  auto answer = what_if(g.graph, g.order(), "given", {.capacity = 1 * kBytes});
  REQUIRE(answer.ok());
  CHECK(!answer->fits);
  CHECK(answer->why.find("are live while") != std::string::npos);
  CHECK(!what_if(g.graph, g.order(), "given", {.capacity = 0}).ok());
  CHECK(!what_if(g.graph, std::vector<NodeId>{}, "given", {.capacity = 100}).ok());
  WhatIfOptions options;
  options.capacity = 100;
  options.planner = "nobody";
  CHECK(!what_if(g.graph, g.order(), "given", options).ok());
}

TEST_CASE("what-if: the number of steps is limited, and a stop ends it") {
  Hourglass g(20);
  WhatIfOptions options;
  options.capacity = 6 * kBytes;
  options.in_place = options.reorder = false;
  options.max_steps = 2;
  auto answer = what_if(g.graph, g.order(), "given", options);
  REQUIRE(answer.ok());
  CHECK(answer->steps.size() == 2);
  CHECK(!answer->fits);
  std::stop_source stop;
  stop.request_stop();
  options.plan.planner.stop = stop.get_token();
  answer = what_if(g.graph, g.order(), "given", options);
  REQUIRE(answer.ok());
  CHECK(answer->steps.empty());
}

namespace {

// x → a chain of `chain` RELUs, at whose end both the last and the first are added.
struct Chain {
  Context context;
  Graph graph;
  Tensor input, output;
  std::vector<float> data = std::vector<float>(kElements);

  Chain() {
    context = *Context::create({.mem_size = 1 << 18, .no_alloc = true});
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i % 7) - 3;
  }
  void finish(GraphBuilder& b, const Tensor& end) {
    output = end;
    b.output(output);
    REQUIRE(b.ok());
    graph = *context.new_graph(64);
    REQUIRE(graph.expand(output).ok());
    input->storage = *Storage::borrow(data.data(), kBytes);
  }
  std::vector<NodeId> order() const { return *find_order("depth-first")->make(graph, {}); }
};

// Every step of the answer holds: it is the fewest, each lowers the peak as stated, and the results are unchanged.
void check_free(const Chain& g, const WhatIf& answer, std::initializer_list<Saving> methods) {
  CAPTURE(answer.why);
  REQUIRE(answer.fits);
  CHECK(answer.extra_flops == 0);
  CHECK(answer.extra_bytes == 0);
  std::vector<Saving> found;
  for (const MemorySaving& step : answer.steps) {
    CAPTURE(sentence(step));
    CHECK(is_free(step.method));
    CHECK(step.peak_after < step.peak_before);
    CHECK(step.bytes == step.peak_before - step.peak_after);
    found.insert(found.end(), step.with.begin(), step.with.end());
    found.push_back(step.method);
  }
  CHECK(found == std::vector<Saving>(methods));
  const std::vector<float> expected = run(g.graph, answer.before, g.output);
  CHECK(run(answer.graph, answer.plan, answer.node_map[g.graph.find_node(*g.output).index()]) == expected);
}

}  // namespace

TEST_CASE("what-if: an ADD at the peak runs in place before anything is rematerialised") {
  Chain g;
  GraphBuilder b(g.context);
  g.input = b.input("x", {kElements});
  const Tensor a = b.op(Op::Relu, {g.input}, {}, "a"), c = b.add(g.input, g.input, "c");
  g.finish(b, b.add(a, c, "sum"));
  auto answer = what_if(g.graph, g.order(), "depth-first", {.capacity = 2 * kBytes});
  REQUIRE(answer.ok());
  CHECK(answer->before.arena_bytes == 3 * kBytes);
  check_free(g, *answer, {Saving::InPlace});
  CHECK(sentence(answer->steps[0]) == "Compute 1 op in place: the peak drops from 768 B to 512 B.");
  CHECK(answer->in_place);
  // Not where it may not.
  WhatIfOptions options;
  options.capacity = 2 * kBytes;
  options.in_place = options.reorder = false;
  answer = what_if(g.graph, g.order(), "depth-first", options);
  REQUIRE(answer.ok());
  CHECK(!answer->fits);
}

TEST_CASE("what-if: a chain is fused if neither in-place ops nor orders help") {
  // As a gate has it: 1 − sigmoid(x). The SUB's first input is given, so it cannot work in the SIGMOID's bytes.
  Chain g;
  GraphBuilder b(g.context);
  g.input = b.input("x", {kElements});
  const Tensor y = b.input("y", {kElements}), t = b.op(Op::Sigmoid, {g.input}, {}, "t");
  g.finish(b, b.op(Op::Sub, {y, t}, {}, "gate"));
  std::vector<float> ones(kElements, 1);
  y->storage = *Storage::borrow(ones.data(), kBytes);
  const auto cpu = cpu::make_cpu_backend();
  WhatIfOptions options;
  options.capacity = kBytes;
  auto answer = what_if(g.graph, g.order(), "depth-first", options);
  REQUIRE(answer.ok());
  CHECK(!answer->fits);
  options.fuse = cpu.get();
  answer = what_if(g.graph, g.order(), "depth-first", options);
  REQUIRE(answer.ok());
  CAPTURE(answer->why);
  REQUIRE(answer->fits);
  REQUIRE(answer->steps.size() == 1);
  const MemorySaving& step = answer->steps[0];
  CHECK(step.method == Saving::Fusion);
  CHECK(step.with.empty());
  CHECK(step.peak_before == 2 * kBytes);
  CHECK(step.peak_after == kBytes);
  CHECK(sentence(step) == "Fuse 1 chain of ops: the peak drops from 512 B to 256 B.");
  CHECK(answer->plan.arena_bytes == kBytes);
  const std::vector<float> expected = run_by(*cpu, g.graph, answer->before, g.output);
  CHECK(run_by(*cpu, answer->graph, answer->plan, answer->node_map[g.graph.find_node(*g.output).index()]) == expected);
}

TEST_CASE("what-if: another order is tried before rematerialisation") {
  Chain g;
  GraphBuilder b(g.context);
  g.input = b.input("x", {kElements});
  // Depth first makes `wide` first, four times as large, and keeps it while the others come and go.
  const Tensor wide = b.concat(std::vector{g.input, g.input, g.input, g.input}, 0, "wide");
  Tensor t = b.op(Op::Relu, {g.input}, {}, "t");
  for (int i = 0; i < 2; ++i) t = b.concat(std::vector{t, t}, 0, "t" + std::to_string(i));
  g.output = b.add(wide, t, "sum");
  b.output(g.output);
  REQUIRE(b.ok());
  g.graph = *g.context.new_graph(64);
  REQUIRE(g.graph.expand(g.output).ok());
  WhatIfOptions options;
  options.in_place = options.rematerialise = options.offload = false;
  options.plan.join = false;
  options.capacity = 1;
  auto answer = what_if(g.graph, g.order(), "depth-first", options);
  REQUIRE(answer.ok());
  CHECK(!answer->fits);
  const Bytes least = answer->plan.lower_bound;
  for (const MemorySaving& step : answer->steps) CHECK(step.method == Saving::Order);
  for (const OrderInfo& order : all_orders()) {
    auto plan = plan_memory(g.graph, "search", order.name, options.plan);
    REQUIRE(plan.ok());
    CHECK(least <= plan->lower_bound);
  }
}

TEST_CASE("what-if: all combinations of fusion, in-place ops and orders are tried, fewest changes first") {
  std::mt19937 random(5);
  class Fusing final : public Capabilities {
   public:
    std::string_view name() const override { return "fusing"; }
    bool runs_on_host_threads() const override { return true; }
    Status supports(const TensorImpl&) const override { return {}; }
    int tasks(const TensorImpl&, int) const override { return 1; }
    Bytes work_bytes(const TensorImpl&, int) const override { return 0; }
    bool fuses(const TensorImpl&, const TensorImpl*) const override { return true; }
  } fusing;
  int changed = 0;
  for (int round = 0; round < 40; ++round) {
    Hourglass g(4 + static_cast<int>(random() % 6), static_cast<uint32_t>(round), round % 2 == 0);
    WhatIfOptions options;
    options.rematerialise = options.offload = false;
    options.fuse = round % 3 == 0 ? &fusing : nullptr;
    options.capacity = static_cast<Bytes>(1 + random() % 6) * kBytes;
    auto answer = what_if(g.graph, g.order(), "given", options);
    REQUIRE(answer.ok());
    CHECK(answer->fits == (answer->plan.arena_bytes <= options.capacity));
    CHECK(answer->plan.arena_bytes <= answer->before.arena_bytes);
    CHECK((answer->fits || answer->why.find("live while") != std::string::npos));
    // Never "it does not fit" where no more lives at once than may: these plans have no holes.
    if (!answer->fits) CHECK(answer->plan.lower_bound > options.capacity);
    Bytes peak = answer->before.arena_bytes;
    for (const MemorySaving& step : answer->steps) {
      CHECK(step.peak_before == peak);
      CHECK(step.peak_after < step.peak_before);
      peak = step.peak_after;
      ++changed;
    }
    if (options.fuse == nullptr)
      CHECK(run(answer->graph, answer->plan, answer->node_map[g.graph.find_node(*g.output).index()]) ==
            run(g.graph, answer->before, g.output));
  }
  CHECK(changed > 4);
}

TEST_CASE("the frontier: fewer bytes cost more operations, and each point is a valid plan") {
  Hourglass g(12);
  const auto points = memory_frontier(g.graph, "greedy-by-size", "depth-first");
  REQUIRE_MESSAGE(points.ok(), (points.ok() ? "" : points.error().message));
  REQUIRE(points->size() > 2);
  CHECK(points->front().extra_flops == 0);
  int recounted = 0;
  for (size_t i = 1; i < points->size(); ++i) {
    const FrontierPoint& point = (*points)[i];
    CHECK(point.arena < (*points)[i - 1].arena);
    CHECK(point.extra_flops >= (*points)[i - 1].extra_flops);
    CHECK(point.flops == points->front().flops);
    WhatIfOptions plan_options;
    plan_options.capacity = point.arena;
    plan_options.offload = plan_options.in_place = plan_options.reorder = false;
    plan_options.planner = "greedy-by-size";
    const auto plan = what_if(g.graph, g.order(), "depth-first", plan_options);
    REQUIRE(plan.ok());
    CHECK(plan->fits);
    // Computed again: bytes from the ends of the plan's tensors, operations from its graph's nodes.
    Bytes top = 0;
    for (const PlannedTensor& tensor : plan->plan.tensors) top = std::max(top, tensor.offset + tensor.size);
    CHECK(top <= point.arena);
    if (top != point.arena) continue;  // with a smaller capacity it may find less
    int64_t all = 0;
    for (const TensorImpl* node : plan->graph.nodes()) all += flops(*node);
    CHECK(point.extra_flops == all - point.flops);
    ++recounted;
  }
  CHECK(recounted >= 2);
  CHECK_FALSE(memory_frontier(g.graph, "no such planner", "depth-first").ok());
  CHECK_FALSE(memory_frontier(g.graph, "greedy-by-size", "no such order").ok());
}
