// SPDX-License-Identifier: MIT
// Weights written as a safetensors or GGUF file that names the model they belong to, so that open_model() opens it as that
// model with these weights.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/tensor/dtype.h>
#include <arenascope/tensor/shape.h>

#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace arenascope::models {

struct CheckpointTensor {
  std::string name;
  DType dtype = DType::F32;
  Dims sizes;
  std::span<const std::byte> bytes;  // contiguous, row-major
};

// The metadata key that names the model: zoo:NAME, or a file in the checkpoint's folder.
inline constexpr const char* kCheckpointModel = "arenascope.model";
// The architecture that a GGUF checkpoint declares.
inline constexpr const char* kCheckpointArchitecture = "arenascope-checkpoint";

// GGUF if the extension of `path` is that of GGUF, else safetensors. Written to a temporary file that then replaces `path`,
// so that an error leaves an existing file unchanged. Errors: a type or shape that the format does not have, a repeated
// name, a folder that is not writable, a full disk.
Status write_checkpoint(const std::filesystem::path& path, std::span<const CheckpointTensor> tensors,
                        const std::map<std::string, std::string>& metadata);

// The contents of a checkpoint; the data is stored in the mapped file, which stays mapped as long as the tensors exist.
struct Checkpoint {
  std::map<std::string, std::string> metadata;
  std::vector<CheckpointTensor> tensors;
  std::shared_ptr<const void> file;

  const CheckpointTensor* find(const std::string& name) const;
};

// Errors: those of a safetensors or GGUF file.
Result<Checkpoint> read_checkpoint(const std::filesystem::path& path);

}  // namespace arenascope::models
