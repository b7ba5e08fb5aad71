// SPDX-License-Identifier: MIT
#include "source_tree.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace arenascope::test {

std::vector<SourceFile> source_tree() {
  namespace fs = std::filesystem;
  const fs::path root = ARENASCOPE_SOURCE_DIR;
  std::vector<SourceFile> files;
  for (const char* folder : {"engine", "views", "app", "tests", "cmake", "packaging", "resources"}) {
    if (!fs::is_directory(root / folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream in(entry.path(), std::ios::binary);
      std::stringstream text;
      text << in.rdbuf();
      files.push_back({fs::relative(entry.path(), root).generic_string(), text.str()});
    }
  }
  std::sort(files.begin(), files.end(), [](const SourceFile& a, const SourceFile& b) { return a.path < b.path; });
  return files;
}

std::vector<std::string> documents() {
  namespace fs = std::filesystem;
  const fs::path root = ARENASCOPE_SOURCE_DIR;
  std::vector<std::string> names;
  const auto add = [&](const fs::directory_entry& entry) {
    if (entry.path().extension() == ".md") names.push_back(fs::relative(entry.path(), root).generic_string());
  };
  for (const auto& entry : fs::directory_iterator(root)) add(entry);
  for (const char* folder : {"docs", "packaging"})
    for (const auto& entry : fs::recursive_directory_iterator(root / folder)) add(entry);
  std::sort(names.begin(), names.end());
  return names;
}

std::string text_of(const std::filesystem::path& name) {
  std::ifstream in(std::filesystem::path(ARENASCOPE_SOURCE_DIR) / name, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::stringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::vector<std::string> matches(const std::string& text, const std::regex& form, size_t group) {
  std::vector<std::string> out;
  for (std::sregex_iterator m(text.begin(), text.end(), form), end; m != end; ++m) out.push_back((*m)[group]);
  return out;
}

}  // namespace arenascope::test
