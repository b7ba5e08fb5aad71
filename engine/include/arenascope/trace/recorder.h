// SPDX-License-Identifier: MIT
// Collects the events of all threads' rings and passes them, with the descriptions, to the sinks.
// Owns the rings and the draining thread; the sinks are shared.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/ring.h>
#include <arenascope/trace/sink.h>

#include <condition_variable>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace arenascope::trace {

// Every function may be called from any thread unless it says otherwise; none but drain(), start() and stop() waits
// for a sink.
class Recorder {
 public:
  struct Options {
    size_t ring_events = 1 << 16;  // per thread; rounded up to a power of two, at least 16
  };
  Recorder() : Recorder(Options{}) {}
  explicit Recorder(Options options);
  ~Recorder();  // stops after a last drain

  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // Add sinks before anything is described: a sink that comes later is pending all earlier descriptions, no events.
  void add_sink(std::shared_ptr<Sink> sink);
  void remove_sink(const Sink* sink);

  // A ring for one writing thread (or one device queue, written by one thread at a time). Lives as long as this.
  ThreadRing* register_thread(std::string name, TrackKind kind = TrackKind::Worker, DeviceId device = DeviceId::none());

  // Descriptions get their id here; the `id` in `info` is ignored.
  GraphId describe(GraphInfo info);
  PlanId describe(PlanInfo info);
  ContextId describe(ContextInfo info);  // of a new context
  void update(ContextInfo info);         // replaces the description of the context info.id
  DeviceId describe(DeviceInfo info);
  CounterId describe(CounterInfo info);
  // The same device, or allocator, described again keeps its id.
  uint32_t describe(AllocatorInfo info);
  NameId name(std::string_view text);  // the same text gives the same id
  void problem(Problem problem);
  void describe(TuningInfo tuning);
  void describe(ClockInfo clock);
  void describe(AllocatorState state);
  void describe(PoolInfo pool);
  void describe(ReplayInfo replay);

  RunId begin_run(RunInfo info);  // `begin` 0: now
  void end_run(RunId run, RunStatus status = RunStatus::Done) { end_run(RunEnd{run, 0, status}); }
  void end_run(RunEnd end);  // `end` 0: now

  const Clock& clock() const { return clock_; }
  Nanoseconds now() const { return clock_.now(); }
  int64_t lost() const;  // events lost on all rings

  // Moves all events from the rings to the sinks.
  void drain();
  // Drains every `interval` nanoseconds on a thread of its own, until stop(), and samples the process's resident memory
  // each time, and when a run begins or ends.
  void start(Nanoseconds interval = 10'000'000);
  void stop();  // drains a last time

 private:
  void queue(Description description);
  void queue_locked(Description description);
  void drain_locked(bool last);
  void dispatch(const Description& description);
  struct PendingTrack {
    TrackId track;
    std::vector<Event> events;
  };
  void dispatch_merged(const std::vector<PendingTrack>& pending);
  void note_resident();

  const Options options_;
  const Clock clock_;

  mutable std::mutex mutex_;  // guards the following
  std::vector<std::unique_ptr<ThreadRing>> rings_;
  std::vector<Description> queue_;
  std::unordered_map<std::string, NameId> names_;
  std::vector<DeviceInfo> devices_;
  std::vector<AllocatorInfo> allocators_;
  int32_t graphs_ = 0, plans_ = 0, contexts_ = 0, counters_ = 0, runs_ = 0;

  std::mutex drain_mutex_;  // taken before mutex_; guards the following
  std::vector<std::shared_ptr<Sink>> sinks_;
  std::vector<Description> descriptions_;  // all descriptions but losses and problems: for late sinks
  std::vector<Description> ends_;          // run ends whose events may still be in the rings
  std::vector<int64_t> reported_lost_;     // per ring
  std::vector<bool> merged_;               // per ring: those of TrackKind::Other

  std::mutex thread_mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;

  std::mutex resident_mutex_;  // guards the following; used by runs and the draining thread
  ThreadRing* resident_ring_ = nullptr;
  CounterId resident_;
};

}  // namespace arenascope::trace
