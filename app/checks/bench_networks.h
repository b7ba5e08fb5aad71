// SPDX-License-Identifier: GPL-3.0-or-later
// Planning whole networks: how near the arenas of inference come to their bounds, and what orders and plans make of a
// language model's memory.
#pragma once
#include <filesystem>
#include <functional>
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope::app {

// The networks under `data`/onnx/light, where they are, and all of the zoo; then the language models that the GE
// article reorders, before (depth first) and after. No weights are made.
std::vector<BenchRow> bench_networks(const std::filesystem::path& data,
                                     const std::function<void(const std::string&)>& progress);

}  // namespace arenascope::app
