// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/command_child.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/cli/cli.h"

extern char** environ;

namespace arenascope::cli {
namespace {

constexpr const char* kOwnProgram = "/proc/self/exe";

// Both ends of a pipe, closed at the end.
struct Pipe {
  int read = -1, write = -1;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    read = ends[0], write = ends[1];
    return true;
  }
  void close_write() {
    if (write >= 0) ::close(write);
    write = -1;
  }
  ~Pipe() {
    close_write();
    if (read >= 0) ::close(read);
  }
};

// Reads both pipes to their ends. Error: a limit was exceeded.
Status read_answer(const Pipe& out, const Pipe& err, const ChildLimits& limits, ChildAnswer& answer) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(limits.seconds);
  pollfd files[2] = {{out.read, POLLIN, 0}, {err.read, POLLIN, 0}};
  std::string* texts[2] = {&answer.out, &answer.err};
  while (files[0].fd >= 0 || files[1].fd >= 0) {
    const double left = std::chrono::duration<double>(end - Clock::now()).count();
    if (left <= 0) return Error{fmt::format("the command took longer than {} s", limits.seconds)};
    if (::poll(files, 2, static_cast<int>(std::min(left * 1000 + 1, 1e6))) <= 0) continue;
    for (int i = 0; i < 2; ++i) {
      if (files[i].fd < 0 || files[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t count = ::read(files[i].fd, buffer, sizeof buffer);
      if (count > 0)
        texts[i]->append(buffer, static_cast<size_t>(count));
      else
        files[i].fd = -1;
    }
    if (answer.out.size() + answer.err.size() > limits.output)
      return Error{fmt::format("the answer is larger than {} bytes: select fewer rows or columns", limits.output)};
  }
  return {};
}

}  // namespace

Result<ChildAnswer> run_command(const std::vector<std::string>& arguments, const ChildLimits& limits) {
  Pipe out, err;
  if (!out.open() || !err.open()) return Error{fmt::format("cannot make a pipe: {}", std::strerror(errno))};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.write, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write, STDERR_FILENO);
  std::string program = "arenascope-cli";
  std::vector<std::string> copies = arguments;
  std::vector<char*> argv{program.data()};
  for (std::string& argument : copies) argv.push_back(argument.data());
  argv.push_back(nullptr);
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, kOwnProgram, &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  out.close_write(), err.close_write();
  if (failed != 0) return Error{fmt::format("cannot start {}: {}", kOwnProgram, std::strerror(failed))};
  const rlimit memory{static_cast<rlim_t>(limits.address_space), static_cast<rlim_t>(limits.address_space)};
  (void)::prlimit(child, RLIMIT_AS, &memory, nullptr);
  ChildAnswer answer;
  const Status read = read_answer(out, err, limits, answer);
  if (!read.ok()) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!read.ok()) return read.error();
  answer.status = WIFSIGNALED(status) ? kSignalled + WTERMSIG(status) : WEXITSTATUS(status);
  return answer;
}

}  // namespace arenascope::cli
