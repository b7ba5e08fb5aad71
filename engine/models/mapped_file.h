// SPDX-License-Identifier: MIT
// A file's bytes, read only, without reading them all: the system pages them in. Held by shared_ptr.
// A mapping shows what the file holds now, so whoever reads it late asks unchanged() first, and again when it is done;
// pages beyond the end of a file that has shrunk cannot be read at all (arenascope/models/mapped_files.h).
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
  // Errors: not there, no regular file, cannot be read.
  static Result<std::shared_ptr<MappedFile>> open(const std::filesystem::path& path);
  // Bytes in memory in a file's place: for what reads files and is given their contents.
  static std::shared_ptr<MappedFile> of_memory(std::vector<std::byte> bytes);
  static std::shared_ptr<MappedFile> copy_of(std::span<const std::byte> bytes) {
    return of_memory({bytes.begin(), bytes.end()});
  }
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }
  // Whether the bytes lie in a file, so that their pages can be dropped and read again.
  bool is_file() const { return file_ >= 0; }
  // Error: the file has been written to, cut or made longer since it was opened, or some of it could not be read.
  Status unchanged() const;
  // Gives the pages that lie wholly in this part of bytes() back to the system; nothing is lost.
  void drop_pages(std::span<const std::byte> part) const noexcept;

 private:
  MappedFile() = default;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
  int file_ = -1;
  int64_t modified_ = 0;  // nanoseconds
  std::filesystem::path path_;
  std::vector<std::byte> memory_;
  std::optional<MappedRange> range_;  // of a file that is not empty
};

}  // namespace arenascope::models
