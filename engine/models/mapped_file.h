// SPDX-License-Identifier: MIT
// A file's bytes, read only, without reading them all: the system pages them in. Held by shared_ptr.
#pragma once
#include <arenascope/base/result.h>

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>

namespace arenascope::models {

class MappedFile {
 public:
  // Errors: not there, no regular file, cannot be read.
  static Result<std::shared_ptr<MappedFile>> open(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace arenascope::models
