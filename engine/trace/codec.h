// SPDX-License-Identifier: MIT
// Encodes descriptions and events, and decodes them: the payload of a recording's own field in Perfetto's TracePacket.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/sink.h>
#include <arenascope/trace/wire.h>
#include "engine/trace/format_migration.h"

#include <vector>

namespace arenascope::trace {

inline constexpr uint32_t kTracePacketField = 1;   // Trace.packet
inline constexpr uint32_t kRecordingField = 2100;  // our field in TracePacket; other readers skip it
inline constexpr uint32_t kRecordingVersion = 1;
inline constexpr uint32_t kVersionField = 1;           // in our message: the format version, in the first packet only
inline constexpr uint32_t kProgramField = 15;          // the program that wrote the recording
inline constexpr uint32_t kFirstDescriptionField = 2;  // + the index in Description, for the first twelve
inline constexpr uint32_t kEventsField = 14;
inline constexpr uint32_t kFormField = 16;              // how facts are encoded, in the first packet only
inline constexpr uint32_t kLaterDescriptionField = 17;  // + the index in Description - 12
inline constexpr uint32_t kEndField = 100;              // an empty message in the last packet of a closed recording
// 0: some facts are part of texts, and slices have no run. 1: each fact has its own field. 2: tensors that write into
// their source are flagged. 3: a closed recording ends with kEndField. Older readers skip unknown fields, so a new form
// does not need a new version.
inline constexpr uint32_t kRecordingForm = 3;
inline constexpr size_t kEventsAPacket = 512;

constexpr uint32_t description_field(size_t index) {
  constexpr uint32_t kFirst = kEventsField - kFirstDescriptionField;
  return index < kFirst ? kFirstDescriptionField + static_cast<uint32_t>(index)
                        : kLaterDescriptionField + static_cast<uint32_t>(index) - kFirst;
}

// Appends `description` as one field of our message.
void encode(const Description& description, WireWriter& out);
void encode(TrackId track, std::span<const Event> events, WireWriter& out);

// Decodes our messages and passes their contents to a sink, one message at a time. An error describes the malformed
// part, of which nothing has been passed on.
class Decoding {
 public:
  explicit Decoding(Sink& sink) : sink_(sink) {}
  Status take(ByteSpan message);
  // False if the program ended before it closed the recording. Older formats have no mark: true.
  bool closed() const { return closed_ || form_ < 3; }

 private:
  bool take_events(ByteSpan message);
  bool take_description(uint32_t field, const WireReader& in);
  template <size_t I>
  bool take_description(uint32_t field, const WireReader& in);

  Sink& sink_;
  std::vector<TrackEvent> events_;  // reused between messages
  OldForm old_;
  uint32_t form_ = 0;  // 0 until the first packet specifies it
  bool closed_ = false;
};

}  // namespace arenascope::trace
