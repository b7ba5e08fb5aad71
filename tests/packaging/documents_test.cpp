// SPDX-License-Identifier: MIT
// The documents speak of files that exist.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

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

namespace {

// README, the other documents at the top, and everything below docs.
std::vector<std::string> documents() {
  std::vector<std::string> names{"README.md", "CONTRIBUTING.md", "SECURITY.md"};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot / "docs"))
    if (entry.path().extension() == ".md")
      names.push_back(std::filesystem::relative(entry.path(), kRoot).generic_string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

TEST_CASE("every path that a document names exists") {
  // `folder/file.ending` or `folder/file` between backticks; not those with spaces, stars or placeholders.
  static const std::regex form("`((engine|views|app|tests|cmake|packaging|resources|translations)/[A-Za-z0-9_./-]+)`");
  int named = 0;
  for (const std::string& document : documents()) {
    const std::string text = text_of(document.c_str());
    for (std::sregex_iterator m(text.begin(), text.end(), form), end; m != end; ++m, ++named) {
      const std::string path = (*m)[1];
      if (path.find("NAME") != std::string::npos || path.find("CODE") != std::string::npos) continue;
      if (path.starts_with("packaging/measurements/")) continue;  // reports that are written there
      CHECK_MESSAGE(std::filesystem::exists(kRoot / path), document << " names " << path);
    }
  }
  CHECK(named > 100);
}

TEST_CASE("every relative link of a document leads to a file") {
  static const std::regex form("\\]\\(([^)#:]+)(#[^)]*)?\\)");
  int links = 0;
  for (const std::string& document : documents()) {
    const std::string text = text_of(document.c_str());
    for (std::sregex_iterator m(text.begin(), text.end(), form), end; m != end; ++m, ++links) {
      const auto target = (kRoot / document).parent_path() / (*m)[1].str();
      CHECK_MESSAGE(std::filesystem::exists(target), document << " links to " << (*m)[1].str());
    }
  }
  CHECK(links > 50);
}

TEST_CASE("options of arenascope-cli in documents are options that it has") {
  const std::string reference = text_of("docs/reference/cli.md");
  static const std::regex command("arenascope-cli [a-z]+[^\n`]*"), option("(^|\\s)(--[a-z][a-z0-9-]+)");
  int options = 0;
  for (const std::string& document : documents()) {
    if (document == "docs/reference/cli.md") continue;
    const std::string text = text_of(document.c_str());
    for (std::sregex_iterator m(text.begin(), text.end(), command), end; m != end; ++m) {
      std::string call = m->str();
      if (const size_t program = call.find(" -- "); program != std::string::npos) call.resize(program);
      for (std::sregex_iterator o(call.begin(), call.end(), option), last; o != last; ++o, ++options) {
        const std::string name = (*o)[2];
        CHECK_MESSAGE((name == "--help" || name == "--version" || reference.find(name) != std::string::npos),
                      document << " uses " << name << " in: " << call);
      }
    }
  }
  CHECK(options > 40);
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
