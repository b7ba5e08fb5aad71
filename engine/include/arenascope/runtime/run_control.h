// SPDX-License-Identifier: MIT
// Stops and starts a run from another thread. Everything takes effect behind a barrier that there is anyway; from the
// first single step on, a run has barriers behind all nodes. One that is attached and not used changes nothing.
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
  void resume();           // on to the end
  void step();             // one node with work, then pause again
  void run_to(Step step);  // pauses before that step
  void abort();            // ends the run before the next node; also one that is paused
  void reset();            // forgets an abort, so that the next run goes

  // Called, between nodes, when the run begins to wait and when it goes on. Set before a run.
  std::function<void(Step next, bool paused)> on_pause;

  // For the executor: whether before() may have something to do. Cheap.
  bool wanted() const { return wanted_.load(std::memory_order_relaxed); }
  // Whether it goes by single steps, or up to a step.
  bool stepping() const { return stepping_.load(std::memory_order_relaxed); }
  // For the executor: waits while paused. False when the run is to end. `paused` says whether it waited.
  bool before(Step next, bool* paused = nullptr);
  bool aborted() const;
  bool paused() const;  // is waiting right now

 private:
  void changed();  // the lock is held

  std::atomic<bool> wanted_{false}, stepping_{false};
  mutable std::mutex mutex_;
  std::condition_variable condition_;
  enum class Mode { Run, Pause, StepOnce } mode_ = Mode::Run;
  Step until_;
  bool aborted_ = false;
  bool waiting_ = false;
};

}  // namespace arenascope
