// SPDX-License-Identifier: MIT
#include <arenascope/trace/event_sorter.h>
#include <arenascope/trace/recorder.h>
#include <doctest/doctest.h>

#include <atomic>
#include <random>
#include <thread>

using namespace arenascope;
using namespace arenascope::trace;

namespace {

struct Collected : Sink {
  using Sink::events;
  std::vector<TrackEvent> list;
  std::vector<std::pair<RunId, size_t>> ends;  // and how many events came before
  size_t flushes = 0;
  void describe(const Description& d) override {
    if (const auto* end = std::get_if<RunEnd>(&d)) ends.emplace_back(end->id, list.size());
  }
  void events(std::span<const TrackEvent> events) override { list.insert(list.end(), events.begin(), events.end()); }
  void flush() override { ++flushes; }
  std::vector<Nanoseconds> times() const {
    std::vector<Nanoseconds> out;
    for (const TrackEvent& e : list) out.push_back(e.event.end());
    return out;
  }
};

// A point whose `b` is its number on its track.
Event numbered(Nanoseconds time, int64_t number) {
  Event event = counter(time, CounterId(0), 0);
  event.b = number;
  return event;
}

}  // namespace

TEST_CASE("events of all tracks are sorted by end, and those of a track keep their order") {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const size_t tracks = 1 + random() % 6;
    std::vector<std::vector<Event>> by_track(tracks);
    size_t count = 0;
    for (auto& events : by_track) {
      Nanoseconds t = 0;
      for (size_t n = random() % 3000; n > 0; --n, ++count)
        events.push_back(numbered(t += random() % 3, static_cast<int64_t>(events.size())));
    }
    EventSorter sorter;
    Collected sink;
    std::vector<size_t> next(tracks);
    for (size_t added = 0; added < count;) {
      const size_t track = random() % tracks;
      const size_t some = std::min<size_t>(random() % 500, by_track[track].size() - next[track]);
      sorter.add(TrackId(track), std::span<const Event>(by_track[track]).subspan(next[track], some));
      next[track] += some, added += some;
    }
    CHECK(sorter.size() == count);
    const Nanoseconds half = sorter.newest() / 2;
    sorter.drain(half, sink);
    CHECK((sink.list.empty() || sink.list.back().event.end() <= half));
    sorter.drain_all(sink);
    CHECK(sorter.empty());
    REQUIRE(sink.list.size() == count);
    const auto times = sink.times();
    CHECK(std::is_sorted(times.begin(), times.end()));
    std::vector<int64_t> number(tracks);
    size_t wrong = 0;
    for (const auto& [track, event] : sink.list) wrong += event.b != number[track.index()]++;
    CHECK(wrong == 0);
  }
}

TEST_CASE("events of a track that were recorded late are sorted too") {
  EventSorter sorter;
  Collected sink;
  sorter.add(TrackId(0), std::array{numbered(10, 0), numbered(40, 1), numbered(20, 2)});
  sorter.add(TrackId(0), std::array{numbered(30, 3)});
  sorter.add(TrackId(1), std::array{numbered(25, 0)});
  sorter.drain(20, sink);
  CHECK(sink.times() == std::vector<Nanoseconds>{10, 20});
  sorter.add(TrackId(0), std::array{numbered(22, 4)});
  sorter.drain_all(sink);
  CHECK(sink.times() == std::vector<Nanoseconds>{10, 20, 22, 25, 30, 40});
}

TEST_CASE("at the same time memory is freed before it is allocated, and a pause ends before waits") {
  EventSorter sorter;
  Collected sink;
  sorter.add(TrackId(0),
             std::array{alloc(10, MemoryKind::Default, 0x100, 8, 0, 2), wait(RunId(0), NodeId(0), 5, 20, 0)});
  sorter.add(TrackId(1), std::array{trace::free(10, MemoryKind::Default, 0x100, 8, 1, 1),
                                    between(RunId(0), NodeId(0), 6, 20, kPaused)});
  sorter.drain_all(sink);
  REQUIRE(sink.list.size() == 4);
  CHECK(sink.list[0].event.kind() == EventKind::Free);
  CHECK(sink.list[1].event.kind() == EventKind::Alloc);
  CHECK(sink.list[2].event.kind() == EventKind::Between);
  CHECK(sink.list[3].event.kind() == EventKind::Wait);
}

