// SPDX-License-Identifier: GPL-3.0-or-later
// Planning of whole networks: how close inference arenas come to their lower bounds, and the effect of orders and
// planners on a language model's memory.
#pragma once
#include <filesystem>
#include <functional>
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope::app {

// The networks below `data`/onnx/light, if present, and all of the zoo; then the language models reordered in the
// CANN GE article, before (depth first) and after. No weights are generated.
std::vector<BenchRow> bench_networks(const std::filesystem::path& data,
                                     const std::function<void(const std::string&)>& progress);

}  // namespace arenascope::app
