// SPDX-License-Identifier: MIT
#include "engine/bench/bench_trace.h"
#include <arenascope/trace/event_sorter.h>
#include <arenascope/trace/recorder.h>
#include <arenascope/trace/recording.h>
#include <arenascope/trace/session.h>
#include <unistd.h>

#include <algorithm>

#include "engine/bench/measure.h"

namespace arenascope::trace {

namespace {

BenchRow row(std::string name, double value, std::string unit, double target) {
  return {std::move(name), value, std::move(unit), "", 0, 0, target, value <= target};
}

double seconds_since(Nanoseconds t) { return static_cast<double>(Clock::monotonic() - t) * 1e-9; }

constexpr int kEvents = 1 << 15, kRounds = 41;

// Nanoseconds per iteration of body(i); the ring is emptied between rounds.
template <class F>
double per_event(ThreadRing* ring, F&& body) {
  std::vector<double> times;
  for (int round = 0; round < kRounds; ++round) {
    const Nanoseconds start = Clock::monotonic();
    for (int i = 0; i < kEvents; ++i) body(i);
    times.push_back(seconds_since(start) * 1e9 / kEvents);
    if (ring != nullptr) ring->consume(ring->head(), [](std::span<const Event>) {});
  }
  return median(times);
}

void bench_emit(std::vector<BenchRow>& rows) {
  const Clock clock = Clock::calibrated();
  ThreadRing ring(TrackId(0), 1 << 16, clock);
  const double on = per_event(&ring, [&](int i) { ring.record(work(RunId(0), NodeId(i), i, i + 1)); });
  rows.push_back(row("recording on: write an event", on, "ns", 10));
  Nanoseconds last = ring.now();
  const double stamped = per_event(&ring, [&](int i) {
    const Nanoseconds t = ring.now();
    ring.record(work(RunId(0), NodeId(i), last, t));
    last = t;
  });
  rows.push_back(row("recording on: read the clock and write an event", stamped, "ns", 10));
  // Off: the same loop with and without the branch on a null ring, interleaved.
  ThreadRing* none = nullptr;
  std::vector<double> differences;
  uint64_t state = 1;
  for (int round = 0; round < 21; ++round) {
    const double with = per_event(nullptr, [&](int i) {
      state = state * 6364136223846793005u + static_cast<uint64_t>(i);
      keep(none);
      record(none, work(RunId(0), NodeId(i), i, i));
      keep(state);
    });
    const double without = per_event(nullptr, [&](int i) {
      state = state * 6364136223846793005u + static_cast<uint64_t>(i);
      keep(none);
      keep(state);
    });
    differences.push_back(with - without);
  }
  rows.push_back(row("recording off: the branch", std::max(0.0, median(differences)), "ns", 0.3));
}

// A run of many nodes on two threads: one step, work span, wait and arena slice per node.
void feed(Sink& sink, size_t events) {
  constexpr int32_t kNodes = 1000;
  sink.describe(ThreadInfo{TrackId(0), "worker 0", TrackKind::Worker, DeviceId::none(), 0, 0});
  sink.describe(ThreadInfo{TrackId(1), "worker 1", TrackKind::Worker, DeviceId::none(), 0, 0});
  auto graph = std::make_shared<GraphInfo>();
  graph->id = GraphId(0);
  graph->nodes.resize(kNodes);
  for (int32_t i = 0; i < kNodes; ++i) graph->nodes[static_cast<size_t>(i)].name = "node_" + std::to_string(i);
  sink.describe(std::shared_ptr<const GraphInfo>(graph));
  std::vector<Event> first, second;
  Nanoseconds t = 1'000'000;
  size_t made = 0;
  for (int32_t run = 0; made < events; ++run) {
    RunInfo info;
    info.id = RunId(run);
    info.graph = GraphId(0);
    info.begin = t;
    info.threads = 2;
    sink.describe(info);
    for (int32_t n = 0; n < kNodes && made < events; ++n) {
      const Nanoseconds work_end = t + 800 + n % 300, leave = work_end + 60;
      first.push_back(step(RunId(run), t, Step(n), NodeId(n)));
      first.push_back(work(RunId(run), NodeId(n), t, work_end));
      first.push_back(wait(RunId(run), NodeId(n), work_end, leave, int64_t{run} * kNodes + n));
      second.push_back(work(RunId(run), NodeId(n), t + 20, work_end - 30));
      second.push_back(wait(RunId(run), NodeId(n), work_end - 30, leave + 10, int64_t{run} * kNodes + n));
      made += 5;
      t = leave + 15;
    }
    EventSorter sorter;
    sorter.add(TrackId(0), first);
    sorter.add(TrackId(1), second);
    first.clear();
    second.clear();
    sorter.add(RunEnd{RunId(run), t, RunStatus::Done});
    sorter.drain_all(sink);
    sink.flush();
  }
}

void bench_session(std::vector<BenchRow>& rows, const Session& session) {
  const auto start = Clock::monotonic();
  const auto s = session.snapshot();
  rows.push_back(row("session: take a snapshot", seconds_since(start) * 1e6, "us", 1000));
  rows.push_back(row("session: memory per event",
                     static_cast<double>(session.bytes()) / static_cast<double>(std::max<int64_t>(s->event_count, 1)),
                     "bytes", 80));
  std::vector<double> whole, zoomed;
  for (int i = 0; i < 21; ++i) {
    auto t = Clock::monotonic();
    auto cells = s->spans(TrackId(0), s->time.begin, s->time.end, 1600);
    auto* first = cells.data();
    keep(first);
    whole.push_back(seconds_since(t) * 1e3);
    t = Clock::monotonic();
    const Nanoseconds at = s->time.begin + s->time.length() / 40 * i;
    cells = s->spans(TrackId(0), at, at + s->time.length() / 1000, 1600);
    first = cells.data();
    keep(first);
    zoomed.push_back(seconds_since(t) * 1e3);
  }
  rows.push_back(row("session: one track, all of its time, 1600 pixels", median(whole), "ms", 2));
  rows.push_back(row("session: one track, a thousandth of its time, 1600 pixels", median(zoomed), "ms", 2));
}

}  // namespace

std::vector<BenchRow> bench_trace(const TraceBenchOptions& options) {
  std::vector<BenchRow> rows;
  bench_emit(rows);
  std::error_code none;
  const auto folder = options.folder.empty() ? std::filesystem::temp_directory_path(none) : options.folder;
  const auto path = folder / ("arenascope-bench-" + std::to_string(::getpid()) + ".pftrace");
  const auto millions = static_cast<double>(options.events) * 1e-6;
  {
    Session live;
    const auto start = Clock::monotonic();
    feed(live, options.events);
    rows.push_back(
        row("session: add an event", seconds_since(start) * 1e9 / static_cast<double>(options.events), "ns", 1000));
    bench_session(rows, live);
  }
  auto writer = RecordingWriter::create(path);
  if (!writer.ok()) return rows;
  auto start = Clock::monotonic();
  feed(**writer, options.events);
  const Status closed = (*writer)->close();
  if (closed.ok()) {
    rows.push_back(row("recording: write an event to a file",
                       seconds_since(start) * 1e9 / static_cast<double>(options.events), "ns", 1000));
    rows.push_back(row("recording: file size per event",
                       static_cast<double>((*writer)->bytes_written()) / static_cast<double>(options.events), "bytes",
                       100));
    start = Clock::monotonic();
    Session session;
    const auto report = read_recording(path, session);
    const double took = seconds_since(start);
    if (report.ok()) rows.push_back(row("recording: open 1,000,000 events", took / millions, "s", 2));
  }
  std::filesystem::remove(path, none);
  return rows;
}

}  // namespace arenascope::trace
