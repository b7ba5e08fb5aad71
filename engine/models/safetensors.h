// SPDX-License-Identifier: MIT
// safetensors files: the length of a JSON table of tensors, the table, then their data, which stays in the mapped file.
// The whole table is checked when the file is opened: offsets must be in the file, match their shapes and leave no
// holes. Format: the safetensors project's README.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/models/model.h>
#include "engine/models/mapped_file.h"
#include "engine/models/stored_type.h"

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace arenascope::models {

class SafetensorsFile {
 public:
  // Errors name the file, the reason and the location. Allocations are limited by the size of the file.
  static Result<SafetensorsFile> open(const std::filesystem::path& path);
  // The same for a file that is mapped already, or for bytes in memory, which are copied.
  static Result<SafetensorsFile> parse(std::shared_ptr<const MappedFile> file);
  static Result<SafetensorsFile> parse(std::span<const std::byte> bytes) { return parse(MappedFile::copy_of(bytes)); }

  std::span<const StoredTensor> tensors() const { return tensors_; }  // by offset in the file
  std::span<const std::pair<std::string, std::string>> metadata() const { return metadata_; }
  const StoredTensor* find(std::string_view name) const;
  const std::shared_ptr<const MappedFile>& file() const { return file_; }

 private:
  std::vector<StoredTensor> tensors_;
  std::vector<std::pair<std::string, std::string>> metadata_;
  std::shared_ptr<const MappedFile> file_;
};

// A checkpoint (checkpoint.h) is opened as the model that it names, with its weights. Any other file is a model without a graph,
// which has Model::file_tensors and a problem. Errors: those of the named model, a weight of it that the checkpoint lacks
// or has in another size.
Result<Model> open_safetensors(const std::filesystem::path& path, const OpenOptions& options = {});

// The model that a checkpoint names, with its weights, whatever kind of file it is. A name never leads out of the
// checkpoint's folder.
Result<Model> open_checkpoint(const std::filesystem::path& path, const OpenOptions& options);

}  // namespace arenascope::models
