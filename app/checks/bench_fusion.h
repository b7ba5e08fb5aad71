// SPDX-License-Identifier: GPL-3.0-or-later
// What fusion makes of networks: time and planned memory of the fused graph beside the one that runs op by op.
#pragma once
#include <filesystem>

#include "app/checks/bench_list.h"

namespace arenascope::app {

// resnet50 and squeezenet, of `data`/onnx/light where that is, and the zoo's mobilenet_v2, or those whose names
// `options.only` is part of; in paired turns by processor time, on one thread unless told. Errors: one cannot be run.
Result<std::vector<BenchRow>> bench_fusion(const BenchOptions& options, const std::filesystem::path& data);

}  // namespace arenascope::app
