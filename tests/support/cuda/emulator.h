// SPDX-License-Identifier: MIT
// Runs kernels on the host as a device would: block after block, the threads of a block as fibers that meet at
// barriers. It is slow and exact: it notices a barrier that not all threads of a block reach and an access that is not
// aligned as a device needs it, and it can run the threads in another order, so that a missing barrier shows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

#include "engine/backends/cuda/kernels/host.h"

namespace arenascope::cuda {
struct Grid;
}

namespace arenascope::cuda::emulated {

enum class Order { Forward, Backward };

// Calls `kernel` for every thread of the grid. `meets`: its threads use barriers or exchange values. Returns the first
// violation that would fault on a device, or an empty string.
std::string run(void (*kernel)(const void* params), const void* params, const Grid& grid, bool meets, Order order);

}  // namespace arenascope::cuda::emulated
