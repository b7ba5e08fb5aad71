// SPDX-License-Identifier: GPL-3.0-or-later
// What memory comes to by a plain count over the events, and whether the arena map and occupancy draw that: to the byte,
// at every event. Recordings that the command line makes.
#pragma once
#include <arenascope/trace/import.h>
#include <views/arena/space_map.h>
#include <views/occupancy/occupancy_picture.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <map>

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

// By time: what is handed out and what is reserved after all that happens then. From the events alone.
struct Counted {
  Bytes active = 0, reserved = 0;
  std::map<int32_t, Bytes> by_device;  // of what is handed out
};
inline std::map<Nanoseconds, Counted> count(const trace::Snapshot& s) {
  std::map<Nanoseconds, Counted> out;
  std::map<uint64_t, Bytes> alone;  // handed out, and taken by nobody that was seen
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
      default: now.reserved -= e.b;  // its pages stay in `taken`: they are taken again or never handed out
    }
    out[e.time] = now;
  }
  return out;
}

// Bytes of rectangles over x, summed up from left to right.
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

// What is drawn as handed out. Of the arena's block, whose tensors are drawn in it, the outline counts.
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

inline void compare(const SnapshotPtr& snapshot, bool apart_too = true) {
  const PrepareInput in = input_of(snapshot, AxisMode::Time);
  const auto map = prepare_arena_map(in, {}, ArenaShow::Spaces, {SpaceChoice::Of::All, 0});
  QVERIFY(map && map->in_spaces);
  const auto counts = count(*snapshot);
  QVERIFY(counts.size() > 10);
  const Heights active = handed_out(*map), held = reserved(*map);
  for (const auto& [time, counted] : counts) {
    const double x = in.axis.x_of_time(time);
    QCOMPARE(active.at(x), counted.active);
    QCOMPARE(held.at(x), counted.reserved);
  }
  for (const OccupancyScope scope :
       {OccupancyScope::Kinds, OccupancyScope::Allocators, OccupancyScope::Devices, OccupancyScope::Classes}) {
    compare_stacks(in, scope, counts);
    if (QTest::currentTestFailed()) return;
  }
  if (!apart_too) return;
  // No two that are there together lie on each other.
  const RectSet& bodies = *map->bodies;
  for (size_t i = 0; i < bodies.size(); i += 1 + bodies.size() / 200) {
    const RectSet::Span span = bodies.candidates(bodies[i].x0, bodies[i].x1);
    for (size_t j = span.first; j < span.last; ++j) {
      const bool empty = bodies[i].x1 <= bodies[i].x0 || bodies[j].x1 <= bodies[j].x0;
      const bool apart = i == j || empty || bodies[j].x0 >= bodies[i].x1 || bodies[j].x1 <= bodies[i].x0 ||
                         bodies[j].y0 >= bodies[i].y1 || bodies[j].y1 <= bodies[i].y0;
      QVERIFY(apart);
    }
  }
}

// What the peak is made of comes to the peak, in every stack and at any zoom.
inline void compare_peak(const SnapshotPtr& snapshot) {
  const PrepareInput in = input_of(snapshot, AxisMode::Time);
  for (const OccupancyScope scope :
       {OccupancyScope::Kinds, OccupancyScope::Allocators, OccupancyScope::Devices, OccupancyScope::Classes}) {
    const auto stack = prepare_occupancy(in, scope, {});
    Bytes sum = 0;
    for (const auto& layer : stack->kinds) sum += layer.at_peak;
    QVERIFY(stack->peak > 0);
    QCOMPARE(sum, stack->peak);
  }
}

// What a stack's layers come to between two events.
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

// Behind each event: by some of them at once, and alone where they lie too close to each other for that.
inline void compare_stacks(PrepareInput in, OccupancyScope scope, const std::map<Nanoseconds, Counted>& counts) {
  const std::vector<std::pair<Nanoseconds, Counted>> list(counts.begin(), counts.end());
  const size_t at_once = list.size() < 1000 ? 16 : 128;
  for (size_t first = 0; first + 1 < list.size(); first += at_once) {
    const size_t last = std::min(first + at_once, list.size() - 1);
    in.pixels = 1 << 15;
    in.axis.range = {in.axis.x_of_time(list[first].first), in.axis.x_of_time(list[last].first)};
    const double least = 8 * in.axis.range.length() / in.pixels;  // some pixels
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
