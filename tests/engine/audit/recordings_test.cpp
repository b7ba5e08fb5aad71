// SPDX-License-Identifier: MIT
// Hand-made recordings whose figures are known, random ones that are counted nanosecond by nanosecond, and damaged
// ones.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/engine/audit/audited.h"
#include "tests/engine/audit/brute_force.h"
#include "tests/engine/trace/sample_session.h"

namespace arenascope::test {

namespace {

double value(const audit::Report& report, const std::string& id) {
  const audit::Figure* figure = report.find(id);
  REQUIRE_MESSAGE(figure != nullptr, "no figure " << id);
  return figure->value;
}

}  // namespace

// tests/engine/trace/sample_session.h: node k begins at 200 k; thread 0 works 100 ns, thread 1 120 ns; both leave 5 ns
// after that. Tensors of 1000 and 2000 bytes are adjacent from step 1 to step 3.
TEST_CASE("the figures of the sample run") {
  const auto r = audited_of([](Sink& sink) { fill(sink, {.runs = 1}); });
  REQUIRE(r.ok());
  CHECK(r->contradictions_seen == 0);
  CHECK(r->lost == 0);
  REQUIRE(r->runs.size() == 1);
  CHECK(r->runs[0].wall == 800);
  CHECK(r->runs[0].threads == 2);
  REQUIRE(r->threads.size() == 2);
  CHECK(r->threads[0].busy_share() == doctest::Approx(4 * 100 / 800.0));
  CHECK(r->threads[0].wait_share() == doctest::Approx(4 * 25 / 800.0));
  CHECK(r->threads[1].busy_share() == doctest::Approx(4 * 120 / 800.0));
  CHECK(r->threads[1].wait_share() == doctest::Approx(4 * 5 / 800.0));
  REQUIRE(r->nodes.size() == 4);
  CHECK(r->nodes[2].median == 120);
  CHECK(r->nodes[2].busy == 220);
  CHECK(r->nodes[2].wait == 30);
  CHECK(r->nodes[2].parts == 2);
  CHECK(value(*r, "node.0.2.speed") == doctest::Approx(250 / 120.0));
  CHECK(value(*r, "run.0.arena.peak") == 3000);
  CHECK(value(*r, "run.0.arena.peak_step") == 1);
  CHECK(value(*r, "run.0.arena.peak_at") == 10'200 - 9'000);  // the first event is at 9,000
  CHECK(value(*r, "run.0.arena.max_holes") == 1000);          // below the second tensor, in step 3
  CHECK(value(*r, "memory.active.peak") == 3000);
  CHECK(value(*r, "memory.active.peak_at") == 10'200 - 9'000);
  CHECK(value(*r, "memory.active.end") == 0);
  CHECK(value(*r, "kind.Workspace.reserved.end") == 4096);
  CHECK(value(*r, "run.0.barriers") == 4);
  CHECK(value(*r, "run.0.barriers.waited") == 4 * 30);
  CHECK(value(*r, "run.0.barrier.1.spread") == 20);
  CHECK(value(*r, "plan.0.blocks") == 2);
  CHECK(value(*r, "plan.0.block.1.filled") == doctest::Approx(3 / 4.0));
  CHECK(value(*r, "plan.0.holes") == 1);
  CHECK(value(*r, "plan.0.hole_byte_steps") == 1000);
  CHECK(value(*r, "counter.0.last") == 12.5);
}

TEST_CASE("the cold first run is separate") {
  const auto r = audited_of([](Sink& sink) {
    sink.describe(ThreadInfo{TrackId(0), "worker 0"});
    auto graph = std::make_shared<GraphInfo>();
    graph->id = GraphId(0);
    graph->nodes.push_back({.name = "n"});
    sink.describe(std::shared_ptr<const GraphInfo>(graph));
    const std::array<Nanoseconds, 5> took{5000, 10, 30, 20, 60};
    std::vector<Event> events;
    for (int run = 0; run < 5; ++run) {
      sink.describe(RunInfo{.id = RunId(run), .graph = GraphId(0), .begin = run * 10'000, .threads = 1});
      events.push_back(work(RunId(run), NodeId(0), run * 10'000, run * 10'000 + took[static_cast<size_t>(run)]));
    }
    sink.events(TrackId(0), events);
    for (int run = 0; run < 5; ++run) sink.describe(RunEnd{RunId(run), run * 10'000 + 9000, RunStatus::Done});
  });
  REQUIRE(r.ok());
  REQUIRE(r->nodes.size() == 1);
  const audit::NodeFigures& n = r->nodes[0];
  CHECK(n.runs == 5);
  CHECK(n.cold == 5000);
  CHECK(n.median == 25);
  CHECK(n.lower_quartile == 17);  // 17.5
  CHECK(n.upper_quartile == 37);  // 37.5
  CHECK(n.longest == 60);
  CHECK(n.mean == doctest::Approx(30));
}

TEST_CASE("200 random recordings agree with a count per nanosecond") {
  size_t compared = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    CAPTURE(seed);
    const Stream stream = random_events(seed, {.whole = seed % 2 == 0});
    const auto r = audited(stream);
    REQUIRE(r.ok());
    const bool lost = r->lost > 0;
    std::map<std::string, double> ours;
    for (const audit::Figure& f : r->figures) ours[f.id] = f.value;
    for (const auto& [id, expected] : brute_force(stream)) {
      CAPTURE(id);
      // Where marks of steps are lost, it is a guess in which run a tensor lay.
      if (lost && id.find(".arena.") != std::string::npos) continue;
      REQUIRE(ours.count(id) == 1);
      CHECK(std::abs(ours[id] - expected) <= 1e-9 * std::abs(expected));
      ++compared;
    }
    if (!lost) CHECK_MESSAGE(r->contradictions_seen == 0, r->contradictions.front());
  }
  CHECK(compared > 10'000);
}

TEST_CASE("a truncated recording is audited up to the cut, garbage is an error") {
  const TempFile file("cut.pftrace");
  {
    auto writer = RecordingWriter::create(file.path);
    REQUIRE(writer.ok());
    fill(**writer, {.runs = 3});
  }
  const std::string bytes = file.read();
  const auto whole = audit::audit_file(file.path);
  REQUIRE(whole.ok());
  for (size_t length = 0; length < bytes.size(); length += 37) {
    const auto r = audit::audit_bytes({reinterpret_cast<const uint8_t*>(bytes.data()), length}, "cut");
    if (!r.ok()) continue;
    CHECK(r->events <= whole->events);
    CHECK((r->events == whole->events || !r->problem.empty() || length < bytes.size()));
  }
  const auto missing = audit::audit_file("/nonexistent/file");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().message.find("/nonexistent/file") == 0);
  CHECK_FALSE(audit::audit_file("/").ok());
}

}  // namespace arenascope::test
