// SPDX-License-Identifier: MIT
// The source files of the repository, generated files excluded.
#pragma once
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

namespace arenascope::test {

struct SourceFile {
  std::string path;  // from the repository's top, with slashes
  std::string text;
  bool ends(const char* suffix) const { return path.ends_with(suffix); }
  bool in(const char* folder) const { return path.starts_with(folder); }
  bool is_cpp() const { return ends(".h") || ends(".cpp") || ends(".cu") || ends(".inc"); }
};

// Everything below engine, views, app, tests, cmake, packaging and resources, in the order of the paths.
std::vector<SourceFile> source_tree();

// Every Markdown file at the top, below docs and below packaging, from the repository's top.
std::vector<std::string> documents();

// The contents of a file, whose path is relative to the repository's top.
std::string text_of(const std::filesystem::path& name);

// The lines of a text without their ends.
std::vector<std::string> lines_of(const std::string& text);

// The capture group `group` of every match of `form`.
std::vector<std::string> matches(const std::string& text, const std::regex& form, size_t group = 1);

}  // namespace arenascope::test
