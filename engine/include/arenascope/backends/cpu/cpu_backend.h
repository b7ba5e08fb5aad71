// SPDX-License-Identifier: MIT
// The CPU backend: kernels for every op, each split into parts that the executor's threads compute side by side.
// At one number of parts the results are the same bit for bit from run to run.
#pragma once
#include <memory>

#include <arenascope/runtime/backend.h>

namespace arenascope::cpu {

// May be used by several executors at once.
std::unique_ptr<Backend> make_cpu_backend();

}  // namespace arenascope::cpu
