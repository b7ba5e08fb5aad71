// SPDX-License-Identifier: MIT
// Collects the events of all threads' rings and passes them, with the descriptions, to the sinks. Owns the draining thread;
// the sinks are shared. The rings belong to a RecorderInput, which reporters share and may use after the recorder is gone.
#pragma once
#include <arenascope/base/result.h>
#include <arenascope/trace/description_log.h>
#include <arenascope/trace/event_sorter.h>
#include <arenascope/trace/ring.h>
#include <arenascope/trace/sink.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>

namespace arenascope::trace {

// The writers' side of a recorder: rings and descriptions that have not been drained. A writer that may outlive the
// recorder, as an allocation observer does, owns it: what is written after the recorder's end is dropped with it. Every
// function may be called from any thread.
class RecorderInput {
 public:
  explicit RecorderInput(size_t ring_events);

  ThreadRing* register_thread(std::string name, TrackKind kind, DeviceId device);
  GraphId describe(GraphInfo info);
  PlanId describe(PlanInfo info);
  ContextId describe(ContextInfo info);
  DeviceId describe(DeviceInfo info);
  CounterId describe(CounterInfo info);
  uint32_t describe(AllocatorInfo info);
  NameId name(std::string_view text);
  RunId describe(RunInfo info);
  void queue(Description description);
  void update(ContextInfo info);

  const Clock& clock() const { return clock_; }
  Nanoseconds now() const { return clock_.now(); }
  int64_t lost() const;

 private:
  friend class Recorder;
  void queue_locked(Description description);
  template <class T>
  using Newest = std::deque<std::shared_ptr<const T>>;
  template <class T>
  auto describe_locked(T info, int32_t& count, Newest<T>* newest);

  const size_t ring_events_;
  const Clock clock_;
  mutable std::mutex mutex_;  // guards everything below
  std::vector<std::unique_ptr<ThreadRing>> rings_;
  std::vector<Description> queue_;
  std::unordered_map<std::string, NameId> names_;
  std::vector<DeviceInfo> devices_;
  std::vector<AllocatorInfo> allocators_;
  int32_t graphs_ = 0, plans_ = 0, contexts_ = 0, counters_ = 0, runs_ = 0;
  // The newest that were described: deferred subgraphs are compiled again in every run, usually to the same graph.
  Newest<GraphInfo> newest_graphs_;
  Newest<PlanInfo> newest_plans_;
  Newest<ContextInfo> newest_contexts_;
  bool closed_ = false;  // the recorder is gone: descriptions are dropped
};

// Every function may be called from any thread unless stated otherwise; only drain(), start() and stop() wait
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

  // Add sinks before anything is described: a later sink receives all earlier descriptions, but no events.
  void add_sink(std::shared_ptr<Sink> sink);
  void remove_sink(const Sink* sink);

  // Shared with writers that may outlive this object.
  const std::shared_ptr<RecorderInput>& input() const { return input_; }

  // A ring for one writing thread (or one device queue, written by one thread at a time). Lives as long as input().
  ThreadRing* register_thread(std::string name, TrackKind kind = TrackKind::Worker,
                              DeviceId device = DeviceId::none()) {
    return input_->register_thread(std::move(name), kind, device);
  }

  // Descriptions get their id here; the `id` in `info` is ignored. A deferred subgraph that equals one of the newest
  // described ones, its plan and its context keep their ids.
  GraphId describe(GraphInfo info) { return input_->describe(std::move(info)); }
  PlanId describe(PlanInfo info) { return input_->describe(std::move(info)); }
  ContextId describe(ContextInfo info) { return input_->describe(std::move(info)); }  // of a new context
  void update(ContextInfo info);  // replaces the description of the context info.id
  DeviceId describe(DeviceInfo info) { return input_->describe(std::move(info)); }
  CounterId describe(CounterInfo info) { return input_->describe(std::move(info)); }
  // The same device, or allocator, described again keeps its id.
  uint32_t describe(AllocatorInfo info) { return input_->describe(std::move(info)); }
  NameId name(std::string_view text) { return input_->name(text); }  // the same text gives the same id
  void problem(Problem problem);
  void describe(TuningInfo tuning);
  void describe(ClockInfo clock);
  void describe(AllocatorState state);
  void describe(PoolInfo pool);
  void describe(ReplayInfo replay);

  RunId begin_run(RunInfo info);  // `begin` 0: now
  void end_run(RunId run, RunStatus status = RunStatus::Done) { end_run(RunEnd{run, 0, status}); }
  void end_run(RunEnd end);  // `end` 0: now

  const Clock& clock() const { return input_->clock(); }
  Nanoseconds now() const { return input_->now(); }
  int64_t lost() const { return input_->lost(); }  // events lost on all rings

  // Moves all events from the rings to the sinks. If an allocation fails, the rings are unchanged and a later drain() moves them.
  void drain();
  // Drains every `interval` nanoseconds on a thread of its own, until stop(), and samples the process's resident memory
  // each time, and when a run begins or ends.
  void start(Nanoseconds interval = 10'000'000);
  void stop();  // drains a last time

 private:
  void drain_locked(bool last);
  std::vector<Description> take_queue();
  void dispatch(std::vector<Description>& queued);
  void drop_locked();
  void note_resident();

  const std::shared_ptr<RecorderInput> input_;

  std::mutex drain_mutex_;  // taken before the input's; guards the following
  SinkList sinks_;
  DescriptionLog descriptions_;         // without losses and problems: for late sinks
  std::vector<RunEnd> ends_;            // whose events may still be in the rings
  std::vector<int64_t> reported_lost_;  // per ring

  std::mutex control_mutex_;  // held while the thread is started or stopped, which it takes no part in
  std::mutex thread_mutex_;   // guards stopping_
  std::condition_variable wake_;
  bool stopping_ = false;
  std::thread thread_;  // guarded by control_mutex_

  std::mutex resident_mutex_;  // guards the following; used by runs and the draining thread
  ThreadRing* resident_ring_ = nullptr;
  CounterId resident_;
};

}  // namespace arenascope::trace
