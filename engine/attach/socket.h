// SPDX-License-Identifier: MIT
// The sockets that a receiver listens on: in a private folder of the user, or on the loopback interface with a token.
#pragma once
#include <arenascope/base/result.h>

#include <string>

namespace arenascope::attach {

// Owns a file descriptor and closes it.
class File {
 public:
  File() = default;
  explicit File(int number) : number_(number) {}
  File(File&& other) noexcept : number_(other.release()) {}
  File& operator=(File&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~File();
  int get() const { return number_; }
  bool valid() const { return number_ >= 0; }
  int release() {
    const int number = number_;
    number_ = -1;
    return number;
  }

 private:
  int number_ = -1;
};

struct Listening {
  File socket;
  std::string address;  // "unix:PATH" or "tcp:PORT:TOKEN"
  std::string path;     // path of the socket; "" for TCP
  std::string token;    // "" if the system identifies the peer
};

Result<Listening> listen_in(std::string folder);
Result<Listening> listen_on_loopback();

// True if the peer runs as the current user, as reported by the kernel. `process`: the peer's process id.
bool is_own_user(int socket, int64_t& process);

}  // namespace arenascope::attach
