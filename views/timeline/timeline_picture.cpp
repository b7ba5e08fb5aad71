// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/timeline/timeline_picture.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace arenascope::views {

namespace {

using trace::EventKind;
using trace::SpanCell;

constexpr double kInset = 0.1;         // margin of a row above and below its spans, as a fraction
constexpr double kStepRow = 0.62;      // height of the row of steps
constexpr double kHeading = 0.7;       // height of a heading above the rows of a process
constexpr double kLane = 0.85;         // height of a lane of nested spans after the first
constexpr double kPixelsABarrier = 7;  // below, marks would overlap

uint32_t style_of(const SpanColour& colour) { return (colour.shade ? kSpanShade0 : kSpanNamed0) + colour.number; }

// By activity.
uint32_t style_of(const SpanCell& cell, const trace::Snapshot& s) {
  switch (cell.kind) {
    case EventKind::Wait: return kSpanWait;
    case EventKind::Copy: return kSpanCopy;
    case EventKind::Slice: return kSpanNamed0 + s.event(cell.span).id % 8;
    case EventKind::Between: return kSpanNamed0;
    default: return kSpanWork0 + s.event(cell.span).id % 3;
  }
}

class TimelinePictureBuilder {
 public:
  TimelinePictureBuilder(const PrepareInput& in, TimelinePicture& p, const std::set<std::string>& pinned,
                         TimelineColour colour)
      : in_(in), p_(p), s_(*in.snapshot), pinned_tracks_(pinned), colour_(colour), colours_(s_, in.graph, colour) {}

  // Collects rows and rectangles, not yet sorted.
  void collect(const std::stop_token& stop) {
    p_.mode = in_.axis.mode;
    p_.by_runs = in_.axis.by_runs();
    p_.snapshot = in_.snapshot;
    p_.covered = in_.axis.range;
    p_.per_pixel = in_.axis.range.length() / in_.pixels;
    const auto parts = stretches_of(in_.axis, in_.pixels);
    add_layers();
    add_steps();
    row_of_.assign(s_.tracks.size(), UINT32_MAX);
    for (const bool pinned : {true, false})
      for (const std::vector<size_t>& tracks : by_process()) {
        bool has_heading = pinned || one_process_;
        for (const size_t t : tracks) {
          if (stop.stop_requested()) return;
          if (pinned_tracks_.contains(s_.tracks[t].info.name) != pinned || !has_rows(s_.tracks[t])) continue;
          if (!has_heading) add_heading(s_.tracks[t].info);
          has_heading = true;
          add_track(t, parts);
        }
      }
    add_barriers();
    add_pauses();
  }

  void run(const std::stop_token& stop) {
    collect(stop);
    if (in_.comparison) {
      PrepareInput other = in_.comparison_input();
      other.graph = nullptr;  // one row of steps is enough
      TimelinePicture theirs;
      TimelinePictureBuilder builder(other, theirs, pinned_tracks_, colour_);
      builder.collect(stop);
      if (!stop.stop_requested()) insert_under(theirs, builder.rects_);
    }
    add_counters();
    p_.meanings = colours_.meanings();
    for (const TimelineRow& row : p_.rows)
      if (row.pinned) p_.pinned_height = std::max(p_.pinned_height, row.top + row.height);
    if (p_.pinned_height > 0) {
      std::vector<Rect> pinned;
      std::copy_if(rects_.begin(), rects_.end(), std::back_inserter(pinned),
                   [&](const Rect& r) { return (r.y0 + r.y1) / 2 > -p_.pinned_height; });
      p_.pinned = std::make_shared<RectSet>(std::move(pinned));
    }
    p_.spans = std::make_shared<RectSet>(std::move(rects_));
  }

