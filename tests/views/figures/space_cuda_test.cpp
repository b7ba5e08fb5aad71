// SPDX-License-Identifier: GPL-3.0-or-later
// Memory of a CUDA device in the arena map and the occupancy view: segments of its caching allocator by stream, the
// arena in one of them, and pinned staging buffers on the host. The device is simulated.
#define DOCTEST_CONFIG_IMPLEMENT
#include "tests/engine/backends/cuda/watched_network.h"

#include "tests/views/figures/space_counts.h"

using namespace arenascope;
using namespace arenascope::views;
using namespace arenascope::views::test_spaces;

class SpaceCudaTest : public QObject {
  Q_OBJECT

  doctest::Context asserts_;  // doctest context of the shared network helpers, outside doctest test cases

 private Q_SLOTS:
  void initTestCase() { asserts_.setAsDefaultForAssertsOutOfTestCases(); }

  void strategies_data() {
    QTest::addColumn<int>("strategy");
    QTest::newRow("planned") << static_cast<int>(MemoryStrategy::Planned);
    QTest::newRow("eager") << static_cast<int>(MemoryStrategy::Eager);
    QTest::newRow("none") << static_cast<int>(MemoryStrategy::None);
  }
  void strategies() {
    QFETCH(int, strategy);
    test::Watched w;
    QVERIFY(move_to_device(*w.backend, *w.context, w.net.leafs, MemoryKind::Persistent).ok());
    w.prepare(static_cast<MemoryStrategy>(strategy));
    for (int run = 0; run < 3; ++run) QVERIFY(w.executor->run().ok());
    const auto live = w.now();  // the end of a run is reported with the next run
    compare(live);
    if (QTest::currentTestFailed()) return;
    const auto snapshot = w.now();
    const bool planned = static_cast<MemoryStrategy>(strategy) == MemoryStrategy::Planned;
    compare(snapshot);
    compare_lifetimes(snapshot, planned);
    compare_timeline_and_graph(snapshot);
    if (QTest::currentTestFailed()) return;
    const PrepareInput in = input_of(snapshot, AxisMode::Time);
    const auto map = prepare_arena_map(in, {}, ArenaMode::Spaces, {SpaceChoice::Of::All, 0});
    // The total of the spaces equals the driver's; staging equals the context's counter.
    Bytes held = 0, pinned = 0;
    for (const trace::Space& space : map->spaces)
      if (space.open && !snapshot->devices[space.device.index()].host) held += space.bytes;
    QCOMPARE(held, w.driver->held_memory());
    for (const trace::SpaceAllocation& slice : map->space_slices)
      if (slice.open && slice.kind == trace::MemoryKind::HostPinned) pinned += slice.bytes;
    QVERIFY(pinned > 0);
    QCOMPARE(pinned, w.context->stats({}, MemoryKind::HostPinned).active);
    const auto kinds = prepare_occupancy(in, OccupancyScope::Kinds, {});
    double drawn = 0;
    for (const auto& layer : kinds->kinds)
      if (layer.kind == trace::MemoryKind::HostPinned)
        for (const CurveSegment& l : layer.levels) drawn = std::max(drawn, l.max);
    QCOMPARE(static_cast<Bytes>(drawn), pinned);
    QCOMPARE(is_in_spaces(in), !planned);
    if (planned) QVERIFY(!map->seen.empty());  // tensors of the arena are drawn in place of its block
  }
};

QTEST_GUILESS_MAIN(SpaceCudaTest)
#include "space_cuda_test.moc"
