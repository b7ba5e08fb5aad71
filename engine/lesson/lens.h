// SPDX-License-Identifier: MIT
// Shared by the experiments of the byte lens: their lists, and utilities for parameters and cells.
#pragma once
#include <arenascope/lesson/byte_lens.h>
#include <arenascope/models/model.h>

namespace arenascope::lesson {

using LensFrames = Result<std::vector<LensFrame>>;

std::span<const LensExperiment> tensor_lenses();   // lens_tensor.cpp
std::span<const LensExperiment> block_lenses();    // lens_block.cpp
std::span<const LensExperiment> pool_lenses();     // lens_pool.cpp
std::span<const LensExperiment> memory_lenses();   // lens_memory.cpp
std::span<const LensExperiment> storage_lenses();  // lens_storage.cpp
std::span<const LensExperiment> stream_lenses();   // lens_streams.cpp
std::span<const LensExperiment> thread_lenses();   // lens_threads.cpp

constexpr size_t kMaxLensLines = 64;

inline const std::string& lens_value(const LensInput& input, std::string_view name) { return input.find(name)->second; }
// Errors: not an integer in [least, most].
Result<int64_t> lens_integer(const LensInput& input, std::string_view name, int64_t least, int64_t most);
// Integers separated by spaces or commas. Errors: none, more than `count`, one outside [least, most].
Result<std::vector<int64_t>> lens_integers(std::string_view text, std::string_view name, size_t count, int64_t least,
                                           int64_t most);
// A model of lines as in a lesson's `graph:`, separated by semicolons; at most kMaxLensLines.
Result<models::Model> lens_model(const std::string& lines);

}  // namespace arenascope::lesson
