// SPDX-License-Identifier: MIT
// Graphs that write into tensors: unrelated nodes are rewritten, and readers of an older version of such tensors stay
// unchanged, so that every result has the bits of the original graph.
#include <doctest/doctest.h>

#include <cmath>
#include <random>
#include <set>
#include <string>

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/graph/builder.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/transform/rewrite.h>

using namespace arenascope;

namespace {

// A graph of several outputs over leafs with memory. Integer leafs count up; "=0.5" sets that number.
struct WrittenNet {
  Context context = *Context::create({.mem_size = size_t{1} << 22});
  GraphBuilder b{context};
  std::vector<Tensor> outputs;
  Graph graph;

  void output(const Tensor& tensor) {
    b.output(tensor);
    outputs.push_back(tensor);
  }
  Tensor state(const char* name, const Dims& sizes) { return b.input(name, sizes); }
  Tensor written(const Tensor& to, const Tensor& from, const Tensor& rows, std::initializer_list<Tensor> after = {}) {
    OpParams params;
    params.set(SetRowsParams{0, true});
    std::vector<Tensor> sources{to, from, rows};
    sources.insert(sources.end(), after);
    return b.op(Op::SetRows, sources, params);
  }
  void finish() {
    REQUIRE_MESSAGE(b.ok(), (b.ok() ? "" : b.status().error().message));
    graph = *context.new_graph(512);
    for (const Tensor& tensor : outputs) REQUIRE(graph.expand(tensor).ok());
  }
};

std::vector<double> numbers_of(const TensorImpl& leaf) {
  std::vector<double> out;
  for (int64_t i = 0; i < leaf.element_count(); ++i)
    out.push_back(leaf.dtype == DType::I64 ? static_cast<double>(leaf.data_as<int64_t>()[i])
                                           : static_cast<double>(leaf.data_as<float>()[i]));
  return out;
}

// The same in each run.
void fill(const Graph& graph) {
  for (TensorImpl* leaf : graph.leafs()) {
    uint32_t state = 3;
    for (char c : leaf->name.str()) state = state * 31 + static_cast<uint8_t>(c);
    for (int64_t i = 0; i < leaf->element_count(); ++i) {
      state = state * 1664525u + 1013904223u;
      if (leaf->dtype == DType::I64)
        leaf->data_as<int64_t>()[i] = i;
      else
        leaf->data_as<float>()[i] = leaf->name.str().starts_with("=")
                                        ? std::stof(std::string(leaf->name.str().substr(1)))
                                        : static_cast<float>(state >> 8) / static_cast<float>(1 << 23) - 1;
    }
  }
}

// Two consecutive runs, as a state that one run leaves is the input of the next.
std::vector<std::vector<float>> run_twice(const Graph& graph, const std::vector<Tensor>& outputs, int threads,
                                          MemoryStrategy strategy) {
  auto backend = cpu::make_cpu_backend();
  auto memory = plan_memory(graph, "two-level", "depth-first");
  REQUIRE_MESSAGE(memory.ok(), (memory.ok() ? "" : memory.error().message));
  auto plan = ExecutionPlan::make(graph, std::move(*memory), *backend, threads);
  REQUIRE_MESSAGE(plan.ok(), (plan.ok() ? "" : plan.error().message));
  ExecutorOptions options;
  options.strategy = strategy;
  options.threads = threads;
  auto executor = Executor::create(*backend, make_cpu_context(), std::move(options));
  REQUIRE(executor.ok());
  REQUIRE((*executor)->prepare(std::move(*plan)).ok());
  std::vector<std::vector<float>> out;
  for (int run = 0; run < 2; ++run) {
    const auto report = (*executor)->run();
    REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
    for (const Tensor& tensor : outputs) {
      REQUIRE(tensor->contiguous());
      const float* data = tensor->data_as<float>();
      out.emplace_back(data, data + tensor->element_count());
    }
  }
  return out;
}

struct Outcome {
  std::set<Op> ops;
  int64_t rules = 0;
  RewrittenGraph made;
};

// Rewrites, runs both in every way and compares them.
Outcome check(const WrittenNet& net, float tolerance = 0) {
  Outcome out;
  RewriteOptions options;
  options.numbers = numbers_of;
  fill(net.graph);
  auto made = rewrite_graph(net.graph, options);
  REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().message));
  CHECK(made->constants.empty());
  for (const RuleUse& use : made->uses) out.rules += use.times;
  for (const TensorImpl* node : made->graph.nodes())
    if (has_work(*node)) out.ops.insert(node->op);
  std::vector<Tensor> node_map;
  for (const Tensor& tensor : net.outputs) node_map.push_back(made->node_map[net.graph.find_node(*tensor).index()]);
  for (const int threads : {1, 2})
    for (const MemoryStrategy strategy : {MemoryStrategy::Planned, MemoryStrategy::Eager}) {
      CAPTURE(threads);
      fill(net.graph);
      const auto expected = run_twice(net.graph, net.outputs, threads, strategy);
      fill(net.graph);
      const auto got = run_twice(made->graph, node_map, threads, strategy);
      REQUIRE(got.size() == expected.size());
      for (size_t i = 0; i < got.size(); ++i)
        for (size_t k = 0; k < got[i].size(); ++k) {
          CAPTURE(i);
          CAPTURE(k);
          REQUIRE(std::abs(got[i][k] - expected[i][k]) <= tolerance);
        }
    }
  out.made = std::move(*made);
  return out;
}

}  // namespace

