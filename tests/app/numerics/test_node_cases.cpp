// SPDX-License-Identifier: GPL-3.0-or-later
// ONNX's node test cases in one process: the number of passes may only rise, and no case gives wrong numbers.
#include <doctest/doctest.h>
#include <test_data.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include <arenascope/models/testcase.h>

#include "app/checks/verify_folder.h"
#include "engine/models/onnx/images/image.h"
#include "unpacked_cases.h"

using namespace arenascope;
using namespace arenascope::app;

namespace {

namespace fs = std::filesystem;
using arenascope::test::unpacked_cases;

constexpr size_t kParts = 4;
// Minimum passes per part; raise when operators are added.
constexpr int64_t kPassed[kParts] = {451, 451, 450, 450};

// As written, or as `run` transforms it.
void check_part(size_t part, bool rewritten = false) {
  ARENASCOPE_NEEDS_DATA("onnx/node/node.tar.xz");
  const auto& unpacked = unpacked_cases();
  auto names = find_test_cases(unpacked.folder());
  REQUIRE(names.ok());
  CHECK(names->size() == 1802);
  VerifyOptions options;
  options.runner.threads = 2;
  options.runner.rewrite = options.runner.fuse = rewritten;
  int64_t passed = 0, rejected = 0;
  for (size_t i = part; i < names->size(); i += kParts) {
    const FolderCase one = verify_case(unpacked.folder(), (*names)[i], options);
    CHECK_MESSAGE(one.outcome != Outcome::Failed, one.name << ": " << one.why);
    if (one.outcome == Outcome::Rejected) CHECK_FALSE(one.why.empty());
    ++(one.outcome == Outcome::Passed ? passed : rejected);
  }
  MESSAGE(passed << " passed, " << rejected << " rejected");
  CHECK(passed >= kPassed[part]);
}

// A truncated or corrupted image; some corruptions have no visible effect.
void check_damaged(std::vector<uint8_t> file, uint32_t seed) {
  const auto next = [&](size_t below) { return ((seed = seed * 1664525u + 1013904223u) >> 8) % below; };
  if (next(2) == 0) {
    file.resize(next(file.size()));
  } else {
    for (size_t i = 0; i < 4; ++i)
      file[next(i % 2 == 0 ? std::min<size_t>(file.size(), 64) : file.size())] = static_cast<uint8_t>(next(256));
  }
  const auto image = models::images::decode(file);
  if (image) return;
  CHECK(image.error().message.find("image") != std::string::npos);
  CHECK(image.error().message.find('\n') == std::string::npos);
}

}  // namespace

TEST_CASE("damaged images are rejected with an error") {
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
    const auto* bytes = picture->tensor->data_as<uint8_t>();
    const std::vector<uint8_t> file(bytes, bytes + picture->tensor->element_count());
    for (uint32_t seed = 0; seed < 200; ++seed) check_damaged(file, seed);
    for (size_t cut = 0; cut < file.size() / 2; cut += 7)  // half of the file is never complete
      CHECK_FALSE(models::images::decode(std::span(file).first(cut)).ok());
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

TEST_CASE("a directory without test cases is an error") {
  const fs::path folder = fs::temp_directory_path() / ("arenascope-no-cases-" + std::to_string(getpid()));
  fs::create_directories(folder / "deeper");
  auto report = verify_folder(folder, {});
  REQUIRE_FALSE(report.ok());
  CHECK(report.error().message.find("no test cases") != std::string::npos);
  fs::remove_all(folder);
  CHECK_FALSE(verify_folder(folder, {}).ok());
}
