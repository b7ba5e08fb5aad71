// SPDX-License-Identifier: MIT
// What the rows of `bench cpu` are measured with. Ours and its peers run in turn, many times; each run's cost is the
// thread's own CPU time, so that other work on the machine counts little; a row shows medians, and the ratio is the
// median of the turns' ratios.
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
  bool quick = false;  // fewer turns
  std::function<void(const std::string&)> progress;
};

// Something to time. An empty function is a peer that is not there.
struct Peer {
  std::string name;
  std::function<void()> run;
};

// CPU seconds of the calling thread.
double thread_seconds();

// How a row reads: one call is `amount` of `unit` in a second's time, and `wanted` bounds the ratio to the peer from
// below (0: no bound).
struct Measure {
  std::string unit;
  double amount;
  double wanted;
};

class Table {
 public:
  explicit Table(Options options) : options_(std::move(options)) {}
  bool wants(const std::string& name) const {
    return options_.only.empty() || name.find(options_.only) != std::string::npos;
  }

  // A row against the fastest of `peers`; none there: the row stands alone.
  void against(const std::string& name, const Measure& measure, const std::function<void()>& ours,
               const std::vector<Peer>& peers);
  // A row against a figure that stands in the table of wanted speeds.
  void against_figure(const std::string& name, const Measure& measure, const std::function<void()>& ours,
                      const std::string& whose, double figure);
  // How much faster `parts` threads are than one: part(i, n) computes part i of n. The busiest thread counts.
  void scaling(const std::string& name, int threads, double wanted, const std::function<void(int, int)>& part);
  void add(BenchRow row) { rows_.push_back(std::move(row)); }

  std::vector<BenchRow> take() { return std::move(rows_); }

 private:
  // Seconds a call, by turn, for each function.
  std::vector<std::vector<double>> in_turn(const std::vector<std::function<void()>>& runs) const;
  void progress(const std::string& name) const;
  Options options_;
  std::vector<BenchRow> rows_;
};

// A node of one op with memory and values, ready to be computed by the CPU's kernels.
class Node {
 public:
  // `describe` makes inputs and weights with memory and returns the node. Values are even in [-1, 1].
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

// The providers of rows, one a file.
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
