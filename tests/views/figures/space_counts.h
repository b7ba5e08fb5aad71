// SPDX-License-Identifier: GPL-3.0-or-later
// Plain counts of memory over the events, compared with the arena map and occupancy: exactly, at every event. Also
// checks that lifetimes has the begin and end of each block, the timeline has each span, and the graph has each node.
// For recordings made by the command line.
#pragma once
#include <arenascope/trace/import.h>
#include <views/arena/space_map.h>
#include <views/graph/folded_graph.h>
#include <views/lifetimes/lifetimes_picture.h>
#include <views/occupancy/occupancy_picture.h>
#include <views/timeline/timeline_picture.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <set>

namespace arenascope::views::test_spaces {

inline PrepareInput input_of(const SnapshotPtr& snapshot, AxisMode mode) {
  PrepareInput in;
  in.snapshot = snapshot;
  if (!snapshot->runs.empty()) {
    in.run = trace::RunId(snapshot->runs.size() - 1);
    in.graph = snapshot->graph_of(in.run);
    in.plan = snapshot->plan_of(in.run);
  }
  in.axis.mode = mode;
  in.axis.origin = snapshot->time.begin;
  const auto steps = in.plan ? static_cast<int32_t>(in.plan->order.size()) : 0;
  if (in.run.valid()) in.axis.mapping = AxisMapping::from(snapshot->steps(in.run), in.axis.origin, steps);
  in.axis.range = mode == AxisMode::Time ? AxisRange{0, static_cast<double>(snapshot->time.length() + 1)}
                                         : AxisRange{0, static_cast<double>(steps)};
  in.pixels = 1 << 14;
  return in;
}

// By time: allocated and reserved bytes after all events at that time, derived from the events alone.
struct Counted {
  Bytes active = 0, reserved = 0;
  std::map<int32_t, Bytes> by_device;  // allocated bytes
};
inline std::map<Nanoseconds, Counted> count(const trace::Snapshot& s) {
  std::map<Nanoseconds, Counted> out;
  std::map<uint64_t, Bytes> alone;  // allocations that no observed tensor uses
  std::map<uint64_t, Bytes> taken;
  Counted now;
  for (size_t i = 0; i < s.memory_events.size(); ++i) {
    const trace::Event& e = s.event(s.memory_events[i]);
    const auto address = static_cast<uint64_t>(e.a);
    const trace::AllocatorInfo* allocator = s.allocator(e.allocator());
    const int32_t device = allocator ? allocator->device.value : -1;
    switch (e.kind()) {
      case trace::EventKind::Alloc: {
        now.active += e.b;
        now.by_device[device] += e.b;
        bool inside = false;
        for (const auto& [at, bytes] : taken) inside |= at <= address && address - at < static_cast<uint64_t>(bytes);
        if (!inside) alone[address] = e.b, now.reserved += e.b;
        break;
      }
      case trace::EventKind::Free:
        now.active -= e.b;
        now.by_device[device] -= e.b;
        if (alone.erase(address) > 0) now.reserved -= e.b;
        break;
      case trace::EventKind::Reserve: taken[address] = e.b, now.reserved += e.b; break;
      default: now.reserved -= e.b;  // its pages are in `taken`: they are reused or never allocated
    }
    out[e.time] = now;
  }
  return out;
}

// Total bytes of rectangles as a function of x.
class Heights {
 public:
  void add(const Rect& r) {
    change_[r.x0] += r.y1 - r.y0;
    change_[r.x1] -= r.y1 - r.y0;
  }
  void finish() {
    double sum = 0;
    for (auto& [x, bytes] : change_) bytes = sum += bytes;
  }
  Bytes at(double x) const {
    const auto next = change_.upper_bound(x);
    return next == change_.begin() ? 0 : static_cast<Bytes>(std::prev(next)->second);
  }

