// SPDX-License-Identifier: MIT
#include <arenascope/trace/packets.h>
#include "engine/trace/codec.h"

namespace arenascope::trace {

PacketSplit split_packet(ByteSpan bytes) {
  PacketSplit out;
  WireReader in(bytes);
  uint64_t key = 0, length = 0;
  if (bytes.empty()) return out;
  if (bytes[0] != (kTracePacketField << 3 | static_cast<uint32_t>(WireType::Bytes))) {
    out.next = NextPacket::Garbage;
    return out;
  }
  if (!in.varint(key) || !in.varint(length)) {
    if (bytes.size() > 11) out.next = NextPacket::Garbage;
    return out;
  }
  const size_t head = bytes.size() - in.left();
  if (length > WireWriter::kLargestMessage) {
    out.next = NextPacket::Garbage;
    return out;
  }
  out.needed = head + static_cast<size_t>(length);
  if (length > in.left()) return out;
  out.bytes = out.needed;
  out.next = NextPacket::Whole;
  WireReader packet(bytes.subspan(head, static_cast<size_t>(length)));
  while (packet.next()) {
    if (packet.field == kRecordingField && packet.type == WireType::Bytes) {
      out.message = packet.payload;
      return out;
    }
  }
  if (!packet.ok()) out.next = NextPacket::Garbage;
  return out;
}

struct PacketDecoder::State {
  explicit State(Sink& sink) : decoding(sink) {}
  Decoding decoding;
};

PacketDecoder::PacketDecoder(Sink& sink) : state_(std::make_unique<State>(sink)) {}
PacketDecoder::~PacketDecoder() = default;
Status PacketDecoder::take(ByteSpan message) { return state_->decoding.take(message); }

}  // namespace arenascope::trace