TEST_CASE("everything but written tensors is rewritten") {
  WrittenNet net;
  GraphBuilder& b = net.b;
  const Tensor x = b.input("x", {3, 40});
  const Tensor gelu = b.mul(b.scale(x, 0.5f), b.scale(b.op(Op::Erf, {b.scale(x, 0.70710678f)}), 1, 1));
  const Tensor silu = b.mul(b.op(Op::Sigmoid, {x}), x);
  const Tensor all = net.written(net.state("state", {8, 40}), gelu, b.input("rows", {3}, DType::I64));
  net.output(b.mul(b.op(Op::Sigmoid, {all}), all));  // of the newest version
  net.output(silu);
  net.finish();
  const Outcome made = check(net, 1e-6f);
  CHECK(made.ops == std::set<Op>{Op::Gelu, Op::Silu, Op::SetRows});
}

TEST_CASE("readers before and after a write see different values") {
  WrittenNet net;
  GraphBuilder& b = net.b;
  const Tensor state = net.state("state", {4, 8}), zero = b.weight("=0", {1}), half = b.weight("=0.5", {1});
  const Tensor before = b.cont(state);  // a copy, which keeps the values
  const Tensor low = b.op(Op::Max, {state, zero});
  const Tensor all = net.written(state, b.input("x", {3, 8}), b.input("rows", {3}, DType::I64), {before, low});
  net.output(b.mul(b.op(Op::Neg, {all}), before));
  net.output(b.add(all, b.op(Op::Min, {low, half})));  // a CLAMP would read what is written by then
  net.output(b.op(Op::Min, {b.op(Op::Max, {b.cont(all), zero}), half}));
  net.finish();
  CHECK(check(net).ops == std::set<Op>{Op::SetRows, Op::Cont, Op::Neg, Op::Mul, Op::Add, Op::Max, Op::Min, Op::Clamp});
}

TEST_CASE("a written tensor is neither a constant nor merged with an initially equal one") {
  WrittenNet net;
  GraphBuilder& b = net.b;
  const Tensor rows = b.input("rows", {3}, DType::I64), w = b.weight("w", {4, 8});
  const auto zeros = [&] { return b.op_with(Op::Fill, {}, FillParams{{4, 8}, DType::F32, 0, 0}); };
  const Tensor sum = b.add(w, w);
  const Tensor ways[] = {zeros(), zeros(), b.cont(w), sum};
  for (size_t i = 0; i < 4; ++i) {
    Tensor from = b.input("x" + std::to_string(i), {3, 8});
    if (i == 3) from = b.add(from, b.slice(sum, 0, 0, 3));
    net.output(b.op(Op::Neg, {net.written(ways[i], from, rows)}));
  }
  net.output(b.op(Op::Abs, {w}));
  net.finish();
  const Outcome made = check(net);
  CHECK(made.ops.contains(Op::Cont));
  CHECK(made.ops.contains(Op::Fill));
}

