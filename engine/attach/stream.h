// SPDX-License-Identifier: MIT
// One attached program's bytes, as they come: hostile until shown otherwise. A greeting, then a recording's packets.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/packets.h>
#include "engine/attach/origin.h"

#include <optional>
#include <string>

namespace arenascope::attach {

// What a program's first packet says of it.
struct Greeting {
  std::string program;
  uint64_t protocol = 0, client = 0;  // versions
  int64_t process = 0;                // by its own word
  int64_t rank = -1;                  // in a job of several; -1: it has none
  std::string token;
};

// Of the first packet's message; none where it is no greeting.
std::optional<Greeting> read_greeting(trace::ByteSpan message);
// "" or why a program that greets so is refused.
std::string refusal_of(const Greeting& greeting, const std::string& token);

inline constexpr size_t kLargestGreeting = 4096;
inline constexpr size_t kLargestPacket = size_t{64} << 20;

// The packets behind the greeting.
class Stream {
 public:
  explicit Stream(Origin& origin) : origin_(origin), decoder_(origin) {}

  // Takes bytes as they come, in pieces of any length. An error says what they are not; nothing is taken after it.
  Status take(trace::ByteSpan bytes);
  // Forgets a packet that has begun: the rest of it will not come.
  void cut() { rest_.clear(); }

  Origin& origin() { return origin_; }
  // Of packets that lie in the program's log of descriptions too; its pump makes those of events, losses and ends.
  uint64_t log_bytes() const { return log_bytes_; }
  int64_t broken_packets() const { return broken_; }
  const std::string& first_broken() const { return first_broken_; }

 private:
  Status take_packets(trace::ByteSpan bytes, size_t& done);

  Origin& origin_;
  trace::PacketDecoder decoder_;
  std::vector<uint8_t> rest_;  // of a packet that has begun
  uint64_t log_bytes_ = 0;
  int64_t broken_ = 0;
  std::string first_broken_;
  bool failed_ = false;
};

}  // namespace arenascope::attach
