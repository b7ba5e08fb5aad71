// SPDX-License-Identifier: MIT
// BackendModule::probe_devices(): lists devices in a child process.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>

#include <fmt/format.h>

#include <arenascope/runtime/backend_module.h>
#include "engine/runtime/probe_fields.h"

extern char** environ;

namespace arenascope {
namespace {

using ProbeClock = std::chrono::steady_clock;
constexpr auto kProbePatience = std::chrono::seconds(30);  // a first start of a driver may compile kernels

// Beside the module, or in another folder of the search path.
std::string probe_program(const std::filesystem::path& module) {
  std::vector<std::string> folders = backend_module_folders();
  folders.insert(folders.begin(), module.parent_path().string());
  for (const std::string& folder : folders)
    if (const std::string path = folder + "/arenascope-probe"; ::access(path.c_str(), X_OK) == 0) return path;
  return "";
}

Result<pid_t> spawn_probe(const std::string& probe, const std::string& name, const std::string& folder, int output) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, output, kProbeStream);
  const char* arguments[] = {probe.c_str(), name.c_str(), folder.c_str(), nullptr};
  pid_t child = 0;
  const int failed = ::posix_spawn(&child, probe.c_str(), &actions, nullptr, const_cast<char**>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Error{fmt::format("{} cannot be started: {}", probe, std::strerror(failed))};
  return child;
}

// Everything up to the end of the stream. False: none came in time.
bool read_all(int stream, std::string& out) {
  const auto end = ProbeClock::now() + kProbePatience;
  for (char buffer[4096];;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - ProbeClock::now()).count();
    pollfd ready{stream, POLLIN, 0};
    const int polled = left > 0 ? ::poll(&ready, 1, static_cast<int>(left)) : 0;
    if (polled < 0 && errno == EINTR) continue;
    if (polled <= 0) return false;
    const ssize_t got = ::read(stream, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return true;
    out.append(buffer, static_cast<size_t>(got));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

}  // namespace

Result<std::vector<DeviceStatus>> BackendModule::probe_devices() const {
  const std::filesystem::path module = path_;
  const std::string probe = probe_program(module);
  if (probe.empty()) return Error{fmt::format("arenascope-probe is not installed beside {}", path_)};
  int pipe[2];
  if (::pipe2(pipe, O_CLOEXEC) != 0) return Error{fmt::format("no pipe could be made: {}", std::strerror(errno))};
  // An inherited descriptor must not be the one that it is copied to, which would leave it closed on exec.
  const int output = ::fcntl(pipe[1], F_DUPFD_CLOEXEC, kProbeStream + 1);
  ::close(pipe[1]);
  auto child = output < 0 ? Result<pid_t>(Error{fmt::format("no pipe could be made: {}", std::strerror(errno))})
                          : spawn_probe(probe, std::string(backend()), module.parent_path().string(), output);
  if (output >= 0) ::close(output);
  std::string text;
  const bool answered = child && read_all(pipe[0], text);
  ::close(pipe[0]);
  if (!child) return child.error();
  if (!answered) ::kill(*child, SIGKILL);
  const int status = wait_for(*child);
  if (!answered) return Error{fmt::format("its driver did not answer within {} s", kProbePatience.count())};
  if (WIFSIGNALED(status))
    return Error{fmt::format("its driver crashed: signal {} ({})", WTERMSIG(status), ::strsignal(WTERMSIG(status)))};
  auto devices = parse_probe_fields(text);
  if (!devices || WEXITSTATUS(status) != 0)
    return Error{fmt::format("its driver ended the process with status {}", WEXITSTATUS(status))};
  return std::move(*devices);
}

}  // namespace arenascope
