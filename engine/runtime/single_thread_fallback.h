// SPDX-License-Identifier: MIT
// Decides whether one thread is faster than several on a loaded machine. At every barrier each thread must be scheduled
// before any of them can continue, which can take longer than computing everything on one thread.
#pragma once
#include <arenascope/runtime/thread_pool.h>

namespace arenascope {

class SingleThreadFallback {
 public:
  // On a loaded machine returns the faster mode so far, and occasionally the other one to measure it again.
  bool choose_single();
  // Notes that a run in that mode took `took`. Occasionally reads how long the pool's threads waited for a core.
  void note(bool single, Nanoseconds took, const ThreadPool& pool);

 private:
  bool oversubscribed_ = false;            // threads recently waited for a core
  Nanoseconds watched_ = 0, queued_ = -1;  // run time since the last reading of the queue time, and that reading
  Nanoseconds together_ = 0, single_ = 0;  // smoothed time of a run with all threads, with one thread
  int runs_ = 0;
};

}  // namespace arenascope
