// SPDX-License-Identifier: GPL-3.0-or-later
#include "debugger.h"

#include <algorithm>

namespace arenascope::app {

using namespace views;

int32_t step_of(const SessionSource& source, NodeId node) {
  if (!node.valid() || source.plan() == nullptr) return -1;
  const auto& order = source.plan()->order;
  const auto it = std::find(order.begin(), order.end(), node);
  return it == order.end() ? -1 : static_cast<int32_t>(it - order.begin());
}

NodeId selected_node(const ViewContext& context) {
  const trace::TensorRef ref = tensor_of(context.selection->current(), *context.source->snapshot());
  return ref.is_node() ? NodeId(ref.index()) : NodeId::none();
}

Debugger::Debugger(const ViewContext& context, RunController* runner, Messages* messages)
    : at_(context), runner_(runner), messages_(messages) {
  connect(&play_timer_, &QTimer::timeout, this, &Debugger::play_on);
}

NodeId Debugger::selected_node() const { return app::selected_node(at_); }

void Debugger::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  breakpoints_ = std::move(breakpoints);
  runner_->set_breakpoints(breakpoints_);
  update_steps();
}

void Debugger::update_steps() {
  nodes_.clear();
  steps_.clear();
  steps_after_.clear();
  counts_.assign(breakpoints_.size(), -1);
  // A live run checks its results; a recording contains the problems found while it ran.
  const std::set<NodeId> not_finite = live() ? std::set<NodeId>() : nodes_not_finite(*at_.source->snapshot());
  const bool stop_after = !not_finite.empty() && wants_nan(breakpoints_);
  if (const trace::GraphInfo* graph = at_.source->graph()) {
    for (size_t i = 0; i < breakpoints_.size(); ++i) {
      if (breakpoints_[i].kind == Breakpoint::Kind::NaN) {
        if (!not_finite.empty()) counts_[i] = static_cast<int>(not_finite.size());
        continue;
      }
      Breakpoint b = breakpoints_[i];
      b.on = true;
      const std::set<NodeId> hit = nodes_to_break(*graph, {b});
      counts_[i] = static_cast<int>(hit.size());
      if (breakpoints_[i].on) nodes_.insert(hit.begin(), hit.end());
    }
  }
  if (const trace::PlanInfo* plan = at_.source->plan()) {
    for (size_t s = 0; s < plan->order.size(); ++s) {
      if (stop_after && s > 0 && not_finite.contains(plan->order[s - 1])) steps_after_.insert(static_cast<int32_t>(s));
      if (nodes_.contains(plan->order[s])) steps_.insert(static_cast<int32_t>(s));
    }
    steps_.insert(steps_after_.begin(), steps_after_.end());
  }
  values_known_ = live() || at_.source->graph() == nullptr || !not_finite.empty();
  Q_EMIT breakpoints_changed();
}

void Debugger::toggle() {
  const NodeId node = selected_node();
  if (!node.valid() || at_.source->graph() == nullptr) return messages_->note(tr("Select a node to set a breakpoint."));
  const Breakpoint breakpoint{Breakpoint::Kind::Node,
                              QString::fromStdString(at_.source->graph()->nodes[node.index()].name), 0, true};
  std::vector<Breakpoint> all = breakpoints_;
  const auto it = std::find_if(all.begin(), all.end(), [&](const Breakpoint& b) {
    return b.kind == breakpoint.kind && b.text == breakpoint.text;
  });
  if (it == all.end())
    all.push_back(breakpoint);
  else
    all.erase(it);
  set_breakpoints(std::move(all));
}

void Debugger::show(int row) {
  if (row < 0 || static_cast<size_t>(row) >= breakpoints_.size() || at_.source->graph() == nullptr) return;
  const std::set<NodeId> nodes = nodes_to_break(*at_.source->graph(), {breakpoints_[static_cast<size_t>(row)]});
  if (nodes.empty()) return;
  at_.selection->select(Selection::node(at_.source->graph_id(), *nodes.begin()));
  Q_EMIT node_shown(*nodes.begin());
}

