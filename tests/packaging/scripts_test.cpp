// SPDX-License-Identifier: MIT
// The two commands, without building anything: their shared part and their help.
#include <array>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include <doctest/doctest.h>
#include <unistd.h>

#include "source_tree.h"

namespace arenascope::test {
namespace {

struct Ran {
  int status;
  std::string output;  // both streams
};

Ran bash(const std::string& script) {
  const std::string quoted = "cd '" ARENASCOPE_SOURCE_DIR "' && { " + script + "; } 2>&1";
  // In a file, since popen's shell is not bash.
  const auto path = std::filesystem::temp_directory_path() /
                    ("arenascope-scripts-test-" + std::to_string(std::hash<std::string>()(quoted)) + ".sh");
  std::ofstream(path) << quoted << "\n";
  Ran ran{-1, ""};
  if (FILE* pipe = popen(("bash '" + path.string() + "'").c_str(), "r")) {
    std::array<char, 4096> buffer;
    while (size_t n = fread(buffer.data(), 1, buffer.size(), pipe)) ran.output.append(buffer.data(), n);
    const int status = pclose(pipe);
    ran.status = status >= 0 ? (status >> 8) & 0xFF : -1;
  }
  std::filesystem::remove(path);
  return ran;
}

}  // namespace

TEST_CASE("the commands parse and can be started") {
  for (const char* script : {"packaging/run", "packaging/test", ".ci/run", "packaging/common.sh"})
    CHECK(bash(std::string("bash -n ") + script).status == 0);
  namespace fs = std::filesystem;
  for (const char* script : {"packaging/run", "packaging/test", ".ci/run"}) {
    const auto mode = fs::status(fs::path(ARENASCOPE_SOURCE_DIR) / script).permissions();
    CHECK((mode & fs::perms::owner_exec) != fs::perms::none);
  }
}

TEST_CASE("run explains itself and refuses a file that is not there") {
  const Ran help = bash("packaging/run --help");
  CHECK(help.status == 0);
  CHECK(help.output.find("usage: packaging/run [FILE]") == 0);
  const Ran missing = bash("packaging/run /no/such/model.onnx");
  CHECK(missing.status == 2);
  CHECK(missing.output == "packaging/run: there is no file '/no/such/model.onnx'.\n");
}

TEST_CASE("verify-cuda parses, explains itself, and says in a sentence why it cannot be") {
  CHECK(bash("bash -n packaging/verify-cuda").status == 0);
  const Ran help = bash("packaging/verify-cuda --help");
  CHECK(help.status == 0);
  CHECK(help.output.find("packaging/verify-cuda [--quick]") != std::string::npos);
  const Ran unknown = bash("packaging/verify-cuda --fast");
  CHECK(unknown.status == 2);
  CHECK(unknown.output == "packaging/verify-cuda: there is no option '--fast'.\n");
  const Ran stage = bash("packaging/verify-cuda --stage ops,fast");
  CHECK(stage.status == 2);
  CHECK(stage.output == "packaging/verify-cuda: there is no stage 'fast'.\n");
  CHECK(bash("packaging/verify-cuda --report").status == 2);
  if (bash("ldconfig -p | grep -q libcuda.so.1 || ls /usr/local/nvidia/lib64/libcuda.so.1").status == 0) return;
  const Ran none = bash("packaging/verify-cuda --report /tmp/none");
  CHECK(none.status == 2);
  CHECK(none.output ==
        "packaging/verify-cuda: this machine has no NVIDIA driver (libcuda.so.1 was not found), so there is nothing to "
        "verify.\n");
}

namespace {

// verify-cuda in a checkout of its own, in which the driver, the build and the device are played.
struct Played {
  std::filesystem::path root;

