// SPDX-License-Identifier: MIT
// The execution loop of one run, shared by its threads. Recording changes neither barriers nor order nor threads: each
// thread writes its spans to its own ring, outside of its waits. The reader of the recording derives other times from them.
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

// Work-stealing cursor: the number of chunks taken from the range of one thread, by itself or by others.
struct alignas(64) WorkCounter {
  std::atomic<int32_t> count{0};
};

// State that all runs of an executor share.
struct RunSetup {
  Backend& backend;
  const ExecutionPlan& plan;
  const StepList& steps;
  BoundMemory& memory;
  Barrier& barrier;
  std::span<WorkCounter> taken;               // two sets of one cursor per thread
  std::span<trace::ThreadRing* const> rings;  // by thread; null when nothing is recorded
  MemoryStrategy strategy;
  size_t threads() const { return taken.size() / 2; }
};

class RunLoop {
 public:
  RunLoop(const RunSetup& setup, const RunOptions& options, const trace::Clock& clock, bool recorded);

  // True if the first thread runs a serial section after every node while the others wait.
  bool serial() const { return serial_; }
  bool stepped() const { return stepped_; }  // a barrier after every node, for inspection
  bool aborted() const { return aborted_; }
  bool alone() const { return alone_; }  // no step needs a second thread
  const Status& error() const { return error_; }
  int threads_used() const { return alone_ || single_threaded_ ? 1 : static_cast<int>(setup_.threads()); }

  // Lets the first thread compute all chunks of all nodes.
  void use_single_thread() { single_threaded_ = true; }
  bool ran_single_threaded() const { return single_threaded_; }
  // The run cannot be paused or aborted before its end (PreparedGraph::interruptible()).
  void ignore_requests() { interruptible_ = false; }
  // Sets the run id of the recorded spans.
  void set_run(trace::RunId run) { run_ = run; }
  void fail(Error error);

  // The serial section before the first item, on the calling thread.
  void begin();
  // The share of thread `ith` in the run.
  void work(int ith) { single_threaded_ ? work_single_threaded() : work_with_others(ith); }
  // Time of each step; device times where a device reports spans.
  std::vector<NodeTime> node_times(std::span<const DeviceSpan> spans) const;

 private:
  // The items that a thread computes between two barriers: the last item, when it started, and when it finished.
  struct BarrierInterval {
    size_t last;
    Nanoseconds begin, arrive;
  };
  // A serial section between two items: the number of items before it, its time, and its trace::BetweenFlags.
  struct SerialSection {
    size_t done = SIZE_MAX;
    Nanoseconds begin = 0, end = 0;
    uint32_t flags = 0;
  };
  struct Times {
    Nanoseconds begin = 0, arrive = 0, leave = 0;
  };

  void work_with_others(int ith);
  void work_single_threaded();
  BarrierInterval compute_interval(size_t item, int ith);
  void meet(size_t done, int ith);
  SerialSection between_items(size_t done);
  void record(const SerialSection& section);
  void advance(size_t from, size_t to);
  bool between(size_t next);
  template <class F>
  bool without_exceptions(size_t step, F&& work);
  bool show_result(size_t step);
  bool pause_before(Step step);
  void compute(size_t item, int ith);
  void compute_parts(size_t item, int ith);
  void compute_part(size_t item, int part, int ith);

  const std::vector<StepItem>& items() const { return setup_.steps.items(); }
  trace::ThreadRing* ring(int ith) const { return setup_.rings[static_cast<size_t>(ith)]; }
  bool clocked() const { return recorded_ || !times_.empty(); }
  bool has_request() const { return interruptible_ && options_.control && options_.control->has_request(); }
  bool no_barrier_after(size_t item) const;
  Times& slot(size_t step, int ith) { return times_[step * setup_.threads() + static_cast<size_t>(ith)]; }
  void end_after(size_t items);
  bool ends_after(size_t items) const { return end_.load(std::memory_order_acquire) <= items; }

  // The first thread writes the following in serial sections; all threads read it after the barrier. Exceptions: `times_`,
  // where each thread has its own slots, and the error, which has a lock.
  const RunSetup& setup_;
  const RunOptions& options_;
  const trace::Clock& clock_;
  const bool recorded_;
  const bool alone_;
  bool single_threaded_ = false;
  bool interruptible_ = true;
  bool stepped_;  // makes the run serial from the next barrier on
  bool serial_;
  trace::RunId run_;
  bool stop_ = false;          // first thread only: do nothing more
  bool aborted_ = false;       // first thread only
  uint32_t done_between_ = 0;  // first thread only: trace::BetweenFlags of the current section
  SerialSection section_;      // the most recent section
  // Number of items after which the run ends. All threads that have passed the barrier after the last of these items see the
  // same value. A smaller value set by a later failing item has no effect before the next barrier.
  std::atomic<size_t> end_{std::numeric_limits<size_t>::max()};
  std::mutex error_mutex_;
  Status error_;
  std::vector<Times> times_;  // steps × threads; none unless timed
};

}  // namespace arenascope
