// SPDX-License-Identifier: MIT
// Tests of packaging/run, packaging/test and packaging/verify-cuda without building anything.
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
  // The script is written to a file because popen's shell is not bash.
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

TEST_CASE("the scripts parse and are executable") {
  for (const char* script : {"packaging/run", "packaging/test", "packaging/package", "packaging/verify-deb",
                             "packaging/verify-tarball", "packaging/verify-wheel", ".ci/run", "packaging/common.sh"})
    CHECK(bash(std::string("bash -n ") + script).status == 0);
  namespace fs = std::filesystem;
  for (const char* script : {"packaging/run", "packaging/test", "packaging/package", "packaging/verify-deb",
                             "packaging/verify-tarball", "packaging/verify-wheel", ".ci/run"}) {
    const auto mode = fs::status(fs::path(ARENASCOPE_SOURCE_DIR) / script).permissions();
    CHECK((mode & fs::perms::owner_exec) != fs::perms::none);
  }
}

TEST_CASE("packaging/run prints its help and rejects a missing file") {
  const Ran help = bash("packaging/run --help");
  CHECK(help.status == 0);
  CHECK(help.output.find("usage: packaging/run [FILE]") == 0);
  const Ran missing = bash("packaging/run /no/such/model.onnx");
  CHECK(missing.status == 2);
  CHECK(missing.output == "packaging/run: file not found: '/no/such/model.onnx'\n");
}

TEST_CASE("packaging/package lists what it builds and rejects other kinds") {
  const Ran list = bash("packaging/package");
  CHECK(list.status == 0);
  CHECK(list.output.find("  deb  ") != std::string::npos);
  CHECK(list.output.find("  tarball ") != std::string::npos);
  CHECK(list.output.find("  wheel  ") != std::string::npos);
  const Ran unknown = bash("packaging/package rpm");
  CHECK(unknown.status == 2);
  CHECK(unknown.output == "packaging/package: unknown kind 'rpm'; available: deb, tarball, wheel\n");
  CHECK(bash("packaging/package wheel --fast").status == 2);
  // A failure of the first step ends the script, and its log is printed.
  for (const char* kind : {"deb", "tarball", "wheel"}) {
    const Ran failed = bash("mkdir -p build/none && packaging/package " + std::string(kind) +
                            " --build build/none -o build/none/packages; status=$?; rm -r build/none; exit $status");
    CHECK(failed.status != 0);
    CHECK(!failed.output.empty());
  }
}

TEST_CASE("verify-cuda parses, prints its help and reports why it cannot run") {
  CHECK(bash("bash -n packaging/verify-cuda").status == 0);
  const Ran help = bash("packaging/verify-cuda --help");
  CHECK(help.status == 0);
  CHECK(help.output.find("packaging/verify-cuda [--quick]") != std::string::npos);
  const Ran unknown = bash("packaging/verify-cuda --fast");
  CHECK(unknown.status == 2);
  CHECK(unknown.output == "packaging/verify-cuda: unknown option '--fast'.\n");
  const Ran stage = bash("packaging/verify-cuda --stage ops,fast");
  CHECK(stage.status == 2);
  CHECK(stage.output == "packaging/verify-cuda: unknown stage 'fast'.\n");
  CHECK(bash("packaging/verify-cuda --report").status == 2);
  if (bash("ldconfig -p | grep -q libcuda.so.1 || ls /usr/local/nvidia/lib64/libcuda.so.1").status == 0) return;
  const Ran none = bash("packaging/verify-cuda --report /tmp/none");
  CHECK(none.status == 2);
  CHECK(none.output == "packaging/verify-cuda: no NVIDIA driver: libcuda.so.1 was not found.\n");
}

