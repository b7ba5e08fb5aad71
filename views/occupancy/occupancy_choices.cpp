// SPDX-License-Identifier: GPL-3.0-or-later
// What of the memory occupancy shows, as its context menu offers it.
#include <views/common/format.h>
#include <views/occupancy/occupancy_view.h>

#include <QActionGroup>
#include <QMenu>

namespace arenascope::views {

void OccupancyView::set_with_plan(bool shown) {
  if (shown == with_plan_) return;
  with_plan_ = shown;
  prepare();
}

void OccupancyView::add_choices(QMenu& menu) {
  QMenu* stacks = menu.addMenu(tr("Bytes of"));
  auto* group = new QActionGroup(stacks);
  const auto add = [&](const QString& text, OccupancyScope scope) {
    QAction* action = stacks->addAction(text);
    action->setCheckable(true);
    action->setChecked(scope == scope_);
    group->addAction(action);
    connect(action, &QAction::triggered, this, [this, scope] { set_scope(scope); });
  };
  add(tr("Where the run's tensors lie"), OccupancyScope::Auto);
  if (context().source->plan() != nullptr) add(tr("The plan's arena"), OccupancyScope::Arena);
  add(tr("All memory by kind"), OccupancyScope::Kinds);
  add(tr("All memory by allocator"), OccupancyScope::Allocators);
  add(tr("All memory by device"), OccupancyScope::Devices);
  add(tr("All memory by use"), OccupancyScope::Classes);
  if (context().source->plan() == nullptr || !picture_ || picture_->scope == OccupancyScope::Arena) return;
  QAction* plan = menu.addAction(tr("What a plan would need"));
  plan->setCheckable(true);
  plan->setChecked(with_plan_);
  connect(plan, &QAction::toggled, this, &OccupancyView::set_with_plan);
}

QString OccupancyView::layer_name(const OccupancyPicture::Kind& layer) const {
  if (layer.unfilled) return tr("KV cache, not filled yet");
  if (picture_->scope == OccupancyScope::Kinds) return Words::kind(layer.kind);
  if (picture_->scope == OccupancyScope::Classes) return class_name(layer.memory_class);
  if (picture_->scope == OccupancyScope::Devices) {
    const auto& devices = context().source->snapshot()->devices;
    const bool known = layer.device.valid() && layer.device.index() < devices.size();
    return known ? QString::fromStdString(devices[layer.device.index()].name) : tr("no device told");
  }
  return allocator_name(*context().source->snapshot(), layer.allocator);
}

}  // namespace arenascope::views
