// SPDX-License-Identifier: GPL-3.0-or-later
// Undo history of the view: visible range, axis mode, expanded layers and colouring of the graph, shown plan, notes, panel
// layout. A state is a value; changes in quick succession are merged.
#pragma once
#include <arenascope/trace/info.h>
#include <views/common/pinned_notes.h>

#include <QByteArray>

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace arenascope::app {

struct UndoState {
  views::AxisMode mode = views::AxisMode::Step;
  bool by_runs = false;
  std::optional<views::AxisRange> range;  // nullopt: everything, also if it grows
  std::set<int32_t> open_layers;
  int graph_colour = 0, graph_column = -1;
  std::shared_ptr<const trace::PlanInfo> shown_plan;
  std::vector<views::PinnedNote> notes;
  QByteArray panels;  // QMainWindow::saveState()
  bool operator==(const UndoState&) const = default;
};

class ViewHistory {
 public:
  // Records the current state if it differs from the previous one. The first one is the initial state.
  void note(UndoState now);
  bool begun() const { return begun_; }  // there is an initial state
  void forget();                         // clears the history for another session
  // Replaces the panel layout of the current state after a change of document.
  void set_panels(const QByteArray& panels);
  // Replaces the notes of all states by those that came with the file.
  void set_notes(const std::vector<views::PinnedNote>& notes);
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  const UndoState& undo();  // only if can_undo()
  const UndoState& redo();
  const UndoState& now() const { return states_[at_]; }

 private:
  static constexpr size_t kMaxStates = 200;  // the oldest states are dropped
  std::vector<UndoState> states_{UndoState{}};
  size_t at_ = 0;
  bool begun_ = false;
};

}  // namespace arenascope::app
