// SPDX-License-Identifier: GPL-3.0-or-later
// arenascope-cli attach with our own program that includes the client header, and with programs that do not.
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include "tests/app/cli/child.h"
#include "tests/app/cli/made_files.h"
#include "tests/app/cli/reported_values.h"

using namespace arenascope::test;
using Json = nlohmann::json;

namespace {

Json object_of(const Ended& ended) {
  const Json object = Json::parse(ended.out, nullptr, false);
  CAPTURE(ended.out);
  REQUIRE(object.is_object());
  return object;
}

}  // namespace

TEST_CASE("a program that includes the client header is recorded and reported") {
  TempFolder folder;
  const std::string recording = folder / "a.pftrace";
  const Ended ended = cli({"attach", "--json", "--record", recording, "--", ARENASCOPE_TARGET, "all"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(ended.err.empty());
  const Json object = object_of(ended);
  CHECK(object["status"] == 0);
  REQUIRE(object["programs"].size() == 1);
  CHECK(object["programs"][0]["name"] == "target");
  CHECK(object["programs"][0]["lost_events"] == 0);
  CHECK(object["graphs"] == Json::parse(R"([{"model": "little", "nodes": 2, "leaves": 2}])"));
  CHECK(object["runs"] == 1);
  CHECK(object["peak_bytes"]["Workspace"] == 128);
  REQUIRE(object["spaces"].size() == 1);
  CHECK(object["spaces"][0]["name"] == "pool");
  CHECK(object["spaces"][0]["peak_bytes"] == 128);
  CHECK(object["spaces"][0]["end_bytes"] == 0);
  CHECK(object["spaces"][0]["reserved_peak_bytes"] == 1024);
  // The auditor confirms the reported values from the recording.
  const Ended audited = cli({"audit", recording, "--json"});
  CAPTURE(audited.err);
  CHECK(audited.status == 0);
  const Json audit = object_of(audited);
  CHECK(audit["peak_bytes"] == 128);
  CHECK(audit["lost_events"] == 0);
  CHECK(audit["runs"].size() == 1);
  CHECK(cli({"convert", recording, folder / "a.json"}).status == 0);
}

TEST_CASE("reported values match the auditor") {
  for (const char* mode : {"all", "pool", "crossing"}) {
    CAPTURE(mode);
    const TempFolder folder;
    const std::string recording = folder / "a.pftrace";
    const Ended ended = cli({"attach", "--record", recording, "--", ARENASCOPE_TARGET, mode});
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    const Figures audit = audited(recording);
    std::istringstream lines(ended.out);
    for (std::string line; std::getline(lines, line);) {
      CAPTURE(line);
      std::smatch m;
      if (std::regex_match(line, m, std::regex(R"(^target \(process \d+\): (\d+) events? in ([0-9.]+) s$)"))) {
        holds(reported(m[1]), audit, "recording.events");
        CHECK(audit.at("recording.length") <= reported(m[2], "s").value + reported(m[2], "s").rounding);
      } else if (std::regex_match(line, m,
                                  std::regex(R"(^graph \S+: (\d+) nodes?, (\d+) leaf tensors?, (\d+) runs?$)"))) {
        holds(reported(m[1]), audit, "graph.0.nodes");
        holds(reported(m[2]), audit, "graph.0.leafs");
        holds(reported(m[3]), audit, "graph.0.runs");
      } else if (std::regex_match(line, m,
                                  std::regex(R"(^[a-z ]*pool: peak ([0-9.]+) (\S+), ([0-9.]+) (\S+) at the end, )"
                                             R"((\d+) allocations?, reserved peak ([0-9.]+) (\S+)$)"))) {
        holds(reported(m[1], m[2]), audit, "allocator.0.active.peak");
        holds(reported(m[3], m[4]), audit, "allocator.0.active.end");
        holds(reported(m[5]), audit, "allocator.0.allocations");
        holds(reported(m[6], m[7]), audit, "allocator.0.reserved.peak");
      } else {
        CHECK((line == "This is only a test." || line.starts_with("recording: ")));
      }
    }
  }
}

TEST_CASE("memory events of two threads are ordered by time in reports and for planners") {
  TempFolder folder;
  const std::string recording = folder / "a.pftrace";
  const Ended ended = cli({"attach", "--json", "--record", recording, "--", ARENASCOPE_TARGET, "crossing"});
  REQUIRE_MESSAGE(ended.status == 0, ended.err);
  const Json object = object_of(ended);
  REQUIRE(object["spaces"].size() == 1);
  CHECK(object["spaces"][0]["peak_bytes"] == 300);
  CHECK(object["spaces"][0]["end_bytes"] == 0);
  const Json planned = object_of(cli({"plan", recording, "--planner", "search", "--alignment", "1", "--json"}));
  CHECK(planned["recorded_peak_bytes"] == 300);
  CHECK(planned["lower_bound_bytes"] == 300);
}

TEST_CASE("recorded allocations can be planned") {
  TempFolder folder;
  const std::string recording = folder / "a.pftrace";
  REQUIRE(cli({"attach", "--record", recording, "--", ARENASCOPE_TARGET, "pool"}).status == 0);
  const Ended ended = cli({"plan", recording, "--planner", "all", "--alignment", "1", "--json"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  const Json object = object_of(ended);
  CHECK(object["model"] == "pool");
  CHECK(object["buffers"] == 4);
  CHECK(object["recorded_peak_bytes"] == 300);
  CHECK(object["recorded_reserved_bytes"] == 500);
  CHECK(object["lower_bound_bytes"] == 300);
  for (const auto& result : object["results"]) {
    CHECK(result["order"] == "recorded");
    CHECK(result["arena_bytes"] >= 300);
    if (result["planner"] == "search") CHECK(result["arena_bytes"] == 300);
    if (result["planner"] == "none") CHECK(result["arena_bytes"] == 700);
  }
  Ended wrong = cli({"plan", recording, "--space", "missing"});
  CHECK(wrong.status == 2);
  CHECK(wrong.says_one_line("unknown space 'missing'; available: pool"));
}

TEST_CASE("a recorded graph is planned by all planners in the recorded order and in other orders") {
  TempFolder folder;
  const std::string recording = folder / "a.pftrace", exported = folder / "plan.csv";
  REQUIRE(cli({"run", "zoo:mnist_cnn", "--record", recording}).status == 0);
  const Json object =
      object_of(cli({"plan", recording, "--graph", "0", "--planner", "all", "--export", exported, "--json"}));
  CHECK(object["recorded_reserved_bytes"] > 0);
  CHECK(object["results"].size() > 10);
  for (const auto& result : object["results"]) {
    CHECK(result["order"] == "recorded");
    CHECK(result["arena_bytes"] >= object["lower_bound_bytes"]);
    if (result["planner"] == "search") CHECK(result["arena_bytes"] <= object["recorded_reserved_bytes"]);
  }
  std::ifstream plan(exported);
  std::string head, row;
  CHECK(std::getline(plan, head));
  CHECK(head.starts_with("id,lower,upper,size"));
  CHECK(std::getline(plan, row));
  CHECK(row.front() != ',');  // tensor names
  const Json both = object_of(cli({"plan", recording, "--graph", "0", "--order", "all", "--json"}));
  CHECK(both["results"].size() > 3);
  CHECK(both["results"][0]["order"] == "recorded");
  for (const auto& result : both["results"]) CHECK(result["ratio"] >= 1.0);
  const Ended wrong = cli({"plan", recording, "--graph", "7"});
  CHECK(wrong.status == 2);
  CHECK(wrong.says_one_line("no graph 7; the recording has 1, counted from 0"));
  CHECK(cli({"plan", "zoo:mnist_cnn", "--graph", "0"}).says_one_line("--graph needs a recording"));
}

TEST_CASE("text report over the loopback interface") {
  const Ended ended = cli({"attach", "--tcp", "--with", "none", "--", ARENASCOPE_TARGET, "all"});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  CHECK(ended.out.find("graph little: 2 nodes, 2 leaf tensors, 1 run") != std::string::npos);
  CHECK(ended.out.find("This is only a test.") != std::string::npos);
}

TEST_CASE("a program that fails, is killed, does not exist or never attaches") {
  Ended ended = cli({"attach", "--", "/nonexistent/program"});
  CHECK(ended.status == 2);
  CHECK(ended.says_one_line("/nonexistent/program"));
  ended = cli({"attach", "--", "false"});
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line("false: exited with status 1"));
  ended = cli({"attach", "--", "sh", "-c", "kill -9 $$"});
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line("sh: terminated by signal 9"));
  ended = cli({"attach", "--", "true"});
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line("true: never attached"));
  ended = cli({"attach"});
  CHECK(ended.status == 2);
  CHECK(ended.says_one_line("no program given"));
  ended = cli({"attach", "--with", "nobody", "--", "true"});
  CHECK(ended.status == 2);
  CHECK(ended.says_one_line("'nobody'"));
  ended = cli({"attach", "--record", "/nonexistent/a", "--", "true"});
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line("/nonexistent/a"));
}