 private:
  // Inserts each row of the other side below our row of the same name, or below the next one of the same kind;
  // remaining rows are appended.
  void insert_under(const TimelinePicture& theirs, const std::vector<Rect>& their_rects) {
    const trace::Snapshot& other = *theirs.snapshot;
    const auto info = [](const trace::Snapshot& s, const TimelineRow& row) { return s.tracks[row.track.index()].info; };
    std::vector<int32_t> under(theirs.rows.size(), -1);  // index of our row
    std::vector<bool> has(p_.rows.size(), false);
    for (const bool by_name : {true, false}) {
      for (size_t t = 0; t < theirs.rows.size(); ++t) {
        for (size_t r = 0; r < p_.rows.size() && under[t] < 0; ++r) {
          if (has[r] || !p_.rows[r].track.valid() || !theirs.rows[t].track.valid()) continue;
          const trace::ThreadInfo a = info(s_, p_.rows[r]), b = info(other, theirs.rows[t]);
          if (by_name ? a.name != b.name : a.kind != b.kind) continue;
          under[t] = static_cast<int32_t>(r);
          has[r] = true;
        }
      }
    }
    std::vector<TimelineRow> rows;
    std::vector<double> our_shift(p_.rows.size()), their_shift(theirs.rows.size());
    std::vector<uint32_t> moved(p_.rows.size());
    double top = 0;
    const auto take = [&](TimelineRow row, bool from_other) {
      const double shift = top - row.top;
      row.top = top;
      row.other = from_other;
      top += row.height;
      rows.push_back(row);
      return shift;
    };
    for (size_t r = 0; r < p_.rows.size(); ++r) {
      moved[r] = static_cast<uint32_t>(rows.size());
      our_shift[r] = take(p_.rows[r], false);
      for (size_t t = 0; t < under.size(); ++t)
        if (under[t] == static_cast<int32_t>(r)) their_shift[t] = take(theirs.rows[t], true);
    }
    for (size_t t = 0; t < under.size(); ++t)
      if (under[t] < 0) their_shift[t] = take(theirs.rows[t], true);
    const auto shifted = [](Rect rect, const std::vector<TimelineRow>& of, const std::vector<double>& shift) {
      size_t row = 0;
      while (row + 1 < of.size() && -rect.y1 >= of[row + 1].top) ++row;
      rect.y0 -= shift[row];
      rect.y1 -= shift[row];
      return rect;
    };
    for (Rect& rect : rects_) rect = shifted(rect, p_.rows, our_shift);
    const auto first = static_cast<uint32_t>(p_.items.size());
    for (const Rect& rect : their_rects) {
      rects_.push_back(shifted(rect, theirs.rows, their_shift));
      rects_.back().tag += first;
    }
    for (TimelineItem item : theirs.items) {
      item.other = true;
      p_.items.push_back(item);
    }
    for (BarrierMark& mark : p_.barriers) mark.row = moved[mark.row];
    p_.rows = std::move(rows);
    p_.height = top;
    p_.other = theirs.snapshot;
  }

  // Tracks grouped by process, in order of appearance.
  std::vector<std::vector<size_t>> by_process() {
    std::vector<std::vector<size_t>> out;
    std::map<int64_t, size_t> place;
    for (size_t t = 0; t < s_.tracks.size(); ++t) {
      const auto [at, is_new] = place.try_emplace(s_.tracks[t].info.process, out.size());
      if (is_new) out.emplace_back();
      out[at->second].push_back(t);
    }
    one_process_ = std::count_if(out.begin(), out.end(), [&](const auto& tracks) {
                     return !s_.tracks[tracks.front()].info.program.empty();
                   }) < 2;
    return out;
  }

  // A track without spans has only instant events, which other views show.
  static bool has_rows(const trace::TrackView& track) {
    return !std::all_of(track.lanes.begin(), track.lanes.end(), [](const auto& l) { return l.rows.empty(); });
  }

  void add_heading(const trace::ThreadInfo& of) {
    TimelineRow row;
    row.top = p_.height;
    row.height = kHeading;
    row.program = of.program + " (" + std::to_string(of.process) + ")";
    p_.height += row.height;
    p_.rows.push_back(std::move(row));
  }

  double y(double from_top) const { return -from_top; }  // rows grow downwards

