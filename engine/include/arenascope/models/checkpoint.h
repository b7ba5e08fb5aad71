// SPDX-License-Identifier: MIT
// Weights written as a safetensors file that names the model they belong to, so that open_model() opens it as that model
// with these weights.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>
#include <arenascope/tensor/shape.h>

#include <filesystem>
#include <map>
#include <span>
#include <string>

namespace arenascope::models {

struct CheckpointTensor {
  std::string name;
  DType dtype = DType::F32;
  Dims sizes;
  std::span<const std::byte> bytes;  // contiguous, row-major
};

// The metadata's key that names the model: zoo:NAME, or a file beside the checkpoint.
inline constexpr const char* kCheckpointModel = "arenascope.model";

// Written beside `path` first and put into its place when it is whole: an error leaves the file of before as it was.
// Errors: a type that safetensors has not, a name that comes twice, a folder that cannot be written, a full disk.
Status write_checkpoint(const std::filesystem::path& path, std::span<const CheckpointTensor> tensors,
                        const std::map<std::string, std::string>& metadata);

}  // namespace arenascope::models
