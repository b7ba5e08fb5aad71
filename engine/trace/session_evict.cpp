// SPDX-License-Identifier: MIT
// Keeps a long-running session within its memory limit: the older half of the events is evicted chunk by chunk.
// Statistics over them (node statistics, memory, runs) are kept.
#include <arenascope/trace/session.h>
#include "engine/trace/address_space_tracker.h"

#include <algorithm>
#include <new>
#include <utility>

namespace arenascope::trace {

namespace {

// Evicts the rows before the first one that reaches `keep`; rows are roughly sorted by `end`.
template <class T, class End>
size_t drop_before(Column<T>& column, Nanoseconds keep, End end) {
  const auto view = column.view();
  return column.drop_front(view.partition_point([&](const T& row) { return end(row) < keep; }));
}

template <class S, class T, class Make>
void rebuild(SummaryTree<S>& tree, const Column<T>& rows, Make make) {
  tree = {};
  for (size_t i = 0; i < rows.size(); ++i) tree.add(make(rows[i], i));
}

}  // namespace

// Evicts everything that ended before a time, column by column.
class Session::Eviction {
 public:
  Eviction(Session& session, Nanoseconds keep) : s_(session), keep_(keep) {}

  void run() {
    events();
    marks_and_series();
    barriers_and_slices();
    run_tables();
    unmatched();
    problems();
    s_.forget_runs(keep_);
    count_again();
  }

 private:
  void events() {
    const auto event_end = [](const Event& e) { return e.end(); };
    std::vector<size_t> points_gone, spans_gone;  // per track; spans of the first lane
    for (Track& t : s_.tracks_) {
      points_gone.push_back(drop_before(t.points, keep_, event_end));
      s_.evicted_ += static_cast<int64_t>(points_gone.back());
      spans_gone.push_back(0);
      for (size_t i = 0; i < t.lanes.size(); ++i) {
        Lane& lane = t.lanes[i];
        const size_t gone = drop_before(lane.rows, keep_, event_end);
        if (i == 0) spans_gone.back() = gone;
        s_.evicted_ += static_cast<int64_t>(gone);
        if (gone == 0) continue;
        rebuild(lane.tree, lane.rows,
                [](const Event& e, size_t row) { return SpanSummary::of(e, static_cast<uint32_t>(row)); });
      }
    }
    move_references(s_.memory_events_, points_gone);
    move_references(s_.context_events_, points_gone);
    move_references(s_.copies_, spans_gone);
  }

  // Rebuilds columns that refer to rows, because row numbers have changed.
  template <class Ref>
  static void move_references(Column<Ref>& refs, const std::vector<size_t>& gone) {
    Column<Ref> kept;
    for (size_t i = 0; i < refs.size(); ++i) {
      Ref ref = refs[i];
      const size_t n = gone[ref.track.index()];
      if (ref.row < n) continue;
      ref.row -= static_cast<uint32_t>(n);
      kept.push_back(ref);
    }
    refs = std::move(kept);
  }

  void marks_and_series() {
    s_.marks_base_ += drop_before(s_.marks_, keep_, [](const StepMark& m) { return m.time; });
    for (size_t k = 0; k < kMemoryKinds; ++k) {
      series(s_.active_[k]);
      series(s_.reserved_[k]);
    }
    series(s_.all_active_);
    series(s_.all_reserved_);
    for (Series& counter : s_.counter_series_) series(counter);
  }

  void series(Series& series) const {
    if (drop_before(series.samples, keep_, [](const Sample& x) { return x.time; }) == 0) return;
    rebuild(series.tree, series.samples,
            [](const Sample& x, size_t) { return SampleSummary{x.time, x.time, x.value, x.value, x.value, true}; });
  }

