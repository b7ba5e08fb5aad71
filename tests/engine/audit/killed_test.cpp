// SPDX-License-Identifier: MIT
// Recordings of programs that were killed: the newest events of each thread are missing, more of one thread than of
// another, and so are the ends of their runs. That is not a contradiction. Events that contradict each
// other whatever is missing are still reported.
#include <doctest/doctest.h>

#include <map>
#include <random>
#include <set>

#include "engine/trace/codec.h"
#include "tests/engine/audit/audited.h"

namespace arenascope::test {

using namespace trace;

namespace {

// One event per packet, so that a cut may fall between any two.
Stream in_single_events(const Stream& stream) {
  Stream out;
  for (const Entry& entry : stream.entries) {
    if (entry.description) out.entries.push_back(entry);
    for (const Event& event : entry.events) out.entries.push_back({std::nullopt, entry.track, {event}});
  }
  return out;
}

// The steps as most executors leave them: derived from the spans of the lead thread.
Stream with_derived_steps(Stream stream) {
  std::map<int32_t, TrackId> leads;  // by run
  stream.each([&](TrackId track, const Event& e) {
    if (e.kind() == EventKind::Step) leads[e.run().value] = track;
  });
  stream.remove([](TrackId, const Event& e) {
    return e.kind() == EventKind::Step || e.kind() == EventKind::SliceLive || e.kind() == EventKind::SliceDead;
  });
  for (Entry& entry : stream.entries) {
    if (!entry.description) continue;
    if (auto* run = std::get_if<RunInfo>(&*entry.description); run != nullptr && leads.contains(run->id.value)) {
      run->steps_derived = true;
      run->lead = leads[run->id.value];
    }
    if (auto* plan = std::get_if<std::shared_ptr<const PlanInfo>>(&*entry.description)) {
      auto bound = std::make_shared<PlanInfo>(**plan);
      for (SliceInfo& slice : bound->slices) slice.bound = true, slice.bound_offset = slice.offset;
      *plan = bound;
    }
  }
  return stream;
}

// The packets of each track in `kept` after the first n are missing, and the ends of runs that had events in them: the
// end of a run is written after all of its events.
Stream killed(const Stream& stream, const std::map<int32_t, size_t>& kept) {
  Stream out;
  std::map<int32_t, size_t> written;
  std::set<int32_t> cut_runs;
  for (const Entry& entry : stream.entries) {
    const auto limit = kept.find(entry.track.value);
    if (!entry.description && limit != kept.end() && written[entry.track.value]++ >= limit->second) {
      for (const Event& e : entry.events) cut_runs.insert(e.run().value);
      continue;
    }
    out.entries.push_back(entry);
  }
  std::erase_if(out.entries, [&](const Entry& entry) {
    const auto* end = entry.description ? std::get_if<RunEnd>(&*entry.description) : nullptr;
    return end != nullptr && cut_runs.contains(end->id.value);
  });
  return out;
}

// As a file that was not closed.
audit::Report audited_unclosed(const Stream& stream) {
  const TempFile file("killed.pftrace");
  auto writer = RecordingWriter::create(file.path, {.mirror = false});
  REQUIRE(writer.ok());
  stream.play(**writer);
  const auto report = audit::audit_file(file.path);
  REQUIRE(report.ok());
  return *report;
}

std::map<int32_t, size_t> packets_of(const Stream& stream) {
  std::map<int32_t, size_t> packets;
  for (const Entry& entry : stream.entries)
    if (!entry.description) ++packets[entry.track.value];
  return packets;
}

// `check(killed stream)` for cuts at every packet of every thread, and for random cuts of all threads.
template <class Check>
void for_each_cut(const Stream& stream, uint64_t seed, Check&& check) {
  const auto packets = packets_of(stream);
  for (const auto& [track, count] : packets)
    for (size_t kept = 0; kept < count; ++kept) {
      CAPTURE(track);
      CAPTURE(kept);
      check(killed(stream, {{track, kept}}));
    }
  std::mt19937_64 random(seed);
  for (int i = 0; i < 20; ++i) {
    std::map<int32_t, size_t> kept;
    for (const auto& [track, count] : packets) kept[track] = random() % (count + 1);
    check(killed(stream, kept));
  }
}

void check_no_contradiction(const Stream& stream) {
  const audit::Report report = audited_unclosed(stream);
  CHECK_MESSAGE(report.contradictions_seen == 0, report.contradictions.front());
}

}  // namespace

TEST_CASE("a recording whose threads were cut off at any packet does not contradict itself") {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const Stream stream = in_single_events(random_events(seed, {.whole = true}));
    for_each_cut(stream, seed, check_no_contradiction);
  }
}

