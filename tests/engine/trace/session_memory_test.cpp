// SPDX-License-Identifier: MIT
// A session whose allocations fail at any moment skips data, stays consistent and accepts later events. A live loop keeps
// the memory of its session and recorder flat once the limit is reached.
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include <malloc.h>

#include "engine/trace/sample_session.h"

namespace {

// Allocations of this thread until one fails; negative: none fails.
thread_local int64_t allocations_left = -1;
thread_local int64_t allocation_count = 0;
std::atomic<int64_t> live_bytes = 0;  // live bytes of all threads

void* allocate(size_t bytes) {
  ++allocation_count;
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  if (void* const p = std::malloc(bytes > 0 ? bytes : 1)) {
    live_bytes += static_cast<int64_t>(malloc_usable_size(p));
    return p;
  }
  throw std::bad_alloc();
}

void release(void* p) noexcept {
  live_bytes -= static_cast<int64_t>(malloc_usable_size(p));
  std::free(p);
}

}  // namespace

void* operator new(size_t bytes) { return allocate(bytes); }
void* operator new[](size_t bytes) { return allocate(bytes); }
void operator delete(void* p) noexcept { release(p); }
void operator delete[](void* p) noexcept { release(p); }
void operator delete(void* p, size_t) noexcept { release(p); }
void operator delete[](void* p, size_t) noexcept { release(p); }

using namespace arenascope;
using namespace arenascope::trace;

namespace {

constexpr int kRuns = 600;
constexpr size_t kBound = size_t{1} << 20;  // some of the events are evicted

// Allocations made while a session is filled; number `failing` fails (negative: none).
int64_t fill_failing(Session& session, int64_t failing) {
  test::fill(session, {.runs = 1});
  const int64_t before = allocation_count;
  allocations_left = failing;
  try {
    test::fill_runs(session, 1, kRuns);
  } catch (const std::bad_alloc&) {  // one of the test's own
  }
  allocations_left = -1;
  return allocation_count - before;
}

// Reads all columns and their references.
void check_consistent(const Snapshot& s) {
  int64_t rows = 0;
  for (const TrackView& t : s.tracks) {
    for (const LaneView& l : t.lanes) rows += static_cast<int64_t>(l.rows.size());
    rows += static_cast<int64_t>(t.points.size());
  }
  CHECK(rows == s.event_count);
  for (size_t i = 0; i < s.memory_events.size(); ++i) CHECK(s.event(s.memory_events[i]).b >= 0);
  for (size_t i = 0; i < s.tracks.size(); ++i) {
    const TrackId track(static_cast<int32_t>(i));
    CHECK(s.spans(track, s.time.begin, s.time.end, 50).size() <= 50 * s.tracks[i].lanes.size() + 50);
    (void)s.spans_exact(track, s.time.begin, s.time.end, 1000);
  }
  for (const ArenaAllocation& slice : s.slices_in(s.time.begin, s.time.end, 1000)) CHECK(slice.end >= slice.begin);
}

}  // namespace

TEST_CASE("a session is consistent after a failed allocation, and accepts later events") {
  Session whole(Session::Options{.max_bytes = kBound});
  const int64_t count = fill_failing(whole, -1);
  REQUIRE(count > 500);
  check_consistent(*whole.snapshot());
  const int64_t step = std::getenv("ARENASCOPE_LONG_TESTS") ? 1 : count / 250;
  for (int64_t failing = 0; failing < count; failing += step) {
    CAPTURE(failing);
    Session session(Session::Options{.max_bytes = kBound});
    fill_failing(session, failing);
    check_consistent(*session.snapshot());
    const int64_t before = session.snapshot()->event_count;
    session.events(TrackId(0), std::array{slice(90'000'000, 90'000'100, NameId(0), 0)});
    CHECK(session.snapshot()->event_count == before + 1);
  }
}

