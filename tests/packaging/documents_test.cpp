// SPDX-License-Identifier: MIT
// Documents are readable and complete; the files, headings, options and messages that they name exist.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

const std::filesystem::path kRoot = ARENASCOPE_SOURCE_DIR;

// The fragment of a heading as hosting sites form it: lower case, hyphens for spaces, no punctuation.
std::string fragment_of(const std::string& heading) {
  std::string out;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ')
      out += '-';
    else if (std::isalnum(byte) != 0 || byte >= 0x80 || c == '-' || c == '_')
      out += static_cast<char>(std::tolower(byte));
  }
  return out;
}

std::set<std::string> fragments_of(const std::string& text) {
  static const std::regex heading("#+ (.*)");
  std::set<std::string> out;
  std::map<std::string, int> seen;
  bool code = false;
  for (const std::string& line : lines_of(text)) {
    if (line.starts_with("```")) code = !code;
    std::smatch m;
    if (code || !std::regex_match(line, m, heading)) continue;
    const std::string fragment = fragment_of(m[1]);
    const int earlier = seen[fragment]++;
    out.insert(earlier == 0 ? fragment : fragment + "-" + std::to_string(earlier));
  }
  return out;
}

// The fault of a relative link in a document, or an empty string.
std::string link_fault(const std::string& document, const std::string& link) {
  const size_t hash = link.find('#');
  const std::string file = link.substr(0, hash);
  const std::filesystem::path page = document, target = file.empty() ? page : page.parent_path() / file;
  if (!std::filesystem::exists(kRoot / target)) return "a file that does not exist";
  if (hash == std::string::npos) return "";
  return fragments_of(text_of(target)).count(link.substr(hash + 1)) == 1 ? "" : "a heading that does not exist";
}

// The options of each command in docs/reference/cli.md.
std::map<std::string, std::set<std::string>> cli_options() {
  static const std::regex row("\\| `([^`]*)` \\|"), option("--?[A-Za-z][A-Za-z0-9-]*");
  std::map<std::string, std::set<std::string>> out;
  std::string command;
  for (const std::string& line : lines_of(text_of("docs/reference/cli.md"))) {
    if (line.starts_with("## ")) command = line.substr(3);
    if (std::smatch m; !command.empty() && line.starts_with("| `-") && std::regex_search(line, m, row))
      for (const std::string& name : matches(m[1], option, 0)) out[command].insert(name);
  }
  for (auto& [name, options] : out) options.insert({"-h", "--help", "--json"});
  return out;
}

// The options of the window, without the escapes of its man page.
std::string window_manual() {
  std::string text = text_of("packaging/arenascope.1");
  std::erase(text, '\\');
  return text;
}

// A command line up to the program that it starts, the next command, or a comment.
std::string one_command(std::string call) {
  for (const char* end : {" -- ", " | ", " && ", "; ", " # ", " > "})
    if (const size_t at = call.find(end); at != std::string::npos) call.resize(at);
  return call;
}

const std::regex& option_in_call() {
  static const std::regex form("\\s(--[a-z][a-z0-9-]+|-[a-zA-Z])(?=[\\s=]|$)");
  return form;
}

}  // namespace

TEST_CASE("every document is readable, has a title and is finished") {
  const auto all = documents();
  CHECK(all.size() > 35);
  for (const char* name : {"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/README.md", "docs/reference/cli.md"})
    CHECK_MESSAGE(std::find(all.begin(), all.end(), name) != all.end(), name << " is missing");
  for (const std::string& document : all) {
    const std::string text = text_of(document);
    REQUIRE_MESSAGE(text.size() > 100, document << " is not readable or empty");
    const bool title = text.starts_with("# ") || document == "README.md" || document.starts_with("docs/examples/");
    CHECK_MESSAGE(title, document << " does not begin with a title");
    CHECK_MESSAGE(text.ends_with("\n"), document << " does not end with a line break");
    for (const char* word : {"TODO", "FIXME", "XXX", "lorem ipsum", "/home/", "/root/", "/work/"})
      CHECK_MESSAGE(text.find(word) == std::string::npos, document << " contains " << word);
  }
}

