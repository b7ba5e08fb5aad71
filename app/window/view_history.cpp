// SPDX-License-Identifier: GPL-3.0-or-later
#include "view_history.h"

namespace arenascope::app {

void ViewHistory::note(ViewState now) {
  if (now == states_[at_]) return;
  states_.resize(at_ + 1);  // what was undone is given up
  states_.push_back(std::move(now));
  if (states_.size() > kMost) states_.erase(states_.begin());
  at_ = states_.size() - 1;
}

void ViewHistory::begin(ViewState now) {
  states_.assign(1, std::move(now));
  at_ = 0;
}

const ViewState& ViewHistory::undo() { return states_[at_ > 0 ? --at_ : at_]; }

const ViewState& ViewHistory::redo() { return states_[can_redo() ? ++at_ : at_]; }

}  // namespace arenascope::app
