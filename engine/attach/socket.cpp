// SPDX-License-Identifier: MIT
#include "engine/attach/socket.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace arenascope::attach {

namespace {

constexpr int kBacklog = 64;

Error failed(const std::string& what, const char* why) {
  return Error{what + ": " + why + ": " + std::strerror(errno) + "."};
}

// Creates the folder if it is missing. Fails if others own it or may write to it.
Status check_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return failed(folder, "cannot create the folder");
  struct stat info {};
  if (::lstat(folder.c_str(), &info) != 0) return failed(folder, "cannot read the attributes of the folder");
  if (!S_ISDIR(info.st_mode)) return Error{folder + ": not a folder."};
  if (info.st_uid != ::geteuid()) return Error{folder + ": the folder belongs to another user."};
  if ((info.st_mode & 077) != 0)
    return Error{folder + ": other users may access the folder; expected permissions 0700."};
  return {};
}

std::string usual_folder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/') return std::string(runtime) + "/arenascope";
  return "/tmp/arenascope-" + std::to_string(::geteuid());
}

Result<std::string> random_token() {
  uint8_t bytes[16];
  if (::getrandom(bytes, sizeof bytes, 0) != sizeof bytes) return Error{"Cannot read random bytes from the system."};
  std::string token;
  for (const uint8_t byte : bytes) {
    token += "0123456789abcdef"[byte >> 4];
    token += "0123456789abcdef"[byte & 15];
  }
  return token;
}

}  // namespace

File::~File() {
  if (number_ >= 0) ::close(number_);
}

Result<Listening> listen_in(std::string folder) {
  if (folder.empty()) folder = usual_folder();
  if (const Status status = check_folder(folder); !status.ok()) return status.error();
  Listening out;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  auto token = random_token();
  if (!token) return token.error();
  out.path = folder + "/attach-" + std::to_string(::getpid()) + "-" + token->substr(0, 8);
  if (out.path.size() >= sizeof address.sun_path) return Error{folder + ": the path is too long for a socket."};
  std::memcpy(address.sun_path, out.path.c_str(), out.path.size() + 1);
  out.socket = File(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!out.socket.valid() || ::bind(out.socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(out.socket.get(), kBacklog) != 0)
    return failed(out.path, "cannot open a socket");
  out.address = "unix:" + out.path;
  return out;
}

Result<Listening> listen_on_loopback() {
  Listening out;
  auto token = random_token();
  if (!token) return token.error();
  out.token = *token;
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  out.socket = File(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!out.socket.valid() || ::bind(out.socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0 ||
      ::listen(out.socket.get(), kBacklog) != 0 ||
      ::getsockname(out.socket.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0)
    return failed("127.0.0.1", "cannot open a port");
  out.address = "tcp:" + std::to_string(ntohs(address.sin_port)) + ":" + out.token;
  return out;
}

bool is_own_user(int socket, int64_t& process) {
  ucred who{};
  socklen_t size = sizeof who;
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &who, &size) != 0 || who.uid != ::geteuid()) return false;
  process = who.pid;
  return true;
}

}  // namespace arenascope::attach
