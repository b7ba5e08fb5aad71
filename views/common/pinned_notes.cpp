// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/pinned_notes.h>

#include <algorithm>
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

const PinnedNote* PinnedNotes::of_range(AxisRange range) const {
  const double slack = range.length() * 1e-6;
  const auto found = std::ranges::find_if(notes_, [&](const PinnedNote& note) {
    return std::abs(x_of(note) - range.lo) <= slack && std::abs(x_end_of(note) - range.hi) <= slack;
  });
  return found == notes_.end() ? nullptr : &*found;
}

void PinnedNotes::pin(double x, const QString& text, double slack) {
  const PinnedNote* there = at(x, slack);
  there ? edit(*there, text) : add(made(x, std::nan(""), text));
}

void PinnedNotes::pin_range(AxisRange range, const QString& text) {
  const PinnedNote* there = of_range(range);
  there ? edit(*there, text) : add(made(range.lo, range.hi, text));
}

void PinnedNotes::add(PinnedNote note) {
  if (note.text.isEmpty()) return;
  std::vector<PinnedNote> notes = notes_;
  notes.push_back(std::move(note));
  set(std::move(notes));
}

void PinnedNotes::edit(const PinnedNote& note, const QString& text) {
  std::vector<PinnedNote> notes = notes_;
  auto edited = std::ranges::find(notes, note);
  if (edited == notes.end()) edited = notes.insert(edited, note);
  edited->text = text.trimmed();
  if (edited->text.isEmpty()) notes.erase(edited);
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