  void barriers_and_slices() {
    if (drop_before(s_.barriers_, keep_, [](const Barrier& b) { return b.last_leave; }) != 0) {
      rebuild(s_.barrier_times_, s_.barriers_, [](const Barrier& b, size_t) {
        return Range64{b.first_arrival, b.last_leave};
      });
    }
    if (drop_before(s_.slices_, keep_, [](const ArenaAllocation& r) { return r.end; }) != 0) {
      rebuild(s_.slice_times_, s_.slices_, [](const ArenaAllocation& r, size_t) { return Range64{r.begin, r.end}; });
    }
    s_.spaces_->forget(keep_);
    if (drop_before(s_.seen_, keep_, [](const AccessRect& r) { return r.time; }) != 0) {
      rebuild(s_.seen_times_, s_.seen_, [](const AccessRect& r, size_t) { return Range64{r.time, r.time}; });
    }
  }

  // True if the run ended before the time, or was never reported as ended and many others have begun since.
  bool is_over(RunId id) const {
    constexpr size_t kMany = 64;
    if (!s_.known_run(id).valid()) return true;
    const Run& run = s_.runs_[id.index()];
    return (run.finished || id.index() + kMany < s_.runs_.size()) && run.until() < keep_;
  }

  void run_tables() {
    for (size_t i = s_.forgotten_runs_; i < s_.runs_.size() && s_.runs_[i].info.begin < keep_; ++i) {
      if (s_.runs_[i].evicted && !s_.runs_[i].table) continue;
      Run& run = s_.runs_.mutate(i);
      run.evicted = true;
      if (!run.table || !is_over(run.info.id)) continue;
      s_.table_bytes_ -= run.table->bytes();
      run.table.reset();
      std::erase_if(s_.open_tables_, [&](const OpenTable& open) { return open.run == run.info.id; });
    }
  }

  // Slices of runs that are over: their ends were lost, or the run was aborted.
  void unmatched() {
    const auto over = [&](const auto& one) { return one.first.run.valid() && is_over(one.first.run); };
    std::erase_if(s_.open_, over);
    std::erase_if(s_.derived_, [&](const auto& one) { return is_over(RunId(one.first)); });
  }

  // Half of the problems, once they are many.
  void problems() {
    constexpr size_t kMany = 4096;
    if (s_.problems_.size() < kMany) return;
    s_.problems_.drop_front(s_.problems_.size() / 2);
    s_.bad_ = false;
  }

  void count_again() {
    s_.event_count_ = 0;
    s_.begin_ = s_.end_;
    const auto count = [&](const Column<Event>& rows) {
      s_.event_count_ += static_cast<int64_t>(rows.size());
      if (!rows.empty()) s_.begin_ = std::min(s_.begin_, rows[0].begin());
    };
    for (const Track& t : s_.tracks_) {
      count(t.points);
      for (const Lane& lane : t.lanes) count(lane.rows);
    }
  }

  Session& s_;
  const Nanoseconds keep_;
};

// Evicts all events: allocates nothing.
void Session::evict_all() {
  for (Track& t : tracks_) {
    t.points = {};
    for (Lane& lane : t.lanes) lane = {};
  }
  memory_events_ = {};
  context_events_ = {};
  copies_ = {};
  marks_base_ += marks_.size();
  marks_ = {};
  for (size_t k = 0; k < kMemoryKinds; ++k) active_[k] = {}, reserved_[k] = {};
  all_active_ = {};
  all_reserved_ = {};
  for (Series& counter : counter_series_) counter = {};
  barriers_ = {};
  barrier_times_ = {};
  slices_ = {};
  slice_times_ = {};
  seen_ = {};
  seen_times_ = {};
  evicted_ += std::exchange(event_count_, 0);
  begin_ = end_;
}

void Session::evict_older_half() {
  const Column<Event>* largest = nullptr;
  const auto consider = [&](const Column<Event>& c) {
    if (largest == nullptr || c.size() > largest->size()) largest = &c;
  };
  for (const Track& t : tracks_) {
    consider(t.points);
    for (const Lane& lane : t.lanes) consider(lane.rows);
  }
  if (largest == nullptr || largest->size() < 4 * kColumnRows) return;
  try {
    Eviction(*this, (*largest)[largest->size() / 2].end()).run();
  } catch (const std::bad_alloc&) {  // some references to rows have not been moved
    evict_all();
    bad("out of memory");
  }
}

}  // namespace arenascope::trace
