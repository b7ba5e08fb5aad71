// SPDX-License-Identifier: MIT
#include <arenascope/trace/convert.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <thread>

#include "engine/trace/sample_session.h"

using namespace arenascope;
using namespace arenascope::trace;

TEST_CASE("an empty session answers every question with nothing") {
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

TEST_CASE("node statistics and barriers say who came last and what the others waited") {
  Session session;
  test::fill(session, {.runs = 2});
  const auto s = session.snapshot();
  REQUIRE(s->problems.empty());
  CHECK(s->runs.size() == 2);
  const NodeStats n1 = s->stats(GraphId(0), NodeId(1));
  CHECK(n1.spans == 4);
  CHECK(n1.barriers == 2);
  CHECK(n1.last_arriver == TrackId(1));
  CHECK(n1.usual_last == TrackId(1));
  CHECK(n1.work_max == 120);
  CHECK(n1.work_min == 100);
  CHECK(n1.work_sum == 440);
  CHECK(n1.wait_sum == 2 * 30);  // 20 + the 5 that leaving takes, and 5
  const auto b = s->barrier_of(RunId(1), NodeId(1));
  REQUIRE(b);
  CHECK(b->wait_sum == 30);
  CHECK(b->threads == 2);
  CHECK(b->last_arrival - b->first_arrival == 20);
  CHECK(s->barriers_in(s->time.begin, s->time.end + 1, 1000).size() == s->barriers.size());
}

TEST_CASE("steps and time map onto each other, monotone, and meet the marks") {
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

TEST_CASE("cells cover all spans: each span alone or in the density of its pixel") {
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

TEST_CASE("span_at and spans_exact agree with a plain walk, nested spans too") {
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

TEST_CASE("slices live at a step: as planned, and as they were") {
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
  CHECK(s->seen_in(s->time.begin, s->time.end, 100).size() == 6);
}

TEST_CASE("bytes that are handed over in place or joined count once") {
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
  plan.slices[0].offset = INT64_MIN;  // of a file that lies
  plan.slices[1].size = INT64_MAX;
  CHECK(Snapshot::occupancy(plan).size() == 3);
}

TEST_CASE("data that makes no sense is left out, counted and said once") {
  Session session;
  session.describe(ThreadInfo{TrackId(5), "far out"});
  session.describe(RunInfo{.id = RunId(9)});
  session.events(TrackId(3), std::array{Event{}});
  session.describe(ThreadInfo{TrackId(0), "t"});
  session.events(TrackId(0), std::array{work(RunId(0), NodeId(0), 10, 5), counter(1, CounterId(99), 1),
                                        slice(INT64_MIN, INT64_MAX, NameId(0), 0), Event{.kind_extra = 200},
                                        slice_live(0, TensorRef{1}, -5, 10, Step(0)), slice(1, 2, NameId(0), 0)});
  const auto s = session.snapshot();
  CHECK(s->event_count == 1);
  CHECK(s->problems.size() == 1);
  CHECK(s->tracks.size() == 1);
  CHECK(s->time == TimeRange{1, 2});
}

TEST_CASE("readers look while the writer writes") {
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
        wrong += s->stats(GraphId(0), NodeId(0)).spans < 0;
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

TEST_CASE("a session with a bound lets the oldest go, keeps its sums, and old snapshots stay as they were") {
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
    CHECK(s->stats(GraphId(0), NodeId(n)).work_sum == w->stats(GraphId(0), NodeId(n)).work_sum);
    CHECK(s->stats(GraphId(0), NodeId(n)).barriers == w->stats(GraphId(0), NodeId(n)).barriers);
  }
  for (const auto& snapshot : seen) {
    const auto cells = snapshot->spans(TrackId(0), snapshot->time.begin, snapshot->time.end, 30);
    CHECK_FALSE(cells.empty());
  }
  // What is left answers as the whole does.
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

TEST_CASE("slices and steps that two threads tell in turn are put together in any order of draining") {
  const auto ref = TensorRef::node(NodeId(0));
  const std::array<Event, 4> even = {step(RunId(0), 10, Step(0), NodeId(0)), slice_live(10, ref, 64, 128, Step(0)),
                                     step(RunId(0), 30, Step(2), NodeId(2)), slice_live(30, ref, 64, 128, Step(2))};
  const std::array<Event, 4> odd = {step(RunId(0), 20, Step(1), NodeId(1)), slice_dead(20, ref, 64, 128, Step(1)),
                                    step(RunId(0), 40, Step(3), NodeId(3)), slice_dead(40, ref, 64, 128, Step(3))};
  for (const bool even_first : {true, false}) {
    Session session;
    session.describe(ThreadInfo{TrackId(0), "even"});
    session.describe(ThreadInfo{TrackId(1), "odd"});
    auto graph = std::make_shared<GraphInfo>();
    graph->id = GraphId(0);
    graph->nodes.resize(4);
    session.describe(std::shared_ptr<const GraphInfo>(graph));
    session.describe(RunInfo{RunId(0), GraphId(0), PlanId(), 5, 2, "cpu", "planned"});
    if (even_first) session.events(TrackId(0), even);
    session.events(TrackId(1), odd);
    if (!even_first) session.events(TrackId(0), even);
    const auto s = session.snapshot();
    CHECK(s->open_slices.empty());
    auto slices = s->slices_in(0, 100, 10);
    std::sort(slices.begin(), slices.end(), [](const SliceRect& x, const SliceRect& y) { return x.begin < y.begin; });
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
