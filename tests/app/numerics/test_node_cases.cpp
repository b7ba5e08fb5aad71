// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX's node test cases, all in one process: how many pass may only rise, and none gives other numbers.
#include <doctest/doctest.h>
#include <test_data.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include <arenascope/models/model.h>
#include <arenascope/models/npy.h>
#include <arenascope/models/testcase.h>

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

const Unpacked& unpacked_cases() {
  static const Unpacked unpacked;
  REQUIRE(unpacked.ok());
  return unpacked;
}

constexpr size_t kParts = 4;
// Of each part; to be raised with what is added.
constexpr int64_t kPassed[kParts] = {451, 451, 450, 450};

// As written, or as `run` has it.
void check_part(size_t part, bool rewritten = false) {
  ARENASCOPE_NEEDS_DATA("onnx/node/node.tar.xz");
  const Unpacked& unpacked = unpacked_cases();
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

// The model of a case with its picture cut off or some of its bytes changed.
void check_damaged(const fs::path& folder, const models::NamedTensor& picture, uint32_t seed) {
  const auto next = [&] { return (seed = seed * 1664525u + 1013904223u) >> 8; };
  const auto count = static_cast<uint32_t>(picture.tensor->element_count());
  const bool cut = next() % 2 == 0;
  auto tensor = models::host_tensor({cut ? next() % count : count}, DType::U8);
  REQUIRE(tensor.ok());
  auto* bytes = (*tensor)->data_as<uint8_t>();
  const auto left = static_cast<uint32_t>((*tensor)->element_count());
  std::memcpy(bytes, picture.tensor->data(), left);
  for (uint32_t i = 0; i < 1 + next() % 4 && !cut; ++i)
    bytes[next() % (i % 2 == 0 ? std::min(left, 64u) : left)] = next() & 255;
  models::OpenOptions options;
  options.inputs[picture.name] = std::move(*tensor);
  auto model = models::open_model((folder / "model.onnx").string(), options);
  REQUIRE(model.ok());
  if (model->runnable()) return;  // some bytes change nothing that can be seen
  REQUIRE_FALSE(model->problems.empty());
  CHECK(model->problems[0].find('\n') == std::string::npos);
  CHECK(model->problems[0].find("image") != std::string::npos);
}

}  // namespace

TEST_CASE("damaged pictures are refused in a sentence") {
  ARENASCOPE_NEEDS_DATA("onnx/node/node.tar.xz");
  auto names = find_test_cases(unpacked_cases().folder());
  REQUIRE(names.ok());
  size_t pictures = 0;
  for (const std::string& name : *names) {
    if (name.find("image_decoder") == std::string::npos) continue;
    CAPTURE(name);
    const fs::path folder = unpacked_cases().folder() / name;
    auto picture = models::read_tensor_pb(folder / "test_data_set_0" / "input_0.pb");
    REQUIRE(picture.ok());
    ++pictures;
    for (uint32_t seed = 0; seed < 60; ++seed) check_damaged(folder, *picture, seed);
  }
  CHECK(pictures == 9);
}

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
