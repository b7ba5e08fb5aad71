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
  Cut,      // it extends past the end of the bytes
  Garbage,  // not a packet
};

struct PacketSplit {
  NextPacket next = NextPacket::Cut;
  ByteSpan message;   // Arenascope's message in it; empty: none
  size_t bytes = 0;   // that the packet takes, with its head
  size_t needed = 0;  // length of a packet that is cut; 0: not known
};
// Splits off the packet that begins at bytes[0]. A packet with malformed fields is garbage.
PacketSplit split_packet(ByteSpan bytes);

// Passes messages, one after the other, to a sink. An error names the fault of a message ("a description is
// malformed"); its malformed part was not passed on, and the next message may follow.
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
