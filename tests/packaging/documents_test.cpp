// SPDX-License-Identifier: MIT
// The documents speak of files that exist.
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

namespace arenascope::test {
namespace {

const std::filesystem::path kRoot = ARENASCOPE_SOURCE_DIR;

std::string text_of(const char* name) {
  std::ifstream in(kRoot / name, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("every path that a document names is there") {
  // `folder/file.ending` or `folder/file` between backticks; not those with spaces, stars or made-up parts.
  static const std::regex form("`((engine|views|app|tests|cmake|packaging|resources|translations)/[A-Za-z0-9_./-]+)`");
  for (const char* document : {"README.md", "CONTRIBUTING.md", "docs/systems/ggml.md", "docs/systems/mnn.md",
                               "docs/systems/libtensor.md", "docs/systems/ge.md"}) {
    const std::string text = text_of(document);
    REQUIRE(text.size() > 1000);
    int named = 0;
    for (std::sregex_iterator m(text.begin(), text.end(), form), end; m != end; ++m, ++named) {
      const std::string path = (*m)[1];
      if (path.find("NAME") != std::string::npos) continue;
      CHECK_MESSAGE(std::filesystem::exists(kRoot / path), document << " names " << path);
    }
    CHECK(named >= 1);
  }
}

TEST_CASE("metainfo and desktop entry speak of the same program") {
  const std::string info = text_of("packaging/org.arenascope.Arenascope.metainfo.xml"),
                    desktop = text_of("packaging/org.arenascope.Arenascope.desktop"), build = text_of("CMakeLists.txt");
  std::smatch version;
  REQUIRE(std::regex_search(build, version, std::regex(R"(project\(Arenascope VERSION ([0-9.]+))")));
  CHECK(info.find("<release version=\"" + version[1].str() + "\"") != std::string::npos);
  CHECK(info.find("<launchable type=\"desktop-id\">org.arenascope.Arenascope.desktop<") != std::string::npos);
  CHECK(info.find("<icon type=\"stock\">org.arenascope.Arenascope<") != std::string::npos);
  CHECK(desktop.find("Icon=org.arenascope.Arenascope\n") != std::string::npos);
  std::smatch comment;
  REQUIRE(std::regex_search(desktop, comment, std::regex("\nComment=([^\n]+)")));
  CHECK(info.find("<summary>" + comment[1].str() + "</summary>") != std::string::npos);
}

TEST_CASE("no document or source was left unfinished") {
  for (const char* document : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md"}) {
    const std::string text = text_of(document);
    for (const char* word : {"TODO", "FIXME", "XXX", "lorem ipsum"})
      CHECK_MESSAGE(text.find(word) == std::string::npos, document << " holds " << word);
  }
}

}  // namespace arenascope::test
