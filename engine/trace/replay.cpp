// SPDX-License-Identifier: MIT
// A snapshot back into a stream: descriptions first, then events of all tracks side by side in time, in slices small
// enough that those who meet at a barrier arrive together.
#include <arenascope/trace/recording.h>
#include <arenascope/trace/snapshot.h>

#include <algorithm>

namespace arenascope::trace {

namespace {

struct Cursor {
  TrackId track;
  const ColumnView<Event>* rows;
  size_t at = 0;
};

constexpr size_t kSlice = 512;

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

  std::vector<Cursor> cursors;
  for (size_t i = 0; i < s.tracks.size(); ++i) {
    cursors.push_back({TrackId(i), &s.tracks[i].points});
    for (const LaneView& lane : s.tracks[i].lanes) cursors.push_back({TrackId(i), &lane.rows});
  }
  std::vector<Event> batch;
  size_t emitted = 0;
  // All rows that end by `until`; of every cursor at least `least`.
  const auto emit = [&](Nanoseconds until, size_t least) {
    for (size_t first = 0; first < cursors.size();) {
      size_t next = first;
      batch.clear();
      for (; next < cursors.size() && cursors[next].track == cursors[first].track; ++next) {
        Cursor& c = cursors[next];
        for (size_t n = 0; c.at < c.rows->size(); ++c.at, ++n) {
          const Event& e = (*c.rows)[c.at];
          if (e.end() > until && n >= least) break;
          batch.push_back(e);
          ++emitted;
        }
      }
      // Points first at equal times: a step begins before the work in it.
      std::stable_sort(batch.begin(), batch.end(), [](const Event& x, const Event& y) { return x.end() < y.end(); });
      if (!batch.empty()) sink.events(cursors[first].track, batch);
      first = next;
    }
  };
  // In slices, up to `until`.
  const auto emit_to = [&](Nanoseconds until) {
    for (;;) {
      Nanoseconds slice = until;
      for (const Cursor& c : cursors) {
        if (c.at + kSlice < c.rows->size()) slice = std::min(slice, (*c.rows)[c.at + kSlice].end());
      }
      const size_t before = emitted;
      emit(slice, 0);
      if (slice >= until) return;
      if (emitted == before) emit(slice, 1);  // rows that are not by end
    }
  };
  struct Mark {
    Nanoseconds time;
    bool end;
    size_t run;
  };
  std::vector<Mark> marks;
  for (size_t i = 0; i < s.runs.size(); ++i) {
    marks.push_back({s.runs[i].info.begin, false, i});
    if (s.runs[i].finished) marks.push_back({s.runs[i].end, true, i});
  }
  std::stable_sort(marks.begin(), marks.end(), [](const Mark& x, const Mark& y) { return x.time < y.time; });
  size_t described = 0;
  for (const Mark& m : marks) {
    emit_to(m.time - 1);
    if (m.end) {
      emit_to(m.time);
      const Run& run = s.runs[m.run];
      sink.describe(RunEnd{RunId(m.run), m.time, run.status, run.info.stepped, run.threads});
    } else {
      for (; described <= m.run; ++described) sink.describe(s.runs[described].info);  // in the order of their ids
    }
    sink.flush();
  }
  emit_to(INT64_MAX);
  emit(INT64_MAX, SIZE_MAX);
  for (size_t i = 0; i < s.tracks.size(); ++i) {
    if (s.tracks[i].lost > 0) sink.describe(Loss{TrackId(i), s.tracks[i].lost, s.time.end});
  }
  for (size_t i = 0; i < s.problems.size(); ++i) sink.describe(s.problems[i]);
  for (size_t i = 0; i < s.tunings.size(); ++i) sink.describe(s.tunings[i]);
  for (const ClockInfo& c : s.clocks) sink.describe(c);
  sink.flush();
}

Status save_recording(const Snapshot& snapshot, const std::filesystem::path& path) {
  auto writer = RecordingWriter::create(path);
  if (!writer.ok()) return writer.error();
  replay(snapshot, **writer);
  return (*writer)->close();
}

}  // namespace arenascope::trace
