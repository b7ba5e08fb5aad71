// SPDX-License-Identifier: MIT
// Measures the rows of `bench cpu`. Our kernels and their baselines are interleaved many times. A run's cost is the CPU
// time of its thread, which limits the influence of other load. A row contains medians, and the ratio is the median of
// the pairwise ratios.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <arenascope/runtime/backend.h>
#include <arenascope/runtime/thread_pool.h>
#include "engine/bench/bench_row.h"

namespace arenascope {
class GraphBuilder;
}

namespace arenascope::cpu_bench {

struct Options {
  std::string only;    // rows whose names contain it; empty: all
  bool quick = false;  // fewer rounds
  std::function<void(const std::string&)> progress;
};

// A function to time. An empty function is an unavailable baseline.
struct Peer {
  std::string name;
  std::function<void()> run;
};

// CPU seconds of the calling thread.
double thread_seconds();

// The unit of a row: one call processes `amount` of `unit` (a rate per second), and `target` is the lower bound of the
// ratio to the baseline (0: no bound).
struct Measure {
  std::string unit;
  double amount;
  double target;
};

class Table {
 public:
  explicit Table(Options options) : options_(std::move(options)) {}
  bool wants(const std::string& name) const {
    return options_.only.empty() || name.find(options_.only) != std::string::npos;
  }

  // A row compared with the fastest of `peers`; a row without a baseline if all are unavailable.
  void against(const std::string& name, const Measure& measure, const std::function<void()>& ours,
               const std::vector<Peer>& peers);
  // The speed-up of `threads` threads over one: part(i, n) runs part i of n. The busiest thread determines the time.
  void scaling(const std::string& name, int threads, double target, const std::function<void(int, int)>& part);
  void add(BenchRow row) { rows_.push_back(std::move(row)); }

  std::vector<BenchRow> take() { return std::move(rows_); }

 private:
  // Seconds per call, by round, for each function.
  std::vector<std::vector<double>> in_turn(const std::vector<std::function<void()>>& runs) const;
  void progress(const std::string& name) const;
  Options options_;
  std::vector<BenchRow> rows_;
};

// A node of one op with memory and values, ready to be computed by the CPU's kernels.
class Node {
 public:
  // `describe` creates inputs and weights with memory and returns the node. Values are uniform in [-1, 1].
  static std::unique_ptr<Node> make(Bytes pool_bytes, const std::function<Tensor(GraphBuilder&)>& describe);
  ~Node();

  void compute() { part(0, 1); }
  void part(int ith, int nth);
  const TensorImpl& impl() const;
  TensorImpl& source(size_t i) const { return *impl().sources[i]; }
  std::function<void()> runner() {
    return [this] { compute(); };
  }

 private:
  struct State;
  explicit Node(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// The row providers, one per file.
void machine_rows(Table& table);
void product_rows(Table& table);
void quantised_rows(Table& table);
void column_rows(Table& table);
void pointwise_rows(Table& table);
void line_rows(Table& table);
void window_rows(Table& table);
void attention_rows(Table& table);
void more_rows(Table& table);

}  // namespace arenascope::cpu_bench
