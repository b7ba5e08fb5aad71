// SPDX-License-Identifier: MIT
// What a backend's module measures of its own device.
#pragma once
#include <string_view>
#include <vector>

#include <arenascope/base/result.h>
#include "engine/bench/bench_row.h"

namespace arenascope {

// `backend`: the module's name, "cuda". `quick` only shows that it works. Errors: why there is no device, nothing to
// measure.
Result<std::vector<BenchRow>> bench_module(std::string_view backend, bool quick);

}  // namespace arenascope
