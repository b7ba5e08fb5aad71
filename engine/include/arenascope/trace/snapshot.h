// SPDX-License-Identifier: MIT
// What happened, as one moment of a Session saw it: immutable, shared, and readable from any thread without locks.
// Every query that takes pixels costs in the order of the pixels, not of the events. Ranges are half-open.
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

// One span, by where it stands. lane is the depth of nesting (0 but for imported traces).
struct SpanRef {
  TrackId track;
  uint32_t lane = 0;
  uint32_t row = 0;
  bool operator==(const SpanRef&) const = default;
};

// One rectangle of a timeline row: a single span (count 1), or all that fall on one pixel.
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

// One meeting at the barrier behind a node.
struct Barrier {
  RunId run;
  NodeId node;
  int64_t generation = 0;
  Nanoseconds first_arrival = 0, last_arrival = 0, last_leave = 0;
  Nanoseconds wait_sum = 0;  // over the threads; what the imbalance cost
  TrackId last_arriver;
  int32_t threads = 0;  // whose waits were seen
  int32_t nodes = 1;    // with work since the barrier before; more than one: they met at none in between
};

// What of a run's time a track worked and waited.
struct BusyShare {
  double busy = 0, waiting = 0;  // 0 to 1 each
};

// What one run did for a node. A device's node has parts there, and the host's parts are what it took to queue them:
// the two are never added up.
struct NodeRun {
  struct Parts {
    Nanoseconds begin = 0, end = 0;  // the first begins, the last ends
    Nanoseconds busy = 0;            // the sum over all of them
    int32_t count = 0;
    Nanoseconds wall() const { return end - begin; }
  };
  Parts host, device;
  Nanoseconds wait = 0;  // at the barriers behind it, all threads together, without pauses
  int32_t barriers = 0;
  const Parts& parts() const { return device.count > 0 ? device : host; }
};

// What one run did on a track, in sums of its outermost spans. Pauses are no part of the waits.
struct TrackRun {
  Nanoseconds work = 0, wait = 0;
};

struct RunTable {
  std::vector<NodeRun> nodes;     // by node; those behind the end never ran
  std::vector<TrackRun> tracks;   // by track; as above
  std::vector<TimeRange> pauses;  // as they came
  Nanoseconds paused = 0;
  Nanoseconds reached = INT64_MIN;  // the newest that is known of the run
};

// A node over the runs of its graph. Cold runs, the first of their plan, fill caches and make what is made once: they
// stand apart and are in the figures only where there is no other. So do runs that were aborted, stepped through, or
// lost events.
struct NodeStats {
  int64_t runs = 0;         // in the figures
  int64_t left_out = 0;     // aborted, stepped, with losses, or let go
  bool cold = false;        // the figures are of a cold run: there is no other
  bool incomplete = false;  // the figures are of runs that would be left out: there are no others
  // Wall time a run: from the beginning of its first part to the end of its last one.
  double mean = 0;
  Nanoseconds shortest = 0, quartile1 = 0, median = 0, quartile3 = 0, longest = 0;
  double busy = 0;                   // mean a run, summed over the threads
  double parts = 0;                  // mean a run
  double queueing = 0;               // of a device's node: mean wall time a run on the host
  std::optional<Nanoseconds> first;  // wall time of the cold run
  double wait = 0;                   // mean a run, all threads together
  int64_t barriers = 0;              // in the figures
  TrackId last_arriver;              // at the newest barrier
  TrackId usual_last;                // who came last most often (a majority vote over all runs)
  int32_t usual_votes = 0;           // of the vote
};

// Who came last at the barriers behind a node.
struct NodeVote {
  int64_t barriers = 0;
  TrackId last_arriver, usual_last;
  int32_t usual_votes = 0;
};

struct StepMark {
  Nanoseconds time = 0;
  RunId run;
  Step step;
  NodeId node;
};

