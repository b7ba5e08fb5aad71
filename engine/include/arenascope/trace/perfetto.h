// SPDX-License-Identifier: MIT
// Events a second time as Perfetto's own, so that a recording opens in that tool unchanged: a track a
// thread, a slice a span, a counter a kind of memory. Field numbers are those of its trace_packet.proto.
#pragma once
#include <arenascope/trace/sink.h>
#include <arenascope/trace/wire.h>

#include <array>
#include <string>
#include <unordered_map>

namespace arenascope::trace {

// Appends whole Trace.packet fields to `out`.
class PerfettoMirror {
 public:
  void begin(WireWriter& out);  // clocks, defaults, the process
  void describe(const Description& description, WireWriter& out);
  void events(TrackId track, std::span<const Event> events, WireWriter& out);

 private:
  struct Packet;
  uint64_t name(const Event& event, std::string& fresh);
  void span(TrackId track, const Event& event, WireWriter& out);
  void memory(const Event& event, WireWriter& out);
  void track_descriptor(uint64_t uuid, const std::string& name, WireWriter& out, int64_t thread, bool counter,
                        bool bytes);

  std::vector<std::shared_ptr<const GraphInfo>> graphs_;
  std::vector<GraphId> run_graphs_;
  std::vector<std::string> names_;
  struct CalledHash {
    size_t operator()(const std::pair<uint64_t, int32_t>& called) const {
      return std::hash<uint64_t>()(called.first ^ static_cast<uint64_t>(called.second) * 0x9e3779b97f4a7c15u);
    }
  };
  // Span name and kernel → id of the interned name.
  std::unordered_map<std::pair<uint64_t, int32_t>, uint64_t, CalledHash> interned_;
  std::array<double, kMemoryKinds> active_{}, reserved_{};
  std::array<bool, 2 * kMemoryKinds> memory_described_{};
};

}  // namespace arenascope::trace
