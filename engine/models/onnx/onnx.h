// SPDX-License-Identifier: MIT
// Opens ONNX models: reads the file (onnx_ir.h) and lowers it (lowering.h).
#pragma once
#include <arenascope/models/model.h>

#include <filesystem>
#include <span>

namespace arenascope::models {

// Error: the file is damaged or invalid. A valid file that is not supported opens, with problems.
Result<Model> open_onnx(const std::filesystem::path& path, const OpenOptions& options = {});
// The same from memory; external data is looked for in `folder`.
Result<Model> open_onnx(std::span<const std::byte> bytes, const std::filesystem::path& folder,
                        const OpenOptions& options = {});

}  // namespace arenascope::models
