// SPDX-License-Identifier: GPL-3.0-or-later
// What the caching allocator reserves when it serves networks one tensor at a time.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/bench/bench_row.h"

namespace arenascope::app {

// For each network of the data folder: bytes reserved at most over the bytes that live at most at once, for the
// lifetimes of its activations, beside a cache of powers of two. Without the data one row says so and is not met.
std::vector<BenchRow> bench_reserved(const std::filesystem::path& data,
                                     const std::function<void(const std::string&)>& progress);

}  // namespace arenascope::app
