// SPDX-License-Identifier: MIT
#include <arenascope/base/layer_name.h>
#include <arenascope/trace/call_site.h>
#include <arenascope/trace/difference.h>
#include <arenascope/trace/flame_tree.h>
#include <arenascope/trace/span_label.h>
#include "engine/trace/flame_tree_builder.h"

#include <algorithm>
#include <map>

namespace arenascope::trace {
namespace {

constexpr std::array<const char*, kFlameWeights> kFlameWeightNames{"live-at-peak", "allocated", "span-time",
                                                                   "node-time",    "node-wait", "node-flops"};

bool is_in(TimeRange range, Nanoseconds time) { return time >= range.begin && time < range.end; }

// --- call stacks

struct FlameAllocations {
  double bytes = 0;
  int64_t count = 0;
  EventRef largest;
};

// Sums of allocations by call stack.
class StackSums {
 public:
  explicit StackSums(const Snapshot& snapshot) : snapshot_(snapshot), sums_(snapshot.stacks.size() + 1) {
    for (uint32_t i = 0; i < snapshot.stacks.size(); ++i)
      for (const uint32_t allocation : snapshot.stacks[i].allocations) stack_of_.emplace_back(allocation, i + 1);
    std::ranges::sort(stack_of_);
  }
  void add(EventRef allocation) {
    const Event& e = snapshot_.event(allocation);
    FlameAllocations& sum = sums_[stack_of(e.id)];
    if (sum.count++ == 0 || e.b > snapshot_.event(sum.largest).b) sum.largest = allocation;
    sum.bytes += static_cast<double>(e.b);
  }
  FlameTree tree(FlameStacks stacks) const;

 private:
  // 0: none.
  uint32_t stack_of(uint32_t allocation) const {
    const auto found = std::ranges::lower_bound(stack_of_, allocation, {}, &std::pair<uint32_t, uint32_t>::first);
    return found != stack_of_.end() && found->first == allocation ? found->second : 0;
  }

  const Snapshot& snapshot_;
  std::vector<std::pair<uint32_t, uint32_t>> stack_of_;  // by allocation
  std::vector<FlameAllocations> sums_;                   // sums without a stack, then per stack
};

// Outermost first.
std::vector<const StackFrame*> shown_frames(const Snapshot& snapshot, const StackInfo& stack, FlameStacks stacks) {
  std::vector<const StackFrame*> frames;
  for (size_t f = stack.frames.size(); f-- > 0;)
    if (stacks == FlameStacks::All || !is_library_frame(snapshot, stack.frames[f])) frames.push_back(&stack.frames[f]);
  if (const StackFrame* site = call_site_frame(snapshot, stack); frames.empty() && site != nullptr) frames = {site};
  return frames;
}

FlameTree StackSums::tree(FlameStacks stacks) const {
  FlameTreeBuilder builder;
  for (size_t i = 0; i < sums_.size(); ++i) {
    const FlameAllocations& sum = sums_[i];
    if (sum.count == 0) continue;
    uint32_t frame = 0;
    if (i > 0)
      for (const StackFrame* shown : shown_frames(snapshot_, snapshot_.stacks[i - 1], stacks))
        if (std::string text = frame_text(snapshot_, *shown); !text.empty())
          frame = builder.child(frame, builder.intern(std::move(text)), FlameKind::Function);
    if (frame == 0) frame = builder.child(0, builder.intern("no call stack"), FlameKind::NoStack);
    builder.add(frame, sum.bytes, sum.count, sum.largest);
  }
  return std::move(builder).finish(FlameUnit::Bytes);
}

// Number of leading memory events after which the most bytes are live, at a time of the range.
size_t events_to_peak(const Snapshot& snapshot, TimeRange range) {
  double live = 0, most = 0;
  size_t peak = 0;
  for (size_t i = 0; i < snapshot.memory_events.size(); ++i) {
    const Event& e = snapshot.event(snapshot.memory_events[i]);
    if (e.kind() != EventKind::Alloc && e.kind() != EventKind::Free) continue;
    live += static_cast<double>(e.kind() == EventKind::Alloc ? e.b : -e.b);
    if (e.time >= range.end || (e.time >= range.begin && live <= most)) continue;
    most = live;
    peak = i + 1;
  }
  return peak;
}

FlameTree live_at_peak(const Snapshot& snapshot, TimeRange range, FlameStacks stacks) {
  // An allocation at an address ends the one before it, whose Free event was lost. Allocations without an address, such
  // as totals of older memory, differ by number.
  using Key = std::tuple<uint32_t, int64_t, uint32_t>;  // allocator, address, number
  std::map<Key, EventRef> live;
  for (size_t i = 0, end = events_to_peak(snapshot, range); i < end; ++i) {
    const EventRef ref = snapshot.memory_events[i];
    const Event& e = snapshot.event(ref);
    const Key key{e.allocator(), e.a, e.a == 0 ? e.id : 0};
    if (e.kind() == EventKind::Alloc) live[key] = ref;
    if (e.kind() == EventKind::Free) live.erase(key);
  }
  StackSums sums(snapshot);
  for (const auto& [key, ref] : live) sums.add(ref);
  return sums.tree(stacks);
}

FlameTree allocated(const Snapshot& snapshot, TimeRange range, FlameStacks stacks) {
  StackSums sums(snapshot);
  for (size_t i = 0; i < snapshot.memory_events.size(); ++i) {
    const EventRef ref = snapshot.memory_events[i];
    const Event& e = snapshot.event(ref);
    if (e.kind() == EventKind::Alloc && is_in(range, e.time)) sums.add(ref);
  }
  return sums.tree(stacks);
}

// --- spans

// Names of spans, made once per label.
class SpanNames {
 public:
  SpanNames(const Snapshot& snapshot, FlameTreeBuilder& builder) : snapshot_(snapshot), builder_(builder) {}
  uint32_t of(const Event& e) {
    const SpanLabelKey key = SpanLabelKey::of(snapshot_, e);
    if (key == last_) return last_name_;
    const auto [it, added] = names_.try_emplace(key, 0);
    if (added) it->second = builder_.intern(snapshot_.label(e));
    last_ = key;
    return last_name_ = it->second;
  }

