// SPDX-License-Identifier: MIT
// State that a backend prepares for a node is owned by the PreparedNode that it returns
// (engine/include/arenascope/runtime/prepared.h); no backend keeps a table of nodes. A table would outlive its graphs:
// another node may be created at the same address, and every chunk of every run would search it. Types do not show this,
// so the text is searched for containers whose key is a tensor's address.
//
// Local tables of a function are permitted in the listed sources, each with its purpose, but not in headers.
#include <map>
#include <regex>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

const std::map<std::string, std::string>& lists_of_a_function() {
  static const std::map<std::string, std::string> files{
      {"engine/backends/cuda/lowering/chains.cpp", "how often the nodes of one list are read"},
      {"engine/runtime/run_loop.cpp", "what the spans of one run add up to"},
      {"engine/runtime/weight_use.cpp", "which weights of one plan are read"},
  };
  return files;
}

bool looked_at(const SourceFile& file) {
  for (const char* room : {"engine/backends/", "engine/runtime/", "engine/include/arenascope/backends/",
                           "engine/include/arenascope/runtime/"})
    if (file.in(room)) return true;
  return false;
}

std::vector<std::string> tables(const std::string& text) {
  static const std::regex keyed(
      R"(\b(unordered_)?(multi)?(map|set)\s*<\s*(const\s+)?(arenascope::)?(TensorImpl\s*(const\s*)?\*|TensorRef\b|Tensor\b))");
  std::vector<std::string> out;
  for (const std::string& line : lines_of(text))
    if (line.size() < 300 && std::regex_search(line, keyed)) out.push_back(line);
  return out;
}

}  // namespace

TEST_CASE("nothing is looked up by a node's address") {
  int seen = 0;
  std::map<std::string, int> used;
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp() || !looked_at(file)) continue;
    ++seen;
    for (const std::string& line : tables(file.text)) {
      const bool may =
          lists_of_a_function().count(file.path) > 0 && !std::regex_search(line, std::regex(R"(\w_;\s*(//.*)?$)"));
      CHECK_MESSAGE(may, file.path << " keeps a table of nodes: " << line);
      ++used[file.path];
    }
  }
  CHECK(seen > 150);
  for (const auto& [path, why] : lists_of_a_function()) CHECK_MESSAGE(used[path] > 0, path << " has none now");
}

TEST_CASE("each way of keeping a table of nodes is recognised") {
  for (const char* line :
       {"std::unordered_map<const TensorImpl*, std::shared_ptr<const Packed>> packed_;",
        "std::map<const TensorImpl*, Weights> weights_;", "std::unordered_map<const TensorImpl*, size_t> numbers_;",
        "std::set<TensorImpl*> seen_;", "std::unordered_multimap<TensorImpl const*, int> uses_;",
        "using Table = std::map<const arenascope::TensorImpl *, Launch>;", "std::map<Tensor, Launch> launches_;"})
    CHECK_MESSAGE(tables(line).size() == 1, line);
  for (const char* line : {"std::vector<const TensorImpl*> nodes_;", "std::map<std::string, TensorImpl*> by_name;",
                           "std::map<DType, const TensorImpl*> first;"})
    CHECK_MESSAGE(tables(line).empty(), line);
}

}  // namespace arenascope::test
