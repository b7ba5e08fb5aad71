// SPDX-License-Identifier: MIT
#include <arenascope/trace/roofline.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <array>

using namespace arenascope;
using namespace arenascope::trace;

namespace {

TensorInfo node_of(Bytes bytes, int64_t flops, std::vector<TensorRef> sources = {}) {
  TensorInfo node;
  node.dtype = bytes > 0 ? "f32" : "";
  node.bytes = bytes;
  node.flops = flops;
  node.sources = std::move(sources);
  return node;
}

// A matmul with a known time, one that never ran, a node without a size, one without operations, and one of another
// program, whose operations are unknown.
struct RooflineSession {
  Session session;
  explicit RooflineSession(TrackKind kind = TrackKind::Worker) {
    auto graph = std::make_shared<GraphInfo>();
    graph->id = GraphId(0);
    graph->leafs.push_back(node_of(3'000, 0));
    graph->nodes = {node_of(1'000, 40'000, {TensorRef::leaf(LeafId(0)), TensorRef::leaf(LeafId(0))}),
                    node_of(1'000, 40'000), node_of(0, 40'000), node_of(1'000, 0), node_of(1'000, 0)};
    graph->nodes[3].op_number = 7;  // the engine's own op: 0 operations are known
    session.describe(ThreadInfo{TrackId(0), "worker 0", kind});
    session.describe(ThreadInfo{TrackId(1), "queue", TrackKind::DeviceQueue});
    session.describe(std::shared_ptr<const GraphInfo>(graph));
  }
  void run(int32_t id, Nanoseconds begin, Nanoseconds wall, RunStatus status = RunStatus::Done,
           TrackId track = TrackId(0)) {
    RunInfo run{.id = RunId(id), .graph = GraphId(0), .plan = PlanId(), .begin = begin, .threads = 1};
    run.processor = "Zen 4";
    session.describe(run);
    session.events(track, std::array{work(RunId(id), NodeId(0), begin, begin + wall)});
    session.describe(RunEnd{RunId(id), begin + wall + 10, status, false});
  }
};

}  // namespace

TEST_CASE("each node is a point of the roofline or is listed with the reason why not") {
  RooflineSession made;
  made.run(0, 0, 9'000);
  made.run(1, 20'000, 4'000);
  made.run(2, 40'000, 4'000);
  const Roofline roofline = roofline_of(*made.session.snapshot(), GraphId(0));
  REQUIRE(roofline.points.size() == 1);
  const RooflinePoint& point = roofline.points[0];
  CHECK(point.node == NodeId(0));
  CHECK(point.intensity == 10);  // 40,000 FLOP, 3,000 B read once and 1,000 B written
  CHECK(point.gflops == 10);
  CHECK(point.median == 4'000);
  CHECK(point.runs == 2);
  CHECK_FALSE(point.on_device);
  CHECK(roofline.times.runs == 2);
  CHECK_FALSE(roofline.times.cold);
  CHECK(roofline.processor == "Zen 4");
  const std::vector<RooflineGap> expected{RooflineGap::UnknownTime, RooflineGap::UnknownBytes,
                                          RooflineGap::NoOperations, RooflineGap::UnknownFlops};
  REQUIRE(roofline.missing.size() == expected.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    CHECK(roofline.missing[i].node == NodeId(i + 1));
    CHECK(roofline.missing[i].reason == expected[i]);
    CHECK(roofline.count(expected[i]) == 1);
  }
}

TEST_CASE("a roofline states that its times are of a cold or an incomplete run, or of a device") {
  RooflineSession cold, aborted, device(TrackKind::DeviceQueue);
  cold.run(0, 0, 9'000);
  aborted.run(0, 0, 9'000, RunStatus::Aborted);
  device.run(0, 0, 9'000);
  const Roofline of_cold = roofline_of(*cold.session.snapshot(), GraphId(0));
  CHECK(of_cold.times.cold);
  CHECK(of_cold.times.runs == 1);
  CHECK(roofline_of(*aborted.session.snapshot(), GraphId(0)).times.incomplete);
  const Roofline of_device = roofline_of(*device.session.snapshot(), GraphId(0));
  REQUIRE(of_device.points.size() == 1);
  CHECK(of_device.points[0].on_device);
}

TEST_CASE("a point is of a device only if one of the runs of its median is") {
  RooflineSession made;
  made.run(0, 0, 9'000, RunStatus::Done, TrackId(1));  // cold
  made.run(1, 20'000, 9'000, RunStatus::Aborted, TrackId(1));
  made.run(2, 40'000, 4'000);
  const Roofline host = roofline_of(*made.session.snapshot(), GraphId(0));
  REQUIRE(host.points.size() == 1);
  CHECK(host.points[0].median == 4'000);
  CHECK_FALSE(host.points[0].on_device);
  made.run(3, 60'000, 4'000, RunStatus::Done, TrackId(1));
  CHECK(roofline_of(*made.session.snapshot(), GraphId(0)).points[0].on_device);
}

TEST_CASE("without a run no node is a point; without the graph there are no nodes") {
  const RooflineSession made;
  const Roofline roofline = roofline_of(*made.session.snapshot(), GraphId(0));
  CHECK(roofline.points.empty());
  CHECK(roofline.missing.size() == 5);
  CHECK(roofline.processor.empty());
  CHECK(roofline_of(*made.session.snapshot(), GraphId(3)).missing.empty());
}

TEST_CASE("the attainable speed is the lower of the two roofs") {
  const Roofs roofs{100, 20};
  CHECK(roofs.known());
  CHECK(roofs.ridge() == 5);
  CHECK(roofs.attainable(1) == 20);
  CHECK(roofs.attainable(5) == 100);
  CHECK(roofs.attainable(50) == 100);
  CHECK_FALSE(Roofs{100, 0}.known());
}
