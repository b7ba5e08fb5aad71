// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/bench_list.h"

#include <cstdlib>
#include <filesystem>

#include "engine/bench/bench_allocators.h"
#include "engine/bench/bench_attach.h"
#include "engine/bench/bench_barrier.h"
#include "engine/bench/bench_graph.h"
#include "engine/bench/bench_module.h"
#include "engine/bench/bench_orders.h"
#include "engine/bench/bench_planning.h"
#include "engine/bench/bench_run.h"
#include "engine/bench/bench_trace.h"

#include <arenascope/run/backends.h>
#include "app/checks/bench_cpu.h"
#include "app/checks/bench_fusion.h"
#include "app/checks/bench_networks.h"
#include "app/checks/bench_opencl.h"
#include "app/checks/bench_record.h"

namespace arenascope::app {
namespace {

using Rows = Result<std::vector<BenchRow>>;

Rows bench_planning(const BenchOptions& options) {
  planner::BenchOptions o;
  o.quick = options.quick;
  if (options.threads > 0) o.threads = options.threads;
  o.processor_time = options.processor_time;
  o.on_progress = options.progress;
  std::vector<BenchRow> rows = planner::bench_planning(data_folder(options), o);
  const auto add = [&](const std::vector<BenchRow>& more) { rows.insert(rows.end(), more.begin(), more.end()); };
  add(bench_networks(data_folder(options), options.progress));
  if (options.progress) options.progress("orders");
  add(options.quick ? bench_orders(20, 1, 0.2) : bench_orders());
  return rows;
}

constexpr Bench kBenches[] = {
    {"allocators", "time and reserved bytes of allocators",
     [](const BenchOptions& o) -> Rows { return bench_allocators({}, o.quick ? 0.1 : 1); }},
    {"attach", "overhead of the client header in a program",
     [](const BenchOptions&) -> Rows { return attach::bench_attach(); }},
    {"barrier", "cost of barriers", [](const BenchOptions&) -> Rows { return bench_barrier(); }},
    {"cpu", "speed of kernels, threads and graphs compared with libraries, loops and targets", bench_cpu},
    {"cuda", "matmuls, kernels, allocator and captured graphs on an NVIDIA GPU compared with its libraries",
     [](const BenchOptions& o) -> Rows { return bench_module("cuda", o.quick); }},
    {"fusion", "time, planned memory and nodes of fused networks compared with op by op",
     [](const BenchOptions& o) -> Rows { return bench_fusion(o, data_folder(o)); }},
    {"graph", "building, planning and exporting graphs",
     [](const BenchOptions& o) -> Rows {
       auto rows = bench_graph();
       for (auto more : {bench_dot(), bench_graph_building(o.quick)}) rows.insert(rows.end(), more.begin(), more.end());
       return rows;
     }},
    {"opencl", "OpenCL backend compared with the CPU backend, and its pool with the plan",
     [](const BenchOptions& o) -> Rows { return bench_opencl(o, data_folder(o).string()); }},
    {"orders", "peaks of the orders relative to the minimum",
     [](const BenchOptions&) -> Rows { return bench_orders(); }},
    {"planning", "arena over lower bound on planner benchmark instances, networks and orders", bench_planning},
    {"record", "overhead of recording a network",
     [](const BenchOptions& o) -> Rows {
       return bench_record(o.model, o.threads, o.pairs > 0 ? o.pairs : o.quick ? 20 : 200);
     }},
    {"trace", "cost of an event, and speed of opening a recording",
     [](const BenchOptions&) -> Rows { return trace::bench_trace(); }},
};

}  // namespace

std::filesystem::path data_folder(const BenchOptions& options) {
  if (!options.data.empty()) return options.data;
  if (const char* given = std::getenv("ARENASCOPE_DATA")) return given;
  return "../shared/data";
}

std::span<const Bench> all_benches() { return kBenches; }

const Bench* find_bench(std::string_view name) {
  for (const Bench& bench : kBenches)
    if (name == bench.name) return &bench;
  return nullptr;
}

}  // namespace arenascope::app
