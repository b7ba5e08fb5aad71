// SPDX-License-Identifier: MIT
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/session.h>
#include <doctest/doctest.h>

#include <sys/mman.h>

#include <atomic>
#include <cstring>

using namespace arenascope;
using namespace arenascope::trace;

namespace {

GraphInfo small_graph(size_t nodes) {
  GraphInfo g;
  g.model = "small";
  for (size_t i = 0; i < nodes; ++i) g.nodes.push_back({.name = "n" + std::to_string(i), .op = "ADD"});
  return g;
}

// Checks the contract of Sink: everything that an event refers to has been described, and a run ends after its last event.
struct StrictSink : Sink {
  size_t tracks = 0, runs = 0, events_seen = 0, counters = 0;
  std::vector<bool> ended;
  int wrong = 0;
  int64_t lost = 0;
  void describe(const Description& d) override {
    if (std::holds_alternative<ThreadInfo>(d)) ++tracks;
    if (std::holds_alternative<RunInfo>(d)) ended.push_back(false), ++runs;
    if (const auto* end = std::get_if<RunEnd>(&d)) ended.at(end->id.index()) = true;
    if (const auto* loss = std::get_if<Loss>(&d)) lost += loss->count;
  }
  using Sink::events;
  void events(std::span<const TrackEvent> events) override {
    for (const auto& [track, e] : events) {
      wrong += track.index() >= tracks;
      if (e.kind() == EventKind::Counter) {  // of the process, outside of runs
        ++counters;
        continue;
      }
      ++events_seen;
      wrong += e.run().index() >= runs || ended[e.run().index()];
    }
  }
};

}  // namespace

