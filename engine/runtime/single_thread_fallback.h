// SPDX-License-Identifier: MIT
// Whether a run beside other work on the processors is sooner done by one thread. At every barrier each thread's turn
// has to come before anybody goes on, which can take longer than one thread alone takes for all.
#pragma once
#include <arenascope/runtime/thread_pool.h>

namespace arenascope {

class SingleThreadFallback {
 public:
  // While there is other work: the way that took less the last time; now and then the other one.
  bool choose_single();
  // A run took `took` that way. Now and then looks at how long the pool's threads stood in line for a processor.
  void note(bool single, Nanoseconds took, const ThreadPool& pool);

 private:
  bool oversubscribed_ = false;            // threads stood in line for a processor of late
  Nanoseconds watched_ = 0, queued_ = -1;  // how long runs took since that was looked at, and what was seen then
  Nanoseconds together_ = 0, single_ = 0;  // what the last run took either way
  int runs_ = 0;
};

}  // namespace arenascope
