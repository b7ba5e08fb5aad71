// SPDX-License-Identifier: MIT
// A recording's packets one by one, for those who have them from elsewhere than a file.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/sink.h>
#include <arenascope/trace/wire.h>

#include <memory>

namespace arenascope::trace {

enum class NextPacket {
  Whole,
  Cut,      // it goes on behind the bytes
  Garbage,  // these are none
};

struct PacketSplit {
  NextPacket next = NextPacket::Cut;
  ByteSpan message;   // ours in it; empty: it has none
  size_t bytes = 0;   // that the packet takes, with its head
  size_t needed = 0;  // of one that is cut: how long it is, 0 where that is not known
};
// What the packet that begins at bytes[0] holds. A packet whose own fields are malformed is garbage.
PacketSplit split_packet(ByteSpan bytes);

// Hands messages, one after the other, to a sink. An error names what is wrong with one ("a description is
// malformed"); nothing of its broken part was handed on, and the next may be taken.
class PacketDecoder {
 public:
  explicit PacketDecoder(Sink& sink);
  ~PacketDecoder();
  Status take(ByteSpan message);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace arenascope::trace