  Played() : root(std::filesystem::temp_directory_path() / ("arenascope-verify-cuda-" + std::to_string(getpid()))) {
    namespace fs = std::filesystem;
    fs::create_directories(root / "packaging");
    fs::copy_file(fs::path(ARENASCOPE_SOURCE_DIR) / "packaging/verify-cuda", root / "packaging/verify-cuda",
                  fs::copy_options::overwrite_existing);
    program("bin/ldconfig", "echo libcuda.so.1");
    program("bin/nvidia-smi", "echo 'Played GPU'");
    program("bin/compute-sanitizer", "while [ $# -gt 0 ] && [ \"$1\" != verify ]; do shift; done");
    program("bin/python3", "exit 1");
    cli("");
  }
  ~Played() { std::filesystem::remove_all(root); }
  void program(const std::string& name, const std::string& body) const {
    const auto path = root / name;
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/bash\n" << body << "\n";
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  }
  // A device that agrees in all but what `body` says.
  void cli(const std::string& body) const {
    program("build/cuda/app/cli/arenascope-cli",
            "if [ \"$1\" = devices ]; then echo 'cuda  cuda:0  Played'; exit; fi\n" + body);
  }
  Ran run(const std::string& rest) const {
    return bash("PATH=" + root.string() + "/bin:$PATH ARENASCOPE_DATA=" + root.string() + " " + root.string() +
                "/packaging/verify-cuda --report " + root.string() + "/report " + rest);
  }
  std::string report() const {
    std::ifstream file(root / "report");
    return {std::istreambuf_iterator<char>(file), {}};
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("verify-cuda leaves a report: what agrees, what fails, what was not reached, and what could not be checked") {
  const Played played;
  const std::string stages = "--stage ops,device,networks,zoo,gguf,sanitizer";
  CHECK(played.run(stages).status == 0);
  std::string report = played.report();
  CHECK(has(report, "# The CUDA backend on Played GPU\n"));
  for (const char* row : {"| every op case | agrees |", "| zoo:lstm | agrees |", "racecheck | agrees |",
                          "initcheck | agrees |", "| zoo:gpt2, decode | agrees |",
                          "| light and seeded networks | not checked: ", "| the device's own tests | not checked: "})
    CHECK_MESSAGE(has(report, row), row << "\n" << report);
  CHECK(has(report, "\nAll that was checked agrees."));

  played.cli("case \"$*\" in *zoo:lstm*) echo 'ERROR: a | wrong one'; exit 1 ;; *zoo:unet*) exit 124 ;; esac");
  CHECK(played.run(stages + " --quick").status == 1);
  report = played.report();
  CHECK(has(report, "| zoo:lstm | FAILED (status 1): ERROR: a / wrong one |"));
  CHECK(has(report, "| zoo:squeezenet | agrees |"));
  CHECK(has(report, "\nNot all agrees."));
  CHECK(played.run(stages).status == 1);
  CHECK(has(played.report(), "| zoo:unet | NOT REACHED: "));

  // A device's test that finds no device is no success.
  played.cli("");
  played.program("build/cuda/tests/engine/backends/cuda/test_cuda_device", "echo 'MESSAGE: skipped: no device'");
  CHECK(played.run("--stage device").status == 1);
  CHECK(has(played.report(), "| device: captured graphs replayed | FAILED (status 1): "));
  played.program("build/cuda/tests/engine/backends/cuda/test_cuda_device", "echo 'x.cpp:1: MESSAGE: 2 us by events'");
  CHECK(played.run("--stage device").status == 0);
  CHECK(has(played.report(), "\n2 us by events\n"));
}

TEST_CASE("verify-cuda leaves a report when there is no GPU behind the driver, and when it is stopped") {
  const Played played;
  played.program("build/cuda/app/cli/arenascope-cli", "echo 'cuda  missing: there is no device'");
  const Ran none = played.run("--stage ops");
  CHECK(none.status == 2);
  CHECK(has(none.output, "packaging/verify-cuda: the backend finds no GPU: there is no device.\n"));
  CHECK(has(played.report(), "Nothing was verified: the backend finds no GPU: there is no device."));

  played.cli("sleep 60");
  const Ran stopped = played.run("--stage ops & sleep 1; kill $!; wait $!");
  CHECK(stopped.status == 143);
  CHECK(has(played.report(), "It ended before its time (status 143)."));
}

TEST_CASE("the package list is plain names, each once") {
  const Ran list = bash(". packaging/common.sh && list_packages | sort");
  REQUIRE(list.status == 0);
  const auto names = lines_of(list.output);
  CHECK(names.size() > 20);
  for (size_t i = 0; i < names.size(); ++i) {
    CHECK(names[i].find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.") == std::string::npos);
    if (i > 0) CHECK(names[i] != names[i - 1]);
  }
}

TEST_CASE("what cannot be installed is said in a sentence") {
  const std::string lacking = ". packaging/common.sh && missing_packages() { echo zoo; echo ape; } && ";
  const Ran no_apt = bash(lacking + "command() { [ \"$2\" != apt-get ]; } && install_packages");
  CHECK(no_apt.status == 1);
  CHECK(no_apt.output == "There is no apt-get to install these packages, which are missing: zoo ape\n");
  const Ran no_rights = bash(lacking + "id() { echo 1000; } && command() { [ \"$2\" != sudo ]; } && install_packages");
  CHECK(no_rights.status == 1);
  CHECK(no_rights.output == "Installing packages needs root or sudo. Please install these first: zoo ape\n");
  const Ran complete = bash(
      ". packaging/common.sh && missing_packages() { :; } && "
      "command() { [ \"$2\" != apt-get ]; } && install_packages && echo nothing to do");
  CHECK(complete.status == 0);
  CHECK(complete.output == "nothing to do\n");
}

TEST_CASE("times are said in CI only") {
  CHECK(bash(". packaging/common.sh && CI= timed build true").output.empty());
  CHECK(bash(". packaging/common.sh && CI=true timed build true").output == "build: 0 s\n");
  CHECK(bash(". packaging/common.sh && CI=true timed build false").status != 0);
}

}  // namespace arenascope::test
