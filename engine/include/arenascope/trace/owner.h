// SPDX-License-Identifier: MIT
// A kind of event of its own: what memory that was handed out is for, and what of it a tensor's flags tell. It follows
// the Alloc of its address on the same track: a = address, b = bytes that were asked for | allocator << 47, id = tensor
// (TensorRef), extra = graph. A graph without a tensor: the arena of the plan that the graph runs with. Neither: only
// what was asked for is told.
#pragma once
#include <arenascope/trace/events.h>

namespace arenascope::trace {

inline constexpr auto kOwnerEvent = static_cast<EventKind>(22);
inline constexpr int kOwnerBits = 47;  // of the bytes
inline constexpr Bytes kMostOwned = (Bytes{1} << kOwnerBits) - 1;

// Of TensorInfo::flags: what an optimiser keeps from step to step; a view that computes, by writing into its source's bytes.
inline constexpr uint32_t kOptimizerState = 128, kWritesSource = 256;

constexpr Event owner(Nanoseconds t, uint64_t address, Bytes asked, uint32_t allocator, GraphId graph,
                      TensorRef tensor) {
  return detail::make(kOwnerEvent, t, static_cast<int64_t>(address),
                      asked | static_cast<int64_t>(allocator & 0xffff) << kOwnerBits, tensor.value,
                      detail::u32(graph.value) & 0xffffff);
}
constexpr Bytes owned_bytes(const Event& e) { return e.b & kMostOwned; }
constexpr GraphId owner_graph(const Event& e) {
  return e.extra24() == 0xffffff ? GraphId::none() : GraphId(static_cast<int32_t>(e.extra24()));
}
constexpr uint32_t owner_allocator(const Event& e) { return static_cast<uint32_t>(e.b >> kOwnerBits) & 0xffff; }

}  // namespace arenascope::trace
