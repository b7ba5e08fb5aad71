// SPDX-License-Identifier: GPL-3.0-or-later
// Pinned notes of positions and ranges. A click selects the position or range.
#include <views/common/format.h>
#include <views/tables/table.h>
#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace arenascope::views {
namespace {

struct NotesTableTexts {
  Q_DECLARE_TR_FUNCTIONS(arenascope::views::Tables)
};

Selection selection_of_note(const PinnedNote& note, Nanoseconds origin) {
  if (note.step >= 0) {
    const auto first = static_cast<int32_t>(std::min(note.step, 2e9));
    const auto last = static_cast<int32_t>(std::ceil(std::min(note.step_end, 2e9)));
    return StepRangeSelection{Step(first), Step(std::max(last, first + 1))};
  }
  if (note.time < 0) return {};
  const auto time = [origin](double after) { return origin + static_cast<Nanoseconds>(std::clamp(after, 0.0, 9e15)); };
  return TimeRangeSelection{time(note.time), std::max(time(note.time_end), time(note.time) + 1)};
}

}  // namespace

TablePtr notes_table(std::vector<PinnedNote> notes, Nanoseconds origin) {
  auto table = std::make_shared<Table>();
  table->empty_text = NotesTableTexts::tr(
      "No notes. View ▸ Pin a Note Here (N) adds one at the playhead or for the "
      "selected range.");
  std::ranges::stable_sort(notes, {}, [](const PinnedNote& n) { return std::pair(n.step, n.time); });
  const auto list = std::make_shared<const std::vector<PinnedNote>>(std::move(notes));
  table->rows = list->size();
  const auto step = [](double value) {
    return value < 0 ? QString() : figure({}, std::floor(value), FigureUnit::Step).text;
  };
  const auto time = [](double value) { return value < 0 ? QString() : format_ns(static_cast<Nanoseconds>(value)); };
  const auto column = [list](const QString& title, const QString& tip, double PinnedNote::*value, auto text_of) {
    return Column{title, tip, [=](size_t r) { return text_of((*list)[r].*value); },
                  [=](size_t r) { return (*list)[r].*value; }};
  };
  table->columns = {
      {NotesTableTexts::tr("Note"), {}, [list](size_t r) { return (*list)[r].text.simplified(); }},
      column(NotesTableTexts::tr("Step"), NotesTableTexts::tr("First step"), &PinnedNote::step, step),
      column(NotesTableTexts::tr("End step"), NotesTableTexts::tr("Of a range"), &PinnedNote::step_end, step),
      column(NotesTableTexts::tr("Time"), NotesTableTexts::tr("From the start of the recording"), &PinnedNote::time,
             time),
      column(NotesTableTexts::tr("End"), NotesTableTexts::tr("Of a range"), &PinnedNote::time_end, time)};
  table->selection = [list, origin](size_t r) { return selection_of_note((*list)[r], origin); };
  table->details = [list](size_t r) { return (*list)[r].text; };
  return table;
}

}  // namespace arenascope::views
