// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli bench: micro-benchmarks; each row is compared with a baseline measured in the same process.
#include <fmt/format.h>
#include "engine/bench/bench_row.h"

#include <algorithm>

#include "app/checks/bench_list.h"
#include "app/cli/cli.h"

namespace arenascope::cli {
namespace {

int bench(const Context& context, const std::string& name, app::BenchOptions options) {
  const app::Bench* chosen = app::find_bench(name);
  if (!chosen) {
    std::string names;
    for (const app::Bench& b : app::all_benches()) names += fmt::format(" {}", b.name);
    return fail(kUsage, fmt::format("unknown benchmark '{}'; available:{}", name, names));
  }
  Progress progress;
  progress.phase(name);
  options.progress = [&](const std::string& what) { progress.phase(what); };
  auto rows = chosen->run(options);
  if (!rows) return fail(kFailed, rows.error().message);
  if (context.json) {
    Json list = Json::array();
    for (const BenchRow& row : *rows)
      list.push_back({{"name", row.name},
                      {"value", row.value},
                      {"unit", row.unit},
                      {"baseline", row.peer},
                      {"baseline_value", row.peer_value},
                      {"ratio", row.ratio},
                      {"target", row.target},
                      {"passed", row.passed}});
    print_json(context, {{"bench", name}, {"rows", list}});
    return kDone;
  }
  size_t width = 20;
  for (const BenchRow& row : *rows) width = std::max(width, row.name.size());
  cli::print("{:<{}} {:>14} {:<10} {:>14} {:>9} {:>9}  {}\n", "", width, "value", "unit", "baseline", "ratio", "target",
             "pass");
  for (const BenchRow& row : *rows) {
    const bool paired = !row.peer.empty();
    cli::print("{:<{}} {:>14.6g} {:<10} {:>14} {:>9} {:>9}  {:<4}{}\n", row.name, width, row.value, row.unit,
               paired ? fmt::format("{:.6g}", row.peer_value) : "", paired ? fmt::format("{:.4g}", row.ratio) : "",
               row.target != 0 ? fmt::format("{:.6g}", row.target) : "",
               row.target != 0 ? (row.passed ? "yes" : "no") : "", paired ? "against " + row.peer : "");
  }
  return kDone;
}

}  // namespace

void add_bench(CLI::App& app, Context& context, Body& body) {
  auto* command = app.add_subcommand("bench", "Run micro-benchmarks and compare them with their baselines");
  struct Arguments {
    std::string name;
    app::BenchOptions options;
  };
  auto a = std::make_shared<Arguments>();
  std::string names;
  for (const app::Bench& b : app::all_benches()) names += fmt::format("\n  {:<12} {}", b.name, b.description);
  command->add_option("name", a->name, "Benchmark")->required();
  command->add_option("--data", a->options.data, "Directory of test data, for benchmarks that use it");
  command->add_option("--model", a->options.model, "Model of the benchmark 'record'")->capture_default_str();
  command
      ->add_option("--pairs", a->options.pairs,
                   "Interleaved pairs of runs of the benchmark 'record'; 0: 200, or 20 with --quick")
      ->check(CLI::Range(0, 100000));
  command->add_option("--only", a->options.only,
                      "Substring of row names (cpu, opencl) or network names (fusion) to run");
  command->add_option("--threads", a->options.threads, "Number of threads; 0: one per CPU")->check(CLI::Range(0, 1024));
  command->add_flag("--processor-time", a->options.processor_time,
                    "Measure budgets and durations of the benchmark 'planning' in CPU time of all threads");
  command->add_flag("--quick", a->options.quick, "Smaller budgets, as a smoke test");
  command->add_flag("--json", context.json, "Print one JSON object");
  command->footer("Benches:" + names);
  command->callback([&, a] { body = [&, a] { return bench(context, a->name, a->options); }; });
}

}  // namespace arenascope::cli
