// SPDX-License-Identifier: MIT
// The receiving side of attach: programs with engine/attach/arenascope_client.h connect, and their descriptions and
// events go to sinks, a Session or a recording, as one document. Listening is opt-in.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/sink.h>

#include <memory>
#include <string>
#include <vector>

namespace arenascope::attach {

struct ListenOptions {
  std::string folder;          // of the socket; empty: $XDG_RUNTIME_DIR/arenascope, or /tmp/arenascope-UID without one
  bool tcp = false;            // on the loopback with a token, in place of the socket
  size_t max_programs = 1024;  // at a time
  // The programs run on another machine, and their connections are forwarded: the numbers of their processes are by their own
  // word, and their times are of that machine's clock.
  bool forwarded = false;
};

// A program that has attached.
struct Program {
  std::string name;
  int64_t process = 0;
  int64_t rank = -1;             // rank in a job of several processes, as it reported; -1: none
  int64_t events = 0, lost = 0;  // lost: by its full rings
  int64_t rescued = 0;           // of `events`: taken from its rings after it was killed
  int64_t refused = 0;           // referred to something that it never described
  bool ended = false;
  std::string problem;  // "" or a sentence
};

// Owns the socket and a thread, which alone calls the sinks. Any function may be called from any thread.
class Receiver {
 public:
  // An error names the folder or port and the reason: a folder that others may write to, for instance.
  static Result<std::unique_ptr<Receiver>> listen(std::vector<std::shared_ptr<trace::Sink>> sinks,
                                                  const ListenOptions& options = {});
  ~Receiver();  // stops
  Receiver(const Receiver&) = delete;
  Receiver& operator=(const Receiver&) = delete;

  // "unix:PATH" or "tcp:PORT:TOKEN": what a program's ARENASCOPE_ATTACH has to be.
  const std::string& address() const;
  std::vector<Program> programs() const;  // those that were refused too; by when they came
  // Waits until each program that attached has ended, or for at most so long: those that have ended are read out then.
  bool wait(Nanoseconds longest);
  // Receives all sent data, closes the connections and removes the socket. The programs continue.
  void stop();

 private:
  struct State;
  explicit Receiver(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace arenascope::attach
