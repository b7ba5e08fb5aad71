// SPDX-License-Identifier: GPL-3.0-or-later
// The jobs for GitHub Actions and GitLab CI in docs/how-to/ci.md, run with their commands as printed, in a repository with two
// commits. Only `pip` is replaced.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"

using namespace arenascope::test;

namespace {

size_t indentation(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

// The commands of the indented block that begins with `first`: the text of `run: |`, `run: COMMAND`, and the items below `script:`.
std::string commands_of(const std::string& page, const std::string& first) {
  std::istringstream lines(page);
  std::string line, commands;
  while (std::getline(lines, line) && line != "    " + first) {
  }
  size_t block = std::string::npos;  // lines with more indentation belong to the commands
  while (std::getline(lines, line) && line.starts_with("    ")) {
    const std::string text = line.substr(indentation(line));
    if (indentation(line) > block)
      commands += (text.starts_with("- ") ? text.substr(2) : text) + "\n";
    else if (block = std::string::npos; text.ends_with("run: |") || text == "script:")
      block = indentation(line);
    else if (const size_t run = text.find("run: "); run != std::string::npos)
      commands += text.substr(run + 5) + "\n";
  }
  return commands;
}

struct Repository : TempFolder {
  std::string folder = *this / "head", summary = *this / "summary.md";

  // The model in the target branch, and in the branch that is checked out.
  Repository(const std::string& base, const std::string& head) {
    std::filesystem::create_directories(folder);
    std::filesystem::create_directories(*this / "bin");
    write_file(*this / "bin/pip", "#!/bin/sh\n[ \"$*\" = 'install arenascope' ]\n");
    std::filesystem::permissions(*this / "bin/pip", std::filesystem::perms::owner_all);
    std::filesystem::create_symlink(ARENASCOPE_CLI, *this / "bin/arenascope-cli");
    write_file(folder + "/model.onnx", base);
    shell(
        "git init -q -b main && git add . && git commit -q -m base && git update-ref refs/remotes/origin/main HEAD && "
        "git checkout -q -b change");
    write_file(folder + "/model.onnx", head);
    shell("git add . && git commit -q --allow-empty -m head");
  }
  Ended run(const std::string& script) const {
    return run_program("/usr/bin/env",
                       {"-C", folder, "PATH=" + (*this / "bin") + ":" + std::getenv("PATH"), "GIT_AUTHOR_NAME=test",
                        "GIT_AUTHOR_EMAIL=test@localhost", "GIT_COMMITTER_NAME=test",
                        "GIT_COMMITTER_EMAIL=test@localhost", "GITHUB_BASE_REF=main", "GITHUB_STEP_SUMMARY=" + summary,
                        "CI_MERGE_REQUEST_DIFF_BASE_SHA=main", "bash", "-eo", "pipefail", "-c", script});
  }
  void shell(const std::string& script) const {
    const Ended ended = run(script);
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
  }
};

}  // namespace

TEST_CASE("the CI jobs of the documentation pass, and fail for a larger arena") {
  if (run_program("/bin/sh", {"-c", "command -v git"}).status != 0) {
    MESSAGE("skipped: git is not installed");
    return;
  }
  const std::string page = read_file(std::filesystem::path(ARENASCOPE_SOURCE_DIR) / "docs/how-to/ci.md");
  for (const auto& [first, output] : {std::pair{"name: memory", "../summary.md"}, {"memory:", "memory.md"}}) {
    CAPTURE(first);
    const std::string job = commands_of(page, first);
    CHECK(std::count(job.begin(), job.end(), '\n') == 4);
    CHECK(job.find("pip install arenascope\n") == 0);
    for (const int64_t size : {1000, 1005, 1100}) {  // equal, within the limit of 1 %, above it
      CAPTURE(size);
      const Repository repository(add_model(100'000), add_model(size * 100));
      const Ended ended = repository.run(job);
      CHECK_MESSAGE((ended.status == 0) == (size < 1100), ended.err);
      const std::string markdown = read_file(repository.folder + "/" + output);
      CHECK(markdown.empty() == (size == 1000));
      CHECK((markdown.find("exceeds `arena+1%`") != std::string::npos) == (size == 1100));
      CHECK(read_file(repository.folder + "/report.html").starts_with("<!DOCTYPE html>"));
    }
  }
}
