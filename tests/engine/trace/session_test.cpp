// SPDX-License-Identifier: MIT
#include <arenascope/trace/convert.h>
#include <arenascope/trace/event_sorter.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <thread>

#include "engine/trace/sample_session.h"

using namespace arenascope;
using namespace arenascope::trace;

TEST_CASE("an empty session answers every query with an empty result") {
  Session session;
  const auto s = session.snapshot();
  CHECK(s->time == TimeRange{0, 0});
  CHECK(s->spans(TrackId(0), 0, 100, 10).empty());
  CHECK(s->spans_exact(TrackId(0), 0, 100, 10).empty());
  CHECK_FALSE(s->span_at(TrackId(0), 5));
  CHECK(s->steps(RunId(0)).empty());
  CHECK_FALSE(s->time_of(RunId(0), NodeId(0)));
  CHECK(s->slices_in(0, 100, 10).empty());
  CHECK(s->slices_live(RunId(0), Step(0)).empty());
  CHECK(s->graph(GraphId(0)) == nullptr);
  CHECK(s->name(NameId(0)).empty());
  CHECK(s->peak(MemoryKind::Workspace, MemoryCount::Active) == 0);
  CHECK(s->all_active.curve(0, 10, 5).size() == 5);
  CHECK(session.snapshot() == s);
}

TEST_CASE("node statistics and barriers report the last thread and the waits of the others") {
  Session session;
  test::fill(session, {.runs = 2});
  const auto s = session.snapshot();
  REQUIRE(s->problems.empty());
  CHECK(s->runs.size() == 2);
  const NodeStats n1 = s->stats(GraphId(0), NodeId(1));
  CHECK(n1.runs == 1);  // the first one is cold
  CHECK(n1.parts == 2);
  CHECK(n1.barriers == 1);
  CHECK(n1.last_arriver == TrackId(1));
  CHECK(n1.most_frequent_last == TrackId(1));
  CHECK(n1.mean == 120);
  CHECK(n1.busy == 220);
  CHECK(n1.first == 120);
  CHECK(n1.wait == 30);  // 20 + the 5 that leaving takes, and 5
  const auto b = s->barrier_of(RunId(1), NodeId(1));
  REQUIRE(b);
  CHECK(b->wait_sum == 30);
  CHECK(b->threads == 2);
  CHECK(b->last_arrival - b->first_arrival == 20);
  CHECK(s->barriers_in(s->time.begin, s->time.end + 1, 1000).size() == s->barriers.size());
}

TEST_CASE("steps and time map to each other monotonically, through the marks") {
  Session session;
  test::fill(session, {.runs = 3});
  const auto s = session.snapshot();
  for (int run = 0; run < 3; ++run) {
    const StepMap map = s->steps(RunId(run));
    REQUIRE(map.steps() == 4);
    for (const StepMark& m : map.marks()) {
      CHECK(map.time_of(m.step.value) == m.time);
      CHECK(map.step_at(m.time) == m.step.value);
      CHECK(map.mark_at(m.time)->node == m.node);
    }
    double last = -1;
    for (Nanoseconds t = s->time.begin; t < s->time.end; t += 7) {
      CHECK(map.step_at(t) >= last);
      last = map.step_at(t);
    }
    Nanoseconds last_time = 0;
    for (double step = -1; step < 6; step += 0.125) {
      CHECK(map.time_of(step) >= last_time);
      last_time = map.time_of(step);
      if (step >= 0 && step < 4) CHECK(map.step_at(last_time) == doctest::Approx(step).epsilon(0.02));
    }
    CHECK(s->time_of(RunId(run), NodeId(2))->begin == map.time_of(2));
  }
}

