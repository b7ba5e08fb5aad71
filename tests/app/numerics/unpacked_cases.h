// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX's node test cases from the shared data.
#pragma once
#include <doctest/doctest.h>
#include <test_data.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace arenascope::test {

// The cases, unpacked once per process and removed at its end.
class Unpacked {
 public:
  Unpacked() : folder_(std::filesystem::temp_directory_path() / ("arenascope-node-cases-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(folder_);
    const std::filesystem::path archive = data_folder() / "onnx" / "node" / "node.tar.xz";
    const std::string command = "tar -xJf '" + archive.string() + "' -C '" + folder_.string() + "'";
    ok_ = std::system(command.c_str()) == 0;
  }
  ~Unpacked() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  bool ok() const { return ok_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  bool ok_ = false;
};

inline const Unpacked& unpacked_cases() {
  static const Unpacked unpacked;
  REQUIRE(unpacked.ok());
  return unpacked;
}

}  // namespace arenascope::test
