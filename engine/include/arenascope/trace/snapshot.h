// SPDX-License-Identifier: MIT
// The state of a Session at one time: immutable, shared, and readable from any thread without locks. The cost of every
// query by pixels depends on the number of pixels, not of events. Ranges are half-open.
#pragma once
#include <arenascope/trace/image.h>
#include <arenascope/trace/info.h>
#include <arenascope/trace/summary_tree.h>

#include <array>
#include <optional>
#include <string_view>

namespace arenascope::trace {

struct TimeRange {
  Nanoseconds begin = 0, end = 0;
  Nanoseconds length() const { return end - begin; }
  bool operator==(const TimeRange&) const = default;
};

// The position of a span. lane is the depth of nesting (0 except in imported traces).
struct SpanRef {
  TrackId track;
  uint32_t lane = 0;
  uint32_t row = 0;
  bool operator==(const SpanRef&) const = default;
};

// One rectangle of a timeline row: a single span (count 1), or all spans within one pixel.
struct SpanCell {
  Nanoseconds begin = 0, end = 0;
  uint32_t count = 0;
  SpanRef span;                         // the span, or the longest of them
  EventKind kind = EventKind::None;     // of `span`
  float work = 0, wait = 0, other = 0;  // covered share of [begin, end), 0 to 1 each
};

struct CurvePoint {  // one pixel of a curve
  Nanoseconds begin = 0, end = 0;
  double min = 0, max = 0, last = 0;
};

// One barrier after a node.
struct Barrier {
  RunId run;
  NodeId node;
  int64_t generation = 0;
  Nanoseconds first_arrival = 0, last_arrival = 0, last_leave = 0;
  Nanoseconds wait_sum = 0;  // total wait time of all threads
  TrackId last_arriver;
  int32_t threads = 0;  // with recorded waits
  int32_t nodes = 1;    // with work since the previous barrier
};

// Shares of a run's duration in which a track worked and waited.
struct BusyShare {
  double busy = 0, waiting = 0;  // 0 to 1 each
};

// One run of a node. For a node on a device, `host` is the time to queue it; the two are never added up.
struct NodeRun {
  struct Parts {
    Nanoseconds begin = 0, end = 0;  // the first begins, the last ends
    Nanoseconds busy = 0;            // the sum over all of them
    int32_t count = 0;
    Nanoseconds wall() const { return end - begin; }
  };
  Parts host, device;
  Nanoseconds wait = 0;  // at the barriers after it, summed over threads, without pauses
  int32_t barriers = 0;
  const Parts& parts() const { return device.count > 0 ? device : host; }
};

// Work and wait time of a track in one run, summed over its outermost spans. Waits exclude pauses.
struct TrackRun {
  Nanoseconds work = 0, wait = 0;
};

struct RunTable {
  std::vector<NodeRun> nodes;     // by node; missing entries never ran
  std::vector<TrackRun> tracks;   // by track; as above
  std::vector<TimeRange> pauses;  // as they came
  Nanoseconds paused = 0;
  Nanoseconds reached = INT64_MIN;  // time of the newest event of the run

  size_t bytes() const {
    return sizeof(RunTable) + nodes.size() * sizeof(NodeRun) + tracks.size() * sizeof(TrackRun) +
           pauses.size() * sizeof(TimeRange);
  }
};

// Statistics of a node over the runs of its graph. Cold runs (the first of each plan) and runs that were aborted, stepped
// or lost events are excluded, unless there are no others.
struct NodeStats {
  int64_t runs = 0;         // included
  int64_t left_out = 0;     // aborted, stepped, with lost events, or evicted
  bool cold = false;        // only a cold run is available
  bool incomplete = false;  // only runs that are normally excluded are available
  // Wall time per run, from the begin of the first chunk to the end of the last one.
  double mean = 0;
  Nanoseconds shortest = 0, quartile1 = 0, median = 0, quartile3 = 0, longest = 0;
  Nanoseconds percentile90 = 0, percentile99 = 0;  // interpolated, as the quartiles
  double busy = 0;                                 // mean per run, summed over the threads
  double parts = 0;                                // mean per run
  double queueing = 0;                             // of a node on a device: mean wall time per run on the host
  std::optional<Nanoseconds> first;                // wall time of the cold run
  double wait = 0;                                 // mean per run, summed over the threads
  int64_t barriers = 0;                            // included in `wait`
  TrackId last_arriver;                            // at the newest barrier
  TrackId most_frequent_last;                      // last arriver in most runs (majority vote)
  int32_t most_frequent_votes = 0;                 // of the vote
};

// Last arrivers at the barriers after a node.
struct NodeVote {
  int64_t barriers = 0;
  TrackId last_arriver, most_frequent_last;
  int32_t most_frequent_votes = 0;
};

struct StepMark {
  Nanoseconds time = 0;
  RunId run;
  Step step;
  NodeId node;
};

struct Run {
  RunInfo info;
  Nanoseconds end = 0;  // of an unfinished run: its begin
  bool finished = false;
  RunStatus status = RunStatus::Done;
  size_t first_mark = 0, marks = 0;       // its steps in Snapshot::marks, counted from marks_base
  bool cold = false;                      // the first one of its graph and plan
  bool evicted = false;                   // some of its events were evicted to bound memory
  int64_t lost = 0;                       // events lost during the run
  std::shared_ptr<const RunTable> table;  // null: nothing ran, or it was evicted

