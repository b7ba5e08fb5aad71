// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/bench_list.h"

#include <arenascope/graph/bench_graph.h>
#include <arenascope/graph/bench_orders.h>
#include <arenascope/runtime/bench_barrier.h>
#include <arenascope/trace/bench_trace.h>

#include "app/common/bench_record.h"

namespace arenascope::app {
namespace {

using Rows = Result<std::vector<BenchRow>>;

constexpr Bench kBenches[] = {
    {"barrier", "what it costs threads to meet", [](const BenchOptions&) -> Rows { return bench_barrier(); }},
    {"graph", "building and exporting graphs", [](const BenchOptions&) -> Rows { return bench_graph(); }},
    {"orders", "how near the orders come to the least peak", [](const BenchOptions&) -> Rows { return bench_orders(); }},
    {"record", "what recording costs a run of a network",
     [](const BenchOptions& o) -> Rows { return bench_record(o.model, o.threads); }},
    {"trace", "what an event costs, and how fast a recording opens",
     [](const BenchOptions&) -> Rows { return trace::bench_trace(); }},
};

}  // namespace

std::span<const Bench> all_benches() { return kBenches; }

const Bench* find_bench(std::string_view name) {
  for (const Bench& bench : kBenches)
    if (name == bench.name) return &bench;
  return nullptr;
}

}  // namespace arenascope::app
