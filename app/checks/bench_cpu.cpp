// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/bench_cpu.h"

#include <algorithm>

#include <arenascope/backends/cpu/cpu_backend.h>
#include "engine/bench/bench_barrier.h"
#include "engine/bench/bench_graph.h"
#include "engine/bench/bench_run.h"
#include "engine/bench/cpu_bench.h"

#include "app/checks/bench_busy.h"
#include "app/checks/bench_record.h"
#include "app/checks/bench_reserved.h"

namespace arenascope::app {
namespace {

using Rows = Result<std::vector<BenchRow>>;

struct Provider {
  const char* name;  // accepted by `--only` in addition to parts of row names
  Rows (*rows)(const BenchOptions& options);
};

Rows kernel_rows(const BenchOptions& options) {
  return cpu_bench::kernel_rows({options.only, options.quick, options.progress});
}

Rows record_rows(const BenchOptions& options) {
  std::vector<BenchRow> rows;
  for (const char* model : {"zoo:resnet50", "zoo:squeezenet"}) {
    auto row = bench_record(model, std::max(options.threads, 1), options.quick ? 20 : 60);
    if (!row) return row.error();
    rows.insert(rows.end(), row->begin(), row->end());
  }
  return rows;
}

constexpr Provider kProviders[] = {
    {"barrier", [](const BenchOptions&) -> Rows { return bench_barrier(); }},
    {"chain", [](const BenchOptions&) -> Rows { return bench_chain(*cpu::make_cpu_backend()); }},
    {"graph", [](const BenchOptions& o) -> Rows { return bench_graph_building(o.quick); }},
    {"dot", [](const BenchOptions&) -> Rows { return bench_dot(); }},
    {"busy", [](const BenchOptions& o) -> Rows { return bench_busy(o.quick); }},
    {"record", record_rows},
    {"reserved", [](const BenchOptions& o) -> Rows { return bench_reserved(data_folder(o), o.progress); }},
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
