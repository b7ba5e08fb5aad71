// SPDX-License-Identifier: GPL-3.0-or-later
// Runs all test cases below a directory.
#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/checks/verify_model.h"

namespace arenascope::app {

enum class Outcome : uint8_t {
  Passed,
  Rejected,  // cannot be read or run; the reason is given
  Failed,    // outputs differ from the expected outputs
};
const char* name(Outcome outcome);  // "passed", "rejected", "failed"

struct FolderCase {
  std::string name;  // path below the root
  Outcome outcome = Outcome::Rejected;
  std::string why;  // reason, unless passed
};

struct FolderReport {
  int64_t passed = 0, rejected = 0, failed = 0;
  std::vector<FolderCase> cases;  // sorted by name
};

// Paths, relative to `root` and sorted, of the directories that contain a model.onnx and test_data_set_N. Links are
// not followed. Error: `root` is not a readable directory.
Result<std::vector<std::string>> find_test_cases(const std::filesystem::path& root);

// The result of verify_model() for one of them.
FolderCase verify_case(const std::filesystem::path& root, const std::string& name, const VerifyOptions& options);

// Runs all cases; `begun`, if given, is called with the index of each case and their number.
Result<FolderReport> verify_folder(const std::filesystem::path& root, const VerifyOptions& options,
                                   const std::function<void(size_t number, size_t count)>& begun = {});

}  // namespace arenascope::app