  Nanoseconds paused() const { return table ? table->paused : 0; }
  // End of the run, or of its newest event if it is unfinished.
  Nanoseconds until() const { return finished || !table ? end : std::max(end, table->reached); }
  Nanoseconds wall() const { return until() - info.begin - paused(); }
  // True if the run is complete and valid for statistics.
  bool whole() const { return finished && status == RunStatus::Done && !info.stepped && !evicted && lost == 0; }
};

// The observed residency of a tensor in the arena (the planned ones are in PlanInfo::slices).
struct ArenaAllocation {
  TensorRef tensor;
  RunId run;
  Bytes offset = 0, bytes = 0;
  Step first, last;
  Nanoseconds begin = 0, end = 0;
  bool open = false;     // still live when the snapshot was taken: `last` and `end` are those of the newest event
  bool derived = false;  // the position was observed; the times are derived from the plan and the spans
};

// Memory that an allocator reserved from the system or a device: a segment, a pool's buffer or image, pages of a cache.
// After a partial release the remaining part continues. `implied`: an allocation outside every recorded reservation, such
// as a mapped file or memory that is older than the recording.
struct Space {
  MemoryKind kind = MemoryKind::Default;  // of the allocator that took it
  uint32_t allocator = 0;
  DeviceId device;  // none: unknown. Addresses of different devices are unrelated
  uint64_t address = 0;
  Bytes bytes = 0;
  Nanoseconds begin = 0, end = 0;
  bool open = false;  // still there when the snapshot was taken
  bool implied = false;
  ImageSize image;  // if it is an image
};

// An allocation in a space: [address, address + bytes) for [begin, end).
struct SpaceAllocation {
  MemoryKind kind = MemoryKind::Default;        // as requested
  MemoryKind space_kind = MemoryKind::Default;  // of the space that it begins in
  uint32_t allocator = 0, space_allocator = 0;
  DeviceId device;
  uint64_t address = 0;
  Bytes bytes = 0;
  Bytes asked = 0;   // requested bytes; the remainder is padding
  GraphId graph;     // of `tensor`
  TensorRef tensor;  // none: unknown
  uint32_t block = 0;
  Nanoseconds begin = 0, end = 0;
  bool open = false;
};

// An observed access to bytes of the arena.
struct AccessRect {
  TensorRef tensor;
  RunId run;
  Bytes offset = 0, bytes = 0;
  Step step;
  Nanoseconds time = 0;
  bool write = false;
};

struct Range64 {
  int64_t lo = INT64_MAX, hi = INT64_MIN;
  void add(const Range64& o) {
    lo = std::min(lo, o.lo);
    hi = std::max(hi, o.hi);
  }
};

struct SpanSummary {
  Nanoseconds lo = INT64_MAX, hi = INT64_MIN;
  Nanoseconds work = 0, wait = 0, other = 0;
  Nanoseconds longest = -1;
  uint32_t longest_row = 0;
  uint32_t count = 0;
  static SpanSummary of(const Event& span, uint32_t row);
  void add(const SpanSummary& o);
};

struct Sample {
  Nanoseconds time = 0;
  double value = 0;
};

struct SampleSummary {
  Nanoseconds lo = INT64_MAX, hi = INT64_MIN;
  double min = 0, max = 0, last = 0;
  bool any = false;
  void add(const SampleSummary& o);
};

// A value over time; it holds from its sample to the next.
struct SeriesView {
  ColumnView<Sample> samples;  // by time
  SummaryView<SampleSummary> tree;