namespace {

// A short run as a live loop makes it: deferred subgraphs are described again, every tenth run is aborted.
void run_once(Recorder& recorder, const std::array<ThreadRing*, 2>& rings, GraphId first, int64_t number) {
  GraphInfo graph;
  graph.model = "deferred";
  graph.nodes.resize(8);
  graph.continuation_of = first;
  RunInfo run{.graph = recorder.describe(std::move(graph)), .threads = 2, .backend = "cpu"};
  PlanInfo plan{.graph = run.graph};
  for (int node = 0; node < 8; ++node) {
    plan.order.push_back(NodeId(node));
    plan.slices.push_back({TensorRef::node(NodeId(node)), 0, 64, Step(node), Step(node + 1), BlockId(0), 0, {}});
    plan.slices.back().bound = true;
  }
  run.plan = recorder.describe(std::move(plan));
  ContextInfo context;
  context.name = "graph context";
  context.objects.push_back({32, 224, 0, 32, "tensor", -1, "n0"});
  recorder.describe(std::move(context));
  run.processor = "a processor with a long name, which is stored on the heap";
  run.build = "a version of the program with a long name";
  run.affinity = {0, 1, 2, 3, 4, 5, 6, 7};
  run.lead = rings[0]->track();
  run.steps_derived = true;
  const Nanoseconds begin = run.begin = 1000 * (number + 1);
  const RunId id = recorder.begin_run(std::move(run));
  const bool aborted = number % 10 == 9;
  for (int node = 0; node < (aborted ? 4 : 8); ++node) {
    const Nanoseconds t = begin + 100 * node;
    for (ThreadRing* ring : rings) {
      ring->record(work(id, NodeId(node), t, t + 60, 1));
      ring->record(wait(id, NodeId(node), t + 60, t + 90, number * 8 + node));
    }
  }
  recorder.describe(ReplayInfo{.device = DeviceId(0), .run = id, .time = begin});
  recorder.end_run(RunEnd{id, begin + 800, aborted ? RunStatus::Aborted : RunStatus::Done});
}

}  // namespace

TEST_CASE("a loop of 100,000 short runs keeps memory flat after the session's limit is reached") {
  const int64_t before = live_bytes;
  Recorder recorder;
  const auto session = std::make_shared<Session>(Session::Options{.max_bytes = size_t{8} << 20});
  recorder.add_sink(session);
  const std::array<ThreadRing*, 2> rings{recorder.register_thread("worker 0"), recorder.register_thread("worker 1")};
  GraphInfo first_graph;
  first_graph.nodes.resize(1);
  const GraphId first = recorder.describe(std::move(first_graph));
  const int64_t ring_bytes = live_bytes - before;
  constexpr int64_t kAll = 100'000, kWindow = kAll / 5;
  std::array<int64_t, kAll / kWindow> most{};  // live bytes beside the rings, by window
  for (int64_t number = 0; number < kAll; ++number) {
    run_once(recorder, rings, first, number);
    if (number % 16 == 15) recorder.drain();
    if (number % 64 != 63) continue;
    const auto snapshot = session->snapshot();
    int64_t& window = most[static_cast<size_t>(number / kWindow)];
    window = std::max(window, live_bytes - before - ring_bytes);
  }
  recorder.stop();
  const auto snapshot = session->snapshot();
  MESSAGE("most live bytes of each 20,000 runs: " << most[0] << ", " << most[1] << ", " << most[2] << ", " << most[3]
                                                  << ", " << most[4]);
  CHECK(std::abs(most[4] - most[1]) * 50 < most[1]);
  CHECK(most[4] < (int64_t{12} << 20));
  CHECK(snapshot->runs.size() == kAll);
  CHECK(snapshot->forgotten_runs > kAll / 2);
  CHECK(snapshot->recorded_runs() > 1000);
  CHECK(snapshot->run(RunId(0)) == nullptr);
  CHECK(snapshot->graphs.size() == 2);
  CHECK(snapshot->plans.size() == 1);
  CHECK(snapshot->problems.empty());
  const Run* newest = snapshot->run(RunId(size_t{kAll} - 2));
  REQUIRE(newest != nullptr);
  CHECK(newest->marks == 8);
  CHECK(snapshot->stats(GraphId(1), NodeId(0)).runs > 0);
}
