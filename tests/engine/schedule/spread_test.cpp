// SPDX-License-Identifier: MIT
// Plans over streams and banks, checked by their dependencies and placements, not by how they were made.
#include <arenascope/graph/builder.h>
#include <arenascope/schedule/spread_plan.h>

#include <random>

#include <doctest/doctest.h>

using namespace arenascope;

namespace {

// Branches that part and meet again, as in Inception.
Graph branches(Context& context, uint32_t seed) {
  std::mt19937 random(seed);
  GraphBuilder b(context);
  Tensor x = b.input("x", {64});
  for (int block = 0; block < 4; ++block) {
    std::vector<Tensor> ends;
    for (size_t k = 1 + random() % 4; k > 0; --k) {
      Tensor y = x;
      for (size_t i = 1 + random() % 3; i > 0; --i) y = random() % 2 ? b.op(Op::Relu, {y}) : b.add(y, x);
      ends.push_back(y);
    }
    x = ends[0];
    for (size_t k = 1; k < ends.size(); ++k) x = b.add(x, ends[k]);
    if (block == 1) b.output(b.op(Op::Neg, {x}));
  }
  b.output(x);
  REQUIRE(b.ok());
  Graph graph = *context.new_graph(256);
  REQUIRE(graph.expand(x).ok());
  return graph;
}

std::vector<NodeId> as_built(const Graph& graph) {
  std::vector<NodeId> out;
  for (size_t i = 0; i < graph.nodes().size(); ++i) out.emplace_back(NodeId(i));
  return out;
}

// before[a][b]: a is done before b begins, by its stream and by what it reads.
std::vector<std::vector<bool>> reached(const Graph& graph, const std::vector<int32_t>& stream) {
  const size_t n = graph.nodes().size();
  std::vector<std::vector<bool>> before(n, std::vector<bool>(n, false));
  for (size_t b = 0; b < n; ++b)
    for (size_t a = 0; a < b; ++a) {
      const auto& sources = graph.nodes()[b]->sources;
      bool direct = stream[a] == stream[b];
      for (const TensorImpl* s : sources) direct = direct || s == graph.nodes()[a];
      if (!direct) continue;
      before[a][b] = true;
      for (size_t c = 0; c < a; ++c)
        if (before[c][a]) before[c][b] = true;
    }
  return before;
}

}  // namespace

TEST_CASE("across streams two results share bytes only if one ends before the other begins") {
  for (uint32_t seed = 1; seed <= 40; ++seed) {
    auto context = Context::create({.mem_size = 1 << 20, .no_alloc = true});
    const Graph graph = branches(*context, seed);
    const auto order = as_built(graph);
    MemoryPlanOptions options;
    options.planner.budget_seconds = 0.005;
    Bytes one = 0;
    for (const int32_t streams : {1, 2, 3}) {
      auto spread = plan_over_streams(graph, order, "given", streams, options);
      REQUIRE(spread.ok());
      if (streams == 1) one = spread->plan.arena_bytes;
      CHECK(spread->plan.arena_bytes >= spread->plan.lower_bound);
      CHECK(spread->one_stream <= spread->plan.arena_bytes + one);
      CHECK((streams > 1 || spread->events == 0));
      const auto before = reached(graph, spread->stream_of);
      // Readers of each result.
      const auto uses = [&](NodeId owner) {
        std::vector<size_t> out{owner.index()};
        for (size_t b = 0; b < graph.nodes().size(); ++b)
          for (const TensorImpl* s : graph.nodes()[b]->sources)
            if (s == graph.nodes()[owner.index()]) out.push_back(b);
        return out;
      };
      const auto done_before = [&](NodeId a, NodeId b) {
        if (graph.node(a).has(kFlagOutput)) return false;
        for (const size_t x : uses(a))
          for (const size_t y : uses(b))
            if (!before[x][y]) return false;
        return true;
      };
      for (const PlannedTensor& a : spread->plan.tensors)
        for (const PlannedTensor& b : spread->plan.tensors)
          if (a.node < b.node && a.offset < b.offset + b.size && b.offset < a.offset + a.size)
            CHECK((done_before(a.node, b.node) || done_before(b.node, a.node)));
    }
  }
  auto context = Context::create({.mem_size = 1 << 20, .no_alloc = true});
  const Graph graph = branches(*context, 1);
  CHECK(!plan_over_streams(graph, as_built(graph), "given", 0, {}).ok());
  CHECK(!plan_over_streams(graph, as_built(graph), "given", 65, {}).ok());
  CHECK(!plan_over_streams(graph, {}, "given", 2, {}).ok());
}

TEST_CASE("across memory banks the most used tensors per byte are in the fast bank, and none exceeds its bank") {
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    auto context = Context::create({.mem_size = 1 << 20, .no_alloc = true});
    const Graph graph = branches(*context, seed);
    const auto banks = parse_banks("fast=512,middle=1K,slow");
    REQUIRE(banks.ok());
    MemoryPlanOptions options;
    options.planner.budget_seconds = 0.01;
    auto spread =
        plan_over_banks(graph, as_built(graph), "given", *planner::find_planner("greedy-by-size"), *banks, options);
    REQUIRE(spread.ok());
    REQUIRE(spread->banks.size() == 3);
    Bytes base = 0, sum = 0;
    int64_t tensors = 0;
    for (size_t k = 0; k < 3; ++k) {
      const BankUse& bank = spread->banks[k];
      if (bank.capacity) CHECK(bank.used <= *bank.capacity);
      base = (base + 63) / 64 * 64;
      for (size_t i = 0; i < spread->plan.tensors.size(); ++i)
        if (spread->bank_of[i] == static_cast<int32_t>(k)) {
          const PlannedTensor& t = spread->plan.tensors[i];
          CHECK(t.offset >= base);
          CHECK(t.offset + t.size <= base + bank.used);
          sum += t.size;
        }
      base += bank.used;
      tensors += bank.tensors;
    }
    CHECK(base == spread->plan.arena_bytes);
    CHECK(tensors == static_cast<int64_t>(spread->plan.tensors.size()));
    CHECK(spread->banks[0].tensors > 0);
    CHECK(spread->banks[0].tensor_bytes + spread->banks[1].tensor_bytes + spread->banks[2].tensor_bytes == sum);
  }
}

TEST_CASE("banks are parsed, or an error") {
  const auto banks = parse_banks("sram=512K,hbm=8M,big=2G,host");
  REQUIRE(banks.ok());
  REQUIRE(banks->size() == 4);
  CHECK((*banks)[0].name == "sram");
  CHECK((*banks)[0].capacity == Bytes{512} << 10);
  CHECK((*banks)[1].capacity == Bytes{8} << 20);
  CHECK((*banks)[2].capacity == Bytes{2} << 30);
  CHECK(!(*banks)[3].capacity.has_value());
  for (const char* text : {"", "=1", "a=", "a=K", "a=-1", "a=1x", "a=99999999999999999999", "a=9999999999G", ",a"})
    CHECK_MESSAGE(!parse_banks(text).ok(), text);
}
