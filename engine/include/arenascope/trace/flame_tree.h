// SPDX-License-Identifier: MIT
// Weighted trees of call stacks, nested spans and layers: the data of flame graphs. Pure functions of the snapshot.
#pragma once
#include <arenascope/trace/snapshot.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace arenascope::trace {

enum class FlameWeight : uint8_t {
  LiveAtPeak,  // bytes that were live when the most were, by call stack
  Allocated,   // bytes of all allocations, by call stack
  SpanTime,    // duration of spans, by track and nesting
  NodeTime,    // median wall time of nodes, by layer
  NodeWait,    // mean wait per run at the barriers after nodes, summed over threads, by layer
  NodeFlops,   // floating-point operations per run, by layer
};
inline constexpr size_t kFlameWeights = 6;
enum class FlameStacks : uint8_t {
  All,   // every frame
  User,  // without frames of libraries and the interpreter; of a stack without others only the call site (call_site.h)
};
enum class FlameUnit : uint8_t { Bytes, Nanoseconds, Flops };
FlameUnit unit_of(FlameWeight weight);
// "live-at-peak", "allocated", "span-time", "node-time", "node-wait", "node-flops"
const char* name(FlameWeight weight);
std::optional<FlameWeight> parse_flame_weight(std::string_view name);

enum class FlameKind : uint8_t {
  All,       // the root
  Function,  // a frame of a call stack
  NoStack,   // allocations without a call stack
  Track,
  Span,
  Graph,  // only if several graphs have weight
  Layer,
  Node,
};

struct FlameOfGraph {
  GraphId graph;
  NodeId node;  // none: the graph, or a layer of it
  bool operator==(const FlameOfGraph&) const = default;
};

// Where a frame came from: the largest allocation (an Alloc event), the longest span, the node or the graph.
using FlameOrigin = std::variant<std::monostate, EventRef, SpanRef, TrackId, FlameOfGraph>;

struct FlameFrame {
  uint32_t name = 0;         // index into FlameTree::names
  uint32_t parent = 0;       // of the root: itself
  uint32_t first_child = 0;  // children are adjacent, the largest first
  uint32_t children = 0;
  uint32_t depth = 0;  // of the root: 0
  FlameKind kind = FlameKind::All;
  double self = 0, total = 0;  // total = self + totals of the children; both ≥ 0
  int64_t count = 0;           // allocations, spans or nodes that end in this frame
  FlameOrigin origin;
};

struct FlameTree {
  FlameUnit unit = FlameUnit::Nanoseconds;
  std::vector<FlameFrame> frames;  // by depth, so parents precede children; frames[0] is the root
  std::vector<std::string> names;

  bool empty() const { return frames.size() <= 1; }
  const FlameFrame& root() const { return frames[0]; }
  const std::string& name(const FlameFrame& frame) const { return names[frame.name]; }
  std::span<const FlameFrame> children(const FlameFrame& frame) const {
    return {frames.data() + frame.first_child, frame.children};
  }
  uint32_t depth() const { return frames.back().depth; }  // of the deepest frame
  // Layer of a frame of kind Layer, such as "Loop x / iteration 3" (base/layer_name.h).
  std::string layer(const FlameFrame& frame) const;
};

// The weights for which the snapshot has data. O(nodes).
std::vector<FlameWeight> flame_weights(const Snapshot& snapshot);

// The tree of everything in the time range, or of the whole snapshot; the weights of layers are per run and ignore the
// range. Frames without weight are left out. Spans that cross the ends of the range are clipped.
//
// A span is a child of the innermost span of its track that contains it. If it is up to 1 µs longer, because times of the
// file are rounded, it is cut there. Overlapping siblings count each.
FlameTree flame_tree(const Snapshot& snapshot, FlameWeight weight, std::optional<TimeRange> range = {},
                     FlameStacks stacks = FlameStacks::All);

// For each frame of `a`, the total of the frame with the same path in `b`; 0 if there is none.
std::vector<double> totals_in(const FlameTree& b, const FlameTree& a);

}  // namespace arenascope::trace
