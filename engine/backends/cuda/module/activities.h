// SPDX-License-Identifier: MIT
// CUPTI's activity records: when each kernel and copy really ran, told by the driver rather than measured around it.
// CUPTI is looked for at run time and knows one client a process; where it is missing, refuses (another profiler, no
// right) or was not there at the build, keep() is false.
#pragma once
#include "engine/backends/cuda/execution/driver.h"

namespace arenascope::cuda {

class Activities {
 public:
  virtual ~Activities() = default;
  // Made when it is first asked for.
  static std::shared_ptr<Activities> of_this_process();

  // False: there will be none.
  virtual bool keep(bool keep) = 0;
  // What this thread queues from now on is told under that label; 0: under none.
  virtual void label(uint64_t label) = 0;
  // Those of all that has passed.
  virtual std::vector<Activity> take(const std::function<Nanoseconds()>& now) = 0;
  // Why there are none.
  virtual std::string missing() const = 0;
};

}  // namespace arenascope::cuda
