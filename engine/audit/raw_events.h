// SPDX-License-Identifier: MIT
// Contents of a file, one entry per event, in file order. Nothing is summed or matched yet.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/info.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace arenascope::audit {

using ByteSpan = std::span<const uint8_t>;

struct Interval {
  Nanoseconds begin = 0, end = 0;
};

enum class SpanKind : uint8_t { Work, Wait, Copy, Named };

struct RawSpan {
  SpanKind kind = SpanKind::Named;
  int32_t track = 0, run = -1, node = -1;
  Nanoseconds begin = 0, end = 0;
  int64_t generation = 0;  // Wait: the same for all who met
  int64_t nodes = 1;       // Wait: nodes since the barrier before
  Bytes bytes = 0;         // Copy
  int64_t depth = 0;       // Named
  int64_t part = 0;        // Work
  int32_t kernel = -1;     // Work: the number of its name
  std::string name;        // Named; Work: the kernel's, if known
};

// Work between two nodes.
struct RawBetween {
  int32_t track = 0, run = -1, node = -1;
  Nanoseconds begin = 0, end = 0;
  bool pause = false;
};

enum class MemoryAction : uint8_t { Alloc, Free, Reserve, Release };

struct RawMemory {
  Nanoseconds time = 0;
  MemoryAction action = MemoryAction::Alloc;
  int32_t space = 0;
  uint64_t address = 0;
  Bytes bytes = 0;  // those of a balance without addresses may be negative
  uint32_t id = 0;  // as the event has it
  int32_t track = -1;
  // Alloc, if known: requested bytes, and the tensor.
  std::optional<Bytes> asked;
  int32_t graph = -1;
  trace::TensorRef tensor;
};

struct RawSpace {
  std::string name, kind, device;
  bool has_addresses = true;
  uint32_t allocator = 0;                        // its number, in recordings
  bool in_main_memory = false;                   // what the process's resident memory can be held against
  Bytes active_before = 0, reserved_before = 0;  // the first event
  int64_t blocks_before = 0, pieces_before = 0;  // number of blocks that these consist of, if the file has them
};

// A tensor becomes live in the arena, or ends.
struct RawLive {
  Nanoseconds time = 0;
  bool begins = false;
  trace::TensorRef tensor;
  Bytes offset = 0, bytes = 0;
  int32_t step = 0;
  int32_t track = 0;
  int32_t run = -1;           // -1: the event has no run
  int64_t file_position = 0;  // in the file
};

// Bytes of the arena that were written or read.
struct RawTouch {
  int32_t run = -1;
  trace::TensorRef tensor;
  Bytes offset = 0, bytes = 0;
};

struct RawMark {
  Nanoseconds time = 0;
  int32_t run = -1, step = 0, node = -1, track = 0;
  int64_t file_position = 0;
  bool derived = false;  // from spans of the run's lead: others may have begun a moment before it
};

struct RawSample {
  int32_t counter = 0;
  Nanoseconds time = 0;
  double value = 0;
};

struct RawRun {
  trace::RunInfo info;
  bool ended = false;
  trace::RunEnd end;
  std::vector<Interval> pauses;
  int64_t lost = 0;  // events lost while it went on

  // It ended normally, so all of its events were written.
  bool done() const { return ended && end.status == trace::RunStatus::Done; }
};

struct Raw {
  std::string format, problem;
  bool has_bodies = false;  // nodes may be computed within others: an If, Loop or Scan
  std::map<int32_t, trace::GraphInfo> graphs;
  std::map<int32_t, trace::PlanInfo> plans;
  std::map<int32_t, trace::ContextInfo> contexts;
  std::map<int32_t, RawRun> runs;
  std::map<int32_t, trace::ThreadInfo> tracks;
  std::map<int32_t, trace::DeviceInfo> devices;
  std::map<int32_t, std::string> counters;
  std::map<int32_t, Nanoseconds> clock_errors;                 // by device, the newest
  std::map<uint32_t, trace::AllocatorState> allocator_states;  // the newest of each
  std::map<uint32_t, std::string> allocator_kinds;
  int32_t resident = -1;      // the counter of the process's resident memory
  int32_t cache_filled = -1;  // the counter of what of the caches of keys and values holds a token's
  std::vector<RawSpace> spaces;
  std::vector<RawSpan> spans;
  std::vector<RawBetween> betweens;
  std::vector<RawMemory> memory;
  std::vector<RawMemory> held_before;  // memory that exists before the first event, at its time
  std::vector<RawLive> lives;
  std::vector<RawTouch> touches;
  std::vector<RawMark> marks;
  std::vector<RawSample> samples;
  int64_t events = 0, lost = 0;
  int64_t problems = 0, tunings = 0, max_tried = 0;
  int64_t entries = 0;                             // entries of another tool's file
  bool closed = true;                              // false: a recording whose program was killed
  std::map<int32_t, Nanoseconds> recorded_until;   // by track of a recording: when its newest event was recorded
  Nanoseconds begin = INT64_MAX, end = INT64_MIN;  // range of all events

  // False: the reserved bytes are unknown.
  bool has_reservations() const {
    const auto reserves = [](const RawMemory& m) {
      return m.action == MemoryAction::Reserve || m.action == MemoryAction::Release;
    };
    return std::any_of(memory.begin(), memory.end(), reserves) ||
           std::any_of(held_before.begin(), held_before.end(), reserves);
  }

  void cover(Nanoseconds from, Nanoseconds to) {
    reach(from, to);
    ++events;
  }
  // Not events of their own: a run begins or ends.
  void reach(Nanoseconds from, Nanoseconds to) {
    begin = std::min(begin, from);
    end = std::max(end, to);
  }
};

// Adds marks and lifetimes, which are derived from the runs.
void derive_steps(Raw& raw);

// Each reads one format; `name` is the file's, for messages.
Result<Raw> read_recording(ByteSpan bytes, const std::string& name);
Result<Raw> read_json(ByteSpan bytes, const std::string& name);
Result<Raw> read_snapshot(ByteSpan bytes, const std::string& name);
Result<Raw> read_executorch(ByteSpan bytes, const std::string& name);
// `program`: the file of the program that the dump belongs to; empty: unknown.
Result<Raw> read_executorch_dump(ByteSpan bytes, ByteSpan program, const std::string& name);
Result<Raw> read_iree(ByteSpan bytes, const std::string& name);
Result<Raw> read_perfetto(ByteSpan bytes, const std::string& name);

}  // namespace arenascope::audit
