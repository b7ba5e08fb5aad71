// SPDX-License-Identifier: MIT
// An event that was wrong when it was written is noticed: what executors write fits together, and a wrong address, a
// missing free, a swapped run or a shifted clock breaks that. Each is made in random recordings, one at a time.
#include <doctest/doctest.h>

#include <random>

#include "tests/engine/audit/audited.h"

namespace arenascope::test {

using namespace trace;

namespace {

// The n-th event of which `is` holds, or null.
template <class Is>
Event* nth(Stream& stream, Is&& is, size_t n) {
  Event* found = nullptr;
  stream.each([&](TrackId, Event& e) {
    if (is(e) && n-- == 0) found = &e;
  });
  return found;
}

template <class Is>
size_t count(const Stream& stream, Is&& is) {
  size_t n = 0;
  stream.each([&](TrackId, const Event& e) { n += is(e) ? 1 : 0; });
  return n;
}

auto of(EventKind kind) {
  return [kind](const Event& e) { return e.kind() == kind; };
}

// Does `change` to one event of `kind` of each random recording that has any; in how many of them it was noticed.
struct Noticed {
  int changed = 0, noticed = 0;
};
template <class Change>
Noticed mutate(EventKind kind, Change&& change) {
  Noticed out;
  for (uint64_t seed = 1000; seed < 1100; ++seed) {
    Stream stream = random_events(seed, {.whole = true});
    std::mt19937_64 random(seed);
    const size_t n = count(stream, of(kind));
    if (n == 0) continue;
    Event* event = nth(stream, of(kind), random() % n);
    if (!change(stream, *event, random)) continue;
    ++out.changed;
    const auto r = audited(stream);
    REQUIRE(r.ok());
    out.noticed += r->contradictions_seen > 0 ? 1 : 0;
  }
  REQUIRE(out.changed > 20);
  return out;
}

}  // namespace

TEST_CASE("complete recordings have no findings") {
  for (uint64_t seed = 1000; seed < 1100; ++seed) {
    const auto r = audited(random_events(seed, {.whole = true}));
    REQUIRE(r.ok());
    CAPTURE(seed);
    CHECK_MESSAGE(r->contradictions_seen == 0, r->contradictions.front());
  }
}

TEST_CASE("a wrong address is reported") {
  for (const EventKind kind : {EventKind::SliceLive, EventKind::SliceDead, EventKind::Free}) {
    CAPTURE(static_cast<int>(kind));
    const Noticed n = mutate(kind, [](Stream&, Event& e, auto&) {
      e.a += 16;
      return true;
    });
    CHECK(n.noticed == n.changed);
  }
  for (const EventKind kind : {EventKind::SliceLive, EventKind::Free}) {
    CAPTURE(static_cast<int>(kind));
    const Noticed n = mutate(kind, [](Stream&, Event& e, auto&) {
      e.b += 16;  // and a wrong size
      return true;
    });
    CHECK(n.noticed == n.changed);
  }
}

TEST_CASE("an address allocated twice is reported") {
  const Noticed n = mutate(EventKind::Alloc, [](Stream& stream, Event& e, auto&) {
    // Next to another live block of the same allocator and kind.
    const Event* other = nullptr;
    stream.each([&](TrackId, const Event& o) {
      bool freed = false;
      stream.each([&](TrackId, const Event& f) { freed |= f.kind() == EventKind::Free && f.a == o.a; });
      if (o.kind() == EventKind::Alloc && o.time < e.time && !freed && o.kind_extra == e.kind_extra) other = &o;
    });
    if (other == nullptr) return false;
    e.a = other->a;
    return true;
  });
  CHECK(n.noticed == n.changed);
}

TEST_CASE("a missing free is reported") {
  const Noticed arena = mutate(EventKind::SliceDead, [](Stream& stream, Event& e, auto&) {
    const Event gone = e;
    return stream.remove([&](TrackId, const Event& other) { return other == gone; }) == 1;
  });
  CHECK(arena.noticed == arena.changed);
  // An allocator: bytes that are resident to the end.
  int changed = 0;
  for (uint64_t seed = 1000; seed < 1100; ++seed) {
    Stream stream = random_events(seed, {.whole = true});
    const Event* event = nth(stream, of(EventKind::Free), 0);
    if (event == nullptr) continue;
    const Event gone = *event;
    const auto before = audited(stream);
    stream.remove([&](TrackId, const Event& other) { return other == gone; });
    const auto after = audited(stream);
    REQUIRE((before.ok() && after.ok()));
    CHECK(after->find("memory.active.end")->value ==
          before->find("memory.active.end")->value + static_cast<double>(gone.b));
    ++changed;
  }
  CHECK(changed > 20);
}

TEST_CASE("a swapped run is reported") {
  for (const EventKind kind : {EventKind::Work, EventKind::Wait, EventKind::Step}) {
    CAPTURE(static_cast<int>(kind));
    const Noticed n = mutate(kind, [](Stream& stream, Event& e, auto&) {
      int32_t other = -1;
      stream.each([&](TrackId, const Event& o) {
        if (o.kind() == EventKind::Step && o.run() != e.run()) other = o.run().value;
      });
      if (other < 0) return false;
      e.kind_extra = (e.kind_extra & 0xff) | static_cast<uint32_t>(other) << 8;
      return true;
    });
    CHECK(n.noticed == n.changed);
  }
}

TEST_CASE("reservations may be released merged or in part; unreserved memory may not") {
  const auto seen = [](Bytes released) {
    const auto report = test::audited_of([&](trace::Sink& sink) {
      sink.describe(trace::ThreadInfo{.id = trace::TrackId(0), .name = "allocating"});
      sink.describe(trace::AllocatorInfo{1, "heap", trace::MemoryKind::Default, {}});
      sink.events(trace::TrackId(0),
                  std::vector{trace::reserve(1, trace::MemoryKind::Default, 0x1000, 4096, 1, 0),
                              trace::reserve(2, trace::MemoryKind::Default, 0x2000, 4096, 1, 0),
                              trace::release(3, trace::MemoryKind::Default, 0x1000, released, 1, 0)});
    });
    REQUIRE(report.ok());
    return report->contradictions_seen;
  };
  CHECK(seen(8192) == 0);
  CHECK(seen(6144) == 0);
  CHECK(seen(4096) == 0);
  CHECK(seen(12288) == 1);
}

TEST_CASE("a shifted clock is reported") {
  for (const int64_t shift : {-100'000, -60, 60, 100'000}) {
    CAPTURE(shift);
    int changed = 0, noticed = 0;
    for (uint64_t seed = 1000; seed < 1100; ++seed) {
      Stream stream = random_events(seed, {.whole = true});
      TrackId shifted;  // a thread that others wait for
      stream.each([&](TrackId track, const Event& e) {
        if (e.kind() == EventKind::Wait) shifted = track;
      });
      if (!shifted.valid()) continue;
      stream.each([&](TrackId track, Event& e) {
        if (track != shifted) return;
        e.time += shift;
        if (e.is_span()) e.a += shift;
      });
      const auto r = audited(stream);
      REQUIRE(r.ok());
      ++changed;
      noticed += r->contradictions_seen > 0 ? 1 : 0;
    }
    CHECK(changed > 20);
    CHECK(noticed == changed);
  }
}

}  // namespace arenascope::test
