// SPDX-License-Identifier: GPL-3.0-or-later
// The OpenCL backend compared with the CPU backend, and its memory pool compared with the plan.
#pragma once
#include "app/checks/bench_list.h"

namespace arenascope::app {

// A 1024³ matmul and networks compared with the CPU backend, interleaved, in CPU time; seconds to the first result
// with a cold and a warm cache (in a directory of its own, including the cache of the driver); memory reserved by
// pools relative to the live peak. Networks come from the data directory; missing ones are skipped. Errors: no OpenCL
// device.
Result<std::vector<BenchRow>> bench_opencl(const BenchOptions& options, const std::string& data_folder);

}  // namespace arenascope::app
