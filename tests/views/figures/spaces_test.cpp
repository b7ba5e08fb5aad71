// SPDX-License-Identifier: GPL-3.0-or-later
// The arena map and occupancy of runs with tensors in allocator spaces: the drawn bytes equal a plain count over the
// events, exactly, at every event.
#include <arenascope/trace/bind_event.h>
#include <views/common/incomplete.h>

#include <set>

#include "tests/test_data.h"
#include "tests/views/figures/space_counts.h"

using namespace arenascope;
using namespace arenascope::views;
using namespace arenascope::views::test_spaces;

class SpacesTest : public QObject {
  Q_OBJECT

 private:
  // Occupancy shows the requirement of the plan that the run did not use: at each step, the bytes of the tensors
  // between first and last use.
  void compare_ghost(const PrepareInput& in) {
    const auto plain = prepare_occupancy(in, OccupancyScope::Auto, {});
    const auto with_plan = prepare_occupancy(in, OccupancyScope::Auto, {}, true);
    QCOMPARE(plain->needed, Bytes{0});
    QVERIFY(plain->planned.empty());
    QCOMPARE(with_plan->needed, in.plan->arena_bytes);
    for (size_t step = 0; step < in.plan->order.size(); ++step) {
      std::vector<std::pair<Bytes, Bytes>> ranges;
      for (const trace::SliceInfo& s : in.plan->slices)
        if (s.first.index() <= step && step < s.last.index()) ranges.emplace_back(s.offset, s.offset + s.size);
      std::sort(ranges.begin(), ranges.end());
      Bytes live = 0, reached = 0;
      for (const auto& [lo, hi] : ranges) {
        live += std::max<Bytes>(hi - std::max(lo, reached), 0);
        reached = std::max(reached, hi);
      }
      QCOMPARE(static_cast<Bytes>(value_at(with_plan->planned, static_cast<double>(step) + 0.5)), live);
    }
    QVERIFY(with_plan->top >= static_cast<double>(in.plan->lower_bound_bytes));
    // The second picture, and the one on the other axis, use the cache of the first.
    PlanCurves curves;
    const auto other = input_of(in.snapshot, in.axis.mode == AxisMode::Time ? AxisMode::Step : AxisMode::Time);
    for (int again = 0; again < 2; ++again)
      for (const PrepareInput* each : {&in, &other})
        QCOMPARE(prepare_occupancy(*each, OccupancyScope::Auto, {}, true, &curves)->planned,
                 prepare_occupancy(*each, OccupancyScope::Auto, {}, true)->planned);
    QCOMPARE(curves.swept(), 1);
  }

 private Q_SLOTS:
  void runs_data() {
    QTest::addColumn<QStringList>("arguments");
    QTest::addColumn<bool>("in_spaces");
    QTest::newRow("planned") << QStringList{"zoo:squeezenet", "--threads", "2"} << false;
    QTest::newRow("planned, in place") << QStringList{"zoo:squeezenet", "--threads", "2", "--in-place", "--no-fusion"}
                                       << false;
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
    // Two devices: host ops use host memory.
    QTest::newRow("opencl and host") << QStringList{"zoo:squeezenet", "--backend", "opencl", "--host-ops", "MAX_POOL"}
                                     << false;
  }
  void runs() {
    QFETCH(QStringList, arguments);
    QFETCH(bool, in_spaces);
    const QTemporaryDir folder;
    const auto snapshot = recorded(folder, arguments);
    if (!snapshot) QSKIP("this machine has no such device");
    compare(snapshot);
    compare_peak(snapshot);
    if (QTest::currentTestFailed()) return;
    const bool planned = !arguments.contains("--memory");
    compare_lifetimes(snapshot, planned);
    if (QTest::currentTestFailed()) return;
    compare_timeline_and_graph(snapshot);
    if (QTest::currentTestFailed()) return;
    const PrepareInput in = input_of(snapshot, AxisMode::Step);
    if (arguments.contains("--in-place")) {
      const auto in_place = [](const trace::SliceInfo& slice) { return slice.in_place_of.valid(); };
      QVERIFY(std::count_if(in.plan->slices.begin(), in.plan->slices.end(), in_place) > 10);
      compare_bodies(*prepare_arena_map(in, {}, ArenaMode::Spaces, {SpaceChoice::Of::All, 0})->bodies);
      compare_bodies(*prepare_arena_map(in, {})->bodies);
      if (QTest::currentTestFailed()) return;
    }
    QCOMPARE(is_in_spaces(in), in_spaces);
    const auto shown = prepare_arena_map(in, {});
    QCOMPARE(shown->in_spaces, in_spaces);
    QCOMPARE(prepare_occupancy(in, OccupancyScope::Auto, {})->scope,
             in_spaces ? OccupancyScope::Kinds : OccupancyScope::Arena);
    if (!in_spaces) return;
    compare_ghost(in);
    if (QTest::currentTestFailed()) return;
    // The requirement of a plan is drawn only if requested.
    const auto with_plan = prepare_arena_map(in, {}, ArenaMode::Auto, {}, true);
    QCOMPARE(shown->needed, Bytes{0});
    QCOMPARE(with_plan->needed, in.plan->arena_bytes);
    QCOMPARE(with_plan->ghosts->size() - shown->ghosts->size(), in.plan->slices.size());
    QCOMPARE(with_plan->bodies->size(), shown->bodies->size());
    QVERIFY(with_plan->top >= in.plan->arena_bytes);
    // The blocks have owners, and each node's name is readable.
    int named = 0;
    for (const trace::SpaceAllocation& slice : shown->space_slices)
      named += snapshot->tensor(slice.graph, slice.tensor) != nullptr ? 1 : 0;
    QVERIFY(named > 30);
  }

