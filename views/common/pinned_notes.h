// SPDX-License-Identifier: GPL-3.0-or-later
// Words that somebody pinned to moments of a document, on the shared axis: to a step, a time, or both where the one tells
// the other.
#pragma once
#include <views/common/shared_axis.h>

#include <QString>

#include <vector>

namespace arenascope::views {

struct PinnedNote {
  double step = -1;  // below nought: where no steps are
  double time = -1;  // ns after the axis's origin; below nought: where nothing ran
  QString text;
  bool operator==(const PinnedNote&) const = default;
};

class PinnedNotes : public QObject {
  Q_OBJECT
 public:
  explicit PinnedNotes(const SharedAxis* axis, QObject* parent = nullptr) : QObject(parent), axis_(axis) {}

  const std::vector<PinnedNote>& all() const { return notes_; }
  void set(std::vector<PinnedNote> notes);
  double x_of(const PinnedNote& note) const;  // NaN: it has no place in the axis's mode
  // Pins a note to x, in place of one within `slack` of it; an empty one takes that away.
  void pin(double x, const QString& text, double slack);
  const PinnedNote* at(double x, double slack) const;  // the nearest; null: none

 Q_SIGNALS:
  void changed();

 private:
  const SharedAxis* axis_;
  std::vector<PinnedNote> notes_;
};

}  // namespace arenascope::views