struct Run {
  RunInfo info;
  Nanoseconds end = 0;  // of a run still going on: its beginning
  bool finished = false;
  RunStatus status = RunStatus::Done;
  size_t first_mark = 0, marks = 0;       // its steps in Snapshot::marks, counted from marks_base
  bool cold = false;                      // the first one of its graph and plan
  bool evicted = false;                   // its events, or some, were let go to bound memory
  int64_t lost = 0;                       // events lost while it went on
  std::shared_ptr<const RunTable> table;  // null: nothing ran, or it was let go

  Nanoseconds paused() const { return table ? table->paused : 0; }
  // Of a run still going on: as far as it is known.
  Nanoseconds until() const { return finished || !table ? end : std::max(end, table->reached); }
  Nanoseconds wall() const { return until() - info.begin - paused(); }
  // Whether figures of it are those of a whole run.
  bool whole() const { return finished && status == RunStatus::Done && !info.stepped && !evicted && lost == 0; }
};

// A tensor's stay in the arena as it really was (the plan's are in PlanInfo::slices).
struct SliceRect {
  TensorRef tensor;
  RunId run;
  Bytes offset = 0, bytes = 0;
  Step first, last;
  Nanoseconds begin = 0, end = 0;
  bool open = false;     // still live when the snapshot was taken: `last` and `end` are those of the newest event
  bool derived = false;  // it lay there, as was observed; from when to when is derived from the plan and the spans
};

// Memory that an allocator took from the system or a device: a segment, a pool's buffer or image, pages of a cache. What
// is given back in part goes on as what is left. Or, `implied`, what was handed out where nobody was seen to take
// anything: a mapped file, or memory that is older than the recording.
struct Space {
  MemoryKind kind = MemoryKind::Default;  // of the allocator that took it
  uint32_t allocator = 0;
  DeviceId device;  // none: not told. Addresses of two devices have nothing to do with each other
  uint64_t address = 0;
  Bytes bytes = 0;
  Nanoseconds begin = 0, end = 0;
  bool open = false;  // still there when the snapshot was taken
  bool implied = false;
  ImageSize image;  // where it is one
};

// What was handed out in a space, and for what: [address, address + bytes) for [begin, end).
struct SpaceSlice {
  MemoryKind kind = MemoryKind::Default;        // what it was asked for as
  MemoryKind space_kind = MemoryKind::Default;  // of the space that it begins in
  uint32_t allocator = 0, space_allocator = 0;
  DeviceId device;
  uint64_t address = 0;
  Bytes bytes = 0;
  Bytes asked = 0;   // the rest of it is waste inside the block
  GraphId graph;     // of `tensor`
  TensorRef tensor;  // none: nobody told whose it is
  uint32_t block = 0;
  Nanoseconds begin = 0, end = 0;
  bool open = false;
};

// Bytes of the arena that were really touched.
struct SeenRect {
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
  // The first of the highest values that it takes in [t0, t1), and since when there; none before the first sample.
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
  // --- what was described; an id that is not known gives null
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
  std::vector<ClockInfo> clocks;                 // the newest of each device that has told one
  std::vector<AllocatorState> allocator_states;  // the newest of each allocator
  std::vector<PoolInfo> pools;                   // the newest of each device
  std::vector<ReplayInfo> replays;               // the newest of each device
  SourceInfo source;                             // of what was imported; no entries: nobody told it
  ColumnView<Run> runs;

  const GraphInfo* graph(GraphId id) const { return at(graphs, id); }
  const PlanInfo* plan(PlanId id) const { return at(plans, id); }
  const ContextInfo* context(ContextId id) const { return at(contexts, id); }
  const Run* run(RunId id) const { return id.valid() && id.index() < runs.size() ? &runs[id.index()] : nullptr; }
  const GraphInfo* graph_of(RunId id) const;
  const PlanInfo* plan_of(RunId id) const;
  const TensorInfo* tensor(GraphId graph, TensorRef ref) const;
  std::string_view name(NameId id) const;
  // Where an allocation was taken, by its number in Alloc events; null where nobody told it.
  const StackInfo* stack_of(uint32_t allocation) const;

