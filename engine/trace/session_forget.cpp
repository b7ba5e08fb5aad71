// SPDX-License-Identifier: MIT
// How a session that is watched for hours stays within its bytes: the older half of the events goes, chunk by chunk;
// what was summed up over them (node statistics, memory held, runs) stays.
#include <arenascope/trace/session.h>

#include <algorithm>

namespace arenascope::trace {

namespace {

// Lets go of the rows before the first that reaches `keep`; the rows are nearly by `end`.
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

void Session::forget_older_half() {
  const Column<Event>* largest = nullptr;
  const auto consider = [&](const Column<Event>& c) {
    if (largest == nullptr || c.size() > largest->size()) largest = &c;
  };
  for (const Track& t : tracks_) {
    consider(t.points);
    for (const Lane& lane : t.lanes) consider(lane.rows);
  }
  if (largest == nullptr || largest->size() < 4 * kColumnRows) return;
  const Nanoseconds keep = (*largest)[largest->size() / 2].end();
  const auto event_end = [](const Event& e) { return e.end(); };

  std::vector<size_t> points_gone, spans_gone;  // by track; spans of the first lane
  for (Track& t : tracks_) {
    points_gone.push_back(drop_before(t.points, keep, event_end));
    forgotten_ += static_cast<int64_t>(points_gone.back());
    spans_gone.push_back(0);
    for (size_t i = 0; i < t.lanes.size(); ++i) {
      Lane& lane = t.lanes[i];
      const size_t gone = drop_before(lane.rows, keep, event_end);
      if (i == 0) spans_gone.back() = gone;
      forgotten_ += static_cast<int64_t>(gone);
      if (gone == 0) continue;
      rebuild(lane.tree, lane.rows,
              [](const Event& e, size_t row) { return SpanSummary::of(e, static_cast<uint32_t>(row)); });
    }
  }
  // Those that point at rows are made anew: rows have moved.
  const auto move = [](auto& refs, const std::vector<size_t>& gone) {
    std::remove_reference_t<decltype(refs)> kept;
    for (size_t i = 0; i < refs.size(); ++i) {
      auto ref = refs[i];
      const size_t n = gone[ref.track.index()];
      if (ref.row < n) continue;
      ref.row -= static_cast<uint32_t>(n);
      kept.push_back(ref);
    }
    refs = std::move(kept);
  };
  move(memory_events_, points_gone);
  move(context_events_, points_gone);
  move(copies_, spans_gone);

  marks_base_ += drop_before(marks_, keep, [](const StepMark& m) { return m.time; });
  const auto series = [&](Series& s) {
    if (drop_before(s.samples, keep, [](const Sample& x) { return x.time; }) == 0) return;
    rebuild(s.tree, s.samples,
            [](const Sample& x, size_t) { return SampleSummary{x.time, x.time, x.value, x.value, x.value, true}; });
  };
  for (size_t k = 0; k < kMemoryKinds; ++k) {
    series(active_[k]);
    series(reserved_[k]);
  }
  series(all_active_);
  series(all_reserved_);
  for (Series& s : counter_series_) series(s);

  if (drop_before(barriers_, keep, [](const Barrier& b) { return b.last_leave; }) != 0) {
    rebuild(barrier_times_, barriers_, [](const Barrier& b, size_t) { return Range64{b.first_arrival, b.last_leave}; });
  }
  if (drop_before(slices_, keep, [](const SliceRect& r) { return r.end; }) != 0) {
    rebuild(slice_times_, slices_, [](const SliceRect& r, size_t) { return Range64{r.begin, r.end}; });
  }
  if (drop_before(seen_, keep, [](const SeenRect& r) { return r.time; }) != 0) {
    rebuild(seen_times_, seen_, [](const SeenRect& r, size_t) { return Range64{r.time, r.time}; });
  }
  for (size_t i = 0; i < runs_.size() && runs_[i].info.begin < keep; ++i) {
    if (runs_[i].evicted && !runs_[i].table) continue;
    Run& run = runs_.mutate(i);
    run.evicted = true;
    if (!run.finished || run.end >= keep || !run.table) continue;
    table_bytes_ -= run.table->nodes.size() * sizeof(NodeRun);
    run.table.reset();
    std::erase_if(open_tables_, [&](const OpenTable& open) { return open.run == run.info.id; });
  }
  event_count_ = 0;
  begin_ = end_;
  for (const Track& t : tracks_) {
    event_count_ += static_cast<int64_t>(t.points.size());
    if (!t.points.empty()) begin_ = std::min(begin_, t.points[0].begin());
    for (const Lane& lane : t.lanes) {
      event_count_ += static_cast<int64_t>(lane.rows.size());
      if (!lane.rows.empty()) begin_ = std::min(begin_, lane.rows[0].begin());
    }
  }
}

}  // namespace arenascope::trace
