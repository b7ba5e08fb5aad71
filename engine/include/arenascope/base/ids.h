// SPDX-License-Identifier: MIT
// Strong ids and units: bytes, steps and nanoseconds never share a type, and neither do two kinds of index.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>

namespace arenascope {

// An index that cannot be mistaken for another kind of index. Default: none().
template <class Tag>
struct Id {
  int32_t value = -1;
  constexpr Id() = default;
  constexpr explicit Id(int32_t v) : value(v) {}
  constexpr explicit Id(size_t v) : value(static_cast<int32_t>(v)) {}
  constexpr bool valid() const { return value >= 0; }
  constexpr size_t index() const { return static_cast<size_t>(value); }
  constexpr auto operator<=>(const Id&) const = default;
  static constexpr Id none() { return Id(); }
};

using NodeId = Id<struct NodeTag>;    // a graph's node, in the order in which it was collected
using LeafId = Id<struct LeafTag>;    // a graph's leaf
using BlockId = Id<struct BlockTag>;  // a block of an arena, reused by several tensors in sequence
using Step = Id<struct StepTag>;      // a position in an execution order

using Bytes = int64_t;        // a size or an offset
using Nanoseconds = int64_t;  // a time on the host's steady clock, or a duration

}  // namespace arenascope

template <class Tag>
struct std::hash<arenascope::Id<Tag>> {
  size_t operator()(arenascope::Id<Tag> id) const noexcept { return std::hash<int32_t>()(id.value); }
};
