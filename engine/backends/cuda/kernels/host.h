// SPDX-License-Identifier: MIT
// Thread primitives for kernels that are compiled for the host. Lowering includes the kernels only for their
// parameters; the emulator (tests/support/cuda/emulator.cpp) defines these functions.
#pragma once
#include <cstddef>
#include <cstdint>

namespace arenascope::cuda::emulated {

// Position of the running thread in the grid.
struct ThreadIndex {
  int thread = 0, threads = 0;
  int64_t block = 0, blocks = 0;
  char* shared = nullptr;
};
inline thread_local ThreadIndex current_thread_index;
inline const ThreadIndex& here() { return current_thread_index; }

void sync_block();
uint64_t exchange(uint64_t value,
                  int from_lane);  // warp shuffle: every thread of the warp passes a value and receives that of a lane
void complain(const char* what);
inline void check_aligned(const void* p, size_t alignment) {
  if (reinterpret_cast<uintptr_t>(p) % alignment != 0) complain("access is not aligned to its size");
}

}  // namespace arenascope::cuda::emulated
