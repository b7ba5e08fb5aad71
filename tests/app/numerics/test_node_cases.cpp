// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX's node test cases, all in one process: how many pass may only rise, and none gives other numbers.
#include <doctest/doctest.h>
#include <test_data.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "app/checks/verify_folder.h"

using namespace arenascope;
using namespace arenascope::app;

namespace {

namespace fs = std::filesystem;

// The cases, unpacked once a process; gone at its end.
class Unpacked {
 public:
  Unpacked() : folder_(fs::temp_directory_path() / ("arenascope-node-cases-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    const fs::path archive = test::data_folder() / "onnx" / "node" / "node.tar.xz";
    const std::string command = "tar -xJf '" + archive.string() + "' -C '" + folder_.string() + "'";
    ok_ = std::system(command.c_str()) == 0;
  }
  ~Unpacked() {
    std::error_code error;
    fs::remove_all(folder_, error);
  }
  bool ok() const { return ok_; }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
  bool ok_ = false;
};

constexpr size_t kParts = 4;
// Of each part; to be raised with what is added.
constexpr int64_t kPassed[kParts] = {442, 443, 441, 441};

// As written, or as `run` has it.
void check_part(size_t part, bool rewritten = false) {
  ARENASCOPE_NEEDS_DATA("onnx/node/node.tar.xz");
  static const Unpacked unpacked;
  REQUIRE(unpacked.ok());
  auto names = find_test_cases(unpacked.folder());
  REQUIRE(names.ok());
  CHECK(names->size() == 1802);
  VerifyOptions options;
  options.runner.threads = 2;
  options.runner.rewrite = options.runner.fuse = rewritten;
  int64_t passed = 0, refused = 0;
  for (size_t i = part; i < names->size(); i += kParts) {
    const FolderCase one = verify_case(unpacked.folder(), (*names)[i], options);
    CHECK_MESSAGE(one.outcome != Outcome::Failed, one.name << ": " << one.why);
    if (one.outcome == Outcome::Refused) CHECK_FALSE(one.why.empty());
    ++(one.outcome == Outcome::Passed ? passed : refused);
  }
  MESSAGE(passed << " passed, " << refused << " refused");
  CHECK(passed >= kPassed[part]);
}

}  // namespace

TEST_CASE("node cases, part 1 of 4") { check_part(0); }
TEST_CASE("node cases, part 2 of 4") { check_part(1); }
TEST_CASE("node cases, part 3 of 4") { check_part(2); }
TEST_CASE("node cases, part 4 of 4") { check_part(3); }

TEST_CASE("node cases, rewritten and fused, part 1 of 4") { check_part(0, true); }
TEST_CASE("node cases, rewritten and fused, part 2 of 4") { check_part(1, true); }
TEST_CASE("node cases, rewritten and fused, part 3 of 4") { check_part(2, true); }
TEST_CASE("node cases, rewritten and fused, part 4 of 4") { check_part(3, true); }

TEST_CASE("a folder without test cases is said to have none") {
  const fs::path folder = fs::temp_directory_path() / ("arenascope-no-cases-" + std::to_string(getpid()));
  fs::create_directories(folder / "deeper");
  auto report = verify_folder(folder, {});
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().message.find("no test cases") != std::string::npos);
  fs::remove_all(folder);
  CHECK_FALSE(verify_folder(folder, {}).ok());
}