  double at(Nanoseconds t) const;  // 0 before the first sample
  // The first of its highest values in [t0, t1), and the time since when it had it; none before the first sample.
  std::optional<Sample> highest(Nanoseconds t0, Nanoseconds t1) const;
  // `pixels` points, one a pixel of [t0, t1).
  std::vector<CurvePoint> curve(Nanoseconds t0, Nanoseconds t1, int pixels) const;
};

struct LaneView {
  ColumnView<Event> rows;  // spans as they came: by end where one thread wrote them
  SummaryView<SpanSummary> tree;
};

struct TrackView {
  ThreadInfo info;
  std::vector<LaneView> lanes;  // spans, by depth
  ColumnView<Event> points;     // events that are no spans, as they came
  int64_t lost = 0;
};

struct EventRef {  // an event that is no span: a row of TrackView::points
  TrackId track;
  uint32_t row = 0;
};

// Which monotone map step ⇄ time a run has. Copy freely; keeps its snapshot's marks alive.
class StepMap {
 public:
  StepMap() = default;
  StepMap(std::vector<StepMark> marks, Nanoseconds end) : marks_(std::move(marks)), end_(end) {}
  bool empty() const { return marks_.empty(); }
  int32_t steps() const { return marks_.empty() ? 0 : marks_.back().step.value + 1; }
  // Both are linear between marks and clamped at the ends; step 3.5 is the middle of step 3.
  double step_at(Nanoseconds t) const;
  Nanoseconds time_of(double step) const;
  std::optional<StepMark> mark_at(Nanoseconds t) const;
  const std::vector<StepMark>& marks() const { return marks_; }

 private:
  std::vector<StepMark> marks_;  // by step, and by time
  Nanoseconds end_ = 0;
};

enum class MemoryCount : uint8_t { Active, Reserved };

class Snapshot {
 public:
  // --- descriptions; an unknown id gives null
  std::vector<std::shared_ptr<const GraphInfo>> graphs;
  std::vector<std::shared_ptr<const PlanInfo>> plans;
  std::vector<std::shared_ptr<const ContextInfo>> contexts;  // the newest state of each
  std::vector<DeviceInfo> devices;
  std::vector<AllocatorInfo> allocators;  // not indexed by id
  std::vector<CounterInfo> counters;
  ColumnView<std::shared_ptr<const std::string>> names;
  ColumnView<Problem> problems;
  ColumnView<TuningInfo> tunings;
  ColumnView<StackInfo> stacks;
  std::vector<ClockInfo> clocks;                 // the newest of each device that reported one
  std::vector<AllocatorState> allocator_states;  // the newest of each allocator
  std::vector<PoolInfo> pools;                   // the newest of each device
  std::vector<ReplayInfo> replays;               // the newest of each device
  SourceInfo source;                             // of what was imported; no entries: unknown
  AnnotationInfo annotations;
  ColumnView<Run> runs;       // by id
  size_t forgotten_runs = 0;  // the oldest: their rows were evicted, or precede the recording

  const GraphInfo* graph(GraphId id) const { return at(graphs, id); }
  const PlanInfo* plan(PlanId id) const { return at(plans, id); }
  const ContextInfo* context(ContextId id) const { return at(contexts, id); }
  // Null for a run that is unknown or forgotten.
  const Run* run(RunId id) const {
    return id.valid() && id.index() >= forgotten_runs && id.index() < runs.size() ? &runs[id.index()] : nullptr;
  }
  size_t recorded_runs() const { return runs.size() - forgotten_runs; }
  const GraphInfo* graph_of(RunId id) const;
  const PlanInfo* plan_of(RunId id) const;
  const TensorInfo* tensor(GraphId graph, TensorRef ref) const;
  std::string_view name(NameId id) const;
  // The call stack of an allocation, by its number in Alloc events; null if unknown.
  const StackInfo* stack_of(uint32_t allocation) const;

  // --- events
  std::vector<TrackView> tracks;
  TimeRange time;  // of all events; {0, 0} without any
  int64_t event_count = 0;
  int64_t lost = 0;
  int64_t forgotten = 0;   // the oldest events, evicted to bound memory; `time` begins after them
  int64_t generation = 0;  // grows with every change of the session
  size_t bytes = 0;        // that the session's columns hold

  const Event& event(EventRef r) const { return tracks[r.track.index()].points[r.row]; }
  const Event& event(SpanRef r) const { return tracks[r.track.index()].lanes[r.lane].rows[r.row]; }
  // The kernel that a device's work was; "" if unknown.
  std::string_view kernel(const Event& event) const;
  // The label of a span: its node's name and its kernel's, its slice's name, "barrier wait", "copy".
  std::string label(const Event& event) const;

