// SPDX-License-Identifier: MIT
// Stops and starts a run from another thread. Everything takes effect between two nodes, behind the barrier.
#pragma once
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

  // For the executor: waits while paused, which `held` then says. False when the run is to end.
  bool before(Step next, bool* held = nullptr);
  bool aborted() const;
  bool paused() const;  // is waiting right now

 private:
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  enum class Mode { Run, Pause, StepOnce } mode_ = Mode::Run;
  Step until_;
  bool aborted_ = false;
  bool waiting_ = false;
};

}  // namespace arenascope
