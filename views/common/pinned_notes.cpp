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

double PinnedNotes::x_in_mode(double step, double time) const {
  const bool steps = axis_->mode() == AxisMode::Step;
  const double x = steps ? step : time;
  if (!(x >= 0)) return std::nan("");
  return steps ? x : axis_->frame().x_of_after(x);
}

double PinnedNotes::x_of(const PinnedNote& note) const { return x_in_mode(note.step, note.time); }

double PinnedNotes::x_end_of(const PinnedNote& note) const {
  return note.is_range() ? x_in_mode(note.step_end, note.time_end) : std::nan("");
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
  if (!text.trimmed().isEmpty()) notes.push_back(made(x, std::nan(""), text));
  set(std::move(notes));
}

void PinnedNotes::pin_range(AxisRange range, const QString& text) {
  std::vector<PinnedNote> notes = notes_;
  const PinnedNote made_note = made(range.lo, range.hi, text);
  const double slack = range.length() * 1e-6;
  std::erase_if(notes, [&](const PinnedNote& note) {
    return std::abs(x_of(note) - range.lo) <= slack && std::abs(x_end_of(note) - range.hi) <= slack;
  });
  if (!made_note.text.isEmpty()) notes.push_back(made_note);
  set(std::move(notes));
}

// `end` NaN: a position.
PinnedNote PinnedNotes::made(double x, double end, const QString& text) const {
  const AxisFrame& frame = axis_->frame();
  const bool steps = frame.mode == AxisMode::Step, both = !frame.mapping.empty();
  const auto step_of = [&](double at) { return steps ? at : both ? frame.step_of_x(at) : -1; };
  const auto time_of = [&](double at) { return !steps ? frame.after_of_x(at) : both ? frame.mapping.time_of(at) : -1; };
  PinnedNote note{step_of(x), time_of(x), text.trimmed()};
  if (std::isnan(end)) return note;
  note.step_end = step_of(end);
  note.time_end = time_of(end);
  return note;
}

}  // namespace arenascope::views
