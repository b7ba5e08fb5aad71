// SPDX-License-Identifier: GPL-3.0-or-later
// Memory reserved by the caching allocator when it serves networks tensor by tensor.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope::app {

// For each network of the data directory: peak reserved bytes over peak live bytes for the lifetimes of its
// activations, compared with a power-of-two cache. Without the data a single failed row is returned.
std::vector<BenchRow> bench_reserved(const std::filesystem::path& data,
                                     const std::function<void(const std::string&)>& progress);

}  // namespace arenascope::app
