// SPDX-License-Identifier: MIT
// One run: what its threads do and share. Whether it is recorded or watched changes neither barriers nor order nor
// threads: each thread writes what it did to a ring of its own, outside of its waits, and what follows from plan and
// spans is left to whoever reads the recording.
#pragma once
#include <atomic>
#include <limits>
#include <mutex>
#include <span>
#include <vector>

#include <arenascope/runtime/barrier.h>
#include <arenascope/runtime/executor.h>

#include "engine/runtime/step_list.h"

namespace arenascope {

// How many of a thread's own parts were taken, by itself or by others.
struct alignas(64) TakenParts {
  std::atomic<int32_t> count{0};
};

// What the runs of an executor have in common.
struct RunSetup {
  Backend& backend;
  const ExecutionPlan& plan;
  const StepList& steps;
  BoundMemory& memory;
  Barrier& barrier;
  std::span<TakenParts> taken;                // two sets, by thread
  std::span<trace::ThreadRing* const> rings;  // by thread; null when nothing is recorded
  MemoryStrategy strategy;
  size_t threads() const { return taken.size() / 2; }
};

class RunLoop {
 public:
  RunLoop(const RunSetup& setup, const RunOptions& options, const trace::Clock& clock, bool recorded);

  // Something happens between any two nodes: the first thread does it while the others wait.
  bool serial() const { return serial_; }
  bool stepped() const { return stepped_; }  // for somebody who looks between nodes
  bool aborted() const { return aborted_; }
  bool alone() const { return alone_; }  // no step needs a second thread
  const Status& error() const { return error_; }
  int threads_used() const { return alone_ || by_itself_ ? 1 : static_cast<int>(setup_.threads()); }

  // The first thread is to do all, though there would be work for others.
  void fall_back() { by_itself_ = true; }
  bool fell_back() const { return by_itself_; }
  // Recorded spans are of this run.
  void set_run(trace::RunId run) { run_ = run; }
  void fail(Error error);

  // What has to happen before the first item; on the caller.
  void begin();
  // Thread `ith`'s part of the run.
  void work(int ith) { by_itself_ ? work_by_itself() : work_with_others(ith); }
  // What each step took; where a device tells its own times, those.
  std::vector<NodeTime> node_times(std::span<const DeviceSpan> spans) const;

 private:
  // What a thread computes without a barrier: up to which item, when it began with that one, and when it was done.
  struct Stretch {
    size_t last;
    Nanoseconds begin, arrive;
  };
  // What was done between two items: behind how many, from when to when, and what (trace::BetweenFlags).
  struct Section {
    size_t done = SIZE_MAX;
    Nanoseconds begin = 0, end = 0;
    uint32_t flags = 0;
  };
  struct Times {
    Nanoseconds begin = 0, arrive = 0, leave = 0;
  };

  void work_with_others(int ith);
  void work_by_itself();
  Stretch compute_stretch(size_t item, int ith);
  void meet(size_t done, int ith);
  Section between_items(size_t done);
  void record(const Section& section);
  void advance(size_t from, size_t to);
  bool between(size_t next);
  bool show_result(size_t step);
  bool pause_before(Step step);
  void compute(size_t item, int ith);
  void compute_parts(size_t item, int ith);
  void compute_part(size_t item, int part, int ith);

  const std::vector<StepItem>& items() const { return setup_.steps.items(); }
  trace::ThreadRing* ring(int ith) const { return setup_.rings[static_cast<size_t>(ith)]; }
  bool clocked() const { return recorded_ || !times_.empty(); }
  bool control_wanted() const { return options_.control && options_.control->wanted(); }
  bool no_barrier_behind(size_t item) const;
  Times& slot(size_t step, int ith) { return times_[step * setup_.threads() + static_cast<size_t>(ith)]; }
  void end_behind(size_t items);
  bool ends_behind(size_t items) const { return end_.load(std::memory_order_acquire) <= items; }

  // Written by the first thread in serial sections, read by all behind them, apart from `times_`, where each thread has
  // slots of its own, and the error, which has a lock.
  const RunSetup& setup_;
  const RunOptions& options_;
  const trace::Clock& clock_;
  const bool recorded_;
  const bool alone_;
  bool by_itself_ = false;
  bool stepped_;  // then it is serial from the next barrier on
  bool serial_;
  trace::RunId run_;
  bool stop_ = false;          // of the first thread: it does nothing more
  bool aborted_ = false;       // the same
  uint32_t done_between_ = 0;  // the same: trace::BetweenFlags of what is done now
  Section section_;            // of the newest barrier that had one
  // Behind how many items the run ends. Whoever has passed the barrier behind the last of them knows of it; that a
  // later one failed, which one thread may learn of earlier than another, does not count yet.
  std::atomic<size_t> end_{std::numeric_limits<size_t>::max()};
  std::mutex error_mutex_;
  Status error_;
  std::vector<Times> times_;  // steps × threads; none unless timed
};

}  // namespace arenascope