  // Cells of one row of the timeline over [t0, t1) drawn on `pixels`; sorted by lane, then begin.
  std::vector<SpanCell> spans(TrackId track, Nanoseconds t0, Nanoseconds t1, int pixels) const;
  // Exactly the spans that overlap [t0, t1), by begin, at most `limit`.
  std::vector<SpanRef> spans_exact(TrackId track, Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  // The deepest span that holds t.
  std::optional<SpanRef> span_at(TrackId track, Nanoseconds t) const;
  // The spans of work of one node in one run, over all tracks.
  std::vector<SpanRef> spans_of(RunId run, NodeId node) const;

  // --- nodes and barriers
  std::vector<ColumnView<NodeVote>> node_votes;  // [graph][node]; shorter if the last nodes have no barriers
  // Over all runs of the graph. O(runs): call it once for all nodes of a graph.
  NodeStats stats(GraphId graph, NodeId node) const;
  std::vector<NodeStats> stats(GraphId graph) const;
  // The wall times that stats() summarises, ascending.
  std::vector<Nanoseconds> durations(GraphId graph, NodeId node) const;
  // Shares of the run's wall time without pauses.
  BusyShare share(RunId run, TrackId track) const;
  ColumnView<Barrier> barriers;  // in the order in which they were complete
  std::vector<Barrier> barriers_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  std::optional<Barrier> barrier_of(RunId run, NodeId node) const;
  // The first barrier of a run that was complete at `t` or later: the one that work ending at `t` leads to.
  std::optional<Barrier> barrier_after(RunId run, Nanoseconds t) const;
  SummaryView<Range64> barrier_times;

  // --- steps
  ColumnView<StepMark> marks;
  size_t marks_base = 0;  // number of evicted steps before marks[0]
  StepMap steps(RunId run) const;
  std::optional<TimeRange> time_of(RunId run, NodeId node) const;  // from its step to the next

  // --- memory
  std::array<SeriesView, kMemoryKinds> active, reserved;
  SeriesView all_active, all_reserved;
  std::vector<SeriesView> counter_series;  // as `counters`
  ColumnView<EventRef> memory_events;      // Alloc, Free, Reserve, Release
  ColumnView<SpanRef> copies;
  ColumnView<EventRef> context_events;
  const SeriesView& series(MemoryKind kind, MemoryCount count) const {
    return (count == MemoryCount::Active ? active : reserved)[static_cast<size_t>(kind)];
  }
  // The process's resident memory, where it was sampled; null: it was not.
  const SeriesView* resident() const { return series_of(CounterRole::Resident); }
  // The first counter with a role that has samples; null: there is none.
  const SeriesView* series_of(CounterRole role) const;
  // Bytes that host allocators had reserved at `t`; none: no host allocator recorded reservations.
  std::optional<Bytes> host_reserved(Nanoseconds t) const;
  Bytes peak(MemoryKind kind, MemoryCount count) const;
  // The most that a series of bytes comes to in each step of a run: one value per step.
  std::vector<Bytes> by_step(RunId run, const SeriesView& series) const;
  // The same of a kind.
  std::vector<Bytes> memory_by_step(RunId run, MemoryKind kind, MemoryCount count) const;
  // Live bytes of a plan in each step.
  static std::vector<Bytes> occupancy(const PlanInfo& plan);

  // --- spaces and their allocations; closed ones in the order of their end
  ColumnView<Space> spaces;
  std::vector<Space> open_spaces;
  ColumnView<SpaceAllocation> space_slices;
  std::vector<SpaceAllocation> open_space_slices;
  SummaryView<Range64> space_slice_times;
  std::vector<Space> spaces_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  std::vector<SpaceAllocation> space_slices_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  const AllocatorInfo* allocator(uint32_t id) const;  // null: not described

  // --- observed arena contents
  ColumnView<ArenaAllocation> slices;  // closed ones, in the order of their end
  std::vector<ArenaAllocation> open_slices;
  SummaryView<Range64> slice_times;
  ColumnView<AccessRect> seen;
  SummaryView<Range64> access_times;
  std::vector<ArenaAllocation> slices_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  std::vector<ArenaAllocation> slices_live(RunId run, Step step) const;
  std::vector<AccessRect> accesses_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  // The slices that a plan has live at a step.
  static std::vector<size_t> plan_slices_live(const PlanInfo& plan, Step step);

 private:
  template <class T, class I>
  static const T* at(const std::vector<std::shared_ptr<const T>>& v, I id) {
    return id.valid() && id.index() < v.size() ? v[id.index()].get() : nullptr;
  }
};

}  // namespace arenascope::trace
