// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/selection.h>

#include <algorithm>

namespace arenascope::views {

trace::TensorRef tensor_of(const Selection& selection, const trace::Snapshot& snapshot) {
  if (const auto* node = selection.get<NodeSelection>()) return node->tensor;
  const auto* event = selection.get<EventSelection>();
  if (!event) return {};
  const trace::SpanRef& span = event->span;
  if (!span.track.valid() || span.track.index() >= snapshot.tracks.size()) return {};
  const auto& lanes = snapshot.tracks[span.track.index()].lanes;
  if (span.lane >= lanes.size() || span.row >= lanes[span.lane].rows.size()) return {};
  const trace::Event& e = lanes[span.lane].rows[span.row];
  if (e.kind() == trace::EventKind::Slice || !e.node().valid()) return {};
  return trace::TensorRef::node(e.node());
}

bool means(const Selection& selection, trace::TensorRef tensor, const trace::Snapshot& snapshot) {
  if (!tensor.valid()) return false;
  if (const auto* layer = selection.get<LayerSelection>())
    return tensor.is_node() && std::binary_search(layer->nodes.begin(), layer->nodes.end(), NodeId(tensor.index()));
  return tensor_of(selection, snapshot) == tensor;
}

bool means(const Selection& selection, const trace::SpaceAllocation& slice, const trace::Snapshot& snapshot) {
  if (const auto* own = selection.get<AllocationSelection>())
    return own->address == slice.address && own->begin == slice.begin && own->device == slice.device;
  return means(selection, slice.tensor, snapshot);
}

std::optional<StepRangeSelection> steps_of(const LayerSelection& layer, const trace::PlanInfo* plan) {
  if (plan == nullptr) return std::nullopt;
  std::optional<StepRangeSelection> steps;
  for (size_t s = 0; s < plan->order.size(); ++s) {
    if (!std::binary_search(layer.nodes.begin(), layer.nodes.end(), plan->order[s])) continue;
    if (!steps) steps = StepRangeSelection{Step(s), Step(s + 1)};
    steps->last = Step(s + 1);
  }
  return steps;
}

void SelectionModel::select(const Selection& selection) {
  if (selection == current_) return;
  if (!selection.empty()) {
    if (!history_.empty()) history_.resize(at_ + 1);  // discards the forward history
    if (history_.empty() || !(history_.back() == selection)) history_.push_back(selection);
    if (history_.size() > kHistory) history_.erase(history_.begin());
    at_ = history_.size() - 1;
    Q_EMIT history_changed();
  }
  show(selection);
}

void SelectionModel::hover(const Selection& selection) {
  if (selection == hovered_) return;
  hovered_ = selection;
  Q_EMIT hovered_changed();
}

void SelectionModel::back() {
  if (!can_go_back()) return;
  --at_;
  show(history_[at_]);
  Q_EMIT history_changed();
}

void SelectionModel::forward() {
  if (!can_go_forward()) return;
  ++at_;
  show(history_[at_]);
  Q_EMIT history_changed();
}

void SelectionModel::forget() {
  history_.clear();
  at_ = 0;
  hover({});
  show({});
  Q_EMIT history_changed();
}

void SelectionModel::show(const Selection& selection) {
  if (selection == current_) return;
  current_ = selection;
  Q_EMIT current_changed();
}

}  // namespace arenascope::views
