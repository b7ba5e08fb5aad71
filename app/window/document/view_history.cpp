// SPDX-License-Identifier: GPL-3.0-or-later
#include "view_history.h"

#include <utility>

namespace arenascope::app {

void ViewHistory::note(UndoState now) {
  if (!std::exchange(begun_, true)) states_[at_] = now;
  if (now == states_[at_]) return;
  states_.resize(at_ + 1);  // drops the redo states
  states_.push_back(std::move(now));
  if (states_.size() > kMaxStates) states_.erase(states_.begin());
  at_ = states_.size() - 1;
}

void ViewHistory::forget() { *this = ViewHistory(); }

void ViewHistory::set_panels(const QByteArray& panels) { states_[at_].panels = panels; }

void ViewHistory::set_notes(const std::vector<views::PinnedNote>& notes) {
  for (UndoState& state : states_) state.notes = notes;
}

const UndoState& ViewHistory::undo() { return states_[at_ > 0 ? --at_ : at_]; }

const UndoState& ViewHistory::redo() { return states_[can_redo() ? ++at_ : at_]; }

}  // namespace arenascope::app
