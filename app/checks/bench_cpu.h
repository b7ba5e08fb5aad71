// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of `bench cpu`: speed of the engine compared with libraries, simple loops and targets. To add rows, write
// a function that returns them and add a line in bench_cpu.cpp.
#pragma once
#include "app/checks/bench_list.h"

namespace arenascope::app {

Result<std::vector<BenchRow>> bench_cpu(const BenchOptions& options);

}  // namespace arenascope::app