TEST_CASE("a run ends after its last event and before the next run's first") {
  EventSorter sorter;
  Collected sink;
  sorter.add(RunEnd{RunId(1), 40});
  sorter.add(TrackId(0), std::array{numbered(10, 0), numbered(20, 1), numbered(21, 2), numbered(40, 3)});
  sorter.add(RunEnd{RunId(0), 20});
  sorter.drain(30, sink);
  REQUIRE(sink.ends.size() == 1);
  CHECK(sink.ends[0] == std::pair(RunId(0), size_t{2}));
  CHECK_FALSE(sorter.empty());
  sorter.drain_all(sink);
  REQUIRE(sink.ends.size() == 2);
  CHECK(sink.ends[1] == std::pair(RunId(1), size_t{4}));
}

// Two rings that are read one after the other: what was written between both reads is in the next round.
TEST_CASE("a stream is sorted across rounds, and all of it is passed on by a flush") {
  Collected sink;
  StreamSorter sorter(sink);
  sorter.events(TrackId(0), std::array{numbered(10, 0)});
  sorter.events(TrackId(1), std::array{numbered(5, 0), numbered(30, 1)});  // after 20, which follows
  sorter.events(TrackId(0), std::array{numbered(20, 1), numbered(50, 2)});
  CHECK(sink.list.empty());
  sorter.events(TrackId(1), std::array{numbered(40, 2)});
  sorter.events(TrackId(0), std::array{numbered(60, 3)});
  CHECK(sink.times() == std::vector<Nanoseconds>{5, 10, 20, 30});
  sorter.describe(RunEnd{RunId(0), 45});
  CHECK(sink.ends.empty());
  sorter.flush();
  CHECK(sink.times() == std::vector<Nanoseconds>{5, 10, 20, 30, 40, 50, 60});
  REQUIRE(sink.ends.size() == 1);
  CHECK(sink.ends[0].second == 5);
  CHECK(sink.flushes == 1);
  CHECK(sorter.empty());
}

TEST_CASE("a stream of one track holds a bounded number of events back") {
  Collected sink;
  StreamSorter sorter(sink);
  constexpr size_t kPacket = 1000, kPackets = 2000;
  std::vector<Event> packet(kPacket);
  size_t most = 0;
  for (size_t i = 0; i < kPackets; ++i) {
    for (size_t k = 0; k < kPacket; ++k) packet[k] = numbered(static_cast<Nanoseconds>(i * kPacket + k), 0);
    sorter.events(TrackId(0), packet);
    most = std::max(most, (i + 1) * kPacket - sink.list.size());
  }
  CHECK(most < (size_t{1} << 18) + 3 * kPacket);
  sorter.flush();
  CHECK(sink.list.size() == kPacket * kPackets);
}

// A token that goes around the threads: each event is recorded after the one before, on another ring.
TEST_CASE("a recorder passes on what an event depends on before it, whenever it drains") {
  constexpr int kThreads = 3, kRounds = 20'000;
  Recorder recorder(Recorder::Options{.ring_events = 1 << 16});
  auto sink = std::make_shared<Collected>();
  recorder.add_sink(sink);
  const CounterId id = recorder.describe(CounterInfo{{}, "token", ""});
  std::atomic<int64_t> token{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t, ring = recorder.register_thread("t" + std::to_string(t))] {
      for (int64_t mine = t; mine < int64_t{kThreads} * kRounds; mine += kThreads) {
        while (token.load(std::memory_order_acquire) != mine) std::this_thread::yield();
        Event event = counter(recorder.clock().now_in_order(), id, 0);
        event.b = mine;
        ring->record(event);
        token.store(mine + 1, std::memory_order_release);
      }
    });
  std::thread drainer([&] {
    while (!over) recorder.drain();
  });
  for (auto& t : threads) t.join();
  over = true;
  drainer.join();
  recorder.drain();
  REQUIRE(recorder.lost() == 0);
  REQUIRE(sink->list.size() == size_t{kThreads} * kRounds);
  size_t wrong = 0;
  for (size_t i = 0; i < sink->list.size(); ++i) wrong += sink->list[i].event.b != static_cast<int64_t>(i);
  CHECK(wrong == 0);
}
