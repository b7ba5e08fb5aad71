// SPDX-License-Identifier: MIT
// Descriptions and events to bytes and back: the payload of a recording's own field in Perfetto's TracePacket.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/sink.h>
#include <arenascope/trace/wire.h>

#include <vector>

namespace arenascope::trace {

inline constexpr uint32_t kTracePacketField = 1;   // Trace.packet
inline constexpr uint32_t kRecordingField = 2100;  // ours in TracePacket; other readers skip it
inline constexpr uint32_t kRecordingVersion = 1;
inline constexpr uint32_t kVersionField = 1;           // in our message: the version, in the first packet only
inline constexpr uint32_t kProgramField = 15;          // who wrote it
inline constexpr uint32_t kFirstDescriptionField = 2;  // + the index in Description
inline constexpr uint32_t kEventsField = 14;
inline constexpr size_t kEventsAPacket = 512;

static_assert(kFirstDescriptionField + std::variant_size_v<Description> <= kEventsField);

// Appends one field of our message.
void encode(const Description& description, WireWriter& out);
void encode(TrackId track, std::span<const Event> events, WireWriter& out);

// Hands what a message of ours holds to `sink`. An error names what is wrong; nothing of the broken part was handed on.
// `scratch` is reused between calls.
Status decode(ByteSpan message, Sink& sink, std::vector<Event>& scratch);

}  // namespace arenascope::trace
