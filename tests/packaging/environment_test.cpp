// SPDX-License-Identifier: MIT
// Environment variables: docs/reference/environment.md and docs/dev/testing.md list those that are read, and no others.
#include <regex>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

using Names = std::set<std::string>;

// The variables of Arenascope and of the XDG base directories that a file reads.
Names read_variables(const SourceFile& file) {
  static const std::regex cpp(
      R"re((?:getenv|qEnvironmentVariable\w*|environment_value|from_environment)\(\s*"((?:ARENASCOPE|XDG)_[A-Z_]+)")re"),
      python(R"re(os\.(?:environ(?:\.get\(|\[)|getenv\()["']((?:ARENASCOPE|XDG)_[A-Z_]+))re"),
      cmake(R"re(\$ENV\{((?:ARENASCOPE|XDG)_[A-Z_]+)\})re"), shell(R"re(\$\{?((?:ARENASCOPE|XDG)_[A-Z_]+))re");
  const bool is_cmake = file.ends(".cmake") || file.ends("CMakeLists.txt");
  const bool is_shell = file.in("packaging/") && (file.text.starts_with("#!/bin/") || file.ends(".sh") ||
                                                  file.text.starts_with("#!/usr/bin/env bash"));
  Names out;
  const auto add = [&](const std::regex& form) {
    for (std::sregex_iterator m(file.text.begin(), file.text.end(), form), end; m != end; ++m) out.insert((*m)[1]);
  };
  if (file.is_cpp() || file.ends(".c")) add(cpp);
  if (is_cmake) add(cmake);
  if (is_shell) add(shell);
  if (file.ends(".py") || file.text.starts_with("#!/usr/bin/env python3")) add(python);
  return out;
}

// The variables in the tables of a page.
Names documented_variables(const char* page) {
  static const std::regex form("`((?:ARENASCOPE|XDG)_[A-Z_]+)[`=]");
  Names out;
  for (const std::string& line : lines_of(text_of(page))) {
    if (!line.starts_with("| ")) continue;
    for (std::sregex_iterator m(line.begin(), line.end(), form), end; m != end; ++m) out.insert((*m)[1]);
  }
  return out;
}

}  // namespace

TEST_CASE("every environment variable that is read is documented, and no other") {
  Names programs, tests;
  for (const SourceFile& file : source_tree()) {
    if (file.path == "tests/packaging/environment_test.cpp") continue;
    const Names names = read_variables(file);
    (file.in("tests/") ? tests : programs).insert(names.begin(), names.end());
  }
  programs.insert("XDG_CONFIG_HOME");  // read by Qt
  CHECK(programs.size() > 8);
  CHECK(tests.size() > 20);
  Names reference = documented_variables("docs/reference/environment.md");
  Names testing = documented_variables("docs/dev/testing.md");
  for (const std::string& name : programs)
    CHECK_MESSAGE(reference.count(name) == 1, "docs/reference/environment.md lacks " << name);
  for (const std::string& name : tests)
    CHECK_MESSAGE((reference.count(name) == 1 || testing.count(name) == 1), "docs/dev/testing.md lacks " << name);
  for (const std::string& name : reference)
    CHECK_MESSAGE((programs.count(name) == 1 || tests.count(name) == 1),
                  "docs/reference/environment.md has " << name << ", which is not read");
  for (const std::string& name : testing)
    CHECK_MESSAGE(tests.count(name) == 1, "docs/dev/testing.md has " << name << ", which no test reads");
}

TEST_CASE("reads of environment variables are found in each language") {
  CHECK(read_variables({"a.cpp", R"(std::getenv("ARENASCOPE_A"); qgetenv("XDG_B"); getenv("HOME"))"}) ==
        Names{"ARENASCOPE_A", "XDG_B"});
  CHECK(read_variables({"a.cpp", R"(qEnvironmentVariableIntValue("ARENASCOPE_C"))"}) == Names{"ARENASCOPE_C"});
  CHECK(read_variables({"a.py", "os.environ.get(\"ARENASCOPE_A\"), os.environ['ARENASCOPE_B']"}) ==
        Names{"ARENASCOPE_A", "ARENASCOPE_B"});
  CHECK(read_variables({"a.cmake", "set(ENV{XDG_A} x) set(b $ENV{XDG_B})"}) == Names{"XDG_B"});
  CHECK(read_variables({"packaging/a", "#!/bin/bash\necho ${ARENASCOPE_A:-} $XDG_B"}) ==
        Names{"ARENASCOPE_A", "XDG_B"});
}

}  // namespace arenascope::test
