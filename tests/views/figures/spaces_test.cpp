// SPDX-License-Identifier: GPL-3.0-or-later
// The arena map and occupancy of runs whose tensors lie in allocators' spaces: what they draw comes to what a plain
// count over the events says, to the byte, at every event.
#include <arenascope/trace/import.h>
#include <arenascope/trace/owner.h>
#include <views/arena/space_map.h>
#include <views/common/incomplete.h>
#include <views/occupancy/occupancy_picture.h>

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <map>
#include <set>

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
  in.pixels = 1 << 14;
  return in;
}

// By time: what is handed out and what is reserved after all that happens then. From the events alone.
struct Counted {
  Bytes active = 0, reserved = 0;
  std::map<int32_t, Bytes> by_device;  // of what is handed out
};
std::map<Nanoseconds, Counted> count(const trace::Snapshot& s) {
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
Heights handed_out(const ArenaPicture& map) {
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

Heights reserved(const ArenaPicture& map) {
  Heights sum;
  for (size_t i = 0; i < map.holes->size(); ++i) sum.add((*map.holes)[i]);
  sum.finish();
  return sum;
}

}  // namespace

class SpacesTest : public QObject {
  Q_OBJECT

  static void compare(const SnapshotPtr& snapshot) {
    const PrepareInput in = input_of(snapshot, AxisMode::Time);
    const auto map = prepare_arena_map(in, {}, ArenaShow::Spaces, {SpaceChoice::Of::All, 0});
    QVERIFY(map && map->in_spaces);
    const auto counts = count(*snapshot);
    QVERIFY(counts.size() > 20);
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

  // By some events after the other, close enough to tell them apart.
  static void compare_stacks(PrepareInput in, OccupancyScope scope, const std::map<Nanoseconds, Counted>& counts) {
    const std::vector<std::pair<Nanoseconds, Counted>> list(counts.begin(), counts.end());
    const size_t at_once = list.size() < 1000 ? 16 : 128;
    in.pixels = 1 << 15;
    size_t wide = 0;
    for (size_t first = 0; first + 1 < list.size(); first += at_once) {
      const size_t last = std::min(first + at_once, list.size() - 1);
      in.axis.range = {in.axis.x_of_time(list[first].first), in.axis.x_of_time(list[last].first)};
      const auto stack = prepare_occupancy(in, scope, {});
      QVERIFY(stack->scope == scope && !stack->kinds.empty());
      for (size_t i = first; i < last; ++i) {
        const double x0 = in.axis.x_of_time(list[i].first), x1 = in.axis.x_of_time(list[i + 1].first);
        if (x1 - x0 < 8 * in.axis.range.length() / in.pixels) continue;  // less than some pixels
        double sum = 0;
        for (const auto& layer : stack->kinds) {
          const double bytes = value_at(layer.levels, (x0 + x1) / 2);
          sum += bytes;
          if (scope != OccupancyScope::Devices) continue;
          const auto of_device = list[i].second.by_device.find(layer.device.value);
          QVERIFY(of_device != list[i].second.by_device.end() || bytes == 0);
          if (bytes > 0) QCOMPARE(static_cast<Bytes>(bytes), of_device->second);
        }
        QCOMPARE(static_cast<Bytes>(sum), list[i].second.active);
        ++wide;
      }
    }
    QVERIFY(wide > 20);
  }

  static SnapshotPtr recorded(const QTemporaryDir& folder, const QStringList& arguments) {
    return recorded_by(folder, QStringList{"run"} + arguments + QStringList{"--repeat", "2"});
  }
  static SnapshotPtr recorded_by(const QTemporaryDir& folder, const QStringList& command) {
    const QString file = folder.filePath("run.pftrace");
    QProcess cli;
    cli.start(ARENASCOPE_CLI, command + QStringList{"--record", file});
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
    // Two devices: what the host does of it lies in the host's memory.
    QTest::newRow("opencl and host") << QStringList{"zoo:squeezenet", "--backend", "opencl", "--host-ops", "MAX_POOL"}
                                     << false;
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
    // What a plan would need is drawn where it is asked for, and nowhere else.
    const auto with_plan = prepare_arena_map(in, {}, ArenaShow::Auto, {}, true);
    QCOMPARE(shown->needed, Bytes{0});
    QCOMPARE(with_plan->needed, in.plan->arena_bytes);
    QCOMPARE(with_plan->ghosts->size() - shown->ghosts->size(), in.plan->slices.size());
    QCOMPARE(with_plan->bodies->size(), shown->bodies->size());
    QVERIFY(with_plan->top >= in.plan->arena_bytes);
    // Whose the blocks are is told, and each node's name can be read.
    int named = 0;
    for (const trace::SpaceSlice& slice : shown->space_slices)
      named += snapshot->tensor(slice.graph, slice.tensor) != nullptr ? 1 : 0;
    QVERIFY(named > 30);
  }

  void a_partitioned_graph_lies_on_two_devices() {
    const QTemporaryDir folder;
    const auto snapshot = recorded(folder, {"zoo:squeezenet", "--backend", "opencl", "--host-ops", "MAX_POOL"});
    if (!snapshot) QSKIP("there is no such device here");
    const auto stack = prepare_occupancy(input_of(snapshot, AxisMode::Time), OccupancyScope::Devices, {});
    std::set<int32_t> devices;
    for (const auto& layer : stack->kinds)
      if (!layer.levels.empty()) devices.insert(layer.device.value);
    QVERIFY(devices.size() >= 2);
    QVERIFY(!snapshot->copies.empty());
  }

  void what_is_compared_with_lies_where_it_lay() {
    const QTemporaryDir folder;
    const auto planned = recorded(folder, {"zoo:squeezenet", "--threads", "2"});
    const auto eager = recorded(folder, {"zoo:squeezenet", "--threads", "2", "--memory", "eager"});
    QVERIFY(planned && eager);
    for (const auto& [ours, theirs] : {std::pair{planned, eager}, std::pair{eager, planned}, std::pair{eager, eager}}) {
      PrepareInput in = input_of(ours, AxisMode::Time);
      in.comparison = Comparison::make(Other::of(theirs, "B"), in.graph, in.plan);
      const auto map = prepare_arena_map(in, {});
      QCOMPARE(map->in_spaces, ours == eager);
      const PrepareInput other = in.of_other();
      size_t expected = 0;
      if (theirs == eager) {
        for (const trace::SpaceSlice& s : trace::slices_of(*theirs, range_of_run(other), {}))
          expected += s.bytes > 0 && (s.open || s.end > s.begin) ? 1 : 0;
      } else {
        expected = seen_slices(*theirs, other.run, other.axis).slices.size();
      }
      QVERIFY(map->ghosts->size() > 20);
      QVERIFY(map->ghosts->size() <= expected && expected <= map->ghosts->size() + expected / 20);
      QVERIFY(map->other_arena > 0 && map->other_arena <= map->top);
    }
  }

  void what_an_optimiser_keeps_is_a_class_of_its_own() {
    auto graph = std::make_shared<trace::GraphInfo>();
    graph->id = trace::GraphId(0);
    graph->leafs.resize(3);
    graph->nodes.resize(2);
    graph->leafs[0].flags = trace::kParameter;
    graph->leafs[1].flags = trace::kOptimizerState | trace::kInput;
    graph->nodes[0].gradient = trace::TensorRef::node(NodeId(1));
    graph->nodes[0].accumulator = trace::TensorRef::leaf(LeafId(2));
    trace::Session session;
    session.describe(std::shared_ptr<const trace::GraphInfo>(graph));
    const auto snapshot = session.snapshot();
    const MemoryClasses classes(*snapshot, 0);
    const auto of = [&](trace::TensorRef tensor) {
      trace::SpaceSlice slice;
      slice.kind = trace::MemoryKind::Persistent;
      slice.graph = graph->id;
      slice.tensor = tensor;
      return classes.of(slice);
    };
    QCOMPARE(of(trace::TensorRef::leaf(LeafId(0))), MemoryClass::Weights);
    QCOMPARE(of(trace::TensorRef::leaf(LeafId(1))), MemoryClass::Optimizer);
    QCOMPARE(of(trace::TensorRef::leaf(LeafId(2))), MemoryClass::Gradients);
    QCOMPARE(of(trace::TensorRef::node(NodeId(1))), MemoryClass::Gradients);
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
