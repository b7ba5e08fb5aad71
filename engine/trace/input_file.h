// SPDX-License-Identifier: MIT
// A regular file that is read sequentially. The destructor closes it.
#pragma once
#include <arenascope/base/result.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace arenascope::trace {

class InputFile {
 public:
  // The error names the file: it cannot be opened, or it is not a regular file (a folder, a pipe).
  static Result<InputFile> open(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept
      : file_(std::exchange(other.file_, -1)), size_(other.size_), name_(std::move(other.name_)) {}
  InputFile& operator=(InputFile&&) = delete;

  int64_t size() const { return size_; }  // bytes, when the file was opened
  // Reads the next bytes, at most `most` of them. Returns 0 at the end of the file.
  Result<size_t> read(void* to, size_t most) const;

 private:
  InputFile(int file, int64_t size, std::string name) : file_(file), size_(size), name_(std::move(name)) {}
  int file_;
  int64_t size_;
  std::string name_;
};

// Reads a whole file, for formats that need random access. Errors as in InputFile::open, or out of memory.
Result<std::string> read_all(const std::filesystem::path& path);

}  // namespace arenascope::trace
