// SPDX-License-Identifier: MIT
// A plain file that is read from front to back. Closed with its owner.
#pragma once
#include <arenascope/base/result.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>

namespace arenascope::trace {

class InputFile {
 public:
  // Errors name the file: it cannot be opened; it is none that has a size (a folder, a pipe).
  static Result<InputFile> open(const std::filesystem::path& path);
  ~InputFile();
  InputFile(InputFile&& other) noexcept
      : file_(std::exchange(other.file_, -1)), size_(other.size_), name_(std::move(other.name_)) {}
  InputFile& operator=(InputFile&&) = delete;

  int64_t size() const { return size_; }  // bytes, when it was opened
  // The next bytes, at most `most` of them; 0 at the end.
  Result<size_t> read(void* to, size_t most) const;

 private:
  InputFile(int file, int64_t size, std::string name) : file_(file), size_(size), name_(std::move(name)) {}
  int file_;
  int64_t size_;
  std::string name_;
};

// All of a file, for formats that have to be there whole. Errors as in InputFile::open, or that memory ran out.
Result<std::string> read_all(const std::filesystem::path& path);

}  // namespace arenascope::trace
