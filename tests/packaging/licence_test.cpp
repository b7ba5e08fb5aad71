// SPDX-License-Identifier: MIT
// Every file says its licence: MIT what others may embed, GPL what links QCustomPlot.
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

// In one of the first three lines; empty if there is none.
std::string licence_of(const SourceFile& file) {
  static const std::string mark =
      "SPDX-License-"
      "Identifier: ";
  const auto lines = lines_of(file.text);
  for (size_t i = 0; i < lines.size() && i < 3; ++i) {
    const size_t at = lines[i].find(mark);
    if (at == std::string::npos) continue;
    const std::string rest = lines[i].substr(at + mark.size());
    return rest.substr(0, rest.find_first_of(" \r"));
  }
  return "";
}

bool carries_licence(const SourceFile& file) {
  for (const char* ending : {".h", ".cpp", ".cu", ".cl", ".cmake", ".in", ".sh", ".py", ".1", ".svg", "CMakeLists.txt"})
    if (file.ends(ending)) return true;
  return file.path == "packaging/run" || file.path == "packaging/test";
}

}  // namespace

TEST_CASE("every source begins with its licence, and it is the folder's") {
  int seen = 0;
  for (const SourceFile& file : source_tree()) {
    if (!carries_licence(file)) continue;
    ++seen;
    const std::string licence = licence_of(file);
    const bool gpl = !file.ends("CMakeLists.txt") &&
                     (file.in("app/") || file.in("views/") || file.in("tests/views/") || file.in("tests/app/"));
    if (file.in("engine/") || file.in("tests/engine/"))
      CHECK_MESSAGE(licence == "MIT", file.path << ": " << licence);
    else if (gpl)
      CHECK_MESSAGE(licence == "GPL-3.0-or-later", file.path << ": " << licence);
    else
      CHECK_MESSAGE((licence == "MIT" || licence == "GPL-3.0-or-later"), file.path << ": " << licence);
  }
  CHECK(seen > 100);
}

TEST_CASE("the licences' texts are there") {
  const std::filesystem::path root = ARENASCOPE_SOURCE_DIR;
  for (const char* text : {"LICENSES/MIT.txt", "LICENSES/GPL-3.0-or-later.txt"}) {
    REQUIRE(std::filesystem::exists(root / text));
    CHECK(std::filesystem::file_size(root / text) > 1000);
  }
}

}  // namespace arenascope::test
