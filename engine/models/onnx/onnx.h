// SPDX-License-Identifier: MIT
// Opens ONNX models: reads the file (onnx_ir.h) and lowers it (lowering.h).
#pragma once
#include <arenascope/models/model.h>

#include <filesystem>
#include <span>

namespace arenascope::models {

// Whether this build can read ONNX at all.
bool has_onnx();

// Error: the file is damaged or makes no sense. A file that makes sense but cannot be run opens, with problems.
Result<Model> open_onnx(const std::filesystem::path& path, const OpenOptions& options = {});
// The same from memory; external data is looked for in `folder`.
Result<Model> open_onnx(std::span<const std::byte> bytes, const std::filesystem::path& folder,
                        const OpenOptions& options = {});

}  // namespace arenascope::models
