// SPDX-License-Identifier: MIT
#include "engine/bench/bench_orders.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <string>

#include <fmt/format.h>

#include <arenascope/graph/builder.h>
#include <arenascope/graph/order_peak.h>
#include <arenascope/graph/order_search.h>

namespace arenascope {
namespace {

// `ops` results of 1 to 1000 bytes (log-uniform), each computed from one to three of the `reach` previous results; the
// first two read the input. All results without users are outputs.
Graph random_graph(size_t ops, size_t reach, std::mt19937& random) {
  auto context = Context::create({.no_alloc = true, .grow = true});
  if (!context) return {};
  GraphBuilder b(*context);
  std::vector<Tensor> made;
  std::vector<uint8_t> read(ops, 0);
  const Tensor input = b.input("x", {1}, DType::U8);
  for (size_t i = 0; i < ops; ++i) {
    std::vector<Tensor> sources;
    for (size_t count = 1 + random() % 3; count > 0; --count) {
      if (i < 2) {
        sources.push_back(input);
        continue;
      }
      const size_t from = i - 1 - random() % std::min(reach, i);
      sources.push_back(made[from]);
      read[from] = 1;
    }
    const double exponent = static_cast<double>(random() % 1000) / 1000;
    OpParams params;
    params.set(FillParams{{static_cast<int64_t>(std::pow(1000.0, exponent))}, DType::U8, 0, 0});
    made.push_back(b.op(Op::Opaque, sources, params));
  }
  auto graph = b.context().new_graph(ops + 2);
  if (!graph || !b.ok()) return {};
  for (size_t i = 0; i < ops; ++i)
    if (!read[i] && !graph->expand(made[i]).ok()) return {};
  return *graph;
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Mean {
  double logs = 0;
  int count = 0;
  void add(double ratio) { logs += std::log(ratio), ++count; }
  double value() const { return count ? std::exp(logs / count) : 0; }
};

// `target` 0: informational, without a target.
BenchRow ratio_row(std::string name, double ratio, std::string peer, double target) {
  const bool passed = ratio > 0 && (target == 0 || ratio <= target);
  return {std::move(name), ratio, "peak/peak", std::move(peer), 1, ratio, target, passed};
}

BenchRow time_row(std::string name, double seconds, double target) {
  return {std::move(name), seconds * 1e3, "ms", "", 0, 0, target * 1e3, seconds <= target};
}

void bench_small(int graphs, std::vector<BenchRow>& rows) {
  std::mt19937 random(40);
  std::vector<Mean> ratios(all_orders().size());
  double longest = 0;
  int proved = 0, done = 0;
  for (int i = 0; i < graphs; ++i) {
    const size_t ops = 10 + random() % 31;
    const Graph graph = random_graph(ops, 3 + random() % 15, random);
    if (!graph.defined()) continue;
    OrderOptions options;
    const auto start = std::chrono::steady_clock::now();
    const auto best = search_order(graph, options);
    longest = std::max(longest, seconds_since(start));
    if (!best) continue;
    ++done;
    proved += best->optimal;
    for (size_t k = 0; k < ratios.size(); ++k) {
      const OrderInfo& order = all_orders()[k];
      if (order.make == searched_order) continue;
      if (const auto made = order.make(graph, options))
        ratios[k].add(static_cast<double>(order_peak(graph, *made)) / static_cast<double>(best->peak));
    }
  }
  for (size_t k = 0; k < ratios.size(); ++k)
    if (ratios[k].count)
      rows.push_back(
          ratio_row(fmt::format("10 to 40 ops: {}", all_orders()[k].name), ratios[k].value(), "the minimum", 0));
  const double share = done ? static_cast<double>(proved) / done : 0;
  rows.push_back({"10 to 40 ops: search proves the minimum", share, "share", "", 0, 0, 1, share >= 1});
  rows.push_back(time_row("10 to 40 ops: search, longest", longest, 0.05));
}

void bench_large(int graphs, double budget, std::vector<BenchRow>& rows) {
  std::mt19937 random(1000);
  Mean to_least_peak, to_best;
  double worst = 0, longest = 0;
  for (int i = 0; i < graphs; ++i) {
    const size_t ops = graphs > 1 ? 100 + 900 * static_cast<size_t>(i) / static_cast<size_t>(graphs - 1) : 1000;
    const Graph graph = random_graph(ops, 5 + random() % 60, random);
    if (!graph.defined()) continue;
    OrderOptions options;
    options.budget_seconds = budget;
    const auto start = std::chrono::steady_clock::now();
    const auto best = search_order(graph, options);
    longest = std::max(longest, seconds_since(start));
    if (!best) continue;
    Bytes others = std::numeric_limits<Bytes>::max();
    for (const OrderInfo& order : all_orders()) {
      if (order.make == searched_order) continue;
      const auto made = order.make(graph, options);
      if (!made) continue;
      const Bytes peak = order_peak(graph, *made);
      others = std::min(others, peak);
      if (order.make == least_peak_first_order)
        to_least_peak.add(static_cast<double>(best->peak) / static_cast<double>(peak));
    }
    to_best.add(static_cast<double>(best->peak) / static_cast<double>(others));
    worst = std::max(worst, static_cast<double>(best->peak) / static_cast<double>(others));
  }
  if (to_best.count == 0) return;
  rows.push_back(ratio_row("100 to 1000 ops: search", to_least_peak.value(), "least-peak-first", 0.85));
  rows.push_back(ratio_row("100 to 1000 ops: search", to_best.value(), "best other order", 1));
  rows.push_back(ratio_row("100 to 1000 ops: search, worst", worst, "best other order", 1));
  rows.push_back(time_row("100 to 1000 ops: search, longest", longest, budget));
}

}  // namespace

std::vector<BenchRow> bench_orders(int small_graphs, int large_graphs, double budget_seconds) {
  std::vector<BenchRow> rows;
  bench_small(small_graphs, rows);
  bench_large(large_graphs, budget_seconds, rows);
  return rows;
}

}  // namespace arenascope
