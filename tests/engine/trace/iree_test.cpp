// SPDX-License-Identifier: MIT
// The export of IREE's device profile, made here as its tool writes it.
#include <arenascope/trace/import.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "engine/trace/sample_traces.h"

using namespace arenascope;
using namespace arenascope::trace;

namespace {

std::shared_ptr<const Snapshot> opened(const std::string& bytes) {
  Session session;
  const auto report = open_trace(as_bytes(bytes), "x", session);
  REQUIRE_MESSAGE(report.ok(), (report.ok() ? "" : report.error().message));
  CHECK(report->kind == TraceKind::IreeProfile);
  return session.snapshot();
}

}  // namespace

TEST_CASE("an IREE profile: command buffers are graphs, their executions runs") {
  const auto s = opened(test::iree_export());
  CHECK(s->problems.size() == 0);
  const std::string lines = test::iree_export();
  CHECK(s->source.entries == std::count(lines.begin(), lines.end(), '\n'));
  CHECK(s->source.format == "IREE profile");
  REQUIRE(s->graphs.size() == 1);
  const GraphInfo& graph = *s->graphs[0];
  REQUIRE(graph.nodes.size() == 3);
  CHECK(graph.nodes[0].op == "fill");
  CHECK(graph.nodes[1].name == "matmul");
  CHECK(graph.nodes[2].name == "matmul 2");
  CHECK(graph.nodes[2].op == "dispatch");
  REQUIRE(s->runs.size() == 2);
  for (size_t r = 0; r < 2; ++r) {
    CHECK(s->runs[r].finished);
    CHECK(s->runs[r].info.begin == 1000 + 2000 * static_cast<int64_t>(r));
    CHECK(s->runs[r].end == 1100 + 2000 * static_cast<int64_t>(r));
    REQUIRE(s->runs[r].table);
    REQUIRE(s->runs[r].table->nodes.size() == 3);
    CHECK(s->runs[r].table->nodes[0].host.count == 0);  // IREE times no fills on the host
    CHECK(s->runs[r].table->nodes[1].host.busy == 50);
    CHECK(s->runs[r].table->nodes[2].host.busy == 40);
  }
  // The second dispatch begins before the first is over.
  std::map<std::string, size_t> rows;
  for (const auto& track : s->tracks)
    for (const auto& lane : track.lanes) rows[track.info.name] += lane.rows.size();
  CHECK(rows["IREE device 0, queue 0"] == 3);  // and the span of an allocation
  CHECK(rows["IREE device 0, queue 0, lane 1"] == 2);
}

TEST_CASE("an IREE profile: a submission that executes a command buffer twice has two runs") {
  std::string text = test::iree_export();
  for (size_t at = 0; (at = text.find("\"submission_id\":5", at)) != std::string::npos;) text[at + 16] = '3';
  const auto s = opened(text);
  REQUIRE(s->runs.size() == 2);
  for (size_t r = 0; r < 2; ++r) {
    CHECK(s->runs[r].info.begin == 1000 + 2000 * static_cast<int64_t>(r));
    CHECK(s->runs[r].end == 1100 + 2000 * static_cast<int64_t>(r));
    CHECK(s->runs[r].table->nodes[1].host.count == 1);
    CHECK(s->runs[r].table->nodes[1].host.busy == 50);
  }
}

TEST_CASE("an IREE profile: pools without statistics have no reserved memory") {
  std::string text = test::iree_export();
  const std::string known = R"("pool_stats_available":true)", unknown = R"("pool_stats_available":false)";
  for (size_t at = 0; (at = text.find(known, at)) != std::string::npos; at += unknown.size())
    text.replace(at, known.size(), unknown);
  const auto s = opened(text);
  CHECK(s->all_reserved.samples.empty());
  CHECK_FALSE(s->all_active.samples.empty());
  REQUIRE(s->problems.size() == 1);
  CHECK(s->problems[0].sentence == "x: 1 of 1 memory pools recorded no statistics; their reserved memory is unknown.");
}

TEST_CASE("an IREE profile: each reservation is inside a slab of its pool") {
  const auto s = opened(test::iree_export());
  std::map<std::string, uint32_t> ids;
  for (const auto& a : s->allocators) ids[a.name] = a.id;
  REQUIRE(ids.contains("IREE, pool 1 on device 0"));
  REQUIRE(ids.contains("IREE, buffers on device 0"));
  std::vector<std::array<int64_t, 3>> taken;  // changes of the pool: address, bytes, live bytes after it
  int64_t live = 0, buffers = 0, slabs = 0;
  for (size_t i = 0; i < s->memory_events.size(); ++i) {
    const Event& e = s->event(s->memory_events[i]);
    if (e.allocator() == ids["IREE, buffers on device 0"]) {
      buffers += e.b;
      continue;
    }
    if (e.kind() == EventKind::Reserve) slabs += e.b;
    if (e.kind() == EventKind::Release) slabs -= e.b;
    if (e.kind() != EventKind::Alloc && e.kind() != EventKind::Free) continue;
    live += e.kind() == EventKind::Alloc ? e.b : -e.b;
    taken.push_back({e.a, e.b, live});
  }
  CHECK(taken ==
        std::vector<std::array<int64_t, 3>>{{0, 512, 512}, {1024, 1024, 1536}, {512, 256, 1792}, {1024, 1024, 768}});
  CHECK(slabs == 1024);
  CHECK(buffers == 200);  // allocated and freed
  CHECK(s->peak(MemoryKind::Default, MemoryCount::Reserved) >= 2048);
}

TEST_CASE("an IREE profile: invalid entries are skipped and counted") {
  std::string text =
      test::iree_export() + "nonsense\n{\"record_type\":\"memory_event\",\"event_type\":\"pool_reserve\"}\n";
  text += R"({"record_type":"dispatch_event","start_tick":5})"
          "\n";
  const auto s = opened(text);
  REQUIRE(s->problems.size() == 2);
  CHECK(s->problems[0].sentence == "x: 2 invalid records were skipped.");
  CHECK(s->problems[1].sentence == "x: 1 records with times of a device's own clock were skipped.");
  Session session;
  const auto empty = open_trace(as_bytes(R"({"record_type":"schema","format":"ireeperf-jsonl"})"), "x", session);
  REQUIRE_FALSE(empty.ok());
  CHECK(empty.error().message == "x: the IREE profile contains neither executions nor memory events.");
  const auto bundle = open_trace(as_bytes(std::string("IRPF\1\0\6\0", 8)), "x", session);
  REQUIRE_FALSE(bundle.ok());
  CHECK(bundle.error().message.find("iree-profile export") != std::string::npos);
}

TEST_CASE("an IREE profile whose reservations share one address") {
  std::string text = test::iree_export();
  for (int i = 0; i < 20'000; ++i)
    text +=
        R"({"record_type":"memory_event","event_type":"pool_reserve","host_time_ns":5000,"offset":0,"length":512,"pool_id":77,"allocation_id":)" +
        std::to_string(100 + i) + "}\n";
  CHECK(opened(text)->problems.size() == 1);
}
