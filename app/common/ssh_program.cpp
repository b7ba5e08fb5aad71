// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/common/ssh_program.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <spawn.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fmt/format.h>

extern char** environ;

namespace arenascope::app {
namespace {

// Quotes `text` as one shell argument.
std::string quoted(const std::string& argument) {
  std::string out = "'";
  for (const char c : argument) {
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  out += '\'';
  return out;
}

// A random name in /tmp, so that no other user can create it first.
Result<std::string> remote_name() {
  unsigned char bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != static_cast<ssize_t>(sizeof bytes))
    return Error{fmt::format("cannot generate a random name: {}", std::strerror(errno))};
  std::string name = "/tmp/arenascope-";
  for (const unsigned char byte : bytes) name += fmt::format("{:02x}", byte);
  return name;
}

// Runs ssh with `file` as its input.
Status send_file(const std::string& host, const std::string& file, const std::string& as) {
  const std::string folder = as.substr(0, as.rfind('/'));
  const std::string command = fmt::format("umask 077; mkdir -p {}; cat > {}", folder, as);
  std::vector<std::string> arguments{"ssh", "--", host, command};
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, file.c_str(), O_RDONLY, 0);
  pid_t process = -1;
  const int failed = ::posix_spawnp(&process, "ssh", &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return Error{fmt::format("cannot start ssh: {}", std::strerror(failed))};
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    return Error{fmt::format("{}: cannot copy {} to {}", host, file, as)};
  return {};
}

}  // namespace

Result<std::vector<std::string>> ssh_command(const std::string& host, const std::vector<std::string>& program,
                                             const std::string& address, const std::vector<RemoteAdapter>& adapters) {
  constexpr std::string_view kSocket = "unix:";
  if (!address.starts_with(kSocket)) return Error{"programs on another machine need a Unix socket, not TCP"};
  const auto name = remote_name();
  if (!name) return name.error();
  const std::string socket = *name + ".sock";
  std::string removed = fmt::format("{} {}", socket, *name);
  std::string command = fmt::format("ARENASCOPE_ATTACH=unix:{}", socket);
  for (const RemoteAdapter& adapter : adapters) {
    const std::string library =
        *name + adapter.library.substr(adapter.library.rfind('/'));  // adapters recognise themselves by their file name
    if (const Status status = send_file(host, adapter.library, library); !status.ok()) return status.error();
    command += adapter.single ? fmt::format(" {}={}", adapter.variable, library)
                              : fmt::format(" {0}={1}${{{0}:+:${0}}}", adapter.variable, library);
  }
  for (const std::string& argument : program) command += fmt::format(" {}", quoted(argument));
  // An EXIT trap also runs when the program is terminated by a signal; the exit status remains that of the program.
  const std::string script = fmt::format("trap 'rm -rf {}' EXIT; {}", removed, command);
  return std::vector<std::string>{"ssh",
                                  "-o",
                                  "ExitOnForwardFailure=yes",
                                  "-R",
                                  fmt::format("{}:{}", socket, address.substr(kSocket.size())),
                                  "--",
                                  host,
                                  fmt::format("sh -c {}", quoted(script))};
}

}  // namespace arenascope::app