 private:
  const Snapshot& snapshot_;
  FlameTreeBuilder& builder_;
  std::map<SpanLabelKey, uint32_t> names_;
  SpanLabelKey last_;
  uint32_t last_name_ = 0;
};

struct FlameSpan {
  Nanoseconds begin, end;
  uint32_t lane, row;
};

// In the order in which they open.
std::vector<FlameSpan> spans_of_track(const TrackView& track, TimeRange range) {
  std::vector<FlameSpan> spans;
  for (uint32_t lane = 0; lane < track.lanes.size(); ++lane) {
    const ColumnView<Event>& rows = track.lanes[lane].rows;
    for (uint32_t row = 0; row < rows.size(); ++row) {
      const Event& e = rows[row];
      if (e.kind() == EventKind::None) continue;  // evicted
      const Nanoseconds begin = std::max(e.begin(), range.begin), end = std::min(e.end(), range.end);
      if (begin < end) spans.push_back({begin, end, lane, row});
    }
  }
  std::ranges::sort(spans, [](const FlameSpan& x, const FlameSpan& y) {
    if (x.begin != y.begin) return x.begin < y.begin;
    if (x.end != y.end) return x.end > y.end;
    return x.lane != y.lane ? x.lane < y.lane : x.row < y.row;
  });
  return spans;
}

constexpr Nanoseconds kRounding = 1000;

void fold_track(const Snapshot& snapshot, TrackId id, TimeRange range, SpanNames& names, FlameTreeBuilder& builder) {
  struct Open {
    Nanoseconds end, covered;  // by children
    uint32_t frame;
  };
  const TrackView& track = snapshot.tracks[id.index()];
  std::vector<FlameSpan> spans = spans_of_track(track, range);
  if (spans.empty()) return;
  const std::string& program = track.info.program;
  const std::string own = track.info.name.empty() ? "track " + std::to_string(id.value) : track.info.name;
  const uint32_t root =
      builder.new_child(0, builder.intern(program.empty() ? own : program + " " + own), FlameKind::Track, id);
  std::vector<Open> open;
  for (FlameSpan& span : spans) {
    while (!open.empty() && open.back().end <= span.begin) open.pop_back();
    size_t around = open.size();
    while (around > 0 && span.end > open[around - 1].end + kRounding) --around;
    uint32_t parent = root;
    if (around > 0) {
      Open& outer = open[around - 1];
      span.end = std::min(span.end, outer.end);
      parent = outer.frame;
      if (span.end > outer.covered)
        builder.subtract(parent, static_cast<double>(span.end - std::max(span.begin, outer.covered)));
      outer.covered = std::max(outer.covered, span.end);
    }
    const Event& e = track.lanes[span.lane].rows[span.row];
    const uint32_t frame = builder.child(parent, names.of(e), FlameKind::Span);
    builder.add(frame, static_cast<double>(span.end - span.begin), 1, SpanRef{id, span.lane, span.row});
    open.push_back({span.end, span.begin, frame});
  }
}

FlameTree span_time(const Snapshot& snapshot, TimeRange range) {
  FlameTreeBuilder builder;
  SpanNames names(snapshot, builder);
  for (size_t i = 0; i < snapshot.tracks.size(); ++i) fold_track(snapshot, TrackId(i), range, names, builder);
  return std::move(builder).finish(FlameUnit::Nanoseconds);
}

// --- layers

std::vector<double> node_weights(const Snapshot& snapshot, const GraphInfo& graph, FlameWeight weight) {
  std::vector<double> out(graph.nodes.size());
  if (weight == FlameWeight::NodeFlops) {
    std::ranges::transform(graph.nodes, out.begin(), [](const TensorInfo& n) { return static_cast<double>(n.flops); });
    return out;
  }
  const std::vector<NodeStats> stats = snapshot.stats(graph.id);
  std::ranges::transform(stats, out.begin(), [&](const NodeStats& s) {
    return weight == FlameWeight::NodeTime ? static_cast<double>(s.median) : s.wait;
  });
  return out;
}

uint32_t layer_frame(FlameTreeBuilder& builder, uint32_t frame, GraphId graph, std::string_view layer) {
  std::vector<std::string_view> path;  // innermost first
  for (; !layer.empty(); layer = layer_around(layer)) path.push_back(layer_itself(layer));
  for (size_t i = path.size(); i-- > 0;)
    frame = builder.child(frame, builder.intern(std::string(path[i])), FlameKind::Layer,
                          FlameOfGraph{graph, NodeId::none()});
  return frame;
}

FlameTree by_layer(const Snapshot& snapshot, FlameWeight weight) {
  struct Weighted {
    const GraphInfo* graph;
    std::vector<double> weights;
  };
  std::vector<Weighted> graphs;
  for (const auto& graph : snapshot.graphs) {
    if (!graph || graph->of_file) continue;
    Weighted weighted{graph.get(), node_weights(snapshot, *graph, weight)};
    if (std::ranges::any_of(weighted.weights, [](double w) { return w > 0; })) graphs.push_back(std::move(weighted));
  }
  FlameTreeBuilder builder;
  for (const auto& [graph, weights] : graphs) {
    uint32_t root = 0;
    if (graphs.size() > 1) {
      const std::string title = graph->model + " #" + std::to_string(graph->id.value);
      root = builder.child(0, builder.intern(title), FlameKind::Graph, FlameOfGraph{graph->id, NodeId::none()});
    }
    for (size_t i = 0; i < weights.size(); ++i) {
      if (!(weights[i] > 0)) continue;
      const TensorInfo& node = graph->nodes[i];
      const std::string name = display_name(*graph, TensorRef::node(NodeId(i)));
      const uint32_t layer = layer_frame(builder, root, graph->id, node.layer);
      const FlameOfGraph origin{graph->id, NodeId(i)};
      const uint32_t frame = builder.child(layer, builder.intern(node.name.empty() ? name : node.op + " " + name),
                                           FlameKind::Node, origin);
      builder.add(frame, weights[i], 1, origin);
    }
  }
  return std::move(builder).finish(unit_of(weight));
}

bool has_weight(const Snapshot& snapshot, FlameWeight weight) {
  const auto any_node = [&](auto is_met) {
    return std::ranges::any_of(snapshot.graphs, [&](const auto& graph) {
      return graph && !graph->of_file && std::ranges::any_of(graph->nodes, is_met);
    });
  };
  switch (weight) {
    case FlameWeight::LiveAtPeak:
    case FlameWeight::Allocated: return !snapshot.stacks.empty() && !snapshot.memory_events.empty();
    case FlameWeight::SpanTime:
      return std::ranges::any_of(snapshot.tracks, [](const TrackView& track) {
        return std::ranges::any_of(track.lanes, [](const LaneView& lane) { return !lane.rows.empty(); });
      });
    case FlameWeight::NodeTime: {
      for (size_t i = snapshot.forgotten_runs; i < snapshot.runs.size(); ++i)
        if (snapshot.runs[i].table && !snapshot.runs[i].table->nodes.empty()) return true;
      return false;
    }
    case FlameWeight::NodeWait: return !snapshot.barriers.empty();
    case FlameWeight::NodeFlops: return any_node([](const TensorInfo& node) { return node.flops > 0; });
  }
  return false;
}

}  // namespace

FlameUnit unit_of(FlameWeight weight) {
  switch (weight) {
    case FlameWeight::LiveAtPeak:
    case FlameWeight::Allocated: return FlameUnit::Bytes;
    case FlameWeight::NodeFlops: return FlameUnit::Flops;
    default: return FlameUnit::Nanoseconds;
  }
}

const char* name(FlameWeight weight) { return kFlameWeightNames[static_cast<size_t>(weight)]; }

std::optional<FlameWeight> parse_flame_weight(std::string_view name) {
  const auto found =
      std::ranges::find(kFlameWeightNames, name, [](const char* text) { return std::string_view(text); });
  if (found == kFlameWeightNames.end()) return std::nullopt;
  return static_cast<FlameWeight>(found - kFlameWeightNames.begin());
}

std::string FlameTree::layer(const FlameFrame& frame) const {
  std::string out;
  for (const FlameFrame* at = &frame; at->kind == FlameKind::Layer; at = &frames[at->parent])
    out = out.empty() ? name(*at) : name(*at) + std::string(kWithinLayer) + out;
  return out;
}

std::vector<FlameWeight> flame_weights(const Snapshot& snapshot) {
  std::vector<FlameWeight> out;
  for (size_t i = 0; i < kFlameWeights; ++i)
    if (const auto weight = static_cast<FlameWeight>(i); has_weight(snapshot, weight)) out.push_back(weight);
  return out;
}

FlameTree flame_tree(const Snapshot& snapshot, FlameWeight weight, std::optional<TimeRange> range, FlameStacks stacks) {
  const TimeRange times = range.value_or(TimeRange{INT64_MIN, INT64_MAX});
  switch (weight) {
    case FlameWeight::LiveAtPeak: return live_at_peak(snapshot, times, stacks);
    case FlameWeight::Allocated: return allocated(snapshot, times, stacks);
    case FlameWeight::SpanTime: return span_time(snapshot, times);
    default: return by_layer(snapshot, weight);
  }
}

std::vector<double> totals_in(const FlameTree& b, const FlameTree& a) {
  std::map<std::pair<uint32_t, std::string_view>, uint32_t> child_of;  // by parent and name, in b
  for (uint32_t i = 1; i < b.frames.size(); ++i) child_of.try_emplace({b.frames[i].parent, b.name(b.frames[i])}, i);
  std::vector<double> out(a.frames.size());
  std::vector<uint32_t> match(a.frames.size(), UINT32_MAX);
  for (uint32_t i = 0; i < a.frames.size(); ++i) {
    const FlameFrame& frame = a.frames[i];
    if (i == 0) {
      match[i] = 0;
    } else if (match[frame.parent] != UINT32_MAX) {
      const auto found = child_of.find({match[frame.parent], a.name(frame)});
      if (found != child_of.end()) match[i] = found->second;
    }
    if (match[i] != UINT32_MAX) out[i] = b.frames[match[i]].total;
  }
  return out;
}

}  // namespace arenascope::trace