TEST_CASE("events follow the objects they refer to and precede their run's end, for all thread timings") {
  Recorder recorder(Recorder::Options{.ring_events = 1 << 14});
  auto sink = std::make_shared<StrictSink>();
  auto session = std::make_shared<Session>();
  recorder.add_sink(sink);
  recorder.add_sink(session);
  const GraphId graph = recorder.describe(small_graph(8));
  recorder.start(200'000);
  constexpr int kRuns = 300;
  std::vector<std::thread> threads;
  std::atomic<int> current{-1}, arrived{0};
  ThreadRing* main_ring = recorder.register_thread("main");
  for (int t = 0; t < 2; ++t) {
    threads.emplace_back([&, t] {
      ThreadRing* ring = recorder.register_thread("worker " + std::to_string(t));
      for (int run = 0; run < kRuns; ++run) {
        while (current.load(std::memory_order_acquire) < run) std::this_thread::yield();
        for (int n = 0; n < 8; ++n) {
          const Nanoseconds begin = ring->now();
          ring->record(work(RunId(run), NodeId(n), begin, ring->now()));
        }
        arrived.fetch_add(1, std::memory_order_acq_rel);
      }
    });
  }
  for (int run = 0; run < kRuns; ++run) {
    const RunId id = recorder.begin_run({.graph = graph, .threads = 2});
    CHECK(id == RunId(run));
    const Nanoseconds begin = main_ring->now();
    main_ring->record(work(id, NodeId(0), begin, main_ring->now()));
    current.store(run, std::memory_order_release);
    while (arrived.load(std::memory_order_acquire) < 2 * (run + 1)) std::this_thread::yield();
    recorder.end_run(id);
  }
  for (auto& t : threads) t.join();
  recorder.stop();
  CHECK(sink->wrong == 0);
  CHECK(sink->events_seen + static_cast<size_t>(recorder.lost()) == kRuns * 17);
  CHECK(sink->lost == recorder.lost());
  const auto s = session->snapshot();
  CHECK(s->runs.size() == kRuns);
  CHECK(s->event_count == static_cast<int64_t>(sink->events_seen + sink->counters));
  for (size_t i = 0; i < s->runs.size(); ++i) CHECK(s->runs[i].finished);
  int64_t parts = 0;
  for (size_t i = 0; i < s->runs.size(); ++i) parts += s->runs[i].table ? s->runs[i].table->nodes[0].host.count : 0;
  CHECK(parts + s->lost >= kRuns * 3);
}

TEST_CASE("a late sink gets the earlier descriptions") {
  Recorder recorder;
  recorder.add_sink(std::make_shared<Session>());
  ThreadRing* ring = recorder.register_thread("t");
  const GraphId graph = recorder.describe(small_graph(3));
  const RunId first = recorder.begin_run({.graph = graph, .threads = 1});
  recorder.end_run(first);
  recorder.drain();
  recorder.drain();
  auto late = std::make_shared<Session>();
  recorder.add_sink(late);
  const RunId second = recorder.begin_run({.graph = graph, .threads = 1});
  ring->record(work(second, NodeId(2), 10, 30));
  recorder.end_run(second);
  recorder.stop();
  const auto s = late->snapshot();
  CHECK(s->problems.empty());
  CHECK(s->runs.size() == 2);
  CHECK(s->stats(graph, NodeId(2)).busy == 20);
}

TEST_CASE("a removed sink gets no events") {
  Recorder recorder;
  auto session = std::make_shared<Session>();
  recorder.add_sink(session);
  ThreadRing* ring = recorder.register_thread("t");
  ring->record(slice(1, 2, recorder.name("a"), 0));
  recorder.remove_sink(session.get());
  ring->record(slice(3, 4, recorder.name("a"), 0));
  recorder.stop();
  CHECK(session->snapshot()->event_count == 1);
  CHECK(session->snapshot()->name(NameId(0)) == "a");
}

TEST_CASE("losses are passed to the sinks and shown in the session") {
  Recorder recorder(Recorder::Options{.ring_events = 16});
  auto session = std::make_shared<Session>();
  recorder.add_sink(session);
  ThreadRing* ring = recorder.register_thread("t");
  const NameId name = recorder.name("x");
  for (int i = 0; i < 50; ++i) ring->record(slice(i, i + 1, name, 0));
  recorder.stop();
  CHECK(recorder.lost() == 34);
  CHECK(session->snapshot()->lost == 34);
  CHECK(session->snapshot()->tracks[0].lost == 34);
}

TEST_CASE("devices and allocators keep their ids if described again") {
  Recorder recorder;
  const DeviceId a = recorder.describe(DeviceInfo{{}, "cpu", "", "", 0}),
                 b = recorder.describe(DeviceInfo{{}, "cuda:0", "", "", 0});
  CHECK(a != b);
  CHECK(recorder.describe(DeviceInfo{{}, "cpu", "", "", 0}) == a);
  const uint32_t x = recorder.describe(AllocatorInfo{7, "weights", MemoryKind::Persistent, a});
  const uint32_t y = recorder.describe(AllocatorInfo{7, "weights", MemoryKind::Persistent, b});
  CHECK(x != y);
  CHECK(recorder.describe(AllocatorInfo{9, "weights", MemoryKind::Persistent, a}) == x);
}

TEST_CASE("the process's resident memory is recorded with the runs") {
  auto session = std::make_shared<Session>();
  Recorder recorder;
  recorder.add_sink(session);
  recorder.start();
  const size_t bytes = size_t{32} << 20;
  const RunId run = recorder.begin_run({});
  // Separate pages: heap memory may have been resident before.
  auto* held = static_cast<char*>(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(held != MAP_FAILED);
  std::memset(held, 1, bytes);
  recorder.end_run(run);
  recorder.stop();
  const auto s = session->snapshot();
  const SeriesView* resident = s->resident();
  REQUIRE(resident != nullptr);
  const double before = resident->samples[0].value, after = resident->samples.back().value;
  CHECK(before > 1 << 20);
  CHECK(after - before > 0.9 * static_cast<double>(bytes));
  ::munmap(held, bytes);
}

TEST_CASE("events after the recorder's end are written to live memory") {
  std::shared_ptr<RecorderInput> input;
  ThreadRing* ring = nullptr;
  auto session = std::make_shared<Session>();
  {
    Recorder recorder;
    recorder.add_sink(session);
    ring = recorder.register_thread("allocations", TrackKind::Other);
    input = recorder.input();
    CHECK(ring->record(counter(recorder.now(), {}, 1)));
  }
  CHECK(ring->record(counter(input->now(), {}, 2)));
  input->describe(DeviceInfo{{}, "late", {}, {}, 0, true});
  CHECK(input->name("late").valid());
  CHECK(session->snapshot()->devices.empty());
}

TEST_CASE("several threads may start and stop a recorder") {
  auto sink = std::make_shared<StrictSink>();
  Recorder recorder;
  recorder.add_sink(sink);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 100; ++i) (t + i) % 2 == 0 ? recorder.start(50'000) : recorder.stop();
    });
  for (std::thread& thread : threads) thread.join();
  recorder.stop();
  CHECK(sink->wrong == 0);
}
