// SPDX-License-Identifier: GPL-3.0-or-later
// The node debugger: the same controls on a live run, which the engine pauses, and on what was recorded, where the
// playhead walks, forwards and backwards. Breakpoints hold for both.
#include <views/common/plot_view.h>
#include <QApplication>

#include <algorithm>

#include "main_window.h"

namespace arenascope::app {

using namespace views;

void MainWindow::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  breakpoints_ = std::move(breakpoints);
  for (const auto& document : documents_) document->controller->set_breakpoints(breakpoints_);
  take_breakpoints();
}

void MainWindow::take_breakpoints() {
  std::set<NodeId> nodes;
  std::vector<int> counts(breakpoints_.size(), -1);
  break_steps_.clear();
  // A live run looks at its results; of a recording's, what was found while it ran is known.
  const std::set<NodeId> not_finite = live() ? std::set<NodeId>() : nodes_not_finite(*source_.snapshot());
  const bool stop_behind = !not_finite.empty() && wants_nan(breakpoints_);
  if (const trace::GraphInfo* graph = source_.graph()) {
    for (size_t i = 0; i < breakpoints_.size(); ++i) {
      if (breakpoints_[i].kind == Breakpoint::Kind::NaN) {
        if (!not_finite.empty()) counts[i] = static_cast<int>(not_finite.size());
        continue;
      }
      Breakpoint b = breakpoints_[i];
      b.on = true;
      const std::set<NodeId> hit = nodes_to_break(*graph, {b});
      counts[i] = static_cast<int>(hit.size());
      if (breakpoints_[i].on) nodes.insert(hit.begin(), hit.end());
    }
  }
  if (const trace::PlanInfo* plan = source_.plan()) {
    for (size_t s = 0; s < plan->order.size(); ++s)
      if (nodes.contains(plan->order[s]) || (stop_behind && s > 0 && not_finite.contains(plan->order[s - 1])))
        break_steps_.insert(static_cast<int32_t>(s));
  }
  graph_->set_breakpoints(nodes);
  break_panel_->set(breakpoints_, std::move(counts));
  break_panel_->model()->set_values_known(live() || source_.graph() == nullptr || !not_finite.empty());
  if (playback_ != nullptr) playback_->slider()->set_breakpoints(break_steps_);
}

void MainWindow::toggle_breakpoint() {
  const NodeId node = selected_node();
  if (!node.valid() || source_.graph() == nullptr) {
    messages_->say(MessageKind::Note, tr("Select a node first: a breakpoint stands on a node."));
    return;
  }
  Breakpoint wanted{Breakpoint::Kind::Node, QString::fromStdString(source_.graph()->nodes[node.index()].name), 0, true};
  std::vector<Breakpoint> all = breakpoints_;
  const auto it = std::find_if(all.begin(), all.end(),
                               [&](const Breakpoint& b) { return b.kind == wanted.kind && b.text == wanted.text; });
  if (it == all.end())
    all.push_back(wanted);
  else
    all.erase(it);
  set_breakpoints(std::move(all));
}

void MainWindow::show_breakpoints() {
  docks_[QStringLiteral("breakpoints")]->show();
  docks_[QStringLiteral("breakpoints")]->raise();
  break_panel_->focus_new();
}

// The first node that a breakpoint stands on.
void MainWindow::show_breakpoint(int row) {
  if (row < 0 || static_cast<size_t>(row) >= breakpoints_.size() || source_.graph() == nullptr) return;
  const std::set<NodeId> nodes = nodes_to_break(*source_.graph(), {breakpoints_[static_cast<size_t>(row)]});
  if (nodes.empty()) return;
  selection_.select(Selection::node(source_.graph_id(), *nodes.begin()));
  graph_->reveal(*nodes.begin());
}

// --- walking through what was recorded

bool MainWindow::live() const { return controller_->has_model(); }

void MainWindow::play(int direction) {
  if (controller_->state() == RunState::Running) return controller_->pause();
  const bool other_way = play_timer_.isActive() && play_direction_ != direction;
  if (play_timer_.isActive() && !other_way) return stop_playing();
  if (axis_.steps() <= 0) return;
  play_direction_ = direction;
  // The whole in about eight seconds, and never more than forty steps a second: long orders are walked in strides.
  play_stride_ = std::max(1, axis_.steps() / 320);
  play_timer_.start(std::clamp(8000 * play_stride_ / axis_.steps(), 25, 250));
  update_actions();
}

void MainWindow::stop_playing() {
  play_timer_.stop();
  update_actions();
}

void MainWindow::play_on() {
  const int32_t now = axis_.current().valid() ? axis_.current().value : 0, last = axis_.steps() - 1;
  if (last < 0) return stop_playing();
  if (play_direction_ > 0 ? now >= last : now <= 0) {
    axis_.set_current(Step(play_direction_ > 0 ? 0 : last));  // round and round
    return;
  }
  int32_t next = std::clamp(now + play_direction_ * play_stride_, 0, last);
  if (const int32_t stop = next_break(now, play_direction_);
      stop >= 0 && (play_direction_ > 0 ? stop <= next : stop >= next)) {
    go_to_break(stop);
    return;
  }
  axis_.set_current(Step(next));
}

// The nearest step with a breakpoint behind or before one; -1: none.
int32_t MainWindow::next_break(int32_t from, int direction) const {
  if (direction > 0) {
    const auto it = break_steps_.upper_bound(from);
    return it == break_steps_.end() ? -1 : *it;
  }
  const auto it = break_steps_.lower_bound(from);
  return it == break_steps_.begin() ? -1 : *std::prev(it);
}

