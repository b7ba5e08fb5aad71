// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/bench_cpu.h"

#include <arenascope/backends/cpu/cpu_backend.h>
#include <arenascope/bench/cpu_bench.h>
#include <arenascope/graph/bench_graph.h>
#include <arenascope/runtime/bench_barrier.h>
#include <arenascope/runtime/bench_run.h>

namespace arenascope::app {
namespace {

using Rows = Result<std::vector<BenchRow>>;

struct Provider {
  const char* name;  // what `--only` may name beside a part of a row's name
  Rows (*rows)(const BenchOptions& options);
};

Rows kernel_rows(const BenchOptions& options) { return cpu_bench::kernel_rows({options.only, options.quick, options.progress}); }

constexpr Provider kProviders[] = {
    {"barrier", [](const BenchOptions&) -> Rows { return bench_barrier(); }},
    {"chain", [](const BenchOptions&) -> Rows { return bench_chain(*cpu::make_cpu_backend()); }},
    {"graph", [](const BenchOptions& o) -> Rows { return bench_graph_building(o.quick); }},
    {"dot", [](const BenchOptions&) -> Rows { return bench_dot(); }},
};

}  // namespace

Rows bench_cpu(const BenchOptions& options) {
  auto all = kernel_rows(options);
  if (!all) return all;
  for (const Provider& provider : kProviders) {
    if (!options.only.empty() && options.only.find(provider.name) == std::string::npos) continue;
    if (options.progress) options.progress(provider.name);
    auto rows = provider.rows(options);
    if (!rows) return rows;
    all->insert(all->end(), rows->begin(), rows->end());
  }
  return all;
}

}  // namespace arenascope::app