TEST_CASE("optimizer steps stay, gradient nodes are rewritten") {
  WrittenNet net;
  GraphBuilder& b = net.b;
  const Tensor p = b.weight("p", {4, 8}), m = net.state("m", {4, 8}), v = net.state("=0.25", {4, 8}),
               x = b.input("x", {4, 8});
  const Tensor kept = b.cont(p), gradient = b.mul(b.op(Op::Sigmoid, {x}), x);
  OpParams params;
  params.set(OptimizerStepParams{true, 2, 0, 0.9f, 0.1f, 0.99f, 0.01f, 1e-8f, 0});
  const Tensor spoilt = b.op(Op::Less, {b.slice(b.reshape(x, {32}), 0, 0, 1), b.weight("=-9", {1})});
  const Tensor step = b.op(Op::OptimizerStep, {p, gradient, b.weight("=0.5", {3}), spoilt, m, v, kept}, params);
  net.output(b.op(Op::Sub, {step, kept}));
  net.finish();
  const Outcome made = check(net, 1e-6f);
  CHECK(made.ops.contains(Op::Silu));
  CHECK(made.ops.contains(Op::Cont));
  CHECK(made.ops.contains(Op::OptimizerStep));
}

namespace {

// Random nodes over states, of which some are given and some computed, that are written again and again.
class RandomWrites {
 public:
  explicit RandomWrites(uint32_t seed) : random_(seed) {
    GraphBuilder& b = net.b;
    pool_ = {b.input("x", kSizes), b.input("y", kSizes)};
    states_ = {net.state("s", kSizes), b.cont(pool_[0]), b.op_with(Op::Fill, {}, FillParams{kSizes, DType::F32, 0, 0})};
    for (int i = 0; i < 24; ++i) below(4) == 0 ? write(states_[below(3)]) : pool_.push_back(read());
    for (size_t i = pool_.size() - 6; i < pool_.size(); ++i) net.output(b.op(Op::Neg, {pool_[i]}));
    for (Tensor& state : states_) {
      write(state);
      net.output(b.op(Op::Abs, {state}));
    }
    net.finish();
  }
  WrittenNet net;

 private:
  inline static const Dims kSizes{4, 8};

  size_t below(size_t n) { return random_() % n; }
  Tensor any() {
    return below(3) == 0 ? states_[below(3)] : pool_[pool_.size() - 1 - below(std::min<size_t>(6, pool_.size()))];
  }
  Tensor note(const Tensor& reader) {
    readers_.push_back(reader);
    return reader;
  }
  Tensor read() {
    GraphBuilder& b = net.b;
    const Tensor x = any();
    switch (below(8)) {
      case 0: return note(b.cont(x));
      case 1: return note(b.op(Op::Max, {x, b.weight("=-0.25", {1})}));
      case 2: return note(b.op(Op::Min, {x, b.weight("=0.25", {1})}));
      case 3: return note(b.cont(b.permute(b.cont(b.permute(x, {1, 0})), {1, 0})));
      case 4: return note(b.add(x, b.reshape(b.cont(b.reshape(any(), {32})), kSizes)));
      case 5: return note(b.op_with(Op::Cast, {x}, CastParams{DType::F32}));
      case 6: return note(b.op(Op::Relu, {x}));
      default: return note(b.add(x, any()));
    }
  }
  // After all that has read its bytes so far.
  void write(Tensor& state) {
    GraphBuilder& b = net.b;
    const int64_t rows = 1 + static_cast<int64_t>(below(4));
    const Tensor from = b.slice(any(), 0, 0, rows);
    std::vector<Tensor> sources{state, from, b.input("rows", {rows}, DType::I64)};
    sources.insert(sources.end(), readers_.begin(), readers_.end());
    OpParams params;
    params.set(SetRowsParams{0, true});
    state = b.op(Op::SetRows, sources, params);
  }

  std::mt19937 random_;
  std::vector<Tensor> pool_, states_, readers_;
};

}  // namespace

TEST_CASE("rewritten random graphs with writes give the same bits") {
  int64_t rules = 0;
  for (uint32_t seed = 1; seed <= 60; ++seed) {
    CAPTURE(seed);
    const RandomWrites random(seed);
    rules += check(random.net).rules;
  }
  CHECK(rules > 60);
}
