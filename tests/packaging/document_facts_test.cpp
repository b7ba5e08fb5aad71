// SPDX-License-Identifier: MIT
// Numbers and lists in documents are those of the code: planners, orders, lessons, panels, options, functions, sources.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

const std::filesystem::path kTop = ARENASCOPE_SOURCE_DIR;

std::set<std::string> names_in(const std::string& text, const std::regex& form) {
  const auto all = matches(text, form);
  return {all.begin(), all.end()};
}

std::string section(const std::string& text, const std::string& begin, const std::string& end) {
  const size_t from = text.find(begin);
  REQUIRE_MESSAGE(from != std::string::npos, "a document lacks: " << begin);
  const size_t to = text.find(end, from);
  REQUIRE_MESSAGE(to != std::string::npos, "a document lacks: " << end);
  return text.substr(from, to - from);
}

// "15", "1,802" and "sixteen" as numbers; 0 for other text.
int number(std::string word) {
  static const std::vector<std::string> spelled{
      "",    "one",    "two",    "three",    "four",     "five",    "six",     "seven",     "eight",    "nine",
      "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"};
  std::erase(word, ',');
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (!word.empty() && word.find_first_not_of("0123456789") == std::string::npos) return std::stoi(word);
  for (size_t i = 1; i < spelled.size(); ++i)
    if (word == spelled[i]) return static_cast<int>(i);
  return 0;
}

// Every table row of a page whose first cell names `name` in backticks.
std::string row_of(const std::string& page, const std::string& name) {
  for (const std::string& line : lines_of(page))
    if (const std::string first = line.substr(0, line.find('|', 1));
        line.starts_with("| ") && first.find("`" + name + "`") != std::string::npos)
      return line;
  return "";
}

std::set<std::string> panels() {
  static const std::regex form("\n    \\{PanelId::[A-Za-z]+, \"([a-z]+)\"");
  return names_in(text_of("app/window/panels/panel_content.cpp"), form);
}

}  // namespace

TEST_CASE("numbers of planners, orders, lessons and node cases are those of the code") {
  const std::map<std::string, size_t> counts{
      {"planners", matches(text_of("engine/planner/registry.cpp"), std::regex("\n      &([a-z_]+)\\(\\),")).size()},
      {"orders", matches(text_of("engine/graph/order.cpp"), std::regex("\n    \\{\"([a-z-]+)\", \"")).size()},
      {"lessons", matches(section(text_of("views/lesson/lesson.cpp"), "QStringList lessons()", "}\n"),
                          std::regex("QStringLiteral\\(\"([a-z_]+)\"\\)"))
                      .size()},
      {"node cases", static_cast<size_t>(number(matches(text_of("tests/app/numerics/test_node_cases.cpp"),
                                                        std::regex("names->size\\(\\) == ([0-9]+)"))
                                                    .at(0)))}};
  static const std::regex counted(
      "\\b([A-Za-z]+|[0-9][0-9,]*) (?:memory |execution |interactive )?(planners|orders|lessons|node cases)\\b");
  int seen = 0;
  for (const std::string& document : documents()) {
    const std::string text = text_of(document);
    for (std::sregex_iterator m(text.begin(), text.end(), counted), end; m != end; ++m) {
      const int stated = number((*m)[1]);
      if (stated < 5) continue;  // "two planners"
      ++seen;
      CHECK_MESSAGE(static_cast<size_t>(stated) == counts.at((*m)[2]), document << " has: " << m->str());
    }
  }
  CHECK(seen > 3);
  for (const char* manual : {"docs/manual.md", "docs/manual.zh_CN.md"})
    CHECK(matches(text_of(manual), std::regex("\n\\| ([0-9]+) \\|")).size() == counts.at("lessons"));
}

