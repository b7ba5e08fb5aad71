// SPDX-License-Identifier: GPL-3.0-or-later
// Notes pinned to positions or ranges of a document on the shared axis: to a step, a time, or both if one can be derived
// from the other.
#pragma once
#include <views/common/shared_axis.h>

#include <QString>

#include <vector>

namespace arenascope::views {

struct PinnedNote {
  double step = -1;  // negative if there are no steps
  double time = -1;  // ns after the axis's origin; negative if nothing ran
  QString text;
  double step_end = -1, time_end = -1;  // of a range, as step and time; negative: a position
  bool is_range() const { return step_end > step || time_end > time; }
  bool operator==(const PinnedNote&) const = default;
};

class PinnedNotes : public QObject {
  Q_OBJECT
 public:
  explicit PinnedNotes(const SharedAxis* axis, QObject* parent = nullptr) : QObject(parent), axis_(axis) {}

  const std::vector<PinnedNote>& all() const { return notes_; }
  void set(std::vector<PinnedNote> notes);
  double x_of(const PinnedNote& note) const;      // NaN if it has no position in the axis's mode
  double x_end_of(const PinnedNote& note) const;  // of a range; otherwise NaN
  // Pins a note to x, or edits the one that at() returns.
  void pin(double x, const QString& text, double slack);
  // Pins a note to the range, or edits the one that of_range() returns.
  void pin_range(AxisRange range, const QString& text);
  // Replaces the text of a note, which keeps its position or range; an empty text removes it. A note
  // that was removed meanwhile is added again.
  void edit(const PinnedNote& note, const QString& text);
  // The nearest note whose position or start is within `slack`; null if there is none.
  const PinnedNote* at(double x, double slack) const;
  const PinnedNote* of_range(AxisRange range) const;  // null if there is none of this range

 Q_SIGNALS:
  void changed();

 private:
  double x_in_mode(double step, double time) const;
  PinnedNote made(double x, double end, const QString& text) const;
  void add(PinnedNote note);
  const SharedAxis* axis_;
  std::vector<PinnedNote> notes_;
};

}  // namespace arenascope::views
