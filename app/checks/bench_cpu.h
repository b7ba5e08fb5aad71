// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of `bench cpu`: how fast the engine is beside libraries, loops and the figures that are wanted. To add some:
// a function that returns rows, and a line in bench_cpu.cpp.
#pragma once
#include "app/checks/bench_list.h"

namespace arenascope::app {

Result<std::vector<BenchRow>> bench_cpu(const BenchOptions& options);

}  // namespace arenascope::app
