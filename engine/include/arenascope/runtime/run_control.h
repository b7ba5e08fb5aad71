// SPDX-License-Identifier: MIT
// Pauses, steps and aborts a run from another thread. Requests take effect at the next barrier of the plan; from the first
// single step on, a run has a barrier after every node. A control without requests does not change the run. A run that a
// device executes as a whole (PreparedGraph::interruptible()) cannot stop between nodes: a request that comes during it
// takes effect before the next run.
#pragma once
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

#include <arenascope/base/ids.h>

namespace arenascope {

class RunControl {
 public:
  void pause();            // before the next node
  void resume();           // runs to the end
  void step();             // computes one node with work, then pauses again
  void run_to(Step step);  // pauses before that step
  void abort();            // ends the run before the next node, also a paused run
  void reset();            // clears an abort so that the next run can start

  // Called between nodes when the run pauses and when it resumes. May be set during a run; used from the next pause on.
  void set_on_pause(std::function<void(Step next, bool paused)> on_pause);

  // For the executor: true if before() may have to act on a request. One relaxed load.
  bool has_request() const { return has_request_.load(std::memory_order_relaxed); }
  // True in single steps and while running to a step.
  bool stepping() const { return stepping_.load(std::memory_order_relaxed); }
  // For the executor: blocks while paused; returns false if the run was aborted. `*paused` is set if it blocked.
  bool before(Step next, bool* paused = nullptr);
  bool aborted() const;
  bool paused() const;  // the run is paused at the moment

 private:
  void changed();  // requires the lock

  std::atomic<bool> has_request_{false}, stepping_{false};
  mutable std::mutex mutex_;
  std::condition_variable condition_;
  std::function<void(Step next, bool paused)> on_pause_;
  enum class Mode { Run, Pause, StepOnce } mode_ = Mode::Run;
  Step until_;
  bool aborted_ = false;
  bool waiting_ = false;
};

}  // namespace arenascope