// --- stepping through a recording

void Debugger::play(int direction) {
  if (runner_->state() == RunState::Running) return runner_->pause();
  const bool other_way = playing() && play_direction_ != direction;
  if (playing() && !other_way) return stop_playing();
  const int32_t steps = at_.axis->steps();
  if (steps <= 0) return;
  play_direction_ = direction;
  // The whole recording in about eight seconds, at most forty steps per second; long orders use a stride.
  play_stride_ = std::max(1, steps / 320);
  play_timer_.start(std::clamp(8000 * play_stride_ / steps, 25, 250));
  Q_EMIT playing_changed();
}

void Debugger::stop_playing() {
  if (!playing()) return;
  play_timer_.stop();
  Q_EMIT playing_changed();
}

void Debugger::play_on() {
  const int32_t now = at_.axis->current().valid() ? at_.axis->current().value : 0, last = at_.axis->steps() - 1;
  if (last < 0) return stop_playing();
  if (play_direction_ > 0 ? now >= last : now <= 0) {
    at_.axis->set_current(Step(play_direction_ > 0 ? 0 : last));  // loop playback
    return;
  }
  const int32_t next = std::clamp(now + play_direction_ * play_stride_, 0, last);
  if (const int32_t stop = next_break(now, play_direction_);
      stop >= 0 && (play_direction_ > 0 ? stop <= next : stop >= next))
    return go_to_break(stop);
  at_.axis->set_current(Step(next));
}

// The nearest step with a breakpoint after or before `from`; -1: none.
int32_t Debugger::next_break(int32_t from, int direction) const {
  if (direction > 0) {
    const auto it = steps_.upper_bound(from);
    return it == steps_.end() ? -1 : *it;
  }
  const auto it = steps_.lower_bound(from);
  return it == steps_.begin() ? -1 : *std::prev(it);
}

void Debugger::go_to_break(int32_t step) {
  stop_playing();
  const trace::PlanInfo* plan = at_.source->plan();
  if (plan != nullptr && static_cast<size_t>(step) < plan->order.size()) {
    const bool after_node = steps_after_.contains(step);
    const NodeId node = plan->order[static_cast<size_t>(after_node ? step - 1 : step)];
    at_.selection->select(Selection::node(at_.source->graph_id(), node));
    if (const auto* info = at_.source->snapshot()->tensor(at_.source->graph_id(), trace::TensorRef::node(node)))
      messages_->note(
          pause_message(after_node ? BreakReason::NotFinite : BreakReason::Before, QString::fromStdString(info->name)));
  }
  at_.axis->set_current(Step(step));
}

void Debugger::run(int direction) {
  if (live() && direction > 0)
    runner_->run();
  else
    walk(direction);
}

// On a recording: go to the next breakpoint or the end.
void Debugger::walk(int direction) {
  if (at_.axis->steps() <= 0) return;
  const int32_t stop = next_break(at_.axis->current().valid() ? at_.axis->current().value : -1, direction);
  if (stop >= 0) return go_to_break(stop);
  stop_playing();
  at_.axis->set_current(Step(direction > 0 ? at_.axis->steps() - 1 : 0));
}

void Debugger::pause() {
  stop_playing();
  runner_->pause();
}

void Debugger::stop() {
  stop_playing();
  runner_->stop();
}

void Debugger::step() {
  if (live())
    runner_->step();
  else
    at_.axis->step_by(1);
}

void Debugger::run_to_selected() {
  const int32_t step = step_of(*at_.source, selected_node());
  if (step < 0) return messages_->note(tr("Select the node to run to."));
  if (live())
    runner_->run_to(Step(step));
  else
    at_.axis->set_current(Step(step));
}

