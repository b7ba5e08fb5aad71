// SPDX-License-Identifier: GPL-3.0-or-later
// The node debugger of a document. The same controls work on a live run, which the engine pauses, and on a recording,
// in which the playhead moves forwards and backwards. Breakpoints apply to both.
#pragma once
#include <views/common/view_context.h>

#include <QObject>
#include <QTimer>

#include <set>
#include <vector>

#include "breakpoint.h"
#include "messages.h"
#include "run_controller.h"

namespace arenascope::app {

class Debugger : public QObject {
  Q_OBJECT
 public:
  // All are owned by the document and outlive the debugger.
  Debugger(const views::ViewContext& context, RunController* runner, Messages* messages);

  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  // Nodes and steps of the breakpoints in the current graph and plan.
  const std::set<NodeId>& nodes() const { return nodes_; }
  const std::set<int32_t>& steps() const { return steps_; }
  // Number of matching nodes per breakpoint; -1 if unknown in advance.
  const std::vector<int>& counts() const { return counts_; }
  // True if results can be checked for NaN: possible in a live run; a recording contains no values.
  bool values_known() const { return values_known_; }
  void update_steps();  // after a change of graph or plan
  void toggle();        // a breakpoint on the selected node
  void show(int row);   // selects the first node of the breakpoint

  bool live() const { return runner_->has_model(); }  // otherwise the recording is stepped through
  bool playing() const { return play_timer_.isActive(); }
  void play(int direction);
  void stop_playing();
  void run(int direction);  // to the next breakpoint; a live run cannot go back
  void pause();
  void stop();
  void step();
  void run_to_selected();
  void run_to_end_of_layer();
  // Steps through the chunks and waits of a node's threads in order of their start.
  void step_part(int direction);
  // True once the run has paused after a node that step_part() continued for; its chunks are then shown.
  bool shows_parts_of_paused();

 Q_SIGNALS:
  void breakpoints_changed();  // or their steps changed
  void playing_changed();
  void node_shown(arenascope::NodeId node);  // emitted by show()
  void time_shown();                         // emitted by step_part()

 private:
  void play_on();
  bool select_part(NodeId node, int direction);
  int32_t next_break(int32_t from, int direction) const;
  void go_to_break(int32_t step);
  void walk(int direction);
  NodeId selected_node() const;
  std::vector<trace::SpanRef> parts_of(NodeId node) const;
  void frame_node(NodeId node);

  views::ViewContext at_;
  RunController* runner_;
  Messages* messages_;
  std::vector<Breakpoint> breakpoints_;
  std::set<NodeId> nodes_;
  std::set<int32_t> steps_;
  std::vector<int> counts_;
  std::set<int32_t> steps_after_;  // steps after a node with a non-finite result
  NodeId into_;                    // node whose chunks are shown once the run pauses after it
  bool values_known_ = true;
  int play_direction_ = 1, play_stride_ = 1;
  QTimer play_timer_;
};

// The step of a node in the current plan; -1: none.
int32_t step_of(const views::SessionSource& source, NodeId node);
NodeId selected_node(const views::ViewContext& context);

}  // namespace arenascope::app
