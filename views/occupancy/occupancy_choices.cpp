// SPDX-License-Identifier: GPL-3.0-or-later
// Context menu of the occupancy view: the memory to show.
#include <views/common/format.h>
#include <views/occupancy/occupancy_view.h>

#include <QActionGroup>
#include <QMenu>

namespace arenascope::views {

void OccupancyView::set_show_plan_outline(bool shown) {
  ViewState state = state_;
  state.plan_outline = shown;
  set_view_state(state);
}

void OccupancyView::add_context_menu_actions(QMenu& menu) {
  QMenu* stacks = menu.addMenu(tr("Memory Shown"));
  auto* group = new QActionGroup(stacks);
  const auto add = [&](const QString& text, OccupancyScope scope) {
    QAction* action = stacks->addAction(text);
    action->setCheckable(true);
    action->setChecked(scope == state_.scope);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, scope] { set_scope(scope); });
  };
  add(tr("Memory of the Run's Tensors"), OccupancyScope::Auto);
  if (context().source->plan() != nullptr) add(tr("Plan Arena"), OccupancyScope::Arena);
  add(tr("All Memory by Kind"), OccupancyScope::Kinds);
  add(tr("All Memory by Allocator"), OccupancyScope::Allocators);
  add(tr("All Memory by Device"), OccupancyScope::Devices);
  add(tr("All Memory by Use"), OccupancyScope::Classes);
  if (!context().source->snapshot()->stacks.empty()) add(tr("All Memory by Call Site"), OccupancyScope::CallSites);
  if (context().source->plan() == nullptr || !picture_ || picture_->scope == OccupancyScope::Arena) return;
  QAction* plan = menu.addAction(tr("Show Plan Requirement"));
  plan->setCheckable(true);
  plan->setChecked(state_.plan_outline);
  connect(plan, &QAction::toggled, this, &OccupancyView::set_show_plan_outline);
}

QString OccupancyView::layer_name(const OccupancyPicture::Kind& layer) const {
  if (layer.unfilled) return tr("KV cache, not filled yet");
  if (picture_->scope == OccupancyScope::Kinds) return kind_name(*context().source->snapshot(), layer.kind);
  if (picture_->scope == OccupancyScope::CallSites) {
    if (layer.is_remainder) return tr("other call sites");
    return layer.call_site.empty() ? tr("unknown call site") : QString::fromStdString(layer.call_site);
  }
  if (picture_->scope == OccupancyScope::Classes) return class_name(layer.memory_class);
  if (picture_->scope == OccupancyScope::Devices) {
    const auto& devices = context().source->snapshot()->devices;
    const bool known = layer.device.valid() && layer.device.index() < devices.size();
    return known ? QString::fromStdString(devices[layer.device.index()].name) : tr("unknown device");
  }
  return allocator_name(*context().source->snapshot(), layer.allocator);
}

}  // namespace arenascope::views
