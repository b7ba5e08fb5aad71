// SPDX-License-Identifier: MIT
// The byte stream of one attached program: a greeting followed by a recording's packets. The bytes are untrusted.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/packets.h>
#include "engine/attach/id_remapper.h"

#include <optional>
#include <string>

namespace arenascope::attach {

// The contents of a program's first packet.
struct Greeting {
  std::string program;
  uint64_t protocol = 0, client = 0;  // versions
  int64_t process = 0;                // as the program reports it
  int64_t rank = -1;                  // in a distributed job; -1: none
  std::string token;
};

// Parses the first packet's message; empty if it is not a greeting.
std::optional<Greeting> read_greeting(trace::ByteSpan message);
// The reason for rejecting a program with this greeting; "" if it is accepted.
std::string refusal_of(const Greeting& greeting, const std::string& token);

inline constexpr size_t kLargestGreeting = 4096;
inline constexpr size_t kLargestPacket = size_t{64} << 20;

// Parses the packets after the greeting.
class Stream {
 public:
  explicit Stream(IdRemapper& remapper) : remapper_(remapper), decoder_(remapper) {}

  // Parses bytes in pieces of any length. After an error, nothing more is accepted.
  Status take(trace::ByteSpan bytes);
  // Drops an incomplete packet whose remainder will not arrive.
  void cut() { rest_.clear(); }

  IdRemapper& remapper() { return remapper_; }
  // Bytes of packets that are also in the program's log of descriptions. Packets of events, losses and run ends are
  // built by its pump and not counted.
  uint64_t log_bytes() const { return log_bytes_; }
  int64_t broken_packets() const { return broken_; }
  const std::string& first_broken() const { return first_broken_; }

 private:
  Status take_packets(trace::ByteSpan bytes, size_t& done);

  IdRemapper& remapper_;
  trace::PacketDecoder decoder_;
  std::vector<uint8_t> rest_;  // an incomplete packet
  uint64_t log_bytes_ = 0;
  int64_t broken_ = 0;
  std::string first_broken_;
  bool failed_ = false;
};

}  // namespace arenascope::attach
