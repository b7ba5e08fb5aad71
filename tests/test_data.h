// SPDX-License-Identifier: MIT
// Where the shared test data lies: ARENASCOPE_DATA, or ../shared/data beside the checkout.
#pragma once
#include <cstdlib>
#include <filesystem>
#include <string>

namespace arenascope::test {

// The data folder, or an empty path where there is none: a test then says so and skips.
inline std::filesystem::path data_folder() {
  if (const char* specified = std::getenv("ARENASCOPE_DATA"))
    return std::filesystem::is_directory(specified) ? specified : "";
  const std::filesystem::path beside = std::filesystem::path(ARENASCOPE_SOURCE_DIR) / ".." / "shared" / "data";
  return std::filesystem::is_directory(beside) ? beside : std::filesystem::path();
}

}  // namespace arenascope::test

// Leaves the test case with a clear word where the data folder lacks `what`.
#define ARENASCOPE_NEEDS_DATA(what)                                                                                    \
  if (arenascope::test::data_folder().empty() || !std::filesystem::exists(arenascope::test::data_folder() / (what))) { \
    MESSAGE("skipped: no " << std::string(what) << " in ARENASCOPE_DATA or ../shared/data");                           \
    return;                                                                                                            \
  }