TEST_CASE("the man page and the guide to lessons name the panels of the window") {
  const std::set<std::string> all = panels();
  CHECK(all.size() > 20);
  const std::string views = section(text_of("packaging/arenascope.1"), "View to export:", ".TP");
  const auto listed = names_in(views, std::regex("\\b([a-z]+)(?=[,.]| or )"));
  for (const std::string& panel : all)
    CHECK_MESSAGE(listed.count(panel) == 1, "packaging/arenascope.1 lacks the view " << panel);
  const std::string guide = section(text_of("docs/how-to/write-a-lesson.md"), "Panels are named", "lists all of them");
  for (const std::string& panel : matches(guide, std::regex("`([a-z]+)`")))
    CHECK_MESSAGE(all.count(panel) == 1, "the guide to lessons names the panel " << panel << ", which does not exist");
}

TEST_CASE("the page of each backend lists its options with all values, the default first") {
  static const std::regex option("BackendOptionInfo\\{\\s*k(Cpu|OpenCl|Cuda), \"([a-z0-9-]+)\", \"([a-z0-9 -]+)\"");
  const std::map<std::string, std::string> pages{{"Cpu", "cpu"}, {"OpenCl", "opencl"}, {"Cuda", "cuda"}};
  const std::string code = text_of("engine/run/backend_options.cpp");
  int seen = 0;
  for (std::sregex_iterator m(code.begin(), code.end(), option), end; m != end; ++m) {
    ++seen;
    const std::string page = "docs/reference/" + pages.at((*m)[1]) + ".md", choices = (*m)[3];
    const std::string row = row_of(text_of(page), (*m)[2]);
    REQUIRE_MESSAGE(!row.empty(), page << " lacks the option " << (*m)[2]);
    const std::string values = row.substr(row.find('|', 1));
    size_t first = std::string::npos, others = std::string::npos;
    for (const std::string& choice : matches(choices, std::regex("([a-z0-9-]+)"))) {
      if (choice == "0" || choice == "1") continue;  // CUDA's switches list their default only
      const size_t at = values.find("`" + choice + "`");
      CHECK_MESSAGE(at != std::string::npos, page << ": option " << (*m)[2] << " lacks the value " << choice);
      (first == std::string::npos ? first : others) = std::min(at, first == std::string::npos ? at : others);
    }
    if (others != std::string::npos)
      CHECK_MESSAGE(first < others, page << ": the default of " << (*m)[2] << " is not the first value");
  }
  CHECK(seen > 15);
}

TEST_CASE("the table of com.microsoft has exactly the operators that are implemented") {
  std::set<std::string> implemented;
  for (const SourceFile& file : source_tree())
    if (file.in("engine/models/onnx/operators/"))
      for (const std::string& name : matches(file.text, std::regex("\"com\\.microsoft::([A-Za-z0-9]+)\"")))
        implemented.insert(name);
  CHECK(implemented.size() > 60);
  const std::string table = section(text_of("docs/reference/onnx.md"), "| family | operators |", "\n\n");
  const auto listed = names_in(table, std::regex("`([A-Z][A-Za-z0-9]+)`"));
  for (const std::string& name : implemented) CHECK_MESSAGE(listed.count(name) == 1, "onnx.md lacks " << name);
  for (const std::string& name : listed)
    CHECK_MESSAGE(implemented.count(name) == 1, "onnx.md lists " << name << ", which is not implemented");
}

