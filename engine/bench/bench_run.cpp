// SPDX-License-Identifier: MIT
#include "engine/bench/bench_run.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include <arenascope/base/checked.h>
#include <arenascope/runtime/executor.h>
#include <arenascope/schedule/quick_plan.h>

#include "engine/bench/measure.h"

namespace arenascope {
namespace {

constexpr int64_t kElements = 32;

// Each node adds the previous one to itself: the most frequent pattern in graphs, with almost no computation.
struct Chain {
  Context context;
  Graph graph;
  std::vector<float> data = std::vector<float>(kElements, 0.5f);

  static size_t pool(size_t nodes) {
    return (nodes + 1) * (sizeof(ObjectHeader) + align_up(TensorImpl::byte_size(1, 2, 0), Context::kObjectAlignment)) +
           Context::graph_overhead(nodes) + 4096;
  }
  // Nanoseconds for describing and for collecting.
  Result<std::pair<Nanoseconds, Nanoseconds>> make(size_t nodes) {
    const Nanoseconds start = processor_time();
    auto made = Context::create({.mem_size = pool(nodes), .no_alloc = true});
    if (!made) return made.error();
    context = std::move(*made);
    auto collected = context.new_graph(nodes);
    if (!collected) return collected.error();
    auto last = context.new_tensor(DType::F32, {kElements}, "x");
    if (!last) return last.error();
    (*last)->storage = *Storage::borrow(data.data(), kElements * 4);
    for (size_t i = 0; i < nodes; ++i) {
      TensorImpl* const sources[] = {last->impl(), last->impl()};  // kept alive by their pool
      last = context.apply(Op::Add, sources, {}, "sum");
      if (!last) return last.error();
    }
    const Nanoseconds described = processor_time();
    graph = std::move(*collected);
    if (auto ok = graph.expand(*last); !ok) return ok.error();
    return std::pair{described - start, processor_time() - described};
  }
};

BenchRow row(std::string name, double value, std::string unit, double target) {
  return {std::move(name), value, std::move(unit), "", 0, 0, target, value > 0 && value <= target};
}

}  // namespace

std::vector<BenchRow> bench_chain(Backend& backend) {
  constexpr size_t kNodes = 10000;
  constexpr int kRuns = 201;
  std::vector<BenchRow> rows;
  for (int threads : {1, 2}) {
    Chain chain;
    if (auto made = chain.make(kNodes); !made) return rows;
    auto memory = quick_plan(chain.graph);
    if (!memory) return rows;
    auto plan = ExecutionPlan::make(chain.graph, std::move(*memory), backend, threads);
    auto executor = Executor::create(backend, make_cpu_context(), {.threads = threads});
    if (!plan || !executor || !(*executor)->prepare(std::move(*plan)).ok()) return rows;
    std::vector<Nanoseconds> times;
    for (int run = 0; run < kRuns; ++run) {
      const Nanoseconds start = processor_time();
      if (auto report = (*executor)->run(); !report) return rows;
      times.push_back(processor_time() - start);
    }
    std::nth_element(times.begin(), times.begin() + kRuns / 2, times.end());
    rows.push_back(row(fmt::format("chain of {} tiny nodes, {} thread{}", kNodes, threads, threads > 1 ? "s" : ""),
                       double(times[kRuns / 2]) / kNodes, "ns/node", threads == 1 ? 25 : 45));
  }
  return rows;
}

std::vector<BenchRow> bench_graph_building(bool quick) {
  std::vector<BenchRow> rows;
  for (size_t nodes = 1000; nodes <= (quick ? 100000 : 1000000); nodes *= 10) {
    const int rounds = static_cast<int>(std::max<size_t>(5, 200000 / nodes));
    struct Times {
      Nanoseconds describe, collect, plan, bind, all;
    };
    Times best{0, 0, 0, 0, std::numeric_limits<Nanoseconds>::max()};
    double bytes = 0;
    for (int round = 0; round < rounds; ++round) {
      Chain chain;
      auto context = make_cpu_context();
      auto made = chain.make(nodes);
      if (!made) return rows;
      const Nanoseconds collected = processor_time();
      auto memory = quick_plan(chain.graph);
      if (!memory) return rows;
      const Nanoseconds planned = processor_time();
      auto arena = Storage::allocate(*context, {}, MemoryKind::Workspace, memory->arena_bytes);
      if (!arena || !bind_plan(chain.graph, *memory, *arena).ok()) return rows;
      const Nanoseconds bound = processor_time();
      const Times now{made->first, made->second, planned - collected, bound - planned,
                      made->first + made->second + bound - collected};
      if (now.all < best.all) best = now;
      bytes = double(chain.context.use().object_bytes + chain.context.use().name_bytes);
    }
    const auto each = [&](Nanoseconds t) { return double(t) / double(nodes); };
    rows.push_back(
        row(fmt::format("graph of {} nodes: create, build, plan, allocate ({:.0f} + {:.0f} + {:.0f} + {:.0f})", nodes,
                        each(best.describe), each(best.collect), each(best.plan), each(best.bind)),
            each(best.all), "ns/node", 125));
    rows.push_back(row(fmt::format("graph of {} nodes: descriptors, names and graph", nodes), bytes / double(nodes),
                       "bytes/node", 256));
  }
  return rows;
}

}  // namespace arenascope
