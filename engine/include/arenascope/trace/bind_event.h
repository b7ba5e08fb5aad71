// SPDX-License-Identifier: MIT
// The Bind event: it names the tensor that an allocation belongs to. It follows the Alloc event of the same address on
// the same track: a = address, b = requested bytes | allocator << 47, id = tensor (TensorRef), extra = graph. A graph
// without a tensor: the arena of the plan that the graph runs with. Neither: only the requested size is known.
#pragma once
#include <arenascope/trace/events.h>

namespace arenascope::trace {

inline constexpr int kBoundBytesBits = 47;  // bits of `b` that hold the byte count
inline constexpr Bytes kMaxBoundBytes = (Bytes{1} << kBoundBytesBits) - 1;

// Bits of TensorInfo::flags: optimiser state; a view that computes by writing into its source's bytes.
inline constexpr uint32_t kOptimizerState = 128, kWritesSource = 256;

constexpr Event owner(Nanoseconds t, uint64_t address, Bytes asked, uint32_t allocator, GraphId graph,
                      TensorRef tensor) {
  return detail::make(EventKind::Bind, t, static_cast<int64_t>(address),
                      asked | static_cast<int64_t>(allocator & 0xffff) << kBoundBytesBits, tensor.value,
                      detail::u32(graph.value) & 0xffffff);
}
constexpr Bytes bound_bytes(const Event& e) { return e.b & kMaxBoundBytes; }
constexpr GraphId bound_graph(const Event& e) {
  return e.extra24() == 0xffffff ? GraphId::none() : GraphId(static_cast<int32_t>(e.extra24()));
}
constexpr uint32_t bound_allocator(const Event& e) { return static_cast<uint32_t>(e.b >> kBoundBytesBits) & 0xffff; }

}  // namespace arenascope::trace
