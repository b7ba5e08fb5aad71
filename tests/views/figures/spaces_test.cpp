// SPDX-License-Identifier: GPL-3.0-or-later
// The arena map and occupancy of runs whose tensors lie in allocators' spaces: what they draw comes to what a plain
// count over the events says, to the byte, at every event.
#include <arenascope/trace/import.h>
#include <views/arena/space_map.h>
#include <views/common/incomplete.h>
#include <views/occupancy/occupancy_picture.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "tests/test_data.h"

using namespace arenascope;
using namespace arenascope::views;

namespace {

PrepareInput input_of(const SnapshotPtr& snapshot, AxisMode mode) {
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
  in.pixels = 1 << 22;
  return in;
}

// By time: what is handed out and what is reserved after all that happens then. From the events alone.
struct Counted {
  Bytes active = 0, reserved = 0;
};
std::map<Nanoseconds, Counted> count(const trace::Snapshot& s) {
  std::map<Nanoseconds, Counted> out;
  std::map<uint64_t, Bytes> alone;  // handed out, and taken by nobody that was seen
  std::map<uint64_t, Bytes> taken;
  Counted now;
  for (size_t i = 0; i < s.memory_events.size(); ++i) {
    const trace::Event& e = s.event(s.memory_events[i]);
    const auto address = static_cast<uint64_t>(e.a);
    switch (e.kind()) {
      case trace::EventKind::Alloc: {
        now.active += e.b;
        bool inside = false;
        for (const auto& [at, bytes] : taken) inside |= at <= address && address - at < static_cast<uint64_t>(bytes);
        if (!inside) alone[address] = e.b, now.reserved += e.b;
        break;
      }
      case trace::EventKind::Free:
        now.active -= e.b;
        if (alone.erase(address) > 0) now.reserved -= e.b;
        break;
      case trace::EventKind::Reserve: taken[address] = e.b, now.reserved += e.b; break;
      default: now.reserved -= e.b;  // its pages stay in `taken`: they are taken again or never handed out
    }
    out[e.time] = now;
  }
  return out;
}

Bytes height(const RectSet& set, double x, int style = -1) {
  double sum = 0;
  const RectSet::Span span = set.candidates(x, x + 0.5);
  for (size_t i = span.first; i < span.last; ++i)
    if (set[i].x0 <= x && x < set[i].x1 && (style < 0 || set[i].style == static_cast<uint32_t>(style)))
      sum += set[i].y1 - set[i].y0;
  return static_cast<Bytes>(sum);
}

// What is drawn as handed out. Of the arena's block, whose tensors are drawn in it, the outline counts.
Bytes handed_out(const ArenaPicture& map, double x) {
  Bytes sum = height(*map.outlines, x, kOutlineWaste) + height(*map.outlines, x, kOutlinePlan);
  const auto in_arena = [&](const Rect& body) {
    for (size_t i = 0; i < map.outlines->size(); ++i) {
      const Rect& arena = (*map.outlines)[i];
      if (arena.style == static_cast<uint32_t>(kOutlinePlan) && arena.x0 <= x && x < arena.x1 && arena.y0 <= body.y0 &&
          body.y1 <= arena.y1)
        return true;
    }
    return false;
  };
  const RectSet::Span span = map.bodies->candidates(x, x + 0.5);
  for (size_t i = span.first; i < span.last; ++i) {
    const Rect& body = (*map.bodies)[i];
    if (body.x0 <= x && x < body.x1 && !in_arena(body)) sum += static_cast<Bytes>(body.y1 - body.y0);
  }
  return sum;
}

}  // namespace

class SpacesTest : public QObject {
  Q_OBJECT

  static void compare(const SnapshotPtr& snapshot) {
    const PrepareInput in = input_of(snapshot, AxisMode::Time);
    const auto map = prepare_arena_map(in, {}, ArenaShow::Spaces, {SpaceChoice::Of::All, 0});
    QVERIFY(map && map->in_spaces);
    int compared = 0;
    Bytes most = 0;
    for (const auto& [time, counted] : count(*snapshot)) {
      const double x = in.axis.x_of_time(time);
      QCOMPARE(handed_out(*map, x), counted.active);
      QCOMPARE(height(*map->holes, x), counted.reserved);
      ++compared;
      most = std::max(most, counted.active);
    }
    QVERIFY(compared > 20);
    for (const OccupancyScope scope : {OccupancyScope::Kinds, OccupancyScope::Allocators, OccupancyScope::Classes}) {
      const auto stack = prepare_occupancy(in, scope, {});
      QVERIFY(stack->scope == scope && !stack->kinds.empty());
      int wide = 0;
      const auto counts = count(*snapshot);
      for (auto at = counts.begin(); at != counts.end(); ++at) {
        const auto next = std::next(at);
        if (next == counts.end()) break;
        const double x0 = in.axis.x_of_time(at->first), x1 = in.axis.x_of_time(next->first);
        if (x1 - x0 < 8 * in.axis.range.length() / in.pixels) continue;  // less than some pixels
        double sum = 0;
        for (const auto& layer : stack->kinds) sum += value_at(layer.levels, (x0 + x1) / 2);
        QCOMPARE(static_cast<Bytes>(sum), at->second.active);
        ++wide;
      }
      QVERIFY(wide > 20);
    }
    // No two that are there together lie on each other.
    const RectSet& bodies = *map->bodies;
    for (size_t i = 0; i < bodies.size(); i += 1 + bodies.size() / 200) {
      const RectSet::Span span = bodies.candidates(bodies[i].x0, bodies[i].x1);
      for (size_t j = span.first; j < span.last; ++j) {
        const bool apart = i == j || bodies[j].x0 >= bodies[i].x1 || bodies[j].x1 <= bodies[i].x0 ||
                           bodies[j].y0 >= bodies[i].y1 || bodies[j].y1 <= bodies[i].y0;
        QVERIFY(apart);
      }
    }
  }

