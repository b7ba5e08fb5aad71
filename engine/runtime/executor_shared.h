// SPDX-License-Identifier: MIT
// What the threads of one run share.
#pragma once
#include <algorithm>
#include <limits>
#include <mutex>

#include <arenascope/runtime/executor.h>

namespace arenascope {

// Written by the first thread in serial sections, read by all behind them, apart from `times`, where each thread has
// slots of its own, and the error, which has a lock.
struct Executor::Shared {
  Shared(const RunOptions& run_options, const trace::Clock& run_clock, bool is_recorded, int thread_count, size_t timed)
      : options(run_options),
        clock(run_clock),
        recorded(is_recorded),
        threads(static_cast<size_t>(thread_count)),
        times(timed * threads) {}

  const RunOptions& options;
  const trace::Clock& clock;
  const bool recorded;
  const size_t threads;
  trace::RunId run;
  bool serial = false;        // something happens between any two nodes: the first thread does it while the others wait
  bool stepped = false;       // for somebody who looks between nodes; then it is serial from the next barrier on
  bool alone = false;         // the first thread is the only one
  bool by_itself = false;     // the same, though there would be work for others
  bool stop = false;          // of the first thread: it does nothing more
  bool aborted = false;       // the same
  uint32_t done_between = 0;  // the same: trace::BetweenFlags of what is done now
  Section section;            // of the newest barrier that had one
  // Behind how many items the run ends. Whoever has passed the barrier behind the last of them knows of it; that a
  // later one failed, which one thread may learn of earlier than another, does not count yet.
  std::atomic<size_t> end{std::numeric_limits<size_t>::max()};
  std::mutex error_mutex;
  Status error;
  struct Times {
    Nanoseconds begin = 0, arrive = 0, leave = 0;
  };
  std::vector<Times> times;  // steps × threads; none unless timed

  bool clocked() const { return recorded || !times.empty(); }
  bool wanted() const { return options.control && options.control->wanted(); }
  int threads_used() const { return alone || by_itself ? 1 : static_cast<int>(threads); }
  Times& slot(size_t step, int ith) { return times[step * threads + static_cast<size_t>(ith)]; }
  void fail(Error e) {
    std::lock_guard lock(error_mutex);
    if (error.ok()) error = std::move(e);
  }
  void end_behind(size_t items) {
    std::lock_guard lock(error_mutex);
    end.store(std::min(end.load(std::memory_order_relaxed), items), std::memory_order_release);
  }
  bool ends_behind(size_t items) const { return end.load(std::memory_order_acquire) <= items; }
};

}  // namespace arenascope
