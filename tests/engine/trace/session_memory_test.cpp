// SPDX-License-Identifier: MIT
// A session whose allocations fail at any moment skips data, stays consistent and accepts later events.
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <cstdlib>
#include <new>

#include "engine/trace/sample_session.h"

namespace {

// Allocations of this thread until one fails; negative: none fails.
thread_local int64_t allocations_left = -1;
thread_local int64_t allocation_count = 0;

void* allocate(size_t bytes) {
  ++allocation_count;
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  if (void* const p = std::malloc(bytes > 0 ? bytes : 1)) return p;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(size_t bytes) { return allocate(bytes); }
void* operator new[](size_t bytes) { return allocate(bytes); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }

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
