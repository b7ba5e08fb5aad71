// SPDX-License-Identifier: MIT
// The store the views read: columns with an index over time, fed by a live recorder, a recording or an importer
// alike. It grows on the writing thread while readers hold snapshots; a live session may be limited to the newest events.
#pragma once
#include <arenascope/trace/sink.h>
#include <arenascope/trace/snapshot.h>

#include <atomic>
#include <mutex>
#include <set>
#include <unordered_map>

namespace arenascope::trace {

class AddressSpaceTracker;

class Session : public Sink {
 public:
  struct Options {
    // When the columns hold more, the older half of the events is evicted, and the rows of the oldest runs as far as
    // they hold more than an eighth of it; 0: never.
    size_t max_bytes = 0;
  };
  Session();
  explicit Session(Options options);
  ~Session() override;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // Sink: one writer at a time. Invalid descriptions and events (an id far out of range, an end before its
  // begin) are counted as bad and reported as one problem, never stored.
  using Sink::events;
  void describe(const Description& description) override;
  void events(std::span<const TrackEvent> events) override;

  // The state now; cheap, and the same object until something changes. Any thread.
  std::shared_ptr<const Snapshot> snapshot() const;
  // The same without waiting: null while another thread is writing. For painting at frame rate.
  std::shared_ptr<const Snapshot> try_snapshot() const;
  // Grows with every change; for polling without taking a snapshot. Any thread.
  int64_t generation() const { return generation_.load(std::memory_order_acquire); }
  // Memory held by the columns, in bytes. Any thread.
  size_t bytes() const;

 private:
  struct Lane {
    Column<Event> rows;
    SummaryTree<SpanSummary> tree;
  };
  struct Track {
    ThreadInfo info;
    std::vector<Lane> lanes;  // spans, by depth
    Column<Event> points;     // events that are no spans
    int64_t lost = 0;
  };
  struct Series {
    Column<Sample> samples;
    SummaryTree<SampleSummary> tree;
    void add(Nanoseconds t, double value);
    SeriesView view() const { return {samples.view(), tree.view()}; }
  };
  struct PendingBarrier {
    Barrier barrier;
    int32_t expected = 0;
  };

  void apply(const std::shared_ptr<const GraphInfo>& graph);
  void apply(const std::shared_ptr<const PlanInfo>& plan);
  void apply(const std::shared_ptr<const ContextInfo>& context);
  void apply(const RunInfo& run);
  void apply(const RunEnd& end);
  void apply(const ThreadInfo& thread);
  void apply(const DeviceInfo& device);
  void apply(const AllocatorInfo& allocator);
  void apply(const CounterInfo& counter);
  void apply(const NameInfo& name);
  void apply(const Problem& problem);
  void apply(const Loss& loss);
  void apply(const TuningInfo& tuning);
  void apply(const ClockInfo& clock);
  void apply(const AllocatorState& state);
  void apply(const PoolInfo& pool);
  void apply(const ReplayInfo& replay);
  void apply(const SourceInfo& source);
  void apply(const AnnotationInfo& annotations);
  template <class T, class Key>
  static void keep_newest(std::vector<T>& list, const T& update, Key T::*key);
  void apply(const StackInfo& stack);

  void bad(const char* what);
  bool sensible(const Event& event) const;
  size_t bytes_locked() const;
  class Eviction;
  void evict_older_half();
  void evict_all();
  static size_t text_bytes(const RunInfo& run);
  void forget_runs(Nanoseconds keep);
  void add(TrackId track, const Event& event);
  void add_memory(TrackId track, uint32_t row, const Event& event);
  void add_space(const Event& event, uint32_t allocator);
  void add_work(TrackId track, const Event& event);
  void add_wait(TrackId track, const Event& event);
  void add_pause(const Event& event);
  void finish(PendingBarrier& pending);
  void finish_barriers(RunId run);
  void add_slice(const Event& event);
  void add_between(const Event& event);
  void add_mark(const StepMark& mark);
  void derive(TrackId track, const Event& event);
  void derive_up_to(RunId run, size_t steps, Nanoseconds time);
  void finish_derived(const Run& run);
  struct PlanSteps;
  const PlanSteps* steps_of(PlanId plan);
  void close_slice(ArenaAllocation rect, Step last, Nanoseconds end);
  RunTable* table_of(RunId run);
  NodeRun* node_of(RunId run, NodeId node);
  TrackRun* track_of(RunId run, TrackId track, Nanoseconds reached);
  void reach(RunId run, Nanoseconds time);  // extends the known duration of the run
  NodeVote* vote(RunId run, NodeId node);
  Nanoseconds paused_in(RunId run, Nanoseconds begin, Nanoseconds end);
  RunId known_run(RunId run) const;  // none for a run that is unknown or forgotten
  std::shared_ptr<const Snapshot> make_snapshot() const;
  void add_open_slices(Snapshot& snapshot) const;

