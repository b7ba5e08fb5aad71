// SPDX-License-Identifier: MIT
// The sockets that a receiver listens on: in a folder of the user's own, or on the loopback with a token.
#pragma once
#include <arenascope/base/result.h>

#include <string>

namespace arenascope::attach {

// A file number that is closed with its owner.
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
  std::string path;     // of the socket, "" on the loopback
  std::string token;    // "" where the system says who connects
};

Result<Listening> listen_in(std::string folder);
Result<Listening> listen_on_loopback();

// Whether who connected is this user; by the system's word. `process`: who it is.
bool is_own_user(int socket, int64_t& process);

}  // namespace arenascope::attach
