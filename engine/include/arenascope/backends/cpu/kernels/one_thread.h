// SPDX-License-Identifier: MIT
// oneDNN runs its loops with OpenMP. Its thread count is a setting of each calling thread, so whoever calls it here
// sets it to one for as long: a part of a node never starts threads of its own.
#pragma once
#include <omp.h>

namespace arenascope::cpu {

class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

}  // namespace arenascope::cpu