TEST_CASE("cells cover all spans, as single spans or as the density of a pixel") {
  Session session;
  session.describe(ThreadInfo{TrackId(0), "t"});
  session.describe(NameInfo{NameId(0), "a"});
  std::mt19937_64 random(3);
  std::vector<Event> events;
  Nanoseconds t = 100;
  for (int i = 0; i < 50000; ++i) {
    const Nanoseconds end = t + static_cast<Nanoseconds>(random() % (i % 100 == 0 ? 5000 : 20));
    events.push_back(slice(t, end, NameId(0), 0));
    t = end + static_cast<Nanoseconds>(random() % 10);
  }
  session.events(TrackId(0), events);
  const auto s = session.snapshot();
  for (int pixels : {10, 1600}) {
    for (const auto& [t0, t1] :
         {std::pair<Nanoseconds, Nanoseconds>{0, t + 1}, {t / 3, t / 2}, {t / 2, t / 2 + 3000}}) {
      const auto cells = s->spans(TrackId(0), t0, t1, pixels);
      CHECK(cells.size() <= static_cast<size_t>(2 * pixels + 2));
      int64_t counted = 0, expected = 0;
      for (const SpanCell& c : cells) {
        counted += c.count;
        CHECK(c.begin <= c.end);
        CHECK(s->event(c.span).begin() >= c.begin);
        CHECK(s->event(c.span).end() <= c.end);
      }
      for (const Event& e : events) expected += e.begin() < t1 && (e.end() > t0 || e.begin() >= t0) ? 1 : 0;
      CHECK(counted == expected);
    }
  }
}

TEST_CASE("span_at and spans_exact agree with a linear scan, also for nested spans") {
  Session session;
  session.describe(ThreadInfo{TrackId(0), "t"});
  session.describe(NameInfo{NameId(0), "outer"});
  session.describe(NameInfo{NameId(1), "inner"});
  std::vector<Event> events;
  for (int i = 0; i < 1000; ++i) {
    events.push_back(slice(100 * i, 100 * i + 90, NameId(0), 0));
    events.push_back(slice(100 * i + 20, 100 * i + 40, NameId(1), 1));
  }
  session.events(TrackId(0), events);
  const auto s = session.snapshot();
  CHECK(s->tracks[0].lanes.size() == 2);
  CHECK(s->label(s->event(*s->span_at(TrackId(0), 50030))) == "inner");
  CHECK(s->label(s->event(*s->span_at(TrackId(0), 50050))) == "outer");
  CHECK_FALSE(s->span_at(TrackId(0), 50095));
  const auto exact = s->spans_exact(TrackId(0), 50010, 50030, 100);
  REQUIRE(exact.size() == 2);
  CHECK(exact[0].lane == 0);
  CHECK(exact[1].lane == 1);
  CHECK(s->spans_exact(TrackId(0), 0, 1'000'000, 7).size() == 7);
}

TEST_CASE("memory by kind: curve, peak and steps") {
  Session session;
  test::fill(session, {.runs = 1});
  const auto s = session.snapshot();
  CHECK(s->peak(MemoryKind::Workspace, MemoryCount::Active) == 3000);
  CHECK(s->peak(MemoryKind::Workspace, MemoryCount::Reserved) == 4096);
  CHECK(s->peak(MemoryKind::KVCache, MemoryCount::Active) == 0);
  CHECK(s->memory_by_step(RunId(0), MemoryKind::Workspace, MemoryCount::Active) ==
        std::vector<Bytes>{1000, 3000, 3000, 2000});
  double most = 0;
  for (const CurvePoint& p : s->all_active.curve(s->time.begin, s->time.end, 50)) most = std::max(most, p.max);
  CHECK(most == 3000);
  CHECK(s->memory_events.size() == 5);
  CHECK(s->event(s->memory_events[1]).b == 1000);
}

TEST_CASE("slices live at a step, planned and observed") {
  Session session;
  test::fill(session, {.runs = 2});
  const auto s = session.snapshot();
  const PlanInfo* plan = s->plan(PlanId(0));
  REQUIRE(plan != nullptr);
  CHECK(Snapshot::occupancy(*plan) == std::vector<Bytes>{1000, 3000, 3000, 2000});
  CHECK(Snapshot::plan_slices_live(*plan, Step(1)).size() == 2);
  for (int run = 0; run < 2; ++run) {
    for (int step = 0; step < 4; ++step) {
      CHECK(s->slices_live(RunId(run), Step(step)).size() == Snapshot::plan_slices_live(*plan, Step(step)).size());
    }
  }
  CHECK(s->slices.size() == 6);
  CHECK(s->slices_in(s->time.begin, s->time.end, 100).size() == 6);
  CHECK(s->seen.size() == 2 * 3);
  CHECK(s->accesses_in(s->time.begin, s->time.end, 100).size() == 6);
}

