// SPDX-License-Identifier: MIT
// ExecuTorch's programs and event dumps, as graphs, plans and runs.
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <random>

#include "tests/engine/trace/sample_executorch.h"
#include "tests/engine/trace/temp_file.h"

using namespace arenascope;
using namespace arenascope::trace;
using namespace arenascope::test;

namespace {

std::shared_ptr<const Snapshot> opened(const std::string& bytes) {
  Session session;
  const auto report = open_trace(as_bytes(bytes), "x", session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  return session.snapshot();
}

void check_runs(const Snapshot& s) {
  REQUIRE(s.runs.size() == 2);
  for (size_t i = 0; i < s.runs.size(); ++i) {
    const Run& run = s.runs[i];
    CHECK(run.end - run.info.begin == 320);
    REQUIRE(run.table);
    REQUIRE(run.table->nodes.size() == 2);
    CHECK(run.table->nodes[0].host.count == 1);
    CHECK(run.table->nodes[0].host.busy == 190);
    CHECK(run.table->nodes[1].host.busy == 100);
  }
}

}  // namespace

TEST_CASE("each method of an ExecuTorch program is a graph with its own plan") {
  const auto s = opened(executorch_methods());
  CHECK(s->source.format == "ExecuTorch program");
  REQUIRE(s->graphs.size() == 3);
  CHECK(s->graphs[0]->model == "first");
  CHECK(s->graphs[0]->nodes.size() == 2);  // one of each chain
  CHECK(s->graphs[0]->nodes[1].sources == std::vector{TensorRef::node(NodeId(0))});
  CHECK(s->graphs[1]->model == "names");
  CHECK(s->graphs[1]->nodes.empty());
  const GraphInfo& second = *s->graphs[2];
  REQUIRE(second.nodes.size() == 2);
  CHECK(second.nodes[0].op == "mm");
  CHECK(second.nodes[1].op == "XnnpackBackend");
  REQUIRE(second.leafs.size() == 2);
  CHECK(second.leafs[1].name == "net.weight");
  CHECK(second.leafs[1].flags == kParameter);
  REQUIRE(s->plans.size() == 2);  // "names" has no planned memory
  CHECK(s->plans[0]->graph == GraphId(0));
  CHECK(s->plans[0]->arena_bytes == 128);
  CHECK(s->plans[0]->lower_bound_bytes == 128);
  CHECK(s->plans[1]->graph == GraphId(2));
  CHECK(s->plans[1]->arena_bytes == 320);
  REQUIRE(s->plans[1]->slices.size() == 4);
  CHECK(s->plans[1]->slices[1].first == Step(0));  // the parameter, as long as the method runs
  CHECK(s->plans[1]->slices[1].last == Step(2));
  REQUIRE(s->problems.size() == 1);
  CHECK(s->problems[0].sentence ==
        "x: the memory plan of 'second' does not contain the memory that the delegate 'XnnpackBackend' allocates.");
}

TEST_CASE("runs of an event dump belong to the methods that they executed") {
  const test::TempFile dumped("methods.etdp"), beside("methods.pte");
  std::ofstream(dumped.path, std::ios::binary) << executorch_methods_dump();
  std::ofstream(beside.path, std::ios::binary) << executorch_methods();
  Session session;
  REQUIRE(open_trace(dumped.path, session).ok());
  const auto s = session.snapshot();
  CHECK(s->graphs.size() == 3);
  REQUIRE(s->runs.size() == 2);
  CHECK(s->runs[0].info.graph == GraphId(2));
  CHECK(s->runs[0].info.plan == PlanId(1));
  CHECK(s->runs[0].table->nodes[1].host.busy == 90);
  CHECK(s->runs[1].info.graph == GraphId(0));
  CHECK(s->runs[1].info.plan == PlanId(0));
  CHECK(s->runs[1].table->nodes[0].host.busy == 80);
  CHECK(s->runs[1].table->nodes[1].host.busy == 40);
}

TEST_CASE("an event dump without its program keeps different operators of one instruction number apart") {
  const auto s = opened(executorch_methods_dump());
  REQUIRE(s->graphs.size() == 1);
  const auto& nodes = s->graphs[0]->nodes;
  REQUIRE(nodes.size() == 4);
  CHECK(nodes[0].name == "mm 0");
  CHECK(nodes[1].name == "delegate 1");
  CHECK(nodes[2].name == "sigmoid 0");
  CHECK(nodes[3].name == "sigmoid 0 of chain 1");
  CHECK(s->runs[1].table->nodes[3].host.busy == 40);
}

TEST_CASE("events inside a delegate are spans with the delegate's identifiers as names") {
  const auto s = opened(executorch_methods_dump());
  CHECK(s->problems.empty());
  std::map<std::string, Nanoseconds> durations;
  for (const TrackView& track : s->tracks)
    for (const LaneView& lane : track.lanes)
      for (size_t i = 0; i < lane.rows.size(); ++i)
        durations[s->label(lane.rows[i])] = lane.rows[i].end() - lane.rows[i].begin();
  CHECK(durations["Negate (NC, F32)"] == 30);
  CHECK(durations["delegate event 7"] == 40);
}

TEST_CASE("an ExecuTorch program has a graph and a memory plan") {
  const auto s = opened(executorch_program());
  REQUIRE(s->graphs.size() == 1);
  const GraphInfo& graph = *s->graphs[0];
  CHECK(graph.model == "forward");
  REQUIRE(graph.nodes.size() == 2);
  REQUIRE(graph.leafs.size() == 2);
  CHECK(graph.nodes[0].op == "convolution");
  CHECK(graph.nodes[0].sources == std::vector{TensorRef::leaf(LeafId(0)), TensorRef::leaf(LeafId(1))});
  CHECK(graph.nodes[1].sources == std::vector{TensorRef::node(NodeId(0))});
  CHECK(graph.nodes[1].shape == std::vector<int64_t>{4, 4});
  CHECK(graph.nodes[1].bytes == 64);
  CHECK(graph.nodes[1].flags == kOutput);
  CHECK(graph.leafs[0].flags == kInput);
  CHECK(graph.leafs[1].flags == kWeight);
  REQUIRE(s->plans.size() == 1);
  const PlanInfo& plan = *s->plans[0];
  CHECK(plan.arena_bytes == 192);
  CHECK(plan.lower_bound_bytes == 128);
  CHECK(plan.alignment == 64);
  REQUIRE(plan.slices.size() == 3);
  CHECK(plan.slices[0].offset == 128);  // x, until the convolution has read it
  CHECK(plan.slices[0].last == Step(1));
  CHECK(plan.slices[1].offset == 0);
  CHECK(plan.slices[1].last == Step(2));
  CHECK(plan.slices[2].offset == 64);
  CHECK(s->runs.empty());
}

TEST_CASE("an event dump has a run per execution, kernels are nodes") {
  const auto s = opened(executorch_dump());
  REQUIRE(s->graphs.size() == 1);
  REQUIRE(s->graphs[0]->nodes.size() == 2);
  CHECK(s->graphs[0]->nodes[0].op == "convolution");
  CHECK(s->graphs[0]->nodes[1].op == "relu");
  CHECK(s->source.entries == 1 + 2 * 6);  // a load, and of each execution five stretches of time and an allocation
  check_runs(*s);
  CHECK(s->plans.empty());
}

TEST_CASE("an event dump may begin with its size") {
  const std::string sized = with_size(executorch_dump());
  CHECK(sniff(as_bytes(sized).first(64)) == TraceKind::ExecuTorchDump);
  check_runs(*opened(sized));
  const test::TempFile dumped("sized.etdp"), beside("sized.pte");
  std::ofstream(dumped.path, std::ios::binary) << sized;
  std::ofstream(beside.path, std::ios::binary) << executorch_program();
  Session session;
  REQUIRE(open_trace(dumped.path, session).ok());
  const auto s = session.snapshot();
  CHECK(s->graphs[0]->leafs.size() == 2);
  check_runs(*s);
}

TEST_CASE("an event dump with its program: times on its nodes, and memory of the runs") {
  const test::TempFile dumped("m.etdp"), beside("m.pte");
  std::ofstream(dumped.path, std::ios::binary) << executorch_dump();
  std::ofstream(beside.path, std::ios::binary) << executorch_program();
  Session session;
  const auto report = open_trace(dumped.path, session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  CHECK(report->format == "ExecuTorch event dump");
  const auto s = session.snapshot();
  REQUIRE(s->graphs.size() == 1);
  CHECK(s->graphs[0]->leafs.size() == 2);
  CHECK(s->runs[0].info.plan == s->plans[0]->id);
  check_runs(*s);
}

TEST_CASE("damaged files are errors, or read as far as they are valid") {
  Session session;
  for (const std::string& sound : {executorch_program(), executorch_dump(), executorch_methods(),
                                   executorch_methods_dump(), with_size(executorch_dump())}) {
    for (size_t n = 8; n < sound.size(); n += 3) {
      Session one;
      const auto report = open_trace(as_bytes(sound.substr(0, n)), "x", one);
      if (!report.ok()) CHECK(report.error().message.starts_with("x: "));
    }
    std::mt19937 random(7);
    for (int i = 0; i < 20000; ++i) {
      std::string broken = sound;
      for (uint32_t k = 0, most = 1 + random() % 4; k < most; ++k)
        broken[8 + random() % (broken.size() - 8)] = static_cast<char>(random());
      Session one;
      const auto report = open_trace(as_bytes(broken), "x", one);
      if (!report.ok()) CHECK(report.error().message.starts_with("x: "));
    }
  }
  CHECK(open_trace(as_bytes(std::string("\x08\0\0\0ED00", 8)), "x", session).error().message.find("has no events") !=
        std::string::npos);
}
