// SPDX-License-Identifier: MIT
#include "engine/bench/bench_barrier.h"

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include <arenascope/runtime/barrier.h>
#include <arenascope/runtime/thread_pool.h>
#include <arenascope/trace/clock.h>

#include "engine/bench/measure.h"

namespace arenascope {
namespace {

// Sequentially consistent, spinning without a limit. ggml has its counter and its generation in separate cache lines
// (`kApart` 64); in the same line they take half the time.
template <size_t kApart>
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
  alignas(64) std::atomic<int> arrived_{0};
  alignas(kApart) std::atomic<int> turn_{0};
};

constexpr int kRounds = 2000, kRepetitions = 301;

template <class Meet>
double nanoseconds_each(ThreadPool& pool, Meet&& meet) {
  Nanoseconds begin = 0;
  pool.run([&](int ith) {
    for (int i = 0; i < kRounds / 10; ++i) meet(ith);  // until all threads are awake
    if (ith == 0) begin = trace::Clock::monotonic();
    for (int i = 0; i < kRounds; ++i) meet(ith);
  });
  return double(trace::Clock::monotonic() - begin) / kRounds;
}

// Interleaved with the central counter; the ratio is the median of the pairwise ratios.
template <size_t kApart, class Meet>
BenchRow row(std::string name, ThreadPool& pool, double target, Meet&& meet) {
  CentralCounter<kApart> central(pool.threads());
  std::vector<double> ours, theirs, ratios;
  for (int i = 0; i < kRepetitions; ++i) {
    ours.push_back(nanoseconds_each(pool, meet));
    theirs.push_back(nanoseconds_each(pool, [&](int) { central.wait(); }));
    ratios.push_back(ours.back() / theirs.back());
  }
  BenchRow out;
  out.name = std::move(name);
  out.value = median(ours);
  out.unit = "ns";
  out.peer = kApart >= 64 ? "central counter" : "central counter in one cache line";
  out.peer_value = median(theirs);
  out.ratio = median(ratios);
  out.target = target;
  out.passed = target > 0 && out.ratio <= target;
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
    const auto meet = [&](int ith) { barrier.meet(ith); };
    const auto serially = [&](int ith) { barrier.meet(ith, [] {}); };
    const std::string name = fmt::format("barrier, {} threads", threads);
    rows.push_back(row<64>(name, **pool, 0.6, meet));
    rows.push_back(row<64>(name + ", with a serial section", **pool, 1.0, serially));
    rows.push_back(row<4>(name + ", against a counter in one cache line", **pool, 0, meet));
  }
  return rows;
}

}  // namespace arenascope
