// SPDX-License-Identifier: MIT
#include <arenascope/runtime/bench_barrier.h>

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include <arenascope/runtime/barrier.h>
#include <arenascope/runtime/thread_pool.h>
#include <arenascope/trace/clock.h>

namespace arenascope {
namespace {

// Counter and turn in one cache line, sequentially consistent, spinning without end.
class CentralCounter {
 public:
  explicit CentralCounter(int threads) : threads_(threads) {}
  void wait() {
    const int turn = turn_.load();
    if (arrived_.fetch_add(1) == threads_ - 1) {
      arrived_.store(0);
      turn_.fetch_add(1);
      return;
    }
    while (turn_.load() == turn) cpu_relax();
  }

 private:
  const int threads_;
  std::atomic<int> arrived_{0};
  std::atomic<int> turn_{0};
};

constexpr int kRounds = 2000, kTurns = 301;

template <class Meet>
double nanoseconds_each(ThreadPool& pool, Meet&& meet) {
  Nanoseconds begin = 0;
  pool.run([&](int ith) {
    for (int i = 0; i < kRounds / 10; ++i) meet(ith);  // until all are awake
    if (ith == 0) begin = trace::Clock::monotonic();
    for (int i = 0; i < kRounds; ++i) meet(ith);
  });
  return double(trace::Clock::monotonic() - begin) / kRounds;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// In turns with the central counter; the ratio is the middle of the turns' ratios.
template <class Meet>
BenchRow row(std::string name, ThreadPool& pool, double wanted, Meet&& meet) {
  CentralCounter central(pool.threads());
  std::vector<double> ours, theirs, ratios;
  for (int i = 0; i < kTurns; ++i) {
    ours.push_back(nanoseconds_each(pool, meet));
    theirs.push_back(nanoseconds_each(pool, [&](int) { central.wait(); }));
    ratios.push_back(ours.back() / theirs.back());
  }
  BenchRow out;
  out.name = std::move(name);
  out.value = median(ours);
  out.unit = "ns";
  out.peer = "central counter";
  out.peer_value = median(theirs);
  out.ratio = median(ratios);
  out.wanted = wanted;
  out.met = out.ratio <= out.wanted;
  return out;
}

}  // namespace

std::vector<BenchRow> bench_barrier() {
  std::vector<BenchRow> rows;
  std::vector<int> counts{2};
  if (usable_processors() > 2) counts.push_back(usable_processors());
  for (int threads : counts) {
    if (threads > usable_processors()) continue;
    auto pool = ThreadPool::create(threads);
    if (!pool) continue;
    Barrier barrier(threads);
    rows.push_back(row(fmt::format("barrier, {} threads", threads), **pool, 0.6, [&](int ith) { barrier.meet(ith); }));
    rows.push_back(row(fmt::format("barrier, {} threads, with a serial section", threads), **pool, 1.0,
                       [&](int ith) { barrier.meet(ith, [] {}); }));
  }
  return rows;
}

}  // namespace arenascope