  // --- events
  std::vector<TrackView> tracks;
  TimeRange time;  // of all events; {0, 0} without any
  int64_t event_count = 0;
  int64_t lost = 0;
  int64_t forgotten = 0;   // the oldest events, let go to bound memory; `time` begins behind them
  int64_t generation = 0;  // grows with every change of the session
  size_t bytes = 0;        // that the session's columns hold

  const Event& event(EventRef r) const { return tracks[r.track.index()].points[r.row]; }
  const Event& event(SpanRef r) const { return tracks[r.track.index()].lanes[r.lane].rows[r.row]; }
  // The kernel that a device's work was; "" where nobody told it.
  std::string_view kernel(const Event& event) const;
  // What to write on a span: its node's name and its kernel's, its slice's name, "barrier wait", "copy".
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
  std::vector<ColumnView<NodeVote>> node_votes;  // [graph][node]; one without barriers may lie beyond the end
  // Over all runs of the graph. Costs in the order of the runs; for all nodes of a graph ask once.
  NodeStats stats(GraphId graph, NodeId node) const;
  std::vector<NodeStats> stats(GraphId graph) const;
  // What a track did in a run, of the run's wall time without pauses: independent of what is looked at.
  BusyShare share(RunId run, TrackId track) const;
  ColumnView<Barrier> barriers;  // in the order in which they were complete
  std::vector<Barrier> barriers_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  std::optional<Barrier> barrier_of(RunId run, NodeId node) const;
  // The first one of a run that all had reached at `t` or later: behind which node work that ended at `t` was met for.
  std::optional<Barrier> barrier_after(RunId run, Nanoseconds t) const;
  SummaryView<Range64> barrier_times;

  // --- steps
  ColumnView<StepMark> marks;
  size_t marks_base = 0;  // how many steps were let go before marks[0]
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
  // The first counter with a role that was ever sampled; null: there is none.
  const SeriesView* series_of(CounterRole role) const;
  // What allocators of main memory had reserved at `t`.
  Bytes host_reserved(Nanoseconds t) const;
  Bytes peak(MemoryKind kind, MemoryCount count) const;
  // The most that a series of bytes comes to in each step of a run: one number a step.
  std::vector<Bytes> by_step(RunId run, const SeriesView& series) const;
  // The same of a kind.
  std::vector<Bytes> memory_by_step(RunId run, MemoryKind kind, MemoryCount count) const;
  // Live bytes of a plan in each step.
  static std::vector<Bytes> occupancy(const PlanInfo& plan);

  // --- spaces, and what was handed out in them; closed ones in the order of their end
  ColumnView<Space> spaces;
  std::vector<Space> open_spaces;
  ColumnView<SpaceSlice> space_slices;
  std::vector<SpaceSlice> open_space_slices;
  SummaryView<Range64> space_slice_times;
  std::vector<Space> spaces_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  std::vector<SpaceSlice> space_slices_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  const AllocatorInfo* allocator(uint32_t id) const;  // null: not described

  // --- the arena as it was
  ColumnView<SliceRect> slices;  // closed ones, in the order of their end
  std::vector<SliceRect> open_slices;
  SummaryView<Range64> slice_times;
  ColumnView<SeenRect> seen;
  SummaryView<Range64> seen_times;
  std::vector<SliceRect> slices_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  std::vector<SliceRect> slices_live(RunId run, Step step) const;
  std::vector<SeenRect> seen_in(Nanoseconds t0, Nanoseconds t1, size_t limit) const;
  // The slices that a plan has live at a step.
  static std::vector<size_t> plan_slices_live(const PlanInfo& plan, Step step);

 private:
  template <class T, class I>
  static const T* at(const std::vector<std::shared_ptr<const T>>& v, I id) {
    return id.valid() && id.index() < v.size() ? v[id.index()].get() : nullptr;
  }
};

}  // namespace arenascope::trace
