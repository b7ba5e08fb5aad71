// SPDX-License-Identifier: MIT
// oneDNN parallelises its loops with OpenMP, whose thread count is a setting of the calling thread. This guard sets it
// to one, because a chunk of a node must not start threads.
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
