// SPDX-License-Identifier: MIT
// Descriptions and events to bytes and back: the payload of a recording's own field in Perfetto's TracePacket.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/sink.h>
#include <arenascope/trace/wire.h>
#include "engine/trace/old_form.h"

#include <vector>

namespace arenascope::trace {

inline constexpr uint32_t kTracePacketField = 1;   // Trace.packet
inline constexpr uint32_t kRecordingField = 2100;  // ours in TracePacket; other readers skip it
inline constexpr uint32_t kRecordingVersion = 1;
inline constexpr uint32_t kVersionField = 1;           // in our message: the version, in the first packet only
inline constexpr uint32_t kProgramField = 15;          // who wrote it
inline constexpr uint32_t kFirstDescriptionField = 2;  // + the index in Description, for the first twelve
inline constexpr uint32_t kEventsField = 14;
inline constexpr uint32_t kFormField = 16;              // how facts are written, in the first packet only
inline constexpr uint32_t kLaterDescriptionField = 17;  // + the index in Description - 12
// 0: some facts stand in sentences, and slices have no run; 1: each has a field of its own; 2: tensors that write into their
// source say so. Older readers skip what they do not know, so that this is no new version.
inline constexpr uint32_t kRecordingForm = 2;
inline constexpr size_t kEventsAPacket = 512;

constexpr uint32_t description_field(size_t index) {
  constexpr uint32_t kFirst = kEventsField - kFirstDescriptionField;
  return index < kFirst ? kFirstDescriptionField + static_cast<uint32_t>(index)
                        : kLaterDescriptionField + static_cast<uint32_t>(index) - kFirst;
}

// Appends one field of our message.
void encode(const Description& description, WireWriter& out);
void encode(TrackId track, std::span<const Event> events, WireWriter& out);

// Hands what messages of ours hold to a sink, one message after the other. An error names what is wrong; nothing of
// the broken part was handed on.
class Decoding {
 public:
  explicit Decoding(Sink& sink) : sink_(sink) {}
  Status take(ByteSpan message);

 private:
  bool take_events(ByteSpan message);
  bool take_description(uint32_t field, const WireReader& in);
  template <size_t I>
  bool take_description(uint32_t field, const WireReader& in);

  Sink& sink_;
  std::vector<Event> events_;  // reused
  OldForm old_;
  uint32_t form_ = 0;  // until the first packet says otherwise
};

}  // namespace arenascope::trace