void Debugger::run_to_end_of_layer() {
  const trace::PlanInfo* plan = at_.source->plan();
  const trace::GraphInfo* graph = at_.source->graph();
  if (plan == nullptr || graph == nullptr || plan->order.empty()) return;
  auto layer_of = [&](int32_t step) {
    const size_t node = plan->order[static_cast<size_t>(step)].index();
    return node < graph->nodes.size() ? graph->nodes[node].layer : std::string();
  };
  const int32_t now = std::max(at_.axis->current().value, 0), steps = static_cast<int32_t>(plan->order.size());
  int32_t end = now;
  while (end < steps && layer_of(end) == layer_of(std::min(now, steps - 1))) ++end;
  if (live()) return runner_->run_to(Step(end));
  const int32_t stop = next_break(now, 1);
  if (stop >= 0 && stop < end) return go_to_break(stop);
  at_.axis->set_current(Step(std::min(end, steps - 1)));
}

// --- stepping within a node

std::vector<trace::SpanRef> Debugger::parts_of(NodeId node) const {
  const trace::Snapshot& s = *at_.source->snapshot();
  const auto range = s.time_of(at_.source->run(), node);
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

// Selects the first or last chunk of a node; false if none was recorded.
bool Debugger::select_part(NodeId node, int direction) {
  const std::vector<trace::SpanRef> parts = parts_of(node);
  if (parts.empty()) return false;
  frame_node(node);
  at_.selection->select(EventSelection{direction > 0 ? parts.front() : parts.back()});
  return true;
}

void Debugger::step_part(int direction) {
  const trace::PlanInfo* plan = at_.source->plan();
  if (plan == nullptr || plan->order.empty()) return;
  NodeId node = selected_node();
  if (!node.valid())
    node = plan->order[static_cast<size_t>(
        std::clamp(at_.axis->current().value, 0, static_cast<int>(plan->order.size()) - 1))];
  if (const auto* chosen = at_.selection->current().get<EventSelection>()) {
    const std::vector<trace::SpanRef> parts = parts_of(node);
    const auto at = std::find(parts.begin(), parts.end(), chosen->span);
    const std::ptrdiff_t next = at == parts.end() ? -1 : at - parts.begin() + direction;
    if (next >= 0 && next < static_cast<std::ptrdiff_t>(parts.size()))
      return at_.selection->select(EventSelection{parts[static_cast<size_t>(next)]});
  } else if (select_part(node, direction)) {
    return;
  } else if (direction > 0 && runner_->state() == RunState::Paused) {
    into_ = node;  // paused before this node: run it, then show its chunks
    return runner_->step();
  }
  // After the last chunk: the first chunk of the next node that has any.
  const int32_t steps = static_cast<int32_t>(plan->order.size());
  for (int32_t step = step_of(*at_.source, node) + direction; step >= 0 && step < steps; step += direction)
    if (select_part(plan->order[static_cast<size_t>(step)], direction)) return;
  if (direction > 0 && runner_->state() == RunState::Paused) {
    const int32_t next = at_.axis->current().value;
    if (next >= 0 && next < steps) into_ = plan->order[static_cast<size_t>(next)];
    return runner_->step();
  }
  messages_->note(tr("No further chunk of a thread was recorded."));
}

bool Debugger::shows_parts_of_paused() {
  const NodeId node = std::exchange(into_, NodeId::none());
  return node.valid() && select_part(node, 1);
}

void Debugger::frame_node(NodeId node) {
  const auto range = at_.source->snapshot()->time_of(at_.source->run(), node);
  if (!range) return;
  at_.axis->set_mode(AxisMode::Time);
  const AxisRange seen = at_.axis->range();
  const double lo = static_cast<double>(range->begin - at_.axis->frame().origin),
               hi = static_cast<double>(range->end - at_.axis->frame().origin);
  // The range is kept if the node is visible and large enough.
  if (lo < seen.lo || hi > seen.hi || hi - lo < seen.length() / 20) at_.axis->frame_time(range->begin, range->end);
  Q_EMIT time_shown();
}

}  // namespace arenascope::app
