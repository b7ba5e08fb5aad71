// SPDX-License-Identifier: GPL-3.0-or-later
// Every test case below a folder, one after the other.
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
  Refused,  // it cannot be read or run here, and says why
  Failed,   // it ran, and its outputs are not those that stand beside it
};
const char* name(Outcome outcome);  // "passed", "refused", "failed"

struct FolderCase {
  std::string name;  // its folder's path below the root
  Outcome outcome = Outcome::Refused;
  std::string why;  // of what did not pass, one sentence
};

struct FolderReport {
  int64_t passed = 0, refused = 0, failed = 0;
  std::vector<FolderCase> cases;  // by name
};

// The folders below `root` that hold a model.onnx with test_data_set_N beside it, by their path below it, in order.
// Links are not followed. Error: `root` is no folder that can be read.
Result<std::vector<std::string>> find_test_cases(const std::filesystem::path& root);

// What verify_model() says of one of them.
FolderCase verify_case(const std::filesystem::path& root, const std::string& name, const VerifyOptions& options);

// All of them; `begun`, if there is one, is told each case's number and how many there are.
Result<FolderReport> verify_folder(const std::filesystem::path& root, const VerifyOptions& options,
                                   const std::function<void(size_t number, size_t count)>& begun = {});

}  // namespace arenascope::app