TEST_CASE("the API pages list the public folders, C functions and Python names") {
  const std::string cpp = text_of("docs/reference/cpp-api.md"), c = text_of("docs/reference/c-api.md");
  for (const auto& entry : std::filesystem::directory_iterator(kTop / "engine/include/arenascope")) {
    const std::string name = entry.path().filename().string() + (entry.is_directory() ? "/" : "");
    CHECK_MESSAGE(cpp.find("`" + name + "`") != std::string::npos, "cpp-api.md lacks " << name);
  }
  static const std::regex function("\n(?:static inline )?[a-z_0-9]+\\*? (arenascope_[a-z_0-9]*[a-z0-9])\\(");
  int functions = 0;
  for (const std::string header : {"engine/attach/arenascope_client.h", "engine/include/arenascope/planner.h"}) {
    std::string text = text_of(header);
    if (const size_t code = text.find("#ifdef ARENASCOPE_CLIENT_IMPLEMENTATION"); code != std::string::npos)
      text.resize(code);
    text = std::regex_replace(text, std::regex("\nconst "), "\n");
    for (const std::string& name : names_in(text, function)) {
      ++functions;
      CHECK_MESSAGE(c.find("`" + name) != std::string::npos, "c-api.md lacks " << name << "() of " << header);
    }
  }
  CHECK(functions > 35);
  const std::string python = text_of("docs/reference/python-api.md");
  const std::string all = section(text_of("packaging/python/arenascope/__init__.py"), "__all__ = [", "]");
  for (const std::string& name : matches(all, std::regex("\"([A-Za-z]+)\"")))
    CHECK_MESSAGE(python.find("`" + name) != std::string::npos, "python-api.md lacks " << name);
}

TEST_CASE("sources that comments name by author and year are in the references") {
  static const std::regex cited("\\b([A-Z][a-z]+)(?: et al\\.)? ((?:19[5-9]|20[0-2])[0-9])\\b");
  const auto rows = lines_of(text_of("docs/explanation/references.md"));
  int seen = 0;
  for (const SourceFile& file : source_tree()) {
    if (!file.in("engine/") && !file.in("views/") && !file.in("app/")) continue;
    for (const std::string& line : lines_of(file.text)) {
      const size_t comment = line.find("//");
      if (comment == std::string::npos || line.size() > 300) continue;
      for (std::sregex_iterator m(line.begin() + static_cast<ptrdiff_t>(comment), line.end(), cited), end; m != end;
           ++m) {
        ++seen;
        const bool found = std::any_of(rows.begin(), rows.end(), [&](const std::string& row) {
          return row.find((*m)[1]) != std::string::npos && row.find((*m)[2]) != std::string::npos;
        });
        CHECK_MESSAGE(found, file.path << " cites " << m->str() << ", which docs/explanation/references.md lacks");
      }
    }
  }
  CHECK(seen > 30);
}

TEST_CASE("packages, man pages and documents have the version of the project") {
  const auto stated = matches(text_of("CMakeLists.txt"), std::regex("project\\(Arenascope VERSION ([0-9.]+)"));
  REQUIRE(stated.size() == 1);
  const std::string& version = stated[0];
  const std::map<std::string, std::string> expected{
      {"packaging/arenascope.1", "\"Arenascope " + version + "\""},
      {"packaging/arenascope-cli.1", "\"Arenascope " + version + "\""},
      {"packaging/python/pyproject.toml", "version = \"" + version + "\""},
      {"packaging/python/pyproject.toml", "window = [\"arenascope-window == " + version + "\"]"},
      {"packaging/python-window/pyproject.toml", "version = \"" + version + "\""},
      {"packaging/python/arenascope/__init__.py", "__version__ = \"" + version + "\""},
      {"packaging/org.arenascope.Arenascope.metainfo.xml", "<release version=\"" + version + "\""},
      {"CHANGELOG.md", "## [" + version + "]"}};
  for (const auto& entry : expected)
    CHECK_MESSAGE(text_of(entry.first).find(entry.second) != std::string::npos,
                  entry.first << " lacks " << entry.second);
}

TEST_CASE("the Doxygen configuration names folders that exist") {
  const std::string inputs = section(text_of("docs/Doxyfile"), "\nINPUT ", "\nRECURSIVE");
  const auto paths = matches(inputs, std::regex("(engine/[A-Za-z_/.]+)"));
  CHECK(paths.size() == 2);
  for (const std::string& path : paths) CHECK_MESSAGE(std::filesystem::exists(kTop / path), path);
}

}  // namespace arenascope::test