TEST_CASE("histories of PyTorch's allocator are reported if this program wrote them, also over an earlier one") {
  const TempFolder folder;
  const std::string recording = folder / "a.pftrace", head = recording + ".pytorch-";
  for (const char* earlier : {"1.pickle", "2.pickle"}) write_file(head + earlier, "");
  for (const char* earlier : {"1.pickle", "2.pickle"})
    std::filesystem::last_write_time(head + earlier,
                                     std::filesystem::file_time_type::clock::now() - std::chrono::hours(1));
  const std::string program = ARENASCOPE_TARGET " all; touch " + head + "2.pickle";
  const Json report = object_of(cli({"attach", "--json", "--record", recording, "--", "sh", "-c", program}));
  CHECK(report.at("pytorch_histories") == Json::array({head + "2.pickle"}));
}

TEST_CASE("with --json the program's output goes to standard error") {
  const Ended ended = cli({"attach", "--json", "--", "sh", "-c", "echo hello; exec " ARENASCOPE_TARGET " all"});
  CHECK(ended.status == 0);
  CHECK(ended.err == "hello\n");
  CHECK(object_of(ended)["runs"] == 1);
}

TEST_CASE("a recording whose writer is killed can be opened, and the program continues") {
  TempFolder folder;
  const std::string recording = folder / "a.pftrace", mark = folder / "mark";
  const pid_t process = ::fork();
  REQUIRE(process >= 0);
  if (process == 0) {
    const std::string script = std::string(ARENASCOPE_TARGET) + " rate 20000 2; echo alive > " + mark;
    ::execl(ARENASCOPE_CLI, ARENASCOPE_CLI, "attach", "--record", recording.c_str(), "--", "sh", "-c", script.c_str(),
            nullptr);
    ::_exit(127);
  }
  std::error_code none;
  for (int i = 0;
       i < 1000 && (!std::filesystem::exists(recording, none) || std::filesystem::file_size(recording, none) < 20000);
       ++i)
    ::usleep(10000);
  ::kill(process, SIGKILL);
  int status = 0;
  ::waitpid(process, &status, 0);
  CHECK(WIFSIGNALED(status));
  for (int i = 0; i < 1000 && !std::filesystem::exists(mark, none); ++i) ::usleep(10000);
  CHECK(std::filesystem::exists(mark, none));
  const Ended audited = cli({"audit", recording, "--json"});
  CAPTURE(audited.err);
  CHECK(audited.status == 0);
}