TEST_CASE("bytes reused in place or joined count once") {
  PlanInfo plan;
  plan.order = {NodeId(0), NodeId(1), NodeId(2)};
  plan.slices.push_back({.tensor = TensorRef::node(NodeId(0)), .size = 100, .first = Step(0), .last = Step(2)});
  plan.slices.push_back(
      {.tensor = TensorRef::node(NodeId(1)), .offset = 100, .size = 80, .first = Step(1), .last = Step(3)});
  CHECK(Snapshot::occupancy(plan) == std::vector<Bytes>{100, 180, 80});
  plan.slices[1].offset = 0;
  plan.slices[1].in_place_of = TensorRef::node(NodeId(0));
  CHECK(Snapshot::occupancy(plan) == std::vector<Bytes>{100, 100, 80});
  // Two parts of a third, which begins while they live.
  plan.slices = {{.tensor = TensorRef::node(NodeId(0)), .offset = 64, .size = 30, .first = Step(0), .last = Step(2)},
                 {.tensor = TensorRef::node(NodeId(1)), .offset = 94, .size = 70, .first = Step(0), .last = Step(2)},
                 {.tensor = TensorRef::node(NodeId(2)), .offset = 64, .size = 100, .first = Step(1), .last = Step(3)}};
  CHECK(Snapshot::occupancy(plan) == std::vector<Bytes>{100, 100, 100});
  plan.slices[0].offset = INT64_MIN;  // from an invalid file
  plan.slices[1].size = INT64_MAX;
  CHECK(Snapshot::occupancy(plan).size() == 3);
}

TEST_CASE("invalid data is skipped, counted and reported once") {
  Session session;
  session.describe(ThreadInfo{TrackId(5), "far out"});
  session.describe(RunInfo{.id = RunId(0xffffff)});
  session.events(TrackId(3), std::array{Event{}});
  session.describe(ThreadInfo{TrackId(0), "t"});
  session.events(TrackId(0),
                 std::array{work(RunId(0), NodeId(0), 10, 5), counter(1, CounterId(99), 1),
                            slice(INT64_MIN, INT64_MAX, NameId(0), 0), Event{.kind_extra = 200},
                            slice_live(RunId(0), 0, TensorRef{1}, -5, 10, Step(0)), slice(1, 2, NameId(0), 0)});
  const auto s = session.snapshot();
  CHECK(s->event_count == 1);
  CHECK(s->problems.size() == 1);
  CHECK(s->tracks.size() == 1);
  CHECK(s->time == TimeRange{1, 2});
}

