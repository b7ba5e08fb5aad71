// SPDX-License-Identifier: MIT
// Benchmarks that a backend module runs on its own device.
#pragma once
#include <string_view>
#include <vector>

#include <arenascope/base/result.h>
#include "engine/bench/bench_row.h"

namespace arenascope {

// `backend`: the module's name, such as "cuda". `quick` is a smoke test. Errors: the reason why there is no device, or
// the module has no benchmarks.
Result<std::vector<BenchRow>> bench_module(std::string_view backend, bool quick);

}  // namespace arenascope