 private:
  std::map<double, double> change_;
};

// The allocated bytes as drawn. For the block of an arena, whose tensors are drawn in it, the outline counts.
inline Heights handed_out(const ArenaPicture& map) {
  std::vector<Rect> arenas;
  Heights sum;
  for (size_t i = 0; i < map.outlines->size(); ++i) {
    const Rect& r = (*map.outlines)[i];
    if (r.style == static_cast<uint32_t>(kOutlinePlan)) arenas.push_back(r);
    if (r.style == static_cast<uint32_t>(kOutlinePlan) || r.style == static_cast<uint32_t>(kOutlineWaste)) sum.add(r);
  }
  for (size_t i = 0; i < map.bodies->size(); ++i) {
    const Rect& body = (*map.bodies)[i];
    const bool in_arena = std::any_of(arenas.begin(), arenas.end(), [&](const Rect& arena) {
      return arena.x0 <= body.x0 && body.x0 < arena.x1 && arena.y0 <= body.y0 && body.y1 <= arena.y1;
    });
    if (!in_arena) sum.add(body);
  }
  sum.finish();
  return sum;
}

inline Heights reserved(const ArenaPicture& map) {
  Heights sum;
  for (size_t i = 0; i < map.holes->size(); ++i) sum.add((*map.holes)[i]);
  sum.finish();
  return sum;
}

inline void compare_stacks(PrepareInput in, OccupancyScope scope, const std::map<Nanoseconds, Counted>& counts);

inline void compare_bodies(const RectSet& bodies) {
  for (size_t i = 0; i < bodies.size(); i += 1 + bodies.size() / 2000) {
    const RectSet::Span span = bodies.candidates(bodies[i].x0, bodies[i].x1);
    for (size_t j = span.first; j < span.last; ++j) {
      const bool empty = bodies[i].x1 <= bodies[i].x0 || bodies[j].x1 <= bodies[j].x0;
      const bool apart = i == j || empty || bodies[j].x0 >= bodies[i].x1 || bodies[j].x1 <= bodies[i].x0 ||
                         bodies[j].y0 >= bodies[i].y1 || bodies[j].y1 <= bodies[i].y0;
      if (!apart)
        qWarning("%zu and %zu: %.1f to %.1f at %.0f to %.0f, %.1f to %.1f at %.0f to %.0f", i, j, bodies[i].x0,
                 bodies[i].x1, bodies[i].y0, bodies[i].y1, bodies[j].x0, bodies[j].x1, bodies[j].y0, bodies[j].y1);
      QVERIFY(apart);
    }
  }
}

inline void compare(const SnapshotPtr& snapshot) {
  const PrepareInput in = input_of(snapshot, AxisMode::Time);
  const auto map = prepare_arena_map(in, {}, ArenaMode::Spaces, {SpaceChoice::Of::All, 0});
  QVERIFY(map && map->in_spaces);
  const auto counts = count(*snapshot);
  QVERIFY(counts.size() > 10);
  const Heights active = handed_out(*map), held = reserved(*map);
  for (const auto& [time, counted] : counts) {
    const double x = in.axis.x_of_time(time);
    QCOMPARE(active.at(x), counted.active);
    QCOMPARE(held.at(x), counted.reserved);
  }
  for (const OccupancyScope scope : {OccupancyScope::Kinds, OccupancyScope::Allocators, OccupancyScope::Devices,
                                     OccupancyScope::Classes, OccupancyScope::CallSites}) {
    compare_stacks(in, scope, counts);
    if (QTest::currentTestFailed()) return;
  }
  // Rectangles that exist at the same time do not overlap.
  compare_bodies(*map->bodies);
}

// The layers at the peak add up to the peak, in every stack and at any zoom.
inline void compare_peak(const SnapshotPtr& snapshot) {
  const PrepareInput in = input_of(snapshot, AxisMode::Time);
  for (const OccupancyScope scope : {OccupancyScope::Kinds, OccupancyScope::Allocators, OccupancyScope::Devices,
                                     OccupancyScope::Classes, OccupancyScope::CallSites}) {
    const auto stack = prepare_occupancy(in, scope, {});
    Bytes sum = 0;
    for (const auto& layer : stack->kinds) sum += layer.at_peak;
    QVERIFY(stack->peak > 0);
    QCOMPARE(sum, stack->peak);
  }
}

// Checks the layers of a stack between two events.
inline void compare_stack(const OccupancyPicture& stack, double x, const Counted& counted) {
  double sum = 0;
  for (const auto& layer : stack.kinds) {
    const double bytes = value_at(layer.levels, x);
    sum += bytes;
    if (stack.scope != OccupancyScope::Devices) continue;
    const auto of_device = counted.by_device.find(layer.device.value);
    QVERIFY(of_device != counted.by_device.end() || bytes == 0);
    if (bytes > 0) QCOMPARE(static_cast<Bytes>(bytes), of_device->second);
  }
  QCOMPARE(static_cast<Bytes>(sum), counted.active);
}

// After each event: several at once, and individually where they are too close to each other.
inline void compare_stacks(PrepareInput in, OccupancyScope scope, const std::map<Nanoseconds, Counted>& counts) {
  const std::vector<std::pair<Nanoseconds, Counted>> list(counts.begin(), counts.end());
  const size_t at_once = list.size() < 1000 ? 16 : 128;
  for (size_t first = 0; first + 1 < list.size(); first += at_once) {
    const size_t last = std::min(first + at_once, list.size() - 1);
    in.pixels = 1 << 15;
    in.axis.range = {in.axis.x_of_time(list[first].first), in.axis.x_of_time(list[last].first)};
    const double least = 8 * in.axis.range.length() / in.pixels;  // a few pixels
    const auto stack = prepare_occupancy(in, scope, {});
    QVERIFY(stack->scope == scope && !stack->kinds.empty());
    for (size_t i = first; i < last; ++i) {
      const double x0 = in.axis.x_of_time(list[i].first), x1 = in.axis.x_of_time(list[i + 1].first);
      if (x1 - x0 >= least) {
        compare_stack(*stack, (x0 + x1) / 2, list[i].second);
      } else {
        in.pixels = 8;
        in.axis.range = {x0, x1};
        compare_stack(*prepare_occupancy(in, scope, {}), (x0 + x1) / 2, list[i].second);
      }
      if (QTest::currentTestFailed()) return;
    }
  }
}

using Lives = std::multiset<std::tuple<double, double>>;

// Begin and end of each block allocated in a space, from the events alone. `all`: including weights.
inline Lives counted_lives(const PrepareInput& in, bool all) {
  const trace::Snapshot& s = *in.snapshot;
  const trace::Run* looked_at = s.run(in.run);
  const Nanoseconds from = looked_at ? looked_at->info.begin : s.time.begin;
  const Nanoseconds to = looked_at && looked_at->finished ? std::max(looked_at->end, from + 1) : s.time.end + 1;
  struct Taken {
    Bytes bytes;
    trace::MemoryKind kind;
  };
  using Place = std::pair<int32_t, uint64_t>;
  std::map<Place, Taken> taken;
  std::map<Place, std::pair<Nanoseconds, bool>> there;
  Lives lives;
  const auto end = [&](Nanoseconds begin, Nanoseconds t) {
    if (begin < to && t > from)
      lives.emplace(in.axis.x_of_time(std::max(begin, from)), in.axis.x_of_time(std::min(t, to)));
  };
  for (size_t i = 0; i < s.memory_events.size(); ++i) {
    const trace::Event& e = s.event(s.memory_events[i]);
    const trace::AllocatorInfo* allocator = s.allocator(e.allocator());
    const Place place{allocator ? allocator->device.value : -1, static_cast<uint64_t>(e.a)};
    if (e.kind() == trace::EventKind::Reserve) taken[place] = {e.b, e.memory_kind()};
    if (e.kind() == trace::EventKind::Release) {
      if (const auto at = taken.find(place); at != taken.end() && at->second.bytes == e.b) taken.erase(at);
    }
    if (e.kind() == trace::EventKind::Alloc) {
      trace::MemoryKind kind = e.memory_kind();
      const auto next = taken.upper_bound(place);
      if (next != taken.begin()) {
        const auto& [at, space] = *std::prev(next);
        if (at.first == place.first && place.second - at.second < static_cast<uint64_t>(space.bytes)) kind = space.kind;
      }
      const bool weights = kind == trace::MemoryKind::Persistent || kind == trace::MemoryKind::Mapped;
      there[place] = {e.time, all || !weights};
    }
    if (e.kind() != trace::EventKind::Free) continue;
    const auto at = there.find(place);
    if (at == there.end()) continue;
    if (at->second.second) end(at->second.first, e.time);
    there.erase(at);
  }
  for (const auto& [place, live] : there)
    if (live.second) end(live.first, to);
  return lives;
}

// Lifetimes in the run's arena according to the plan: from the step of its first use to that of its last, or to the
// step at which another tensor reuses it in place. The spans give the start times of steps.
inline Lives counted_in_arena(const PrepareInput& in) {
  const std::vector<trace::StepMark> marks = in.snapshot->steps(in.run).marks();
  const auto x_of = [&](Step step) {
    if (in.axis.mode == AxisMode::Step) return in.axis.x_of_step(step.value);
    if (step.index() < marks.size()) return in.axis.x_of_time(marks[step.index()].time);
    Nanoseconds last = 0;  // end of the last work
    for (const trace::SpanRef& ref : in.snapshot->spans_exact(in.snapshot->run(in.run)->info.lead, marks.front().time,
                                                              in.snapshot->run(in.run)->end, SIZE_MAX))
      last = std::max(last, in.snapshot->event(ref).end());
    return in.axis.x_of_time(last);
  };
  Lives lives;
  for (const trace::SliceInfo& slice : in.plan->slices) {
    if (!slice.bound || slice.size <= 0 || slice.first >= slice.last) continue;
    Step last = slice.last;
    for (const trace::SliceInfo& other : in.plan->slices)
      if (other.in_place_of == slice.tensor && other.offset == slice.offset && other.first >= slice.first)
        last = std::min(last, other.first);
    lives.emplace(x_of(slice.first), x_of(last));
  }
  return lives;
}

inline void compare_lives(const LifetimesPicture& drawn, const Lives& blocks, const Lives& in_arena) {
  Lives of_blocks, of_plan;
  for (size_t i = 0; i < drawn.spans->size(); ++i) {
    const Rect& r = (*drawn.spans)[i];
    const bool space = drawn.in_spaces && r.tag < drawn.first_of_plan;
    (space ? of_blocks : of_plan).emplace(r.x0, r.x1);
  }
  QCOMPARE(of_blocks.size(), blocks.size());
  QVERIFY(of_blocks == blocks);
  QCOMPARE(of_plan.size(), in_arena.size());
  QVERIFY(of_plan == in_arena);
}

// With the default selection, and with all spaces.
inline void compare_lifetimes(const SnapshotPtr& snapshot, bool with_arena) {
  for (const AxisMode mode : {AxisMode::Time, AxisMode::Step}) {
    const PrepareInput in = input_of(snapshot, mode);
    if (mode == AxisMode::Step && !in.run.valid()) continue;
    const Lives in_arena = with_arena ? counted_in_arena(in) : Lives{};
    const auto shown = prepare_lifetimes(in, {});
    compare_lives(*shown, shown->in_spaces ? counted_lives(in, false) : Lives{}, in_arena);
    if (QTest::currentTestFailed()) return;
    const auto all = prepare_lifetimes(in, {}, false, ArenaMode::Spaces, {SpaceChoice::Of::All, 0});
    compare_lives(*all, counted_lives(in, true), in_arena);
    if (QTest::currentTestFailed()) return;
    QVERIFY(all->spans->size() > 10 && all->rows.size() > 1);
  }
}

// Each span of each thread is in its row, alone or merged with others in its pixel, and each node is in the graph.
inline void compare_timeline_and_graph(const SnapshotPtr& snapshot) {
  const PrepareInput in = input_of(snapshot, AxisMode::Time);
  const auto timeline = prepare_timeline(in, {});
  std::map<int32_t, size_t> drawn;
  std::set<std::tuple<int32_t, uint32_t, uint32_t>> cells;  // a merged cell has one rectangle per fraction
  for (const TimelineItem& item : timeline->items) {
    const trace::SpanRef& span = item.cell.span;
    if (!item.step.valid() && cells.insert({span.track.value, span.lane, span.row}).second)
      drawn[span.track.value] += item.cell.count;
  }
  size_t copies = 0, works = 0;
  for (size_t t = 0; t < snapshot->tracks.size(); ++t) {
    size_t spans = 0, moments = 0;  // spans without a length may be invisible
    for (const trace::LaneView& lane : snapshot->tracks[t].lanes)
      for (size_t i = 0; i < lane.rows.size(); ++i) {
        if (lane.rows[i].is_pause()) continue;
        ++(lane.rows[i].end() > lane.rows[i].begin() ? spans : moments);
        copies += lane.rows[i].kind() == trace::EventKind::Copy ? 1 : 0;
        works += lane.rows[i].kind() == trace::EventKind::Work ? 1 : 0;
      }
    const size_t shown = drawn[static_cast<int32_t>(t)];
    QVERIFY2(shown >= spans && shown <= spans + moments,
             qPrintable(QStringLiteral("%1: %2 shown, expected %3 to %3 + %4")
                            .arg(snapshot->tracks[t].info.name.c_str())
                            .arg(shown)
                            .arg(spans)
                            .arg(moments)));
  }
  QVERIFY(works > 10);
  QCOMPARE(copies, snapshot->copies.size());
  const Layers layers = layers_of(*in.graph);
  std::set<int32_t> expanded;
  for (size_t i = 0; i < layers.names.size(); ++i) expanded.insert(static_cast<int32_t>(i));
  const FoldedGraph folded = fold(*in.graph, layers, expanded);
  std::set<int32_t> nodes, leafs;
  for (const Vertex& vertex : folded.vertices) {
    QVERIFY(!vertex.folded);
    nodes.insert(vertex.node.value);
    for (const Chip& chip : vertex.chips) leafs.insert(chip.leaf.value);
  }
  size_t work = 0;
  std::set<trace::TensorRef> sources;  // inputs of computing nodes, through views
  for (const trace::TensorInfo& node : in.graph->nodes) {
    if (is_view_node(node)) continue;
    ++work;
    for (trace::TensorRef source : node.sources) {
      while (source.is_node() && is_view_node(in.graph->nodes[source.index()]))
        source = in.graph->nodes[source.index()].sources.front();
      if (source.is_leaf()) sources.insert(source);
    }
  }
  QVERIFY(nodes.size() >= work);
  QCOMPARE(leafs.size(), sources.size());
}

inline SnapshotPtr recorded_by(const QTemporaryDir& folder, const QStringList& command) {
  const QString file = folder.filePath("run.pftrace");
  QProcess cli;
  cli.start(ARENASCOPE_CLI, command + QStringList{"--record", file});
  if (!cli.waitForFinished(300'000) || cli.exitCode() != 0) return nullptr;
  trace::Session session;
  return trace::open_trace(file.toStdString(), session).ok() ? session.snapshot() : nullptr;
}
inline SnapshotPtr recorded(const QTemporaryDir& folder, const QStringList& arguments) {
  return recorded_by(folder, QStringList{"run"} + arguments + QStringList{"--repeat", "2"});
}

}  // namespace arenascope::views::test_spaces
