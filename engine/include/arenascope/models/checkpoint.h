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

// The metadata's key that names the model: zoo:NAME, or a file beside the checkpoint.
inline constexpr const char* kCheckpointModel = "arenascope.model";
// What a GGUF file of a checkpoint calls its architecture.
inline constexpr const char* kCheckpointArchitecture = "arenascope-checkpoint";

// As GGUF where the path ends so, else as safetensors. Written beside `path` first and put into its place when it is whole:
// an error leaves the file of before as it was. Errors: a type or a shape that such a file has not, a name that comes twice, a folder that cannot be written, a full disk.
Status write_checkpoint(const std::filesystem::path& path, std::span<const CheckpointTensor> tensors,
                        const std::map<std::string, std::string>& metadata);

// What such a file holds; the bytes lie in the mapped file, which is held.
struct Checkpoint {
  std::map<std::string, std::string> metadata;
  std::vector<CheckpointTensor> tensors;
  std::shared_ptr<const void> file;

  const CheckpointTensor* find(const std::string& name) const;
};

// Errors: those of a safetensors or GGUF file.
Result<Checkpoint> read_checkpoint(const std::filesystem::path& path);

}  // namespace arenascope::models
