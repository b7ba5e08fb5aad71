// SPDX-License-Identifier: MIT
// Events of a run: fixed-size records of 32 bytes that a worker thread writes without allocating.
// An event belongs to the track (thread, queue) whose ring it was written to. Times are host nanoseconds.
#pragma once
#include <arenascope/base/ids.h>

#include <cstdint>
#include <string_view>

namespace arenascope::trace {

using TrackId = Id<struct TrackTag>;      // a worker thread, device queue or copy engine: a row of the timeline
using RunId = Id<struct RunTag>;          // one execution of a plan; at most 2^24
using GraphId = Id<struct GraphTag>;      // a described graph
using PlanId = Id<struct PlanTag>;        // a described memory plan
using ContextId = Id<struct ContextTag>;  // a described object arena
using DeviceId = Id<struct DeviceTag>;    // a described device
using NameId = Id<struct NameTag>;        // an interned text
using CounterId = Id<struct CounterTag>;  // a described counter

// Memory kinds, the same as those of the engine's ExecutionContext.
enum class MemoryKind : uint8_t { Default, Persistent, Workspace, KVCache, HostPinned, HostPageable, Mapped };
inline constexpr size_t kMemoryKinds = 7;
inline constexpr std::string_view kMemoryKindNames[kMemoryKinds] = {
    "Default", "Persistent", "Workspace", "KVCache", "HostPinned", "HostPageable", "Mapped"};

// A tensor of a graph: a node or a leaf.
struct TensorRef {
  uint32_t value = UINT32_MAX;
  static constexpr uint32_t kLeafBit = 0x80000000u;
  static constexpr TensorRef node(NodeId n) { return {static_cast<uint32_t>(n.value)}; }
  static constexpr TensorRef leaf(LeafId l) { return {static_cast<uint32_t>(l.value) | kLeafBit}; }
  static constexpr TensorRef none() { return {}; }
  constexpr bool valid() const { return value != UINT32_MAX; }
  constexpr bool is_leaf() const { return valid() && (value & kLeafBit) != 0; }
  constexpr bool is_node() const { return valid() && (value & kLeafBit) == 0; }
  constexpr size_t index() const { return value & ~kLeafBit; }
  constexpr auto operator<=>(const TensorRef&) const = default;
};

// The numbers are part of the recording's format: add at the end, never renumber.
enum class EventKind : uint8_t {
  None = 0,
  Work = 1,     // a thread computed a chunk of a node
  Wait = 2,     // a thread waited at the barrier after a node
  Alloc = 3,    // memory was allocated
  Free = 4,     // memory was freed
  Reserve = 5,  // an allocator took memory from the system
  Release = 6,  // and returned it to the system
  // 7, 8, 14, 15: slice events without a run, in recordings of format 0; they are read as 17 to 20.
  ContextObject = 9,  // an object was appended to a context's pool
  Copy = 10,          // bytes moved between two devices
  Step = 11,          // the executor reached a step of the execution order
  Layer = 12,         // a layer begins
  Counter = 13,       // a counter has a new value
  Slice = 16,         // a named span (imported traces, phases such as "load")
  SliceLive = 17,     // a tensor begins to occupy a slice of the arena
  SliceDead = 18,     // the tensor no longer occupies the slice
  ArenaWrite = 19,    // bytes of the arena that were written
  ArenaRead = 20,     // bytes of the arena that were read
  Between = 21,       // work done between two nodes while all threads wait at the barrier
  Bind = 22,          // the tensor that an allocation belongs to (trace/bind_event.h)
};
inline constexpr uint8_t kLastEventKind = 22;

// Kinds of a Between event.
enum BetweenFlags : uint32_t {
  kPaused = 1,   // paused by the user: not counted in the run's duration
  kStepped = 2,  // from here on the run is stepped: it has a barrier after every node
};

// `extra` has 24 bits. Meaning of the fields by kind:
//   Work           time..a ns, id node, b chunk (task) number | (NameId of the device kernel + 1) << 32 (0:
//                  none), extra run
//   Wait           time..a = arrive..leave, id node, b = barrier generation (equal for all participants) |
//                  (nodes since the previous barrier - 1) << 32, extra run
//   Alloc, Free    a address, b bytes, id block, extra = memory kind | allocator << 8
//   Reserve, Release  the same
//   SliceLive/Dead a offset in the arena | the step's high 12 bits << 51, b bytes | the step's low 12 bits << 51,
//                  id tensor (TensorRef), extra run
//   ArenaWrite/Read the same
//   ContextObject  a offset, b size, id context, extra type
//   Copy           time..a, b bytes, id node, extra = from device | to device << 12
//   Step           a step, id node, extra run
//   Layer          id name (NameId), a layer number, extra run
//   Counter        id counter, a the bits of a double
//   Slice          time..a, id name, b depth (0 outermost)
//   Between        time..a, id node (the preceding one), b BetweenFlags, extra run
struct Event {
  Nanoseconds time = 0;
  int64_t a = 0;
  int64_t b = 0;
  uint32_t id = 0;
  uint32_t kind_extra = 0;  // kind in the low 8 bits

