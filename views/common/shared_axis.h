// SPDX-License-Identifier: GPL-3.0-or-later
// The x axis shared by occupancy, arena map, lifetimes and timeline: the visible range, its unit (steps, time or runs) and
// the current step (the playhead). The mapping follows the session's run.
#pragma once
#include <views/common/axis_mapping.h>
#include <views/common/session_source.h>

#include <QObject>

namespace arenascope::views {

class SharedAxis : public QObject {
  Q_OBJECT
 public:
  explicit SharedAxis(SessionSource* source, QObject* parent = nullptr);

  AxisMode mode() const { return frame_.mode; }
  bool has_steps() const { return steps_ > 0; }  // a mode without data cannot be selected
  bool has_time() const { return time_.length() > 0 || moment_; }

  // An immutable copy for workers.
  const AxisFrame& frame() const { return frame_; }
  AxisRange range() const { return frame_.range; }
  AxisRange limits() const { return limits_of(frame_.mode); }
  int32_t steps() const { return steps_; }
  // The visible range in whole steps; half-open.
  std::pair<Step, Step> visible_steps() const;

  // The playhead; invalid before the first run.
  Step current() const { return current_; }
  double current_x() const;  // the middle of the current step

 public Q_SLOTS:
  // Keeps the visible content in view. `by_runs`: in time mode, the whole recording with the same width for each run; without
  // effect if there are fewer than two.
  void set_mode(arenascope::views::AxisMode mode, bool by_runs = false);
  void toggle_mode();
  void set_range(arenascope::views::AxisRange range);
  void zoom(double factor, double centre);  // factor < 1 zooms in
  void zoom_in();
  void zoom_out();
  void pan(double part);  // fraction of the visible range; negative: to the left
  void frame_steps(arenascope::Step first, arenascope::Step last);
  void frame_time(arenascope::Nanoseconds begin, arenascope::Nanoseconds end);
  void frame_all();
  // Keeps the latest events (time) or the whole run (steps) in view while events arrive.
  void set_follow(bool follow) { follow_ = follow; }
  void set_current(arenascope::Step step);
  // Back to the position before the playhead followed a run, unless it was moved since.
  void restore_position();
  void step_by(int steps);

 Q_SIGNALS:
  void range_changed();    // what is visible
  void mode_changed();     // the range changed as well
  void mapping_changed();  // another run, or more of it
  void current_changed();

 private:
  void update_mapping();
  void reset();
  AxisRange limits_of(AxisMode mode) const;
  double shortest() const;  // steps, runs, ns
  void show(AxisRange range);
  void move_to(Step step);

  SessionSource* source_;
  AxisFrame frame_;
  AxisRange time_{0, 0};  // range of the whole session, ns after the origin
  bool moment_ = false;   // all events are at one time, as in a memory snapshot without a history
  int32_t steps_ = 0;
  Step current_;
  Step saved_position_;  // position before it followed a run
  bool fresh_ = true;    // nothing was shown yet: show everything
  bool follow_ = true;
};

}  // namespace arenascope::views
