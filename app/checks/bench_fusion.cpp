// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/bench_fusion.h"

#include <algorithm>

#include <fmt/format.h>

#include <arenascope/run/runner.h>

#include "engine/bench/measure.h"

namespace arenascope::app {
namespace {

size_t working(const Graph& graph) {
  const auto nodes = graph.nodes();
  return static_cast<size_t>(
      std::count_if(nodes.begin(), nodes.end(), [](const TensorImpl* node) { return has_work(*node); }));
}

Status measure(const std::string& spec, const BenchOptions& options, std::vector<BenchRow>& rows) {
  if (options.progress) options.progress(spec);
  std::unique_ptr<Runner> runners[2];  // op by op; fused
  for (int fused = 0; fused < 2; ++fused) {
    RunnerOptions o;
    o.threads = options.threads > 0 ? options.threads : 1;
    o.fuse = fused == 1;
    o.budget_seconds = 0.1;
    auto runner = Runner::open(spec, o);
    if (!runner) return runner.error();
    runners[fused] = std::move(*runner);
  }
  std::vector<double> ratios, seconds[2];
  for (int round = -2; round < (options.quick ? 3 : 15); ++round) {
    double taken[2];
    for (int fused : {round & 1, 1 - (round & 1)}) {
      const double before = processor_seconds();
      if (auto report = runners[fused]->run(); !report) return report.error();
      taken[fused] = processor_seconds() - before;
    }
    if (round < 0) continue;  // warm-up
    ratios.push_back(taken[1] / taken[0]);
    for (int fused = 0; fused < 2; ++fused) seconds[fused].push_back(taken[fused]);
  }
  const std::string name = runners[0]->model().name;
  const double ratio = median(ratios);
  rows.push_back(
      {name + ", fused", 1e3 * median(seconds[1]), "ms", "op by op", 1e3 * median(seconds[0]), ratio, 1, ratio <= 1});
  const double arena[] = {double(runners[0]->plan().memory.arena_bytes), double(runners[1]->plan().memory.arena_bytes)};
  rows.push_back(
      {name + ", arena", arena[1], "bytes", "op by op", arena[0], arena[1] / arena[0], 1, arena[1] <= arena[0]});
  const double nodes[] = {double(working(runners[0]->plan().graph)), double(working(runners[1]->plan().graph))};
  rows.push_back({name + ", nodes with work", nodes[1], "nodes", "op by op", nodes[0], nodes[1] / nodes[0], 1,
                  nodes[1] < nodes[0]});
  return {};
}

}  // namespace

Result<std::vector<BenchRow>> bench_fusion(const BenchOptions& options, const std::filesystem::path& data) {
  constexpr std::string_view kNames[] = {"resnet50",     "squeezenet",  "zoo:mobilenet_v2",
                                         "shufflenet",   "densenet121", "inception_v1",
                                         "inception_v2", "zoo:unet",    "zoo:bert_base"};
  constexpr size_t kUsual = 3;  // number of default networks
  std::vector<BenchRow> rows;
  for (size_t i = 0; i < std::size(kNames); ++i) {
    const std::string_view name = kNames[i];
    if (options.only.empty() ? i >= kUsual : name.find(options.only) == std::string_view::npos) continue;
    const auto folder = data / "onnx" / "light" / name;
    std::error_code error;
    const bool zoo = name.starts_with("zoo:");
    // Falls back to the zoo without the data.
    if (auto ok = measure(zoo                                            ? std::string(name)
                          : std::filesystem::is_directory(folder, error) ? folder.string()
                                                                         : fmt::format("zoo:{}", name),
                          options, rows);
        !ok) {
      if (zoo || std::filesystem::is_directory(folder, error)) return ok.error();
    }
  }
  return rows;
}

}  // namespace arenascope::app