TEST_CASE("ranks of a job share one recording and are labelled; fewer than requested are an error") {
  const std::string job =
      "RANK=0 " ARENASCOPE_TARGET " all; RANK=1 " ARENASCOPE_TARGET " all; " ARENASCOPE_TARGET " all";
  Ended ended = cli({"attach", "--json", "-n", "3", "--with", "none", "--", "sh", "-c", job});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  const Json object = object_of(ended);
  REQUIRE(object["programs"].size() == 3);
  CHECK(object["programs"][0]["rank"] == 0);
  CHECK(object["programs"][1]["rank"] == 1);
  CHECK(object["programs"][2]["rank"].is_null());
  REQUIRE(object["spaces"].size() == 3);
  CHECK(object["spaces"][0]["name"] == "rank 0: pool");
  CHECK(object["spaces"][1]["name"] == "rank 1: pool");
  CHECK(object["spaces"][2]["name"].get<std::string>().starts_with("target "));
  CHECK(object["graphs"][1]["model"] == "rank 1: little");
  ended = cli({"attach", "-n", "4", "--with", "none", "--", "sh", "-c", job});
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line("3 of 4 processes attached"));
}

namespace {

// A fake ssh to this machine: forwarding is a symbolic link to the socket, and a shell runs the command.
class FakeSsh {
 public:
  FakeSsh() {
    std::ofstream(folder_ / "ssh")
        << "#!/bin/sh\n"
           "while [ $# -gt 0 ]; do case $1 in\n"
           "  -o) shift 2;;\n"
           "  -R) ln -s \"${2#*:}\" \"${2%%:*}\"; echo \"${2%%:*}\" >> \"$0.sockets\"; shift 2;;\n"
           "  --) shift; break;;\n"
           "  *) exit 255;;\n"
           "esac; done\n"
           "echo \"$1\" >> \"$0.hosts\"; shift\n"
           "exec sh -c \"$*\"\n";
    std::filesystem::permissions(folder_ / "ssh", std::filesystem::perms::owner_all);
    before_ = std::getenv("PATH");
    ::setenv("PATH", (std::filesystem::path(folder_ / "ssh").parent_path().string() + ":" + before_).c_str(), 1);
  }
  ~FakeSsh() { ::setenv("PATH", before_.c_str(), 1); }
  FakeSsh(const FakeSsh&) = delete;
  FakeSsh& operator=(const FakeSsh&) = delete;
  std::vector<std::string> lines(const std::string& of) const {
    std::ifstream in(folder_ / ("ssh." + of));
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

 private:
  TempFolder folder_;
  std::string before_;
};

}  // namespace

TEST_CASE("a program on another machine receives its arguments unchanged, and all files are removed") {
  TempFolder folder;
  const FakeSsh ssh;
  const std::string output = folder / "it's here";
  Ended ended = cli({"attach", "--json", "--with", "none", "ssh:somebody@far", "--", "sh", "-c",
                     "echo \"$0 $1\" > \"$2\"; exec " ARENASCOPE_TARGET " all", "a  b", "$HOME'", output});
  CAPTURE(ended.err);
  CHECK(ended.status == 0);
  const Json object = object_of(ended);
  REQUIRE(object["programs"].size() == 1);
  CHECK(object["programs"][0]["name"] == "target");
  CHECK(object["programs"][0]["process"].get<int64_t>() > 0);
  CHECK(object["peak_bytes"]["Workspace"] == 128);
  CHECK(ssh.lines("hosts") == std::vector<std::string>{"somebody@far"});
  std::ifstream in(output);
  std::string line;
  std::getline(in, line);
  CHECK(line == "a  b $HOME'");
  REQUIRE(ssh.lines("sockets").size() == 1);
  CHECK_FALSE(std::filesystem::is_symlink(ssh.lines("sockets")[0]));
  ended = cli({"attach", "ssh:far", "--", "sh", "-c", "exit 3"});  // exit status of the program
  CHECK(ended.status == 1);
  CHECK(ended.says_one_line("sh: exited with status 3"));
  CHECK(cli({"attach", "ssh:-oProxyCommand=x", "--", "true"}).says_one_line("has no host"));
  CHECK(cli({"attach", "ssh:far"}).says_one_line("no program given"));
  CHECK(cli({"attach", "--tcp", "ssh:far", "--", "true"}).says_one_line("not TCP"));
}