  const Options options_{};
  mutable std::mutex mutex_;  // guards everything below
  mutable std::shared_ptr<const Snapshot> latest_;
  std::atomic<int64_t> generation_{0};

  std::vector<std::shared_ptr<const GraphInfo>> graphs_;
  std::vector<std::shared_ptr<const PlanInfo>> plans_;
  std::vector<std::shared_ptr<const ContextInfo>> contexts_;
  std::vector<DeviceInfo> devices_;
  std::vector<AllocatorInfo> allocators_;
  std::vector<CounterInfo> counters_;
  Column<std::shared_ptr<const std::string>> names_;
  Column<Problem> problems_;
  Column<TuningInfo> tunings_;
  Column<StackInfo> stacks_;
  Column<Run> runs_;
  size_t forgotten_runs_ = 0;  // the oldest, which have blank rows
  size_t run_text_bytes_ = 0;  // of the strings and lists of runs_

  std::vector<Track> tracks_;
  Nanoseconds begin_ = INT64_MAX, end_ = INT64_MIN;
  int64_t event_count_ = 0, lost_ = 0;
  bool bad_ = false;  // skipped data was reported
  int64_t evicted_ = 0;
  size_t marks_base_ = 0;  // evicted steps

  std::vector<Column<NodeVote>> node_votes_;
  // The tables of the newest runs, which still grow. A snapshot shares them: the next change copies.
  struct OpenTable {
    RunId run;
    std::shared_ptr<RunTable> table;
    mutable bool shared = false;
  };
  std::vector<OpenTable> open_tables_;
  size_t table_bytes_ = 0;
  std::set<std::pair<GraphId, PlanId>> ran_;  // graphs and plans that have run: later runs are warm
  std::vector<ClockInfo> clocks_;
  std::vector<AllocatorState> allocator_states_;
  std::vector<PoolInfo> pools_;
  std::vector<ReplayInfo> replays_;
  SourceInfo source_;
  AnnotationInfo annotations_;
  Column<Barrier> barriers_;
  SummaryTree<Range64> barrier_times_;
  std::unordered_map<int64_t, PendingBarrier> pending_barriers_;  // by generation
  Column<StepMark> marks_;

  std::array<Series, kMemoryKinds> active_, reserved_;
  std::array<double, kMemoryKinds> active_now_{}, reserved_now_{};
  Series all_active_, all_reserved_;
  std::vector<Series> counter_series_;
  Column<EventRef> memory_events_, context_events_;
  Column<SpanRef> copies_;

  std::unique_ptr<AddressSpaceTracker> spaces_;
  Column<ArenaAllocation> slices_;
  SummaryTree<Range64> slice_times_;
  struct SliceKey {
    TensorRef tensor;
    RunId run;
    Bytes offset = 0;
    bool operator==(const SliceKey&) const = default;
  };
  struct SliceHash {
    size_t operator()(const SliceKey& k) const {
      const auto run = static_cast<uint64_t>(static_cast<uint32_t>(k.run.value));
      return (static_cast<uint64_t>(k.offset) * 0x9e3779b97f4a7c15u ^ (run << 32 | k.tensor.value)) *
             0xff51afd7ed558ccdu;
    }
  };
  std::unordered_map<SliceKey, std::vector<ArenaAllocation>, SliceHash> open_;
  Step newest_step_;
  // Runs whose steps and slices are derived (session_derive.cpp).
  struct Derived {
    size_t next = 0;        // the first step that has not begun
    Nanoseconds ready = 0;  // when the lead could begin it
  };
  std::unordered_map<int32_t, Derived> derived_;        // by run
  std::vector<std::shared_ptr<PlanSteps>> plan_steps_;  // by plan
  Column<AccessRect> seen_;
  SummaryTree<Range64> seen_times_;
};

}  // namespace arenascope::trace