TEST_CASE("every path that a document names exists") {
  // `folder/file.ending` or `folder/file` between backticks; not those with spaces, stars or placeholders.
  static const std::regex form("`((engine|views|app|tests|cmake|packaging|resources|translations)/[A-Za-z0-9_./-]+)`");
  int named = 0;
  for (const std::string& document : documents())
    for (const std::string& path : matches(text_of(document), form)) {
      ++named;
      if (path.find("NAME") != std::string::npos || path.find("CODE") != std::string::npos) continue;
      if (path.starts_with("packaging/measurements/")) continue;  // reports that are written there
      CHECK_MESSAGE(std::filesystem::exists(kRoot / path), document << " names " << path);
    }
  CHECK(named > 100);
}

TEST_CASE("every relative link of a document leads to a file and a heading") {
  static const std::regex form("\\]\\(([^):]+)\\)");
  int links = 0, fragments = 0;
  for (const std::string& document : documents())
    for (const std::string& link : matches(text_of(document), form)) {
      ++links;
      if (link.find('#') != std::string::npos) ++fragments;
      const std::string fault = link_fault(document, link);
      CHECK_MESSAGE(fault.empty(), document << " links to " << link << ", " << fault);
    }
  CHECK(links > 50);
  CHECK(fragments > 20);
}

TEST_CASE("every document is reached by links from README") {
  static const std::regex form("\\]\\(([^):#]+)[^)]*\\)");
  std::set<std::string> reached{"README.md"};
  for (std::vector<std::string> open{"README.md"}; !open.empty();) {
    const std::string document = open.back();
    open.pop_back();
    for (const std::string& link : matches(text_of(document), form)) {
      auto target = (std::filesystem::path(document).parent_path() / link).lexically_normal();
      if (std::filesystem::is_directory(kRoot / target)) target /= "README.md";
      if (target.extension() == ".md" && reached.insert(target.generic_string()).second)
        open.push_back(target.generic_string());
    }
  }
  for (const std::string& document : documents())
    CHECK_MESSAGE(reached.count(document) == 1, document << " is not linked");
}

TEST_CASE("headings that do not exist are found") {
  CHECK(fragments_of("# A `b` (c), d_e\n```\n# no\n```\n## F\n## F\n") ==
        std::set<std::string>{"a-b-c-d_e", "f", "f-1"});
  CHECK(link_fault("docs/reference/cpu.md", "#error-bounds").empty());
  CHECK(link_fault("docs/reference/cpu.md", "../manual.md#node-debugger").empty());
  CHECK(link_fault("docs/reference/cpu.md", "../manual.md#the-node-debugger") == "a heading that does not exist");
  CHECK(link_fault("docs/reference/cpu.md", "manual-of-nothing.md#x") == "a file that does not exist");
}

TEST_CASE("every image of a document exists") {
  static const std::regex form("\\bsrc(?:set)?=\"([^\"]*)\"");
  int images = 0;
  for (const std::string& document : documents())
    for (const std::string& list : matches(text_of(document), form)) {
      std::stringstream candidates(list);  // candidates of a srcset: "a.png 1x, b.png 2x"
      for (std::string candidate; std::getline(candidates, candidate, ',');) {
        std::string image;
        std::stringstream(candidate) >> image;
        if (image.find("://") != std::string::npos) continue;
        ++images;
        const auto path = kRoot / std::filesystem::path(document).parent_path() / image;
        CHECK_MESSAGE(std::filesystem::exists(path), document << " shows " << image << ", which does not exist");
      }
    }
  CHECK(images > 10);
}

TEST_CASE("every command line in a document uses options of its command") {
  const auto options = cli_options();
  CHECK(options.size() > 10);
  const std::string window = window_manual();
  static const std::regex command("arenascope-cli ([a-z]+)((?:\\\\\n|[^\n`])*)"),
      window_call("(?:^|[\\s`/])arenascope( --(?:\\\\\n|[^\n`])*)");
  int used = 0;
  for (const std::string& document : documents()) {
    if (document == "docs/reference/cli.md") continue;
    const std::string text = text_of(document);
    for (std::sregex_iterator m(text.begin(), text.end(), command), end; m != end; ++m) {
      const auto known = options.find((*m)[1]);
      for (const std::string& name : matches(one_command((*m)[2]), option_in_call())) {
        ++used;
        CHECK_MESSAGE((known != options.end() && known->second.count(name) == 1),
                      document << " uses " << name << " in: " << m->str());
      }
    }
    for (const std::string& call : matches(text, window_call))
      for (const std::string& name : matches(one_command(call), option_in_call())) {
        ++used;
        CHECK_MESSAGE(window.find(name) != std::string::npos,
                      document << " uses " << name << " in: arenascope" << call);
      }
  }
  CHECK(used > 60);
}

