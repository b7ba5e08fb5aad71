// SPDX-License-Identifier: GPL-3.0-or-later
// The commands of README and the documentation that plan, run and query, as printed, in a folder with files of the names that
// they use.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <sstream>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/engine/trace/sample_traces.h"

using namespace arenascope::test;
namespace fs = std::filesystem;

namespace {

const fs::path kSource(ARENASCOPE_SOURCE_DIR);

std::vector<fs::path> pages() {
  std::vector<fs::path> all{kSource / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(kSource / "docs"))
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  std::sort(all.begin(), all.end());
  return all;
}

// Indented lines that begin with a command whose input the test can make.
std::vector<std::string> commands_in(const fs::path& page) {
  static const std::regex form(
      R"(^ {4,}(?:\$ )?(arenascope-cli (?:plan|run|query|diff|report|info|audit|replay) .*)$)");
  static const char* const kSkipped[] = {
      "FILE", "…",        // placeholders
      "net.safetensors",  // the result of a training
      "--graph 1",        // a recording of two graphs
  };
  std::vector<std::string> commands;
  std::istringstream lines(read_file(page));
  std::smatch match;
  for (std::string line; std::getline(lines, line);)
    if (std::regex_match(line, match, form) &&
        std::ranges::none_of(kSkipped, [&](const char* part) { return line.find(part) != std::string::npos; }))
      commands.push_back(match[1]);
  return commands;
}

struct NamedFiles : TempFolder {
  NamedFiles() {
    for (const char* model : {"model.onnx", "base.onnx", "head.onnx"}) write_file(*this / model, add_model(1000));
    write_file(*this / "buffers.csv", "id,lower,upper,size\na,0,2,64\nb,1,3,64\n");
    write_file(*this / "snapshot.pickle", snapshot_pickle());
    write_file(*this / "trace.json", kChromeJson);
    REQUIRE(run_program("/usr/bin/env", {"gzip", "-k", *this / "trace.json"}).status == 0);
    REQUIRE(cli({"run", "zoo:mnist_cnn", "--record", *this / "run.pftrace"}).status == 0);
    fs::copy(*this / "run.pftrace", *this / "llama.pftrace");
    fs::create_directory(*this / "bin");
    fs::create_symlink(ARENASCOPE_CLI, *this / "bin/arenascope-cli");
  }
  Ended run(const std::string& command) const {
    return run_program("/usr/bin/env", {"-C", path().string(), "PATH=" + (*this / "bin") + ":" + std::getenv("PATH"),
                                        "bash", "-c", command});
  }
};

}  // namespace

TEST_CASE("the commands of the documentation run as printed") {
  const bool has_opencl = cli({"devices"}).out.find("opencl:0") != std::string::npos;
  int ran = 0;
  for (const fs::path& page : pages()) {
    const auto commands = commands_in(page);
    if (commands.empty()) continue;
    const NamedFiles files;
    for (const std::string& command : commands) {
      if (!has_opencl && command.find("--backend opencl") != std::string::npos) continue;
      CAPTURE(page);
      CAPTURE(command);
      const Ended ended = files.run(command);
      // A limit may be exceeded: that is the answer.
      const bool has_limit =
          command.find(" diff ") != std::string::npos || command.find("--capacity") != std::string::npos;
      CHECK_MESSAGE((ended.status == 0 || (has_limit && ended.status == 1)), ended.err);
      ++ran;
    }
  }
  CHECK(ran > 30);
}