  constexpr EventKind kind() const { return static_cast<EventKind>(kind_extra & 0xff); }
  constexpr uint32_t extra() const { return kind_extra >> 8; }
  constexpr bool is_span() const {
    const EventKind k = kind();
    return k == EventKind::Work || k == EventKind::Wait || k == EventKind::Copy || k == EventKind::Slice ||
           k == EventKind::Between;
  }
  constexpr Nanoseconds begin() const { return time; }
  constexpr Nanoseconds end() const { return is_span() ? a : time; }  // half-open
  constexpr NodeId node() const { return NodeId(static_cast<int32_t>(id)); }
  constexpr bool is_pause() const { return kind() == EventKind::Between && (b & kPaused) != 0; }
  constexpr int64_t chunk() const { return b & 0xffffffff; }  // Work
  constexpr NameId kernel() const {
    return NameId(static_cast<int32_t>((static_cast<uint64_t>(b) >> 32) - 1));
  }                                                                // Work
  constexpr int64_t generation() const { return b & 0xffffffff; }  // Wait
  constexpr int64_t nodes() const { return (b >> 32) + 1; }        // Wait: since the previous barrier
  constexpr RunId run() const {
    return RunId(extra24());
  }  // Work, Wait, Step, Layer, Between, SliceLive/Dead, ArenaWrite/Read
  // SliceLive/Dead, ArenaWrite/Read: offset and bytes have 51 bits, the step 24; all bits set means no step.
  static constexpr int kSliceBits = 51;
  static constexpr int64_t kMaxSlice = (int64_t{1} << kSliceBits) - 1;
  constexpr Bytes slice_offset() const { return a & kMaxSlice; }
  constexpr Bytes slice_bytes() const { return b & kMaxSlice; }
  constexpr arenascope::Step slice_step() const {
    const int64_t step = a >> kSliceBits << 12 | b >> kSliceBits;
    return arenascope::Step(step == 0xffffff ? -1 : static_cast<int32_t>(step));
  }
  constexpr int32_t extra24() const { return extra() == 0xffffff ? -1 : static_cast<int32_t>(extra()); }
  constexpr MemoryKind memory_kind() const { return static_cast<MemoryKind>(extra() & 0xff); }
  constexpr uint32_t allocator() const { return extra() >> 8; }
  constexpr bool operator==(const Event&) const = default;
};
static_assert(sizeof(Event) == 32);

namespace detail {
constexpr Event make(EventKind kind, Nanoseconds time, int64_t a, int64_t b, uint32_t id, uint32_t extra) {
  return {time, a, b, id, static_cast<uint32_t>(kind) | extra << 8};
}
constexpr uint32_t u32(int32_t v) { return static_cast<uint32_t>(v); }
}  // namespace detail

constexpr Event work(RunId run, NodeId node, Nanoseconds t0, Nanoseconds t1, int64_t chunk = 0,
                     NameId kernel = NameId::none()) {
  const auto kernel_bits = static_cast<int64_t>(detail::u32(kernel.value) + 1) << 32;
  return detail::make(EventKind::Work, t0, t1, chunk | kernel_bits, detail::u32(node.value), detail::u32(run.value));
}
constexpr Event wait(RunId run, NodeId node, Nanoseconds arrive, Nanoseconds leave, int64_t generation,
                     int64_t nodes = 1) {
  return detail::make(EventKind::Wait, arrive, leave, generation | (nodes - 1) << 32, detail::u32(node.value),
                      detail::u32(run.value));
}
constexpr Event alloc(Nanoseconds t, MemoryKind kind, uint64_t address, Bytes bytes, uint32_t allocator,
                      uint32_t block) {
  return detail::make(EventKind::Alloc, t, static_cast<int64_t>(address), bytes, block,
                      static_cast<uint32_t>(kind) | allocator << 8);
}
constexpr Event free(Nanoseconds t, MemoryKind kind, uint64_t address, Bytes bytes, uint32_t allocator,
                     uint32_t block) {
  return detail::make(EventKind::Free, t, static_cast<int64_t>(address), bytes, block,
                      static_cast<uint32_t>(kind) | allocator << 8);
}
constexpr Event reserve(Nanoseconds t, MemoryKind kind, uint64_t address, Bytes bytes, uint32_t allocator,
                        uint32_t block) {
  return detail::make(EventKind::Reserve, t, static_cast<int64_t>(address), bytes, block,
                      static_cast<uint32_t>(kind) | allocator << 8);
}
constexpr Event release(Nanoseconds t, MemoryKind kind, uint64_t address, Bytes bytes, uint32_t allocator,
                        uint32_t block) {
  return detail::make(EventKind::Release, t, static_cast<int64_t>(address), bytes, block,
                      static_cast<uint32_t>(kind) | allocator << 8);
}
// Offsets and bytes up to 2^51 - 1. No run, or no step: none().
constexpr Event slice_event(EventKind kind, RunId run, Nanoseconds t, TensorRef tensor, Bytes offset, Bytes bytes,
                            Step step) {
  const auto number = static_cast<int64_t>(detail::u32(step.value) & 0xffffff);
  return detail::make(kind, t, offset | number >> 12 << Event::kSliceBits,
                      bytes | (number & 0xfff) << Event::kSliceBits, tensor.value, detail::u32(run.value));
}
constexpr Event slice_live(RunId run, Nanoseconds t, TensorRef tensor, Bytes offset, Bytes bytes, Step step) {
  return slice_event(EventKind::SliceLive, run, t, tensor, offset, bytes, step);
}
constexpr Event slice_dead(RunId run, Nanoseconds t, TensorRef tensor, Bytes offset, Bytes bytes, Step step) {
  return slice_event(EventKind::SliceDead, run, t, tensor, offset, bytes, step);
}
constexpr Event arena_write(RunId run, Nanoseconds t, TensorRef tensor, Bytes offset, Bytes bytes, Step step) {
  return slice_event(EventKind::ArenaWrite, run, t, tensor, offset, bytes, step);
}
constexpr Event arena_read(RunId run, Nanoseconds t, TensorRef tensor, Bytes offset, Bytes bytes, Step step) {
  return slice_event(EventKind::ArenaRead, run, t, tensor, offset, bytes, step);
}
constexpr Event context_object(Nanoseconds t, ContextId context, Bytes offset, Bytes size, uint32_t type) {
  return detail::make(EventKind::ContextObject, t, offset, size, detail::u32(context.value), type);
}
constexpr Event copy(NodeId node, Nanoseconds t0, Nanoseconds t1, Bytes bytes, DeviceId from, DeviceId to) {
  return detail::make(EventKind::Copy, t0, t1, bytes, detail::u32(node.value),
                      (detail::u32(from.value) & 0xfff) | (detail::u32(to.value) & 0xfff) << 12);
}
constexpr Event step(RunId run, Nanoseconds t, Step number, NodeId node) {
  return detail::make(EventKind::Step, t, number.value, 0, detail::u32(node.value), detail::u32(run.value));
}
constexpr Event layer(RunId run, Nanoseconds t, NameId name, int64_t number) {
  return detail::make(EventKind::Layer, t, number, 0, detail::u32(name.value), detail::u32(run.value));
}
constexpr Event counter(Nanoseconds t, CounterId id, double value) {
  return detail::make(EventKind::Counter, t, __builtin_bit_cast(int64_t, value), 0, detail::u32(id.value), 0);
}
constexpr Event slice(Nanoseconds t0, Nanoseconds t1, NameId name, int64_t depth) {
  return detail::make(EventKind::Slice, t0, t1, depth, detail::u32(name.value), 0);
}

constexpr Event between(RunId run, NodeId node, Nanoseconds t0, Nanoseconds t1, uint32_t flags) {
  return detail::make(EventKind::Between, t0, t1, flags, detail::u32(node.value), detail::u32(run.value));
}

}  // namespace arenascope::trace
