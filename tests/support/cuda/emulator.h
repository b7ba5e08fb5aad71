// SPDX-License-Identifier: MIT
// Runs kernels on the host as a device would: block after block, the threads of a block as fibers that meet at
// barriers. It is slow and exact: it notices a barrier that not all threads of a block reach and an access that is not
// aligned as a device needs it, and it can run the threads in another order, so that a missing barrier shows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace arenascope::cuda {
struct Grid;
}

namespace arenascope::cuda::emulated {

// Where the running thread is.
struct Here {
  int thread = 0, threads = 0;
  int64_t block = 0, blocks = 0;
  char* shared = nullptr;
};
inline thread_local Here here_now;
inline const Here& here() { return here_now; }

enum class Order { Forward, Backward };

// Calls `kernel` for every thread of the grid. `meets`: its threads use barriers or exchange values. Returns what a
// device would not have survived, in a sentence; empty when all was well.
std::string run(void (*kernel)(const void* params), const void* params, const Grid& grid, bool meets, Order order);

// For kernels only.
void sync_block();
uint64_t exchange(uint64_t value, int from_lane);  // every thread of the warp gives one and gets another's
void complain(const char* what);
inline void check_aligned(const void* p, size_t alignment) {
  if (reinterpret_cast<uintptr_t>(p) % alignment != 0) complain("an access is not aligned to its size");
}

}  // namespace arenascope::cuda::emulated
