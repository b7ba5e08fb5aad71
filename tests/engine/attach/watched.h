// SPDX-License-Identifier: MIT
// The program `target` as a child, and a receiver for it.
#pragma once
#include <arenascope/attach/receiver.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/temp_folder.h"

extern char** environ;

namespace arenascope::test {

class Target {
 public:
  Target(const std::string& address, const std::vector<std::string>& arguments,
         const std::vector<std::string>& variables = {}, const std::string& program = ARENASCOPE_TARGET,
         const std::string& output = "/dev/null") {
    std::vector<std::string> all = variables;
    all.push_back("ARENASCOPE_ATTACH=" + address);
    for (char** e = environ; *e != nullptr; ++e)
      if (std::string(*e).rfind("ARENASCOPE_", 0) != 0) all.emplace_back(*e);
    std::vector<char*> env, argv{const_cast<char*>(program.c_str())};
    for (std::string& v : all) env.push_back(v.data());
    for (const std::string& a : arguments) argv.push_back(const_cast<char*>(a.c_str()));
    env.push_back(nullptr), argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    REQUIRE(::posix_spawn(&process_, program.c_str(), &actions, nullptr, argv.data(), env.data()) == 0);
    posix_spawn_file_actions_destroy(&actions);
  }
  ~Target() {
    if (process_ > 0) kill();
  }
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;
  pid_t process() const { return process_; }
  int ended() {  // the exit status, or 128 + the signal
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }
  int kill() {
    ::kill(process_, SIGKILL);
    return ended();
  }

 private:
  pid_t process_ = -1;
};

// The counters of the target's mode `endless`.
class Counted {
 public:
  explicit Counted(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    REQUIRE(::ftruncate(file, 4096) == 0);
    at_ = static_cast<volatile int64_t*>(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    ::close(file);
    REQUIRE(const_cast<int64_t*>(at_) != MAP_FAILED);
  }
  ~Counted() { ::munmap(const_cast<int64_t*>(at_), 4096); }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  int64_t events() const { return at_[0]; }
  bool alone() const { return at_[1] != 0; }
  int64_t loops() const { return at_[2]; }
  // Waits for at most ten seconds.
  template <class F>
  bool until(F&& happened) const {
    for (int i = 0; i < 10000 && !happened(*this); ++i) ::usleep(1000);
    return happened(*this);
  }

 private:
  volatile int64_t* at_;
};

struct Listening {
  TempFolder folder;
  std::shared_ptr<trace::Session> session = std::make_shared<trace::Session>(trace::Session::Options{size_t{1} << 29});
  std::unique_ptr<attach::Receiver> receiver;
  explicit Listening(attach::ListenOptions options = {}) {
    options.folder = folder.path();
    auto made = attach::Receiver::listen({session}, options);
    REQUIRE_MESSAGE(made.ok(), (made.ok() ? "" : made.error().message));
    receiver = std::move(*made);
  }
  const std::string& address() const { return receiver->address(); }
  // Once as many programs as that have attached and ended.
  std::shared_ptr<const trace::Snapshot> end(size_t programs = 1) {
    for (int i = 0; i < 10000; ++i) {
      size_t over = 0;
      for (const auto& p : receiver->programs()) over += p.ended ? 1 : 0;
      if (over >= programs) break;
      ::usleep(1000);
    }
    receiver->stop();
    return session->snapshot();
  }
};

inline int64_t from_environment(const char* name, int64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::atoll(value) : otherwise;
}

}  // namespace arenascope::test
