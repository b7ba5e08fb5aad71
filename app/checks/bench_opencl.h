// SPDX-License-Identifier: GPL-3.0-or-later
// The OpenCL backend beside the CPU backend, and its pool beside the plan.
#pragma once
#include "app/checks/bench_list.h"

namespace arenascope::app {

// A 1024³ product and networks against the CPU backend, in turn, by CPU time; seconds to the first result from a cold
// and a warm cache (in a folder of its own; a driver's own cache is told to lie there too); what pools reserve over the
// live peak. Networks come from the data folder; those that are not there leave their rows out. Errors: no OpenCL
// device.
Result<std::vector<BenchRow>> bench_opencl(const BenchOptions& options, const std::string& data_folder);

}  // namespace arenascope::app