TEST_CASE("every option that a document names by itself is an option of a program or script") {
  static const std::regex form("`(--[a-z][a-z0-9-]*|-[A-Za-z])(?=[ `=])");
  std::set<std::string> known;
  for (const auto& [command, options] : cli_options()) known.insert(options.begin(), options.end());
  std::string others = window_manual();
  for (const SourceFile& file : source_tree())
    if (file.in("packaging/") && !file.ends(".md")) others += file.text;
  int named = 0;
  for (const std::string& document : documents())
    for (const std::string& name : matches(text_of(document), form)) {
      ++named;
      CHECK_MESSAGE((known.count(name) == 1 || (name.size() > 2 && others.find(name) != std::string::npos)),
                    document << " names the option " << name << ", which does not exist");
    }
  CHECK(named > 60);
}

TEST_CASE("every test that a document names exists") {
  static const std::regex declared("(?:arenascope_[a-z]+_test\\(|add_test\\(NAME )([a-z_0-9]+)"),
      named("[Tt]ests? `([a-z_0-9]+)`"), row("\n\\| `([a-z_0-9]+)`(?:, cases|(?:, `[a-z_]+`)? \\| `ARENASCOPE)");
  std::set<std::string> tests;
  for (const SourceFile& file : source_tree())
    if (file.in("tests/") && file.ends("CMakeLists.txt"))
      for (const std::string& name : matches(file.text, declared)) tests.insert(name);
  int seen = 0;
  for (const std::string& document : documents()) {
    const std::string text = text_of(document);
    for (const std::regex& form : {named, row})
      for (const std::string& name : matches(text, form)) {
        ++seen;
        CHECK_MESSAGE(tests.count(name) == 1, document << " names the test " << name << ", which does not exist");
      }
  }
  CHECK(seen > 5);
}

TEST_CASE("messages that are quoted in troubleshooting exist") {
  static const std::regex quoted("\"([^\"\n]+)\""), special("[.()?*+]");
  const auto sources = source_tree();
  int seen = 0;
  for (const std::string& message : matches(text_of("docs/troubleshooting.md"), quoted)) {
    ++seen;
    // "adapter '…' not found" is formatted from "adapter '{}' not found" or "adapter '%1' not found".
    std::string form = std::regex_replace(message, special, "\\$&");
    if (const size_t name = form.find("…"); name != std::string::npos)
      form.replace(name, std::string("…").size(), "(\\{\\}|%[0-9])");
    const std::regex source(form);
    const bool found = std::any_of(sources.begin(), sources.end(), [&](const SourceFile& file) {
      if (file.in("tests/") || !file.is_cpp()) return false;
      const auto lines = lines_of(file.text);
      return std::any_of(lines.begin(), lines.end(),
                         [&](const std::string& line) { return line.size() < 300 && std::regex_search(line, source); });
    });
    CHECK_MESSAGE(found, "no message of the programs is '" << message << "'");
  }
  CHECK(seen > 3);
}

TEST_CASE("metainfo and desktop entry describe the same program") {
  const std::string info = text_of("packaging/org.arenascope.Arenascope.metainfo.xml"),
                    desktop = text_of("packaging/org.arenascope.Arenascope.desktop");
  CHECK(info.find("<launchable type=\"desktop-id\">org.arenascope.Arenascope.desktop<") != std::string::npos);
  CHECK(info.find("<icon type=\"stock\">org.arenascope.Arenascope<") != std::string::npos);
  CHECK(desktop.find("Icon=org.arenascope.Arenascope\n") != std::string::npos);
  std::smatch comment;
  REQUIRE(std::regex_search(desktop, comment, std::regex("\nComment=([^\n]+)")));
  CHECK(info.find("<summary>" + comment[1].str() + "</summary>") != std::string::npos);
}

}  // namespace arenascope::test
