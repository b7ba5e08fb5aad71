// SPDX-License-Identifier: GPL-3.0-or-later
// The node debugger of a document: the same controls on a live run, which the engine pauses, and on what was recorded,
// where the playhead walks, forwards and backwards. Breakpoints hold for both.
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
  // All of them are the document's, and outlive it.
  Debugger(const views::ViewContext& context, RunController* runner, Messages* messages);

  const std::vector<Breakpoint>& breakpoints() const { return breakpoints_; }
  void set_breakpoints(std::vector<Breakpoint> breakpoints);
  // Where they stand in the graph and the plan at hand.
  const std::set<NodeId>& nodes() const { return nodes_; }
  const std::set<int32_t>& steps() const { return steps_; }
  // How many nodes each stands on; -1 where that cannot be told beforehand.
  const std::vector<int>& counts() const { return counts_; }
  // Whether results can be looked at for NaN: of a live run they can, a recording holds no values.
  bool values_known() const { return values_known_; }
  void look_again();   // another graph or plan is at hand
  void toggle();       // on the selected node
  void show(int row);  // selects the first node that a breakpoint stands on

  bool live() const { return runner_->has_model(); }  // else what was recorded is walked through
  bool playing() const { return play_timer_.isActive(); }
  void play(int direction);
  void stop_playing();
  void run(int direction);  // on to the next breakpoint; a live run knows no way back
  void pause();
  void stop();
  void step();
  void run_to_selected();
  void run_to_end_of_layer();
  // Inside a node: its threads' parts and waits, one after the other as they began.
  void step_part(int direction);
  // Whether step_part() let the run go on for a node whose parts are shown now that it is paused behind it.
  bool shows_parts_of_paused();

 Q_SIGNALS:
  void breakpoints_changed();  // or where they stand
  void playing_changed();
  void node_shown(arenascope::NodeId node);  // by show()
  void time_shown();                         // of a node, by step_part()

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
  std::set<int32_t> behind_;  // steps that stand behind a node whose result is not finite
  NodeId into_;               // its parts are wanted when the run is paused behind it
  bool values_known_ = true;
  int play_direction_ = 1, play_stride_ = 1;
  QTimer play_timer_;
};

// The step at which a node runs in the plan at hand; -1: none.
int32_t step_of(const views::SessionSource& source, NodeId node);
NodeId selected_node(const views::ViewContext& context);

}  // namespace arenascope::app