TEST_CASE("readers read while the writer writes") {
  Session session;
  test::fill(session, {.runs = 1});
  std::atomic<bool> done{false};
  std::vector<std::thread> readers;
  std::atomic<int64_t> wrong{0};
  for (int r = 0; r < 2; ++r) {
    readers.emplace_back([&] {
      while (!done.load()) {
        const auto s = session.snapshot();
        int64_t spans = 0;
        for (const TrackView& t : s->tracks) {
          for (const LaneView& l : t.lanes) spans += static_cast<int64_t>(l.rows.size());
          spans += static_cast<int64_t>(t.points.size());
        }
        if (spans != s->event_count) ++wrong;
        const auto cells = s->spans(TrackId(0), s->time.begin, s->time.end, 100);
        for (const SpanCell& c : cells) wrong += s->event(c.span).end() > c.end;
        for (size_t i = 0; i < s->runs.size(); ++i) wrong += s->runs[i].info.id != RunId(i);
        const NodeStats n0 = s->stats(GraphId(0), NodeId(0));
        wrong += n0.runs < 0 || (n0.runs > 0 && !n0.incomplete && n0.parts != 2);
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    });
  }
  test::fill_runs(session, 1, 400);
  done = true;
  for (auto& t : readers) t.join();
  CHECK(wrong == 0);
  CHECK(session.snapshot()->runs.size() == 401);
  CHECK(session.bytes() > 0);
}

TEST_CASE("a bounded session evicts the oldest events, keeps statistics, and earlier snapshots are unchanged") {
  Session bounded(Session::Options{.max_bytes = 3 << 20}), whole;
  test::fill(bounded, {.runs = 1});
  test::fill(whole, {.runs = 1});
  const auto before = bounded.snapshot();
  const std::string text_before = to_string(*before, Format::Text);
  std::vector<std::shared_ptr<const Snapshot>> seen;
  for (int run = 1; run < 6000; run += 10) {
    test::fill_runs(bounded, run, 10);
    test::fill_runs(whole, run, 10);
    if (run % 500 == 1) seen.push_back(bounded.snapshot());
    REQUIRE(bounded.bytes() < (size_t{4} << 20));
  }
  const auto s = bounded.snapshot(), w = whole.snapshot();
  CHECK(s->forgotten > 0);
  CHECK(s->event_count + s->forgotten == w->event_count);
  CHECK(s->time.end == w->time.end);
  CHECK(s->time.begin > w->time.begin);
  CHECK(to_string(*before, Format::Text) == text_before);
  CHECK(s->runs.size() == w->runs.size());
  for (int n = 0; n < 4; ++n) {
    const NodeStats some = s->stats(GraphId(0), NodeId(n)), all = w->stats(GraphId(0), NodeId(n));
    CHECK(some.median == all.median);
    CHECK(some.left_out > 0);
    const auto forgotten = static_cast<int64_t>(s->forgotten_runs);
    CHECK(some.runs + some.left_out + forgotten == all.runs + 1);  // the cold one went too
    CHECK(all.left_out == 0);
  }
  for (const auto& snapshot : seen) {
    const auto cells = snapshot->spans(TrackId(0), snapshot->time.begin, snapshot->time.end, 30);
    CHECK_FALSE(cells.empty());
  }
  // The remaining part answers queries like the whole.
  const RunId last(static_cast<int32_t>(s->runs.size() - 1));
  CHECK(s->steps(last).marks().size() == 4);
  CHECK(s->steps(last).time_of(2) == w->steps(last).time_of(2));
  CHECK(s->steps(RunId(1)).empty());
  CHECK(s->slices_live(last, Step(1)).size() == 2);
  CHECK(s->barrier_of(last, NodeId(3))->wait_sum == 30);
  const Nanoseconds t0 = s->time.end - 100'000;
  CHECK(s->spans_exact(TrackId(1), t0, s->time.end, 10000).size() ==
        w->spans_exact(TrackId(1), t0, w->time.end, 10000).size());
  for (size_t i = 0; i < s->memory_events.size(); ++i) CHECK(s->event(s->memory_events[i]).b > 0);
}

TEST_CASE("a session whose oldest runs were evicted is replayed with the same run ids") {
  Session bounded(Session::Options{.max_bytes = 3 << 20});
  test::fill(bounded, {.runs = 6000});
  const auto s = bounded.snapshot();
  REQUIRE(s->forgotten_runs > 0);
  CHECK(s->run(RunId(s->forgotten_runs - 1)) == nullptr);
  REQUIRE(s->run(RunId(s->forgotten_runs)) != nullptr);
  Session again;
  replay(*s, again);
  const auto t = again.snapshot();
  CHECK(t->problems.empty());
  CHECK(t->runs.size() == s->runs.size());
  CHECK(t->forgotten_runs == s->forgotten_runs);
  CHECK(t->event_count == s->event_count);
  for (size_t i = s->forgotten_runs; i < s->runs.size(); ++i) {
    CHECK(t->runs[i].info == s->runs[i].info);
    CHECK(t->runs[i].end == s->runs[i].end);
  }
  // Late events of a forgotten run are kept, and change no run.
  const int64_t before = bounded.snapshot()->event_count;
  bounded.events(TrackId(0), std::array{work(RunId(0), NodeId(0), s->time.end, s->time.end + 5, 0),
                                        step(RunId(0), s->time.end, Step(0), NodeId(0))});
  bounded.describe(RunEnd{RunId(0), s->time.end});
  CHECK(bounded.snapshot()->event_count == before + 2);
  CHECK(bounded.snapshot()->problems.empty());
}

TEST_CASE("slices and steps of two threads are merged for any drain order") {
  const auto ref = TensorRef::node(NodeId(0));
  const std::array<Event, 4> even = {
      step(RunId(0), 10, Step(0), NodeId(0)), slice_live(RunId(0), 10, ref, 64, 128, Step(0)),
      step(RunId(0), 30, Step(2), NodeId(2)), slice_live(RunId(0), 30, ref, 64, 128, Step(2))};
  const std::array<Event, 4> odd = {
      step(RunId(0), 20, Step(1), NodeId(1)), slice_dead(RunId(0), 20, ref, 64, 128, Step(1)),
      step(RunId(0), 40, Step(3), NodeId(3)), slice_dead(RunId(0), 40, ref, 64, 128, Step(3))};
  for (const bool even_first : {true, false}) {
    Session session;
    session.describe(ThreadInfo{TrackId(0), "even"});
    session.describe(ThreadInfo{TrackId(1), "odd"});
    auto graph = std::make_shared<GraphInfo>();
    graph->id = GraphId(0);
    graph->nodes.resize(4);
    session.describe(std::shared_ptr<const GraphInfo>(graph));
    session.describe(RunInfo{RunId(0), GraphId(0), PlanId(), 5, 2, "cpu", "planned"});
    EventSorter sorter;
    if (even_first) sorter.add(TrackId(0), even);
    sorter.add(TrackId(1), odd);
    if (!even_first) sorter.add(TrackId(0), even);
    sorter.drain_all(session);
    const auto s = session.snapshot();
    CHECK(s->open_slices.empty());
    auto slices = s->slices_in(0, 100, 10);
    std::sort(slices.begin(), slices.end(),
              [](const ArenaAllocation& x, const ArenaAllocation& y) { return x.begin < y.begin; });
    REQUIRE(slices.size() == 2);
    CHECK(slices[0].begin == 10);
    CHECK(slices[0].end == 20);
    CHECK(slices[0].last == Step(1));
    CHECK(slices[1].begin == 30);
    CHECK(slices[1].end == 40);
    const StepMap map = s->steps(RunId(0));
    REQUIRE(map.marks().size() == 4);
    CHECK(map.step_at(25) == doctest::Approx(1.5));
  }
}

namespace {

// One node of two chunks on two threads, one run of 100 ns per given wall time; queries in between.
struct Runs {
  Session session;
  RunId next{0};
  Nanoseconds now = 1000;

  explicit Runs(TrackKind second = TrackKind::Worker) {
    session.describe(ThreadInfo{TrackId(0), "worker 0"});
    session.describe(ThreadInfo{TrackId(1), "second", second});
    auto graph = std::make_shared<GraphInfo>();
    graph->id = GraphId(0);
    graph->nodes.resize(2);
    session.describe(std::shared_ptr<const GraphInfo>(graph));
  }
  void begin(GraphId graph = GraphId(0)) {
    session.describe(RunInfo{.id = next, .graph = graph, .plan = PlanId(), .begin = now, .threads = 2});
  }
  void work_on(int track, NodeId node, Nanoseconds from, Nanoseconds to) {
    session.events(TrackId(track), std::array{work(next, node, now + from, now + to)});
  }
  void end(Nanoseconds took, RunStatus status = RunStatus::Done, bool stepped = false) {
    session.describe(RunEnd{next, now + took, status, stepped});
    next = RunId(next.value + 1);
    now += took + 1000;
  }
  // Parts that overlap: they last `wall` together and 1.5 times as long summed up.
  void whole(Nanoseconds wall, RunStatus status = RunStatus::Done, bool stepped = false) {
    begin();
    work_on(1, NodeId(0), wall / 4, wall);
    work_on(0, NodeId(0), 0, wall * 3 / 4);
    end(wall + 10, status, stepped);
  }
  NodeStats stats() const { return session.snapshot()->stats(GraphId(0), NodeId(0)); }
};

}  // namespace

TEST_CASE("a node's time covers its first to its last part in a run, without the cold first run") {
  Runs runs;
  runs.whole(117'000);
  CHECK(runs.stats().cold);  // there is no other
  CHECK(runs.stats().mean == 117'000);
  for (const Nanoseconds wall : {400, 800, 1200, 1600}) runs.whole(wall);
  const NodeStats s = runs.stats();
  CHECK_FALSE(s.cold);
  CHECK(s.runs == 4);
  CHECK(s.mean == 1000);
  CHECK(s.median == 1000);
  CHECK(s.quartile1 == 700);
  CHECK(s.quartile3 == 1300);
  CHECK(s.percentile90 == 1480);
  CHECK(s.percentile99 == 1587);  // 1588, rounded down
  CHECK(runs.session.snapshot()->durations(GraphId(0), NodeId(0)) == std::vector<Nanoseconds>{400, 800, 1200, 1600});
  CHECK(runs.session.snapshot()->durations(GraphId(7), NodeId(0)).empty());
  CHECK(s.shortest == 400);
  CHECK(s.longest == 1600);
  CHECK(s.busy == 1500);
  CHECK(s.parts == 2);
  CHECK(s.first == 117'000);
  const auto all = runs.session.snapshot()->stats(GraphId(0));
  REQUIRE(all.size() == 2);
  CHECK(all[0].mean == s.mean);
  CHECK(all[1].runs == 0);
}

TEST_CASE("aborted, stepped and lossy runs are excluded from statistics") {
  Runs runs;
  runs.whole(400, RunStatus::Aborted);
  CHECK(runs.stats().incomplete);
  CHECK(runs.stats().mean == 400);
  runs.whole(500);
  runs.whole(600);
  runs.whole(7000, RunStatus::Done, true);
  runs.begin();
  runs.work_on(0, NodeId(0), 0, 9000);
  runs.session.describe(Loss{TrackId(1), 3, runs.now});
  runs.end(9000);
  const NodeStats s = runs.stats();
  CHECK_FALSE(s.incomplete);
  CHECK(s.runs == 2);  // the aborted one was the cold one
  CHECK(s.mean == 550);
  CHECK(s.left_out == 3);
  const auto snapshot = runs.session.snapshot();
  CHECK(snapshot->run(RunId(3))->info.stepped);
  CHECK(snapshot->run(RunId(4))->lost == 3);
  CHECK(snapshot->run(RunId(2))->lost == 0);
  CHECK(snapshot->run(RunId(2))->whole());
}

TEST_CASE("device time and host queueing time are separate") {
  Runs runs(TrackKind::DeviceQueue);
  for (int i = 0; i < 2; ++i) {
    runs.begin();
    runs.work_on(0, NodeId(0), 0, 10);
    runs.work_on(1, NodeId(0), 100, 600);
    runs.end(700);
  }
  const NodeStats s = runs.stats();
  CHECK(s.mean == 500);
  CHECK(s.busy == 500);
  CHECK(s.parts == 1);
  CHECK(s.queueing == 10);
}

TEST_CASE("pauses are excluded from run time, waits and busy shares for any drain order") {
  for (const bool pause_first : {true, false}) {
    Runs runs;
    runs.begin();
    const Nanoseconds t = runs.now;
    runs.work_on(0, NodeId(0), 0, 100);
    const std::array held = {between(RunId(0), NodeId(1), t + 120, t + 90'120, kPaused)};
    const std::array other = {work(RunId(0), NodeId(0), t, t + 60), wait(RunId(0), NodeId(0), t + 60, t + 90'130, 0)};
    const std::array first = {wait(RunId(0), NodeId(0), t + 100, t + 90'130, 0)};
    EventSorter sorter;
    if (pause_first) sorter.add(TrackId(0), held);
    sorter.add(TrackId(1), other);
    if (!pause_first) sorter.add(TrackId(0), held);
    sorter.add(TrackId(0), first);
    sorter.drain_all(runs.session);
    runs.end(90'200);
    runs.begin();
    runs.end(10);
    const auto s = runs.session.snapshot();
    const Run& run = *s->run(RunId(0));
    CHECK(run.paused() == 90'000);
    CHECK(run.wall() == 200);
    REQUIRE(s->barriers.size() == 1);
    CHECK(s->barriers[0].wait_sum == 70 + 30);
    CHECK(run.table->nodes[0].wait == 100);
    CHECK(s->share(RunId(0), TrackId(0)).busy == doctest::Approx(0.5));
    CHECK(s->share(RunId(0), TrackId(0)).waiting == doctest::Approx(0.15));
    CHECK(s->share(RunId(0), TrackId(1)).busy == doctest::Approx(0.3));
    CHECK(s->share(RunId(0), TrackId(1)).waiting == doctest::Approx(0.35));
  }
}

TEST_CASE("an unfinished run lasts until its newest event, as does its busy share") {
  Session session;
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  graph->nodes.resize(2);
  session.describe(ThreadInfo{.id = TrackId(0), .name = "worker"});
  session.describe(std::shared_ptr<const GraphInfo>(graph));
  session.describe(RunInfo{.id = RunId(0), .graph = GraphId(0), .begin = 1000, .threads = 1});
  CHECK(session.snapshot()->runs[0].wall() == 0);
  session.events(TrackId(0),
                 std::vector{work(RunId(0), NodeId(0), 1100, 1600), between(RunId(0), NodeId(0), 1600, 1700, kPaused),
                             work(RunId(0), NodeId(1), 1700, 2000)});
  CHECK(session.snapshot()->runs[0].wall() == 900);
  // It never ended, and another one came.
  session.describe(RunInfo{.id = RunId(1), .graph = GraphId(0), .begin = 50'000, .threads = 1});
  session.events(TrackId(0), std::vector{work(RunId(1), NodeId(0), 50'000, 60'000)});
  const auto s = session.snapshot();
  CHECK(s->runs[0].wall() == 900);
  CHECK(s->share(RunId(0), TrackId(0)).busy == doctest::Approx(800.0 / 900));
  session.describe(RunEnd{RunId(0), 3000, RunStatus::Aborted});
  CHECK(session.snapshot()->runs[0].wall() == 1900);
}

TEST_CASE("slices belong to the run named by their events") {
  Runs runs;
  runs.begin();
  runs.next = RunId(1);
  runs.begin();  // a second executor, while the first one's run continues
  const auto ref = TensorRef::node(NodeId(0));
  const std::array<Event, 4> events = {
      slice_live(RunId(0), 1100, ref, 64, 128, Step(0)), slice_live(RunId(1), 1110, ref, 64, 128, Step(0)),
      slice_dead(RunId(0), 1200, ref, 64, 128, Step(2)), slice_dead(RunId(1), 1300, ref, 64, 128, Step(3))};
  runs.session.events(TrackId(0), events);
  const auto s = runs.session.snapshot();
  REQUIRE(s->slices.size() == 2);
  CHECK(s->slices[0].run == RunId(0));
  CHECK(s->slices[0].begin == 1100);
  CHECK(s->slices[0].end == 1200);
  CHECK(s->slices[1].run == RunId(1));
  CHECK(s->slices[1].begin == 1110);
  CHECK(s->slices[1].end == 1300);
  CHECK(s->slices_live(RunId(0), Step(1)).size() == 1);
  CHECK(s->slices_live(RunId(1), Step(2)).size() == 1);
  CHECK(s->slices_live(RunId(0), Step(2)).empty());
}

TEST_CASE("open slices end with an aborted run") {
  Runs runs;
  runs.begin();
  const auto ref = TensorRef::node(NodeId(0));
  const std::array<Event, 3> events = {step(RunId(0), 1010, Step(0), NodeId(0)),
                                       slice_live(RunId(0), 1020, ref, 64, 128, Step(0)),
                                       step(RunId(0), 1030, Step(1), NodeId(1))};
  runs.session.events(TrackId(0), events);
  CHECK(runs.session.snapshot()->open_slices[0].open);
  runs.end(100, RunStatus::Aborted);
  runs.begin();
  runs.session.events(TrackId(0), std::array{step(RunId(1), 5000, Step(40), NodeId(1))});
  const auto s = runs.session.snapshot();
  REQUIRE(s->open_slices.size() == 1);
  CHECK(s->open_slices[0].end == 1100);
  CHECK(s->open_slices[0].last == Step(2));
  CHECK_FALSE(s->open_slices[0].open);
  CHECK(s->slices_in(2000, 6000, 10).empty());
}

TEST_CASE("arena slices end with their run, also if its end arrives after the next run's begin") {
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  graph->nodes.resize(2);
  auto plan = std::make_shared<PlanInfo>();
  plan->id = PlanId(0);
  plan->graph = graph->id;
  plan->order = {NodeId(0), NodeId(1)};
  for (int i = 0; i < 2; ++i) {
    SliceInfo slice;
    slice.tensor = TensorRef::node(NodeId(i));
    slice.offset = slice.bound_offset = 64 * i;
    slice.size = 64;
    slice.first = Step(i);
    slice.last = Step(2);
    slice.bound = true;
    plan->slices.push_back(slice);
  }
  for (const bool early : {true, false}) {
    Session session;
    StreamSorter sorter(session);
    sorter.describe(ThreadInfo{TrackId(0), "worker"});
    sorter.describe(std::shared_ptr<const GraphInfo>(graph));
    sorter.describe(std::shared_ptr<const PlanInfo>(plan));
    const auto run = [&](int id) {
      RunInfo info{RunId(id), graph->id, plan->id, 1000 + 1000 * id, 1, "cpu", "planned"};
      info.lead = TrackId(0);
      info.steps_derived = true;
      sorter.describe(info);
      const Nanoseconds t = info.begin;
      sorter.events(TrackId(0), std::array{work(RunId(id), NodeId(0), t + 100, t + 200),
                                           work(RunId(id), NodeId(1), t + 200, t + 300)});
    };
    run(0);
    if (early) sorter.describe(RunEnd{RunId(0), 1400, RunStatus::Done});
    run(1);
    if (!early) sorter.describe(RunEnd{RunId(0), 1400, RunStatus::Done});
    sorter.describe(RunEnd{RunId(1), 2400, RunStatus::Done});
    sorter.flush();
    const auto after = session.snapshot();
    REQUIRE(after->slices.size() == 4);
    for (size_t i = 0; i < 2; ++i) {
      CHECK(after->slices[i].run == RunId(0));
      CHECK(after->slices[i].last == Step(2));
      CHECK(after->slices[i].end == 1300);
    }
    CHECK(after->open_slices.empty());
    CHECK(after->slices[3].end == 2300);
    CHECK(after->runs[0].marks == 2);
  }
}

TEST_CASE("the peak of a curve is exact, and the first of equal ones") {
  Session session;
  session.describe(ThreadInfo{TrackId(0), "t"});
  std::mt19937_64 random(5);
  std::vector<std::pair<Nanoseconds, double>> all;
  double now = 0;
  for (int i = 0; i < 3000; ++i) {
    const auto bytes = static_cast<Bytes>(random() % 100);
    const bool grows = now < 1000 || random() % 2 == 0;
    if (!grows && static_cast<double>(bytes) > now) continue;
    session.events(TrackId(0), std::array{grows ? alloc(10 * i, MemoryKind::Default, 0, bytes, 0, 0)
                                                : free(10 * i, MemoryKind::Default, 0, bytes, 0, 0)});
    now += grows ? static_cast<double>(bytes) : -static_cast<double>(bytes);
    all.emplace_back(10 * i, now);
  }
  const auto s = session.snapshot();
  for (const auto& [t0, t1] :
       {std::pair<Nanoseconds, Nanoseconds>{0, 30'000}, {5, 95}, {12'345, 20'000}, {29'999, 30'000}}) {
    std::optional<Sample> most;
    for (const auto& [t, value] : all) {
      if (t <= t0) most = Sample{t0, value};
      if (t > t0 && t < t1 && (!most || value > most->value)) most = Sample{t, value};
    }
    const auto found = s->all_active.highest(t0, t1);
    REQUIRE(found.has_value() == most.has_value());
    if (!most) continue;
    CHECK(found->value == most->value);
    CHECK(found->time == most->time);
  }
  CHECK_FALSE(s->all_reserved.highest(0, 100));
}