  void rect(double x0, double x1, double top, double bottom, uint32_t style, TimelineItem item) {
    if (!(x1 > x0)) x1 = x0 + p_.per_pixel * 0.01;
    p_.items.push_back(std::move(item));
    rects_.push_back({x0, x1, y(bottom), y(top), style, static_cast<uint32_t>(p_.items.size() - 1)});
  }

  void add_layers() {
    const trace::Run* run = s_.run(in_.run);
    const trace::PlanInfo* plan = run ? s_.plan(run->info.plan) : nullptr;
    if (in_.axis.mapping.empty() || !in_.graph || !plan || plan->graph != in_.graph->id) return;
    const std::vector<LayerStretch> layers = layer_stretches(*in_.graph, *plan);
    if (layers.empty()) return;
    TimelineRow row;
    row.layers = true;
    row.lanes = layers.back().depth + 1;
    row.height = row.lanes * kStepRow;
    p_.rows.push_back(row);
    p_.height = row.height;
    double done = -1e300;
    int lane = 0;
    bool odd = false;
    for (const LayerStretch& layer : layers) {
      if (std::exchange(lane, layer.depth) != layer.depth) done = -1e300;
      odd = !odd;
      const double x0 = in_.axis.x_of_step(layer.first.value), x1 = in_.axis.x_of_step(layer.last.value);
      if (x1 <= in_.axis.range.lo || x0 >= in_.axis.range.hi) continue;
      if (x1 < done + p_.per_pixel) continue;  // its pixel is already covered
      done = x1;
      TimelineItem item;
      item.step = layer.first;
      item.layer = std::make_shared<const LayerStretch>(layer);
      rect(x0, x1, lane * kStepRow + 0.06, (lane + 1) * kStepRow - 0.06, odd ? kSpanStep1 : kSpanStep0,
           std::move(item));
    }
  }

  void add_steps() {
    const AxisMapping& map = in_.axis.mapping;
    if (map.empty() || !in_.graph) return;
    const double top = p_.height;
    p_.rows.push_back({trace::TrackId(), 1, top, kStepRow, {}});
    p_.height = top + kStepRow;
    const auto& anchors = map.anchors();
    double done = -1e300;
    for (size_t i = 0; i + 1 < anchors.size(); ++i) {
      const double x0 = in_.axis.x_of_step(anchors[i].step), x1 = in_.axis.x_of_step(anchors[i + 1].step);
      if (x1 <= in_.axis.range.lo || x0 >= in_.axis.range.hi) continue;
      if (x1 < done + p_.per_pixel) continue;  // its pixel is already covered
      done = x1;
      TimelineItem item;
      item.step = Step(static_cast<int32_t>(anchors[i].step));
      rect(x0, x1, top + 0.06, top + kStepRow - 0.1, i % 2 ? kSpanStep1 : kSpanStep0, item);
    }
  }

  void add_track(size_t index, const std::vector<AxisStretch>& parts) {
    const trace::TrackView& track = s_.tracks[index];
    TimelineRow row;
    row.track = trace::TrackId(index);
    row.pinned = pinned_tracks_.contains(track.info.name);
    row.lanes = std::max(static_cast<int>(track.lanes.size()), 1);
    row.top = p_.height;
    row.height = 1 + (row.lanes - 1) * kLane;
    p_.height += row.height;
    row_of_[index] = static_cast<uint32_t>(p_.rows.size());
    trace::SpanRef before;
    for (const AxisStretch& part : parts) {
      for (const SpanCell& cell : s_.spans(row.track, part.time.begin, part.time.end, part.pixels)) {
        if (cell.count == 1 && cell.span == before) continue;  // continues from the previous stretch
        before = cell.span;
        if (cell.count == 1 && s_.event(cell.span).is_pause()) continue;  // drawn over all rows by add_pauses()
        add_cell(row, cell);
      }
    }
    row.share = s_.share(in_.run, row.track);
    p_.rows.push_back(row);
  }

