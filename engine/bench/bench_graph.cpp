// SPDX-License-Identifier: MIT
#include "engine/bench/bench_graph.h"

#include <algorithm>
#include <ctime>
#include <limits>

#include <fmt/format.h>

#include <arenascope/graph/dot.h>
#include <arenascope/graph/graph.h>

namespace arenascope {
namespace {

constexpr int kRounds = 5;

// CPU time, so that other load does not count.
double seconds_of(auto&& work) {
  const auto now = [] {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
  };
  const double start = now();
  work();
  return now() - start;
}

// A chain of additions with the previous node as both inputs: the most frequent pattern in graphs.
Tensor chain(Context& context, size_t nodes) {
  Result<Tensor> last = context.new_tensor(DType::F32, {32}, "x");
  for (size_t i = 0; last && i < nodes; ++i) {
    TensorImpl* const sources[] = {last->impl(), last->impl()};  // kept alive by their pool
    last = context.apply(Op::Add, sources, {}, "sum");
  }
  return last ? *last : Tensor();
}

size_t pool_bytes(size_t nodes) { return (nodes + 1) * Context::tensor_overhead(2) + Context::graph_overhead(nodes); }

BenchRow row(std::string name, double value, std::string unit, double target) {
  return {std::move(name), value, std::move(unit), "", 0, 0, target, value > 0 && value <= target};
}

}  // namespace

std::vector<BenchRow> bench_graph(size_t nodes) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  nodes = std::max<size_t>(nodes, 1);
  double create = kNever, collect = kNever;
  double bytes = 0;
  for (int round = 0; round < kRounds; ++round) {
    auto context = Context::create({pool_bytes(nodes), nullptr, true});
    if (!context) break;
    Tensor last;
    create = std::min(create, seconds_of([&] { last = chain(*context, nodes); }));
    bytes = static_cast<double>(context->use().object_bytes);
    auto graph = context->new_graph(nodes);
    if (!last || !graph) break;
    collect = std::min(collect, seconds_of([&] { (void)graph->expand(last).ok(); }));
    bytes += static_cast<double>(Context::graph_overhead(nodes));
  }
  const double n = static_cast<double>(nodes);
  return {row(fmt::format("create {} nodes", nodes), create / n * 1e9, "ns/node", 125),
          row(fmt::format("collect {} nodes", nodes), collect / n * 1e9, "ns/node", 125),
          row("create and collect", (create + collect) / n * 1e9, "ns/node", 125),
          row("pool, descriptors and graph", bytes / n, "bytes/node", 256)};
}

std::vector<BenchRow> bench_dot() {
  double dot = std::numeric_limits<double>::infinity();
  constexpr size_t kDotNodes = 10000;
  auto small = Context::create({pool_bytes(kDotNodes), nullptr, true});
  if (small) {
    const Tensor last = chain(*small, kDotNodes);
    auto graph = small->new_graph(kDotNodes);
    if (last && graph && graph->expand(last).ok())
      for (int round = 0; round < kRounds; ++round)
        dot = std::min(dot, seconds_of([&] { (void)to_dot(*graph).size(); }));
  }
  return {row("dot export, 10000 nodes", dot * 1e3, "ms", 12)};
}

}  // namespace arenascope
