// SPDX-License-Identifier: MIT
#include "engine/bench/bench_planning.h"
#include <arenascope/planner/check.h>
#include <arenascope/planner/csv.h>
#include <arenascope/planner/planner.h>
#include <fmt/format.h>

#include <cmath>

namespace arenascope::planner {
namespace {

constexpr Bytes kCapacity = 1048576;  // capacity of minimalloc's instances

class Bench {
 public:
  Bench(const std::filesystem::path& data, const BenchOptions& options) : data_(data), options_(options) {}

  std::vector<BenchRow> run() {
    challenging();
    training("resnet50", 0.1, 1.004, 1.0);
    training("G_1", 0.1, 1.003, 1.0);
    training("pangu_2.6B", 10, 1.0076, 1.0);
    training("S_1", 10, 1.0018, 1.0005);
    training("Y_1", 10, 1.0036, 1.001);
    perfect(200, 1.10, 1.03);
    perfect(500, 1.19, 1.06);
    perfect(1000, 1.21, 1.08);
    million();
    return std::move(rows_);
  }

 private:
  // An invalid plan counts as no plan.
  std::optional<Plan> searched(const Problem& p, double budget) {
    if (options_.stop.stop_requested()) return std::nullopt;
    Options o;
    o.budget_seconds = options_.quick ? budget / 10 : budget;
    o.threads = options_.threads;
    o.processor_time = options_.processor_time;
    o.stop = options_.stop;
    Result<Plan> plan = find_planner("search")->plan(p, o);
    if (!plan || !check(p, *plan)) return std::nullopt;
    return std::move(*plan);
  }
  std::optional<Problem> read(const std::filesystem::path& file) const {
    Result<Problem> p = read_csv_file(data_ / "planning" / file);
    if (!p) return std::nullopt;
    return std::move(*p);
  }
  void say(const std::string& what) const {
    if (options_.on_progress) options_.on_progress(what);
  }
  // `target` is an upper bound on `value`; smaller is better for all rows.
  void row(std::string name, double value, std::string unit, std::string peer, double peer_value, double target) {
    const double ratio = peer_value > 0 ? value / peer_value : 0;
    const double bound = peer_value > 0 ? target / peer_value : target;
    rows_.push_back({std::move(name), value, std::move(unit), std::move(peer), peer_value, ratio, bound,
                     value <= target * (1 + 1e-9)});
  }

  void challenging() {
    double seconds = 0, log_quick = 0, log_full = 0;
    int fit = 0, at_bound = 0, count = 0;
    for (char name = 'A'; name <= 'K'; ++name) {
      std::optional<Problem> p = read(fmt::format("challenging/{}.1048576.csv", name));
      if (!p) continue;
      say(fmt::format("minimalloc's {}", name));
      const std::optional<Plan> quick = searched(*p, 0.1), full = searched(*p, 1);
      p->capacity = kCapacity;
      const std::optional<Plan> fits = searched(*p, 20);
      if (!quick || !full || !fits) continue;
      ++count;
      seconds += fits->seconds;
      fit += fits->arena_bytes <= kCapacity ? 1 : 0;
      at_bound += full->optimal ? 1 : 0;
      log_quick += std::log(quick->ratio());
      log_full += std::log(full->ratio());
      row(fmt::format("{} in 1 s", name), full->ratio(), "arena/bound", "", 0, name == 'D' || name == 'J' ? 1.02 : 1.0);
    }
    if (count == 0) return;
    row(fmt::format("A-K within capacity, {} of {} fit", fit, count), fit == count ? seconds : HUGE_VAL, "s",
        "minimalloc", 35.5, 1);
    row("A-K, geometric mean, 0.1 s", std::exp(log_quick / count), "arena/bound", "best simple heuristic", 1.182, 1.05);
    row("A-K, geometric mean, 1 s", std::exp(log_full / count), "arena/bound", "local search, 4 s", 1.070, 1.01);
    row("A-K not at a proven optimum, 1 s", count - at_bound, "instances", "", 0, 2);
  }

  void training(const char* name, double budget, double known, double target) {
    const std::optional<Problem> p = read(fmt::format("training/{}.csv", name));
    if (!p) return;
    say(name);
    const std::optional<Plan> plan = searched(*p, budget);
    if (plan) row(fmt::format("{}, {} s", name, budget), plan->ratio(), "arena/bound", "best known", known, target);
  }

  void perfect(int n, double known, double target) {
    double logs = 0;
    const int seeds = options_.quick ? 1 : 10;
    for (int seed = 1; seed <= seeds; ++seed) {
      say(fmt::format("perfect packing of {}, seed {}", n, seed));
      const std::optional<Plan> plan = searched(perfect_packing(n, static_cast<uint64_t>(seed)), 10);
      if (!plan) return;
      logs += std::log(plan->ratio());
    }
    row(fmt::format("perfect packings, n = {}, 10 s", n), std::exp(logs / seeds), "arena/bound", "best known, 10 s",
        known, target);
  }

  void million() {
    const Problem p = many_buffers(options_.quick ? 100'000 : 1'000'000, 1);
    for (const auto& [budget, known, target] : {std::tuple{3.0, 1.068, 1.0105}, std::tuple{20.0, 1.0105, 1.003}}) {
      say(fmt::format("{} buffers, {} s", p.size(), budget));
      const std::optional<Plan> plan = searched(p, budget);
      if (plan) {
        row(fmt::format("{} buffers, {} s", p.size(), budget), plan->ratio(), "arena/bound", "best known", known,
            target);
      }
    }
  }

  std::filesystem::path data_;
  const BenchOptions& options_;
  std::vector<BenchRow> rows_;
};

}  // namespace

std::vector<BenchRow> bench_planning(const std::filesystem::path& data, const BenchOptions& options) {
  return Bench(data, options).run();
}

}  // namespace arenascope::planner
