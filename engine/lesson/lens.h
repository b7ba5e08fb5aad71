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
std::span<const LensExperiment> object_lenses();   // lens_objects.cpp
std::span<const LensExperiment> device_lenses();   // lens_device.cpp
std::span<const LensExperiment> size_lenses();     // lens_sizes.cpp
std::span<const LensExperiment> plan_lenses();     // lens_plans.cpp
std::span<const LensExperiment> network_lenses();  // lens_networks.cpp

constexpr size_t kMaxLensLines = 64;

inline const std::string& lens_value(const LensRun& run, std::string_view name) { return run.input.find(name)->second; }
// Errors: not an integer in [least, most].
Result<int64_t> lens_integer(LensRun& run, std::string_view name, int64_t least, int64_t most);
// Integers of a parameter, separated by spaces or commas. Errors: none, more than `count`, one outside [least, most].
Result<std::vector<int64_t>> lens_integers(LensRun& run, std::string_view text, std::string_view name, size_t count,
                                           int64_t least, int64_t most);
// The errors of an input, which `run` keeps: "NAME: expected SYNTAX, found 'TEXT'", and a wrong number of entries.
Error lens_expected(LensRun& run, std::string_view name, std::string_view syntax, std::string_view found);
Error lens_count(LensRun& run, std::string_view name, size_t least, size_t most, size_t found);
// A model of lines as in a lesson's `graph:`, separated by semicolons; at most kMaxLensLines.
Result<models::Model> lens_model(const std::string& lines);
// The same with at most kMaxLensTensors tensors.
Result<models::Model> small_lens_model(const std::string& lines);
constexpr size_t kMaxLensTensors = 64;
// A graph of buffers (NAME BYTES <- SOURCES) or of nodes (NAME = OP INPUTS), with at most kMaxLensTensors nodes.
Result<Graph> lens_graph(const std::string& lines);

// The objects of a pool; the last one is current.
LensFrame pool_frame(const Context& context);

inline std::string tensor_name(const TensorImpl& tensor) { return std::string(std::string_view(tensor.name)); }

}  // namespace arenascope::lesson
