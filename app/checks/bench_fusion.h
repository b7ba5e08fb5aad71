// SPDX-License-Identifier: GPL-3.0-or-later
// Effect of fusion on networks: time and planned memory of the fused graph compared with op-by-op execution.
#pragma once
#include <filesystem>

#include "app/checks/bench_list.h"

namespace arenascope::app {

// resnet50 and squeezenet from `data`/onnx/light if present, and mobilenet_v2 of the zoo, or those whose names
// contain `options.only`. Pairs of runs are interleaved and measured in CPU time, on one thread by default. Errors: a
// network cannot be run.
Result<std::vector<BenchRow>> bench_fusion(const BenchOptions& options, const std::filesystem::path& data);

}  // namespace arenascope::app
