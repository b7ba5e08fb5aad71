// SPDX-License-Identifier: MIT
// Replays a snapshot as a stream: descriptions first, then the events of all tracks in time order.
#include <arenascope/trace/event_sorter.h>
#include <arenascope/trace/recording.h>
#include <arenascope/trace/snapshot.h>

#include <algorithm>

namespace arenascope::trace {

namespace {

constexpr size_t kSlice = 512;

// Emits the events of all tracks; each call resumes every track where the previous one stopped.
class EventPlayer {
 public:
  EventPlayer(const Snapshot& s, Sink& sink) : sink_(sink) {
    for (size_t i = 0; i < s.tracks.size(); ++i) {
      cursors_.push_back({TrackId(i), &s.tracks[i].points});
      for (const LaneView& lane : s.tracks[i].lanes) cursors_.push_back({TrackId(i), &lane.rows});
    }
  }

  // Emits all rows that end by `until`, in slices.
  void play_to(Nanoseconds until) {
    for (;;) {
      Nanoseconds slice = until;
      for (const Cursor& c : cursors_) {
        if (c.next + kSlice < c.rows->size()) slice = std::min(slice, (*c.rows)[c.next + kSlice].end());
      }
      const size_t before = emitted_;
      emit(slice, 0);
      if (slice >= until) return;
      if (emitted_ == before) emit(slice, 1);  // no rows end in this slice, because rows are not sorted by end
    }
  }
  void play_rest() {
    play_to(INT64_MAX);
    emit(INT64_MAX, SIZE_MAX);
  }

 private:
  struct Cursor {
    TrackId track;
    const ColumnView<Event>* rows;
    size_t next = 0;
  };

  // Emits all rows that end by `until`, and at least `least` rows per cursor.
  void emit(Nanoseconds until, size_t least) {
    for (Cursor& c : cursors_) {
      batch_.clear();
      for (size_t n = 0; c.next < c.rows->size(); ++c.next, ++n) {
        const Event& e = (*c.rows)[c.next];
        if (e.end() > until && n >= least) break;
        batch_.push_back(e);
        ++emitted_;
      }
      sorter_.add(c.track, batch_);  // points first: at equal times a step begins before the work in it
    }
    sorter_.drain_all(sink_);
  }

  Sink& sink_;
  EventSorter sorter_;
  std::vector<Cursor> cursors_;  // per track, its points and then its lanes
  std::vector<Event> batch_;
  size_t emitted_ = 0;
};

// The begin or end of a run.
struct RunMark {
  Nanoseconds time;
  bool end;
  size_t run;
};

std::vector<RunMark> run_marks(const Snapshot& s) {
  std::vector<RunMark> marks;
  for (size_t i = s.forgotten_runs; i < s.runs.size(); ++i) {
    marks.push_back({s.runs[i].info.begin, false, i});
    if (s.runs[i].finished) marks.push_back({s.runs[i].end, true, i});
  }
  std::stable_sort(marks.begin(), marks.end(), [](const RunMark& x, const RunMark& y) { return x.time < y.time; });
  return marks;
}

}  // namespace

void replay(const Snapshot& s, Sink& sink) {
  for (const TrackView& t : s.tracks) sink.describe(t.info);
  for (const DeviceInfo& d : s.devices) sink.describe(d);
  for (const AllocatorInfo& a : s.allocators) sink.describe(a);
  for (const CounterInfo& c : s.counters) sink.describe(c);
  for (size_t i = 0; i < s.names.size(); ++i) sink.describe(NameInfo{NameId(i), *s.names[i]});
  for (const auto& g : s.graphs) sink.describe(g);
  for (const auto& p : s.plans) sink.describe(p);
  for (const auto& c : s.contexts) sink.describe(c);

  EventPlayer player(s, sink);
  size_t described = s.forgotten_runs;
  for (const RunMark& m : run_marks(s)) {
    player.play_to(m.time - 1);
    if (m.end) {
      player.play_to(m.time);
      const Run& run = s.runs[m.run];
      sink.describe(RunEnd{RunId(m.run), m.time, run.status, run.info.stepped});
    } else {
      for (; described <= m.run; ++described) sink.describe(s.runs[described].info);  // in order of their ids
    }
    sink.flush();
  }
  player.play_rest();
  for (size_t i = 0; i < s.tracks.size(); ++i) {
    if (s.tracks[i].lost > 0) sink.describe(Loss{TrackId(i), s.tracks[i].lost, s.time.end});
  }
  for (size_t i = 0; i < s.problems.size(); ++i) sink.describe(s.problems[i]);
  for (size_t i = 0; i < s.tunings.size(); ++i) sink.describe(s.tunings[i]);
  for (size_t i = 0; i < s.stacks.size(); ++i) sink.describe(s.stacks[i]);
  for (const ClockInfo& c : s.clocks) sink.describe(c);
  for (const AllocatorState& a : s.allocator_states) sink.describe(a);
  for (const PoolInfo& p : s.pools) sink.describe(p);
  for (const ReplayInfo& r : s.replays) sink.describe(r);
  if (s.source.entries > 0) sink.describe(s.source);
  if (!s.annotations.json.empty()) sink.describe(s.annotations);
  sink.flush();
}

namespace {

// Forwards everything to another sink until the observer stops the replay.
class WatchedSink : public Sink {
 public:
  WatchedSink(Sink& to, int64_t events, const WriteProgress& progress)
      : to_(to), all_(static_cast<double>(std::max<int64_t>(events, 1))), progress_(progress) {}
  void describe(const Description& description) override {
    if (!stopped_) to_.describe(description);
  }
  using Sink::events;
  void events(std::span<const TrackEvent> events) override {
    if (stopped_) return;
    to_.events(events);
    done_ += events.size();
    if (done_ - reported_ < kReportEvery) return;
    reported_ = done_;
    stopped_ = !progress_(std::min(static_cast<double>(done_) / all_, 1.0));
  }
  void flush() override {
    if (!stopped_) to_.flush();
  }
  bool stopped() const { return stopped_; }

 private:
  static constexpr size_t kReportEvery = 10'000;  // events
  Sink& to_;
  double all_;
  const WriteProgress& progress_;
  size_t done_ = 0, reported_ = 0;
  bool stopped_ = false;
};

}  // namespace

Status save_recording(const Snapshot& snapshot, const std::filesystem::path& path, const WriteProgress& progress,
                      const std::vector<std::filesystem::path>& inputs) {
  RecordingWriter::Options options;
  options.whole = true;
  options.inputs = inputs;
  auto writer = RecordingWriter::create(path, std::move(options));
  if (!writer.ok()) return writer.error();
  if (!progress) {
    replay(snapshot, **writer);
    return (*writer)->close();
  }
  WatchedSink watched(**writer, snapshot.event_count, progress);
  replay(snapshot, watched);
  if (!watched.stopped()) return (*writer)->close();
  (*writer)->discard();
  return Error{path.string() + ": stopped."};
}

}  // namespace arenascope::trace
