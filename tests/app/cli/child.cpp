// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/app/cli/child.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>

extern char** environ;

namespace arenascope::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kLongest = std::chrono::seconds(60);

double seconds_of(const timeval& time) { return double(time.tv_sec) + double(time.tv_usec) / 1e6; }

// Reads both pipes to EOF. Returns false after a timeout.
bool drain(int out, int err, std::string& out_text, std::string& err_text, Clock::time_point until) {
  pollfd files[2] = {{out, POLLIN, 0}, {err, POLLIN, 0}};
  std::string* texts[2] = {&out_text, &err_text};
  while (files[0].fd >= 0 || files[1].fd >= 0) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(until - Clock::now()).count();
    if (left <= 0) return false;
    if (::poll(files, 2, static_cast<int>(left)) <= 0) continue;
    for (int i = 0; i < 2; ++i) {
      if (files[i].fd < 0 || files[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t n = ::read(files[i].fd, buffer, sizeof buffer);
      if (n > 0)
        texts[i]->append(buffer, static_cast<size_t>(n));
      else
        files[i].fd = -1;
    }
  }
  return true;
}

}  // namespace

int Ended::error_lines() const { return static_cast<int>(std::count(err.begin(), err.end(), '\n')); }

bool Ended::says_one_line(const std::string& part) const {
  const std::string head = "arenascope-cli: ";
  return error_lines() == 1 && err.back() == '\n' && err.starts_with(head) && err.size() > head.size() + 4 &&
         err.find(part) != std::string::npos;
}

Ended run_program(const std::string& program, const std::vector<std::string>& arguments, const Redirect& redirect) {
  Ended ended;
  int out[2], err[2];
  if (::pipe2(out, O_CLOEXEC) != 0) return ended;
  if (::pipe2(err, O_CLOEXEC) != 0) {
    ::close(out[0]), ::close(out[1]);
    return ended;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, redirect.in.c_str(), O_RDONLY, 0);
  if (redirect.out.empty())
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
  else
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, redirect.out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  const auto start = Clock::now();
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  ::close(out[1]), ::close(err[1]);
  if (failed == 0) {
    if (!drain(out[0], err[0], ended.out, ended.err, start + kLongest)) {
      ended.hung = true;
      ::kill(child, SIGKILL);
    }
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    ended.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
    ended.status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    ended.cpu_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
    ended.peak_bytes = int64_t{usage.ru_maxrss} * 1024;
  } else {
    ended.status = 127;
  }
  ::close(out[0]), ::close(err[0]);
  return ended;
}

Ended cli(const std::vector<std::string>& arguments, const Redirect& redirect) {
  return run_program(ARENASCOPE_CLI, arguments, redirect);
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string text;
  for (const std::string& argument : arguments) text += (text.empty() ? "" : " ") + argument;
  return text;
}

}  // namespace arenascope::test
