// SPDX-License-Identifier: MIT
// Qt Test takes a slot whose name ends in _data for the rows of the slot without that ending, and never runs it by
// itself: a test that is named so by chance tests nothing, without a word.
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

// The slots of a test's text that end in _data and are the rows of none.
std::vector<std::string> never_run(const std::string& text) {
  static const std::regex slot(R"(\bvoid\s+(\w+)\s*\(\s*\))");
  std::set<std::string> names;
  for (std::sregex_iterator it(text.begin(), text.end(), slot), end; it != end; ++it) names.insert((*it)[1]);
  std::vector<std::string> out;
  const std::string ending = "_data";
  for (const std::string& name : names)
    if (name.size() > ending.size() && name.ends_with(ending) &&
        names.count(name.substr(0, name.size() - ending.size())) == 0)
      out.push_back(name);
  return out;
}

}  // namespace

TEST_CASE("no test is taken for the rows of another") {
  int seen = 0;
  for (const SourceFile& file : source_tree()) {
    if (!file.is_cpp() || !file.in("tests/") || file.text.find("Q_SLOTS") == std::string::npos) continue;
    if (file.path == "tests/packaging/test_slots_test.cpp") continue;
    ++seen;
    for (const std::string& name : never_run(file.text))
      CHECK_MESSAGE(false, file.path << ": Qt never runs " << name << ", whose name ends in _data");
  }
  CHECK(seen > 30);
}

TEST_CASE("rows are distinguished from tests with a similar name") {
  CHECK(never_run("void zoom_data() {}\nvoid zoom() {}\nvoid pan() {}").empty());
  CHECK(never_run("void a_plan_without_data() {\n}\nvoid zoom() {}") ==
        std::vector<std::string>{"a_plan_without_data"});
}

}  // namespace arenascope::test