  void a_partitioned_graph_uses_two_devices() {
    const QTemporaryDir folder;
    const auto snapshot = recorded(folder, {"zoo:squeezenet", "--backend", "opencl", "--host-ops", "MAX_POOL"});
    if (!snapshot) QSKIP("this machine has no such device");
    compare(snapshot);
    if (QTest::currentTestFailed()) return;
    compare_lifetimes(snapshot, true);
    if (QTest::currentTestFailed()) return;
    compare_timeline_and_graph(snapshot);
    if (QTest::currentTestFailed()) return;
    const auto stack = prepare_occupancy(input_of(snapshot, AxisMode::Time), OccupancyScope::Devices, {});
    std::set<int32_t> devices;
    for (const auto& layer : stack->kinds)
      if (!layer.levels.empty()) devices.insert(layer.device.value);
    QVERIFY(devices.size() >= 2);
    QVERIFY(!snapshot->copies.empty());
  }

  void the_other_side_keeps_its_addresses() {
    const QTemporaryDir folder;
    const auto planned = recorded(folder, {"zoo:squeezenet", "--threads", "2"});
    const auto eager = recorded(folder, {"zoo:squeezenet", "--threads", "2", "--memory", "eager"});
    QVERIFY(planned && eager);
    for (const auto& [ours, theirs] : {std::pair{planned, eager}, std::pair{eager, planned}, std::pair{eager, eager}}) {
      PrepareInput in = input_of(ours, AxisMode::Time);
      in.comparison = Comparison::make(ComparisonSide::of(theirs, "B"), in.graph, in.plan);
      const auto map = prepare_arena_map(in, {});
      QCOMPARE(map->in_spaces, ours == eager);
      const PrepareInput other = in.comparison_input();
      size_t expected = 0;
      if (theirs == eager) {
        for (const trace::SpaceAllocation& s : trace::slices_of(*theirs, range_of_run(other), {}))
          expected += s.bytes > 0 && (s.open || s.end > s.begin) ? 1 : 0;
      } else {
        expected = seen_slices(*theirs, other.run, other.axis).slices.size();
      }
      QVERIFY(map->ghosts->size() > 20);
      QVERIFY(map->ghosts->size() <= expected && expected <= map->ghosts->size() + expected / 20);
      QVERIFY(map->other_arena > 0 && map->other_arena <= map->top);
    }
  }

  void optimiser_state_is_a_separate_class() {
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
    const MemoryClasses classes(*snapshot);
    const auto of = [&](trace::TensorRef tensor) {
      trace::SpaceAllocation slice;
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
      compare_lifetimes(snapshot, false);
      if (QTest::currentTestFailed()) return;
      const auto map = prepare_arena_map(input_of(snapshot, AxisMode::Time), {});
      QVERIFY(map->in_spaces);
      QVERIFY(map->totals.peak <= map->totals.reserved);
      bool waste = false;
      for (size_t i = 0; i < map->outlines->size(); ++i) waste |= (*map->outlines)[i].style == kOutlineWaste;
      QVERIFY(waste);  // requested bytes against block bytes
    }
  }
};

QTEST_GUILESS_MAIN(SpacesTest)
#include "spaces_test.moc"
