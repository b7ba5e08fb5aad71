// SPDX-License-Identifier: MIT
// Guards around calls of oneDNN.
#pragma once
#include <omp.h>

#include <oneapi/dnnl/dnnl.hpp>

#include <arenascope/memory/available_memory.h>

namespace arenascope::cpu {

// To be called before the library generates code: it dereferences null if it cannot allocate then. Throws dnnl::error while
// the process is close to its address-space limit.
inline void check_addresses() {
  constexpr Bytes kLargestPrimitive = Bytes{16} << 20;
  if (!addresses_left(kLargestPrimitive)) throw dnnl::error(dnnl_out_of_memory, "no addresses left");
}

// oneDNN parallelises its loops with OpenMP, whose thread count is a setting of the calling thread. This guard sets it
// to one, because a chunk of a node must not start threads. The first use in a thread allocates, and OpenMP ends the
// process if it cannot: throws as check_addresses() does.
class OneThread {
 public:
  OneThread() {
    check_addresses();
    before_ = omp_get_max_threads();
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_ = 1;
};

}  // namespace arenascope::cpu