TEST_CASE("nor does one whose steps are derived from the spans of a lead thread") {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    const Stream stream = in_single_events(with_derived_steps(random_events(seed, {.whole = true})));
    check_no_contradiction(stream);
    for_each_cut(stream, seed, check_no_contradiction);
  }
}

TEST_CASE("nor does one that ends after any packet of the file") {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    CAPTURE(seed);
    for (const bool derived : {false, true}) {
      Stream stream = random_events(seed, {.whole = true});
      if (derived) stream = with_derived_steps(std::move(stream));
      stream = in_single_events(stream);
      while (!stream.entries.empty()) {
        check_no_contradiction(stream);
        stream.entries.pop_back();
      }
    }
  }
}

TEST_CASE("a block that one thread allocated and another freed, of which the allocation was not written") {
  const auto report = [](bool allocation, bool later) {
    Stream stream;
    const auto describe = [&](Description d) { stream.entries.push_back({std::move(d), TrackId(), {}}); };
    describe(AllocatorInfo{0, "heap", MemoryKind::Default, {}});
    describe(ThreadInfo{.id = TrackId(0), .name = "allocates"});
    describe(ThreadInfo{.id = TrackId(1), .name = "frees"});
    const auto add = [&](int track, Event event) { stream.entries.push_back({std::nullopt, TrackId(track), {event}}); };
    if (allocation) add(0, alloc(10, MemoryKind::Default, 0x1000, 64, 0, 0));
    add(1, free(20, MemoryKind::Default, 0x1000, 64, 0, 0));
    if (later) add(0, alloc(30, MemoryKind::Default, 0x2000, 64, 0, 1));
    return audited_unclosed(stream);
  };
  CHECK(report(true, true).contradictions_seen == 0);
  CHECK(report(false, false).contradictions_seen == 0);  // the first thread's events are missing from there on
  CHECK(report(false, true).contradictions_seen == 1);   // they are not: it recorded a later one
}

TEST_CASE("a killed recording still contradicts itself where no missing event can be the reason") {
  int changed = 0, addresses = 0, steps = 0;
  for (uint64_t seed = 1000; seed < 1060; ++seed) {
    Stream stream = random_events(seed, {.whole = true});
    int32_t last = -1;
    stream.each([&](TrackId, const Event& e) {
      if (e.kind() == EventKind::Step) last = std::max(last, e.run().value);
    });
    std::erase_if(stream.entries, [&](const Entry& entry) {
      const auto* end = entry.description ? std::get_if<RunEnd>(&*entry.description) : nullptr;
      return end != nullptr && end->id.value == last;
    });
    REQUIRE(audited_unclosed(stream).contradictions_seen == 0);
    ++changed;
    Stream moved = stream;
    bool done = false;
    moved.each([&](TrackId, Event& e) {
      if (e.kind() == EventKind::SliceLive && e.run().value == last && !done) e.a += 16, done = true;
    });
    addresses += audited_unclosed(moved).contradictions_seen > 0;
    // All threads of the run recorded later events, so the first step was never marked.
    Stream unmarked = stream;
    done = false;
    unmarked.remove([&](TrackId, const Event& e) {
      return e.kind() == EventKind::Step && e.run().value == last && e.a == 0 && !std::exchange(done, true);
    });
    steps += audited_unclosed(unmarked).contradictions_seen > 0;
  }
  CHECK(changed == 60);
  CHECK(addresses == changed);
  CHECK(steps == changed);
}

TEST_CASE("a closed recording says so, and a recording that was not closed has all packets but the last") {
  const TempFile file("flushed.pftrace");
  const Stream stream = random_events(5, {.whole = true});
  auto writer = RecordingWriter::create(file.path, {.mirror = true});
  REQUIRE(writer.ok());
  int64_t packets = 1;  // the header
  struct Ignore : Sink {
    void describe(const Description&) override {}
    using Sink::events;
    void events(std::span<const TrackEvent>) override {}
    void flush() override {}
  } ignore;
  for (const Entry& entry : stream.entries) {
    if (entry.description)
      (*writer)->describe(*entry.description);
    else
      (*writer)->events(entry.track, entry.events);
    const auto report = read_recording(file.path, ignore);  // nothing is flushed
    REQUIRE(report.ok());
    CHECK(report->dropped_bytes == 0);
    CHECK(report->packets > packets);
    CHECK_FALSE(report->closed);
    packets = report->packets;
  }
  REQUIRE((*writer)->close().ok());
  const auto report = read_recording(file.path, ignore);
  REQUIRE(report.ok());
  CHECK(report->closed);
  CHECK(report->packets == packets + 1);
}

}  // namespace arenascope::test