  static SnapshotPtr recorded(const QTemporaryDir& folder, const QStringList& arguments) {
    const QString file = folder.filePath("run.pftrace");
    QProcess cli;
    cli.start(ARENASCOPE_CLI, QStringList{"run"} + arguments + QStringList{"--repeat", "2", "--record", file});
    if (!cli.waitForFinished(300'000) || cli.exitCode() != 0) return nullptr;
    trace::Session session;
    return trace::open_trace(file.toStdString(), session).ok() ? session.snapshot() : nullptr;
  }

 private Q_SLOTS:
  void runs_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<bool>("in_spaces");
    QTest::newRow("planned") << QStringList{"zoo:squeezenet", "--threads", "2"} << false;
    QTest::newRow("eager") << QStringList{"zoo:squeezenet", "--threads", "2", "--memory", "eager"} << true;
    QTest::newRow("none") << QStringList{"zoo:squeezenet", "--threads", "2", "--memory", "none"} << true;
    QTest::newRow("opencl") << QStringList{"zoo:squeezenet", "--backend", "opencl"} << false;
    QTest::newRow("opencl, pool") << QStringList{"zoo:squeezenet", "--backend", "opencl", "--memory", "eager"} << true;
    QTest::newRow("opencl, separate") << QStringList{"zoo:squeezenet", "--backend", "opencl", "--backend-option",
                                                     "pool=separate",  "--memory",  "eager"}
                                      << true;
    QTest::newRow("opencl, images") << QStringList{"zoo:squeezenet", "--backend", "opencl", "--backend-option",
                                                   "memory=image"}
                                    << true;
  }
  void runs() {
    QFETCH(QStringList, arguments);
    QFETCH(bool, in_spaces);
    const QTemporaryDir folder;
    const auto snapshot = recorded(folder, arguments);
    if (!snapshot) QSKIP("there is no such device here");
    compare(snapshot);
    if (QTest::currentTestFailed()) return;
    const PrepareInput in = input_of(snapshot, AxisMode::Step);
    QCOMPARE(lies_in_spaces(in), in_spaces);
    const auto shown = prepare_arena_map(in, {});
    QCOMPARE(shown->in_spaces, in_spaces);
    QCOMPARE(prepare_occupancy(in, OccupancyScope::Auto, {})->scope,
             in_spaces ? OccupancyScope::Kinds : OccupancyScope::Arena);
    if (!in_spaces) return;
    // Whose the blocks are is told, and each node's name can be read.
    int named = 0;
    for (const trace::SpaceSlice& slice : shown->space_slices)
      named += snapshot->tensor(slice.graph, slice.tensor) != nullptr ? 1 : 0;
    QVERIFY(named > 30);
  }

  void memory_snapshots() {
    for (const char* name : {"small", "bf16_forward", "transformer_3GB"}) {
      const auto file = test::data_folder() / ("traces/pytorch_cuda_snapshot_" + std::string(name) + ".pickle");
      if (test::data_folder().empty() || !std::filesystem::exists(file)) QSKIP("no traces in ARENASCOPE_DATA");
      trace::Session session;
      QVERIFY(trace::open_trace(file, session).ok());
      const auto snapshot = session.snapshot();
      compare(snapshot);
      const auto map = prepare_arena_map(input_of(snapshot, AxisMode::Time), {});
      QVERIFY(map->in_spaces);
      QVERIFY(map->totals.peak <= map->totals.reserved);
      bool waste = false;
      for (size_t i = 0; i < map->outlines->size(); ++i) waste |= (*map->outlines)[i].style == kOutlineWaste;
      QVERIFY(waste);  // requested against block bytes
    }
  }
};

QTEST_MAIN(SpacesTest)
#include "spaces_test.moc"
