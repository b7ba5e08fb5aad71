// SPDX-License-Identifier: GPL-3.0-or-later
// Undo for what changes the view: the visible range, Step or Time, the graph's open layers and colour, the plan shown,
// the arrangement of panels. A state is a value; moves that come close together count as one.
#pragma once
#include <arenascope/trace/info.h>
#include <views/common/shared_axis.h>

#include <QByteArray>

#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace arenascope::app {

struct ViewState {
  views::AxisMode mode = views::AxisMode::Step;
  std::optional<views::AxisRange> range;  // none: all, however long that becomes
  std::set<int32_t> open_layers;
  int graph_colour = 0, graph_column = -1;
  std::shared_ptr<const trace::PlanInfo> shown_plan;
  QByteArray panels;  // QMainWindow::saveState
  bool operator==(const ViewState&) const = default;
};

class ViewHistory {
 public:
  // What is seen now. Becomes the state to come back to, if it is another than before; the first one is where it
  // begins.
  void note(ViewState now);
  void forget();                              // another session: what was seen of the old one cannot be come back to
  void set_panels(const QByteArray& panels);  // of the state at hand: they were moved for another document
  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  const ViewState& undo();  // only where can_undo()
  const ViewState& redo();
  const ViewState& now() const { return states_[at_]; }

 private:
  static constexpr size_t kMost = 200;  // the oldest go first
  std::vector<ViewState> states_{ViewState{}};
  size_t at_ = 0;
  bool begun_ = false;
};

}  // namespace arenascope::app