namespace {

// verify-cuda in a separate checkout with stand-ins for the driver, the build and the device.
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
  // Stand-in for arenascope-cli: every command succeeds, except as `body` specifies.
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

TEST_CASE("verify-cuda reports checks that agree, fail, were not reached, or could not be made") {
  const Played played;
  const std::string stages = "--stage ops,device,networks,zoo,gguf,sanitizer";
  CHECK(played.run(stages).status == 0);
  std::string report = played.report();
  CHECK(has(report, "# The CUDA backend on Played GPU\n"));
  for (const char* row : {"| every op case | agrees |", "| zoo:lstm | agrees |", "racecheck | agrees |",
                          "initcheck | agrees |", "| zoo:gpt2, decode | agrees |",
                          "| light and seeded networks | not checked: ", "| the device's own tests | not checked: "})
    CHECK_MESSAGE(has(report, row), row << "\n" << report);
  CHECK(has(report, "\nAll checks agree."));

  played.cli("case \"$*\" in *zoo:lstm*) echo 'ERROR: a | wrong one'; exit 1 ;; *zoo:unet*) exit 124 ;; esac");
  CHECK(played.run(stages + " --quick").status == 1);
  report = played.report();
  CHECK(has(report, "| zoo:lstm | FAILED (status 1): ERROR: a / wrong one |"));
  CHECK(has(report, "| zoo:squeezenet | agrees |"));
  CHECK(has(report, "\nSome checks failed."));
  CHECK(played.run(stages).status == 1);
  CHECK(has(played.report(), "| zoo:unet, against the CPU backend | NOT REACHED: "));

  // Other programs: one that cannot be compiled, one whose figures differ, and one whose figures agree.
  played.cli("");
  played.program("bin/nvcc", "exit 1");
  CHECK(played.run("--stage attach").status == 1);
  CHECK(has(played.report(), "The plain CUDA program could not be compiled"));
  played.program("bin/nvcc", "exit 0");
  CHECK(played.run("--stage attach").status == 1);
  CHECK(has(played.report(), "Recording other programs failed"));
  played.program("bin/python3", "echo 'live bytes agree'");
  CHECK(played.run("--stage attach").status == 0);
  CHECK(has(played.report(), "live bytes agree"));
  played.program("bin/python3", "exit 1");

  // A skipped device test counts as failed.
  played.cli("");
  played.program("build/cuda/tests/engine/backends/cuda/test_cuda_device", "echo 'MESSAGE: skipped: no device'");
  CHECK(played.run("--stage device").status == 1);
  CHECK(has(played.report(), "| device: captured graphs replayed | FAILED (status 1): "));
  played.program("build/cuda/tests/engine/backends/cuda/test_cuda_device", "echo 'x.cpp:1: MESSAGE: 2 us by events'");
  CHECK(played.run("--stage device").status == 0);
  CHECK(has(played.report(), "\n2 us by events\n"));
}

TEST_CASE("the report of verify-cuda contains no path of the machine") {
  const Played played;
  const std::string root = played.root.string();
  const std::string devices =
      "if [ \"$1\" = devices ]; then echo 'cuda  cuda:0  Played'; echo 'opencl  missing: not in " + root +
      "/build/cuda/lib or " + root + "'; exit; fi\n";
  played.program("build/cuda/app/cli/arenascope-cli", devices + "echo \"ERROR: no file " + root + "/a b\"; exit 1");
  CHECK(played.run("--stage ops,networks,gguf --data /nonexistent/data").status == 1);
  const std::string report = played.report();
  CHECK_MESSAGE(!has(report, root), report);
  CHECK(has(report, "not in build/cuda/lib or .\n"));
  CHECK(has(report, "ERROR: no file a b"));
  CHECK(has(report, "DATA/onnx/light was not found"));
  // An early end is reported in the same way.
  played.program("build/cuda/app/cli/arenascope-cli", "echo \"cuda  missing: not in " + root + "/build\"");
  CHECK(played.run("--stage ops --data /nonexistent/data").status == 2);
  CHECK(has(played.report(), "Nothing was verified: the backend found no GPU: not in build."));
}

TEST_CASE("verify-cuda writes a report if the driver finds no GPU or the script is interrupted") {
  const Played played;
  played.program("build/cuda/app/cli/arenascope-cli", "echo 'cuda  missing: there is no device'");
  const Ran none = played.run("--stage ops");
  CHECK(none.status == 2);
  CHECK(has(none.output, "packaging/verify-cuda: the backend found no GPU: there is no device.\n"));
  CHECK(has(played.report(), "Nothing was verified: the backend found no GPU: there is no device."));

  played.cli("sleep 60");
  const Ran stopped = played.run("--stage ops & sleep 1; kill $!; wait $!");
  CHECK(stopped.status == 143);
  CHECK(has(played.report(), "Interrupted (status 143)."));
}

TEST_CASE("the package list contains valid names without duplicates") {
  const Ran list = bash(". packaging/common.sh && list_packages | sort");
  REQUIRE(list.status == 0);
  const auto names = lines_of(list.output);
  CHECK(names.size() > 20);
  for (size_t i = 0; i < names.size(); ++i) {
    CHECK(names[i].find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789+-.") == std::string::npos);
    if (i > 0) CHECK(names[i] != names[i - 1]);
  }
}

TEST_CASE("packages are listed by section, and every package belongs to a section") {
  const auto count = [](const std::string& sections) {
    return lines_of(bash(". packaging/common.sh && list_packages " + sections).output).size();
  };
  CHECK(count("build") > 0);
  CHECK(count("test") > 0);
  CHECK(count("build") + count("engine") + count("window") + count("test") == count(""));
  const std::string run = bash(". packaging/common.sh && list_packages build engine window").output;
  CHECK(run.find("qt6-base-dev") != std::string::npos);
  CHECK(run.find("oclgrind") == std::string::npos);
  CHECK(run.find("doctest-dev") == std::string::npos);
}

TEST_CASE("programs are linked into a folder on the PATH without replacing regular files") {
  const std::string home = std::filesystem::temp_directory_path() / ("arenascope-home-" + std::to_string(getpid()));
  std::filesystem::remove_all(home);
  std::filesystem::create_directories(home + "/.local/bin");
  const std::string setup = "unset XDG_BIN_HOME; export HOME=" + home + " && . packaging/common.sh && ";
  const Ran on_path = bash(setup + "PATH=\"$HOME/.local/bin:$PATH\" link_programs");
  CHECK(on_path.status == 0);
  CHECK(on_path.output == "Commands in " + home + "/.local/bin: arenascope arenascope-cli\n");
  CHECK(
      std::filesystem::read_symlink(home + "/.local/bin/arenascope-cli").string().ends_with("app/cli/arenascope-cli"));
  const Ran off_path = bash(setup + "PATH=/usr/bin:/bin link_programs");
  CHECK(off_path.output.find("export PATH=\"" + home + "/.local/bin:$PATH\"") != std::string::npos);
  std::filesystem::remove(home + "/.local/bin/arenascope");
  std::ofstream(home + "/.local/bin/arenascope") << "mine";
  const Ran taken = bash(setup + "PATH=\"$HOME/.local/bin:$PATH\" link_programs");
  CHECK(taken.output.find("/.local/bin/arenascope was not replaced: it is not a symbolic link.\n") !=
        std::string::npos);
  CHECK(taken.output.find(": arenascope-cli\n") != std::string::npos);
  CHECK(!std::filesystem::is_symlink(home + "/.local/bin/arenascope"));
  std::filesystem::remove_all(home);
}

TEST_CASE("missing packages that cannot be installed are reported") {
  const std::string lacking = ". packaging/common.sh && missing_packages() { echo zoo; echo ape; } && ";
  const Ran no_apt = bash(lacking + "command() { [ \"$2\" != apt-get ]; } && install_packages");
  CHECK(no_apt.status == 1);
  CHECK(no_apt.output == "Cannot install missing packages: apt-get was not found. Missing: zoo ape\n");
  const Ran no_rights = bash(lacking + "id() { echo 1000; } && command() { [ \"$2\" != sudo ]; } && install_packages");
  CHECK(no_rights.status == 1);
  CHECK(no_rights.output == "Cannot install missing packages without root or sudo. Missing: zoo ape\n");
  const Ran complete = bash(
      ". packaging/common.sh && missing_packages() { :; } && "
      "command() { [ \"$2\" != apt-get ]; } && install_packages && echo nothing to do");
  CHECK(complete.status == 0);
  CHECK(complete.output == "nothing to do\n");
}

TEST_CASE("durations are printed in CI only") {
  CHECK(bash(". packaging/common.sh && CI= timed build true").output.empty());
  CHECK(bash(". packaging/common.sh && CI=true timed build true").output == "build: 0 s\n");
  CHECK(bash(". packaging/common.sh && CI=true timed build false").status != 0);
}

TEST_CASE("the scripts that verify packages refuse unknown options") {
  for (const char* package : {"deb", "tarball", "wheel"}) {
    const Ran ran = bash(std::string("packaging/verify-") + package + " --help");
    CHECK(ran.status == 2);
    CHECK_MESSAGE(ran.output.find("expected the name of a release, found '--help'") != std::string::npos, ran.output);
  }
}

}  // namespace arenascope::test
