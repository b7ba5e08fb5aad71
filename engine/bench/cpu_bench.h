// SPDX-License-Identifier: MIT
// The speed of the CPU kernels compared with libraries, plain loops and the machine's limits.
#pragma once
#include "engine/bench/bench_harness.h"

namespace arenascope::cpu_bench {

// All kernel rows. Rows about threads, graphs and allocators are in the other bench files.
std::vector<BenchRow> kernel_rows(const Options& options);

}  // namespace arenascope::cpu_bench
