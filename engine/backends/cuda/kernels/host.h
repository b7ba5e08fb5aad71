// SPDX-License-Identifier: MIT
// What a kernel asks of the threads around it when it is compiled for the host. Lowering includes the kernels for their
// parameters only; whoever runs them there (tests/support/cuda/emulator.cpp) defines these functions.
#pragma once
#include <cstddef>
#include <cstdint>

namespace arenascope::cuda::emulated {

// Where the running thread is.
struct Here {
  int thread = 0, threads = 0;
  int64_t block = 0, blocks = 0;
  char* shared = nullptr;
};
inline thread_local Here here_now;
inline const Here& here() { return here_now; }

void sync_block();
uint64_t exchange(uint64_t value, int from_lane);  // every thread of the warp gives one and gets another's
void complain(const char* what);
inline void check_aligned(const void* p, size_t alignment) {
  if (reinterpret_cast<uintptr_t>(p) % alignment != 0) complain("an access is not aligned to its size");
}

}  // namespace arenascope::cuda::emulated
