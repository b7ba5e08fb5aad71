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

template <class Meet>
double nanoseconds_each(ThreadPool& pool, int rounds, Meet&& meet) {
  const Nanoseconds begin = trace::Clock::monotonic();
  pool.run([&](int) {
    for (int i = 0; i < rounds; ++i) meet();
  });
  return double(trace::Clock::monotonic() - begin) / rounds;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
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
    CentralCounter central(threads);
    std::vector<double> ours, theirs;
    for (int i = 0; i < 21; ++i) {
      ours.push_back(nanoseconds_each(**pool, 20000, [&] { barrier.arrive_and_wait([] {}); }));
      theirs.push_back(nanoseconds_each(**pool, 20000, [&] { central.wait(); }));
    }
    BenchRow row;
    row.name = fmt::format("barrier, {} threads", threads);
    row.value = median(ours);
    row.unit = "ns";
    row.peer = "central counter";
    row.peer_value = median(theirs);
    row.ratio = row.value / row.peer_value;
    row.wanted = 0.6;
    row.met = row.ratio <= row.wanted;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace arenascope
