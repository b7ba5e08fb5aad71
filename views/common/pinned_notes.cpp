// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/pinned_notes.h>

#include <cmath>
#include <utility>

namespace arenascope::views {

void PinnedNotes::set(std::vector<PinnedNote> notes) {
  if (notes == notes_) return;
  notes_ = std::move(notes);
  Q_EMIT changed();
}

double PinnedNotes::x_of(const PinnedNote& note) const {
  const double x = axis_->mode() == AxisMode::Step ? note.step : note.time;
  return x >= 0 ? x : std::nan("");
}

const PinnedNote* PinnedNotes::at(double x, double slack) const {
  const PinnedNote* nearest = nullptr;
  for (const PinnedNote& note : notes_) {
    const double off = std::abs(x_of(note) - x);
    if (!(off <= slack)) continue;
    slack = off;
    nearest = &note;
  }
  return nearest;
}

void PinnedNotes::pin(double x, const QString& text, double slack) {
  std::vector<PinnedNote> notes = notes_;
  if (const PinnedNote* there = at(x, slack)) {
    x = x_of(*there);
    std::erase(notes, *there);
  }
  if (!text.trimmed().isEmpty()) {
    const AxisFrame& frame = axis_->frame();
    const bool steps = frame.mode == AxisMode::Step, both = !frame.mapping.empty();
    notes.push_back({steps  ? x
                     : both ? frame.step_of_x(x)
                            : -1,
                     !steps ? x
                     : both ? frame.mapping.time_of(x)
                            : -1,
                     text.trimmed()});
  }
  set(std::move(notes));
}

}  // namespace arenascope::views