  void add_cell(const TimelineRow& row, const SpanCell& cell) {
    const double lane = row.height / row.lanes;
    const double top = row.top + lane * cell.span.lane + kInset * lane,
                 bottom = row.top + lane * (cell.span.lane + 1) - kInset * lane;
    const double x0 = in_.axis.x_of_time(cell.begin), x1 = in_.axis.x_of_time(cell.end);
    TimelineItem item{cell, {}};
    if (cell.count == 1) {
      const std::optional<SpanColour> colour = colours_.of(cell.span);
      return rect(x0, x1, top, bottom, colour ? style_of(*colour) : style_of(cell, s_), item);
    }
    // Several spans in one pixel: stack the fractions of work, waiting and other spans.
    double at = bottom;
    const auto stack = [&](float share, uint32_t style) {
      if (share <= 0) return;
      const double upper = std::max(at - static_cast<double>(share) * (bottom - top), top);
      rect(x0, std::max(x1, x0 + p_.per_pixel), upper, at, style, item);
      at = upper;
    };
    stack(cell.work, kSpanDenseWork);
    stack(cell.other, kSpanDenseOther);
    stack(cell.wait, kSpanDenseWait);
  }

  // Within a run of a model, other views show the memory that its counters measure.
  void add_counters() {
    if ((s_.recorded_runs() > 0 && !in_.axis.by_runs()) || in_.axis.mode != AxisMode::Time) return;
    for (size_t i = 0; i < s_.counters.size() && i < s_.counter_series.size(); ++i) {
      CounterCurve curve = curve_of(s_, trace::CounterId(i), in_.axis, in_.pixels);
      if (s_.counter_series[i].samples.empty()) continue;
      TimelineRow row;
      row.counter = curve.counter;
      row.top = curve.top = p_.height;
      p_.height += row.height;
      p_.rows.push_back(std::move(row));
      p_.curves.push_back(std::move(curve));
    }
  }

  void add_barriers() {
    const auto most = static_cast<size_t>(in_.pixels / kPixelsABarrier);
    const trace::TimeRange t = in_.axis.time_range();
    if (t.end <= t.begin) return;
    const auto list = s_.barriers_in(t.begin, t.end, most + 1);
    if (list.size() > most) return;
    for (const trace::Barrier& b : list) {
      if (!b.last_arriver.valid() || b.last_arriver.index() >= row_of_.size()) continue;
      const uint32_t row = row_of_[b.last_arriver.index()];
      if (row == UINT32_MAX) continue;
      p_.barriers.push_back({in_.axis.x_of_time(b.last_arrival), in_.axis.x_of_time(b.first_arrival), row, b});
      p_.wait_sum += b.wait_sum;
    }
    std::sort(p_.barriers.begin(), p_.barriers.end(),
              [](const BarrierMark& a, const BarrierMark& b) { return a.x < b.x; });
  }

  void add_pauses() {
    const trace::TimeRange t = in_.axis.time_range();
    for (size_t r = s_.runs.size(); r-- > s_.forgotten_runs;) {
      const trace::Run& run = s_.runs[r];
      if (run.finished && run.end < t.begin) break;
      if (!run.table || run.info.begin >= t.end) continue;
      if (in_.axis.mode == AxisMode::Step && trace::RunId(r) != in_.run) continue;
      for (const trace::TimeRange& pause : run.table->pauses)
        if (pause.begin < t.end && pause.end > t.begin)
          p_.pauses.push_back({in_.axis.x_of_time(pause.begin), in_.axis.x_of_time(pause.end), pause.length()});
    }
  }

  const PrepareInput& in_;
  TimelinePicture& p_;
  const trace::Snapshot& s_;
  const std::set<std::string>& pinned_tracks_;
  const TimelineColour colour_;
  TimelineColours colours_;
  std::vector<uint32_t> row_of_;  // by track
  bool one_process_ = true;
  std::vector<Rect> rects_;
};

}  // namespace

std::shared_ptr<const TimelinePicture> prepare_timeline(const PrepareInput& input, const std::stop_token& stop,
                                                        const std::set<std::string>& pinned, TimelineColour colour) {
  auto p = std::make_shared<TimelinePicture>();
  TimelinePictureBuilder(input, *p, pinned, colour).run(stop);
  return stop.stop_requested() ? nullptr : p;
}

}  // namespace arenascope::views
