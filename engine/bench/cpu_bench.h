// SPDX-License-Identifier: MIT
// The speed of the CPU's kernels beside libraries, loops and the machine's own limits.
#pragma once
#include "engine/bench/kit.h"

namespace arenascope::cpu_bench {

// All rows about kernels; those about threads, graphs and allocators are their rooms' own.
std::vector<BenchRow> kernel_rows(const Options& options);

}  // namespace arenascope::cpu_bench