void MainWindow::go_to_break(int32_t step) {
  stop_playing();
  axis_.set_current(Step(step));
  if (source_.plan() == nullptr || static_cast<size_t>(step) >= source_.plan()->order.size()) return;
  const NodeId node = source_.plan()->order[static_cast<size_t>(step)];
  selection_.select(Selection::node(source_.graph_id(), node));
  if (const auto* info = source_.snapshot()->tensor(source_.graph_id(), trace::TensorRef::node(node)))
    messages_->say(MessageKind::Note, tr("Paused before %1 by a breakpoint.").arg(QString::fromStdString(info->name)));
}

// F5 and its reverse on a recording: to the next breakpoint, or to the end.
void MainWindow::run_recorded(int direction) {
  if (axis_.steps() <= 0) return;
  const int32_t stop = next_break(axis_.current().valid() ? axis_.current().value : -1, direction);
  if (stop >= 0) return go_to_break(stop);
  stop_playing();
  axis_.set_current(Step(direction > 0 ? axis_.steps() - 1 : 0));
}

void MainWindow::run_to_cursor() {
  const int32_t step = step_of(selected_node());
  if (step < 0) {
    messages_->say(MessageKind::Note, tr("Select a node first: the run goes on to it."));
    return;
  }
  if (live())
    controller_->run_to(Step(step));
  else
    axis_.set_current(Step(step));
}

void MainWindow::run_to_end_of_layer() {
  const trace::PlanInfo* plan = source_.plan();
  const trace::GraphInfo* graph = source_.graph();
  if (plan == nullptr || graph == nullptr) return;
  auto layer_of = [&](int32_t step) {
    const size_t node = plan->order[static_cast<size_t>(step)].index();
    return node < graph->nodes.size() ? graph->nodes[node].layer : std::string();
  };
  const int32_t now = std::max(axis_.current().value, 0), steps = static_cast<int32_t>(plan->order.size());
  int32_t end = now;
  while (end < steps && layer_of(end) == layer_of(std::min(now, steps - 1))) ++end;
  if (live()) return controller_->run_to(Step(end));
  const int32_t stop = next_break(now, 1);
  if (stop >= 0 && stop < end) return go_to_break(stop);
  axis_.set_current(Step(std::min(end, steps - 1)));
}

// --- inside a node: its threads' parts and waits, one after the other as they began

std::vector<trace::SpanRef> MainWindow::parts_of(NodeId node) const {
  const trace::Snapshot& s = *source_.snapshot();
  const auto range = s.time_of(source_.run(), node);
  if (!range) return {};
  std::vector<trace::SpanRef> parts;
  for (size_t t = 0; t < s.tracks.size(); ++t)
    for (const trace::SpanRef& span : s.spans_exact(trace::TrackId(t), range->begin, range->end, 4096))
      if (s.event(span).node() == node && s.event(span).begin() >= range->begin) parts.push_back(span);
  std::stable_sort(parts.begin(), parts.end(), [&](const trace::SpanRef& a, const trace::SpanRef& b) {
    return s.event(a).begin() < s.event(b).begin();
  });
  return parts;
}

void MainWindow::step_part(int direction) {
  const trace::PlanInfo* plan = source_.plan();
  if (plan == nullptr || plan->order.empty()) return;
  NodeId node = selected_node();
  if (!node.valid())
    node = plan->order[static_cast<size_t>(
        std::clamp(axis_.current().value, 0, static_cast<int>(plan->order.size()) - 1))];
  std::vector<trace::SpanRef> parts = parts_of(node);
  const auto* chosen = selection_.current().get<EventSelection>();
  auto at = chosen == nullptr
                ? parts.end()
                : std::find_if(parts.begin(), parts.end(), [&](const trace::SpanRef& p) { return p == chosen->span; });
  std::ptrdiff_t next = at == parts.end() ? (direction > 0 ? 0 : static_cast<std::ptrdiff_t>(parts.size()) - 1)
                                          : at - parts.begin() + direction;
  // Behind the last part comes the first of the next node that has any.
  for (int32_t step = step_of(node); (next < 0 || next >= static_cast<std::ptrdiff_t>(parts.size()));) {
    step += direction;
    if (step < 0 || static_cast<size_t>(step) >= plan->order.size()) return;
    node = plan->order[static_cast<size_t>(step)];
    parts = parts_of(node);
    next = direction > 0 ? 0 : static_cast<std::ptrdiff_t>(parts.size()) - 1;
  }
  show_timeline_of(node);
  selection_.select(EventSelection{parts[static_cast<size_t>(next)]});
}

void MainWindow::show_timeline_of(NodeId node) {
  const auto range = source_.snapshot()->time_of(source_.run(), node);
  if (!range) return;
  axis_.set_mode(AxisMode::Time);
  const AxisRange seen = axis_.range();
  const double lo = static_cast<double>(range->begin - axis_.origin()),
               hi = static_cast<double>(range->end - axis_.origin());
  // Left as it is where the node is seen whole and not too small.
  if (lo < seen.lo || hi > seen.hi || hi - lo < seen.length() / 20) axis_.frame_time(range->begin, range->end);
  docks_[QStringLiteral("timeline")]->show();
  docks_[QStringLiteral("timeline")]->raise();
}

}  // namespace arenascope::app
