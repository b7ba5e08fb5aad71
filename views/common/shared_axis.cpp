// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/shared_axis.h>

#include <algorithm>
#include <cmath>

namespace arenascope::views {

namespace {

// A track with nothing but samples of the resident memory, which are taken while nothing happens, too.
bool is_idle(const trace::Snapshot& s, const trace::TrackView& track) {
  const auto is_sample = [&](const trace::Event& e) {
    return e.kind() == trace::EventKind::Counter && e.id < s.counters.size() &&
           s.counters[e.id].role == trace::CounterRole::Resident;
  };
  return std::all_of(track.lanes.begin(), track.lanes.end(), [](const auto& lane) { return lane.rows.empty(); }) &&
         !track.points.empty() && is_sample(track.points[0]) && is_sample(track.points.back());
}

// The time that the runs and all events cover, without such tracks: a live session goes on sampling after its last run.
trace::TimeRange recorded_time(const trace::Snapshot& s) {
  if (std::none_of(s.tracks.begin(), s.tracks.end(), [&](const auto& track) { return is_idle(s, track); }))
    return s.time;
  trace::Range64 seen;
  for (size_t i = 0; i < s.runs.size(); ++i) seen.add({s.runs[i].info.begin, s.runs[i].until()});
  for (const trace::TrackView& track : s.tracks) {
    if (is_idle(s, track)) continue;
    if (!track.points.empty()) seen.add({track.points[0].time, track.points.back().time});
    for (const trace::LaneView& lane : track.lanes)
      lane.tree.visit(
          [&](const trace::SpanSummary& sum, size_t, size_t) {
            seen.add({sum.lo, sum.hi});
            return false;
          },
          [&](size_t row) {
            seen.add({lane.rows[row].begin(), lane.rows[row].end()});
          });
  }
  return seen.lo <= seen.hi ? trace::TimeRange{seen.lo, seen.hi} : s.time;
}

// Null with fewer than two runs.
std::shared_ptr<const AxisMapping> mapping_of_runs(const trace::Snapshot& s, Nanoseconds origin) {
  if (s.recorded_runs() < 2) return nullptr;
  auto runs = std::make_shared<const AxisMapping>(AxisMapping::of_runs(s, recorded_time(s), origin));
  return runs->empty() ? nullptr : runs;
}

}  // namespace

SharedAxis::SharedAxis(SessionSource* source, QObject* parent) : QObject(parent), source_(source) {
  connect(source_, &SessionSource::session_replaced, this, &SharedAxis::reset);
  connect(source_, &SessionSource::changed, this, &SharedAxis::update_mapping);
  update_mapping();
}

void SharedAxis::reset() {
  const AxisMode mode = frame_.mode;  // keep the mode if the next session supports it
  frame_ = AxisFrame{};
  frame_.mode = mode;
  steps_ = 0;
  time_ = {0, 0};
  moment_ = false;
  fresh_ = true;
  saved_position_ = {};
  if (current_.valid()) {
    current_ = {};
    Q_EMIT current_changed();
  }
}

AxisRange SharedAxis::limits_of(AxisMode mode) const {
  if (mode == AxisMode::Step) return {0, std::max(1.0, static_cast<double>(steps_))};
  if (frame_.runs) return {frame_.runs->anchors().front().step, frame_.runs->anchors().back().step};
  if (moment_) return {time_.lo, time_.lo + 1};  // memory that is still held is drawn to 1 ns after the last event
  // Padding on both sides, so that the first and last span are distinguishable from the frame.
  const double air = time_.length() * 0.005;
  return time_.length() > 0 ? AxisRange{time_.lo - air, time_.hi + air} : AxisRange{0, 1e6};
}

void SharedAxis::update_mapping() {
  const trace::Snapshot& s = *source_->snapshot();
  const AxisRange old_limits = limits();
  const bool all_shown = fresh_ || (frame_.range.lo <= old_limits.lo && frame_.range.hi >= old_limits.hi);
  const bool at_end = frame_.range.hi >= old_limits.hi;

  const trace::TimeRange time = recorded_time(s);
  if (fresh_ || time_.length() <= 0) frame_.origin = time.begin;
  time_ = {static_cast<double>(time.begin - frame_.origin), static_cast<double>(time.end - frame_.origin)};
  moment_ = s.event_count > 0 && time_.length() <= 0;
  const trace::PlanInfo* plan = source_->plan();
  const trace::GraphInfo* graph = source_->graph();
  int32_t steps = 0;
  if (plan && !plan->order.empty()) {
    steps = static_cast<int32_t>(plan->order.size());
  } else if (graph) {
    steps = static_cast<int32_t>(graph->nodes.size());
  }
  AxisMapping mapping = AxisMapping::from(s.steps(source_->run()), frame_.origin, steps);
  steps_ = mapping.steps();
  const bool changed = !(mapping == frame_.mapping);
  if (changed) frame_.mapping = std::move(mapping);
  const bool anything = has_steps() || has_time();

  bool mode_moved = false;
  if (anything && !has_steps() && frame_.mode == AxisMode::Step) {
    frame_.mode = AxisMode::Time;
    mode_moved = true;
  } else if (anything && !has_time() && frame_.mode == AxisMode::Time) {
    frame_.mode = AxisMode::Step;
    mode_moved = true;
  }
  bool runs_changed = false;
  if (frame_.by_runs())
    if (auto runs = mapping_of_runs(s, frame_.origin); runs && !(*runs == *frame_.runs)) {
      frame_.runs = std::move(runs);
      runs_changed = true;
    }
  if (mode_moved) Q_EMIT mode_changed();
  if (changed || runs_changed) Q_EMIT mapping_changed();

  AxisRange range = frame_.range;
  if (all_shown || mode_moved) {
    range = limits();
  } else if (follow_ && at_end && source_->live() && frame_.mode == AxisMode::Time) {
    const double length = range.length();
    range = {limits().hi - length, limits().hi};
  }
  if (anything) fresh_ = false;
  show(bounded(range, limits(), shortest()));

  if (follow_ && source_->live() && source_->live_step().valid()) {
    if (!saved_position_.valid()) saved_position_ = current_;
    move_to(source_->live_step());
  }
  if (current_.valid() && current_.value >= steps_) move_to(Step(std::max(steps_ - 1, 0)));
  if (!current_.valid() && steps_ > 0) set_current(Step(0));
}

std::pair<Step, Step> SharedAxis::visible_steps() const {
  const double lo = std::floor(frame_.step_of_x(frame_.range.lo)), hi = std::ceil(frame_.step_of_x(frame_.range.hi));
  const double top = steps_;
  return {Step(static_cast<int32_t>(std::clamp(lo, 0.0, top))), Step(static_cast<int32_t>(std::clamp(hi, 0.0, top)))};
}

double SharedAxis::current_x() const { return current_.valid() ? frame_.x_of_step(current_.value + 0.5) : 0; }

double SharedAxis::shortest() const {
  if (frame_.mode == AxisMode::Step) return 2;
  return frame_.by_runs() ? 1e-4 : 50;
}

void SharedAxis::set_mode(AxisMode mode, bool by_runs) {
  AxisFrame next = frame_;
  next.mode = mode;
  next.runs = by_runs && mode == AxisMode::Time ? mapping_of_runs(*source_->snapshot(), frame_.origin) : nullptr;
  if (mode == frame_.mode && next.by_runs() == frame_.by_runs()) return;
  if (mode == AxisMode::Step ? !has_steps() : !has_time()) return;
  const bool all = frame_.range.lo <= limits().lo && frame_.range.hi >= limits().hi;
  const bool to_steps = mode == AxisMode::Step, from_steps = frame_.mode == AxisMode::Step;
  const bool is_mapped = !frame_.mapping.empty();
  const auto moved = [&](double x) {
    if (to_steps) return frame_.step_of_x(x);
    return next.x_of_after(from_steps ? frame_.mapping.time_of(x) : frame_.after_of_x(x));
  };
  const AxisRange kept{moved(frame_.range.lo), moved(frame_.range.hi)};
  frame_ = std::move(next);
  AxisRange range = all || ((from_steps || to_steps) && !is_mapped) ? limits() : kept;
  // In a session of many runs the steps are those of one run: coming from steps, show that run instead of all of time.
  if (all && from_steps && !frame_.by_runs() && is_mapped) range = kept;
  frame_.range = bounded(range, limits(), shortest());
  Q_EMIT mode_changed();
  Q_EMIT range_changed();
}

void SharedAxis::toggle_mode() { set_mode(mode() == AxisMode::Step ? AxisMode::Time : AxisMode::Step); }

void SharedAxis::set_range(AxisRange range) { show(bounded(range, limits(), shortest())); }

void SharedAxis::zoom(double factor, double centre) {
  show(zoomed(frame_.range, factor, centre, limits(), shortest()));
}

void SharedAxis::zoom_in() {
  const double x = current_x();
  zoom(1 / 1.5, current_.valid() && frame_.range.contains(x) ? x : frame_.range.middle());
}

void SharedAxis::zoom_out() {
  const double x = current_x();
  zoom(1.5, current_.valid() && frame_.range.contains(x) ? x : frame_.range.middle());
}

void SharedAxis::pan(double part) { show(panned(frame_.range, frame_.range.length() * part, limits())); }

void SharedAxis::frame_steps(Step first, Step last) {
  const double lo = frame_.x_of_step(first.value), hi = frame_.x_of_step(last.value);
  const double air = std::max((hi - lo) * 0.15, shortest() * 0.25);
  set_range({lo - air, hi + air});
}

void SharedAxis::frame_time(Nanoseconds begin, Nanoseconds end) {
  const double lo = frame_.x_of_time(begin), hi = frame_.x_of_time(end);
  const double air = std::max((hi - lo) * 0.15, shortest() * 0.25);
  set_range({lo - air, hi + air});
}

void SharedAxis::frame_all() { show(limits()); }

void SharedAxis::set_current(Step step) {
  saved_position_ = {};
  move_to(step);
}

void SharedAxis::restore_position() {
  if (saved_position_.valid()) set_current(saved_position_);
}

void SharedAxis::move_to(Step step) {
  if (steps_ == 0) step = {};
  if (step.valid()) step = Step(std::clamp(step.value, 0, steps_ - 1));
  if (step == current_) return;
  current_ = step;
  Q_EMIT current_changed();
}

void SharedAxis::step_by(int steps) {
  if (steps_ > 0) set_current(Step(std::clamp((current_.valid() ? current_.value : 0) + steps, 0, steps_ - 1)));
}

void SharedAxis::show(AxisRange range) {
  if (range == frame_.range) return;
  frame_.range = range;
  Q_EMIT range_changed();
}

}  // namespace arenascope::views
