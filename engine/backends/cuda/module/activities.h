// SPDX-License-Identifier: MIT
// CUPTI activity records: device times of kernels and copies, reported by the driver. CUPTI is loaded at run time and
// supports one client per process. If it is missing, rejects the request (another profiler, no permission) or was not
// available at build time, keep() returns false.
#pragma once
#include "engine/backends/cuda/execution/driver.h"

namespace arenascope::cuda {

class Activities {
 public:
  virtual ~Activities() = default;
  // Created on first use.
  static std::shared_ptr<Activities> of_this_process();

  // False: no records.
  virtual bool keep(bool keep) = 0;
  // Label of everything that this thread queues from now on; 0: none.
  virtual void label(uint64_t label) = 0;
  // Records of all finished work.
  virtual std::vector<Activity> take(const std::function<Nanoseconds()>& now) = 0;
  // The reason why there are no records.
  virtual std::string missing() const = 0;
};

}  // namespace arenascope::cuda
