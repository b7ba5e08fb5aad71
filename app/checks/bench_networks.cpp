// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/checks/bench_networks.h"

#include <algorithm>
#include <string>

#include <arenascope/models/model.h>
#include <arenascope/models/zoo.h>
#include <arenascope/schedule/memory_plan.h>
#include <fmt/format.h>

namespace arenascope::app {
namespace {

class Bench {
 public:
  explicit Bench(const std::function<void(const std::string&)>& progress) : progress_(progress) {}

  // The minimum of three, since the CPU may be busy.
  void network(const std::string& what, const std::string& model) {
    if (progress_) progress_(model);
    auto opened = models::open_model(model, {});
    if (!opened || !opened->graph.defined()) return;
    double ratio = 0, seconds = 1e9;
    for (int round = 0; round < 3; ++round) {
      MemoryPlanOptions options;
      options.planner.budget_seconds = 0.05;
      const auto plan = plan_memory(opened->graph, "search", "depth-first", options);
      if (!plan) return;
      ratio = round == 0 ? plan->ratio() : std::min(ratio, plan->ratio());
      seconds = std::min(seconds, plan->seconds);
    }
    rows.push_back({fmt::format("{}{}", what, opened->name), ratio, "arena/bound", "", 0, 0, 1, ratio <= 1});
    slowest_ = std::max(slowest_, seconds);
  }
  void slowest() {
    rows.push_back({"networks: the slowest plan", 1e3 * slowest_, "ms", "", 0, 0, 50, slowest_ <= 0.05});
  }

  // Peak of the best order relative to depth first. `article` is GE's figure for another graph of the same model on
  // other hardware: shown for comparison, not a target.
  void reordered(const std::string& name, bool training, double article) {
    models::OpenOptions open;
    open.training = training;
    open.prefill = !training;
    const std::string title = fmt::format("{}, {}", name, training ? "training step" : "prefill");
    if (progress_) progress_(title);
    const auto opened = models::open_model("zoo:" + name, open);
    if (!opened || !opened->graph.defined()) return;
    for (const bool keep : {true, false}) {
      if (!keep && !training) break;
      MemoryPlanOptions options;
      options.keep_outputs = keep;
      OrderOptions order;
      order.budget_seconds = 2;
      order.keep_outputs = keep;
      const auto before = plan_memory(opened->graph, "search", "depth-first", options, order);
      const auto after = plan_memory(opened->graph, "search", "search", options, order);
      if (!before || !after) return;
      const double ours = static_cast<double>(after->arena_bytes), theirs = static_cast<double>(before->arena_bytes);
      rows.push_back({fmt::format("{}{}: search order, GB", title,
                                  training ? (keep ? ", gradients kept" : ", gradients freed") : ""),
                      ours / 1e9, "GB", fmt::format("depth first (the article's share: {:.3g})", article), theirs / 1e9,
                      ours / theirs, 0, true});
    }
  }

  std::vector<BenchRow> rows;

 private:
  const std::function<void(const std::string&)>& progress_;
  double slowest_ = 0;
};

}  // namespace

std::vector<BenchRow> bench_networks(const std::filesystem::path& data,
                                     const std::function<void(const std::string&)>& progress) {
  Bench bench(progress);
  std::error_code error;
  std::vector<std::string> folders;
  for (std::filesystem::directory_iterator at(data / "onnx" / "light", error), end; !error && at != end;
       at.increment(error))
    if (at->is_directory()) folders.push_back(at->path().string());
  std::sort(folders.begin(), folders.end());
  for (const std::string& folder : folders) bench.network("light ", folder);
  for (const models::ZooEntry& entry : models::zoo()) bench.network("zoo ", fmt::format("zoo:{}", entry.name));
  bench.slowest();
  for (const bool training : {false, true}) {
    bench.reordered("llama_13b", training, 33.37 / 45.42);
    bench.reordered("baichuan_13b", training, 6.91 / 18.89);
  }
  return std::move(bench.rows);
}

}  // namespace arenascope::app
