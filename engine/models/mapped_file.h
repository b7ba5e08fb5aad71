// SPDX-License-Identifier: MIT
// Read-only memory mapping of a file; pages are loaded on access. Held by shared_ptr. The mapping shows the file's
// current contents: call unchanged() before and after reading. Pages beyond the end of a truncated file cannot be
// read (arenascope/models/mapped_files.h).
#pragma once
#include <arenascope/base/mapped_range.h>
#include <arenascope/base/result.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace arenascope::models {

class MappedFile {
 public:
  // Errors: file missing, not a regular file, not readable.
  static Result<std::shared_ptr<MappedFile>> open(const std::filesystem::path& path);
  // A memory buffer in place of a file, for readers that are given the contents.
  static std::shared_ptr<MappedFile> of_memory(std::vector<std::byte> bytes);
  static std::shared_ptr<MappedFile> copy_of(std::span<const std::byte> bytes) {
    return of_memory({bytes.begin(), bytes.end()});
  }
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  const std::filesystem::path& path() const { return path_; }
  // True if the bytes are in a file, so that pages can be dropped and read again.
  bool is_file() const { return file_ >= 0; }
  // Error: the file was modified, truncated or extended since it was opened, or a part of it could not be read.
  Status unchanged() const;
  // Releases the pages completely inside this part of bytes() to the OS. They are read again on access.
  void drop_pages(std::span<const std::byte> part) const noexcept;

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  int file_ = -1;
  int64_t modified_ = 0;  // nanoseconds
  std::filesystem::path path_;
  std::vector<std::byte> memory_;
  std::optional<MappedRange> range_;  // range of a non-empty file
};

}  // namespace arenascope::models
