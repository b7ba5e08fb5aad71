// SPDX-License-Identifier: MIT
// A file in the temporary folder that goes when the test does.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace arenascope::test {

struct TempFile {
  explicit TempFile(const std::string& name)
      : path(std::filesystem::temp_directory_path() / ("arenascope-" + std::to_string(::getpid()) + "-" + name)) {}
  ~TempFile() {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
  }
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  std::string read() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  }

  const std::filesystem::path path;
};

}  // namespace arenascope::test
