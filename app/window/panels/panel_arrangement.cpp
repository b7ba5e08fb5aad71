// SPDX-License-Identifier: GPL-3.0-or-later
#include "panel_arrangement.h"

#include <algorithm>

namespace arenascope::app {

void PanelArrangement::set_layout(uint8_t layout, const Choices& choices) {
  layout_ = layout;
  opened_ = choices.opened;
  closed_ = choices.closed;
  if (!choices.front) return;
  group_ = panel_kind(*choices.front).group;
  set_front(*choices.front);
}

void PanelArrangement::set_open(PanelId id, bool open) {
  if (stage_) {
    if (open)
      stage_->insert(id);
    else
      stage_->erase(id);
    return;
  }
  (open ? closed_ : opened_).erase(id);
  if (!open)
    closed_.insert(id);
  else if (!is_included(panel_kind(id)))
    opened_.insert(id);
}

void PanelArrangement::adopt(PanelId id, bool shown) {
  const PanelDescriptor& kind = panel_kind(id);
  if (shown == is_included(kind)) return;
  (shown ? closed_ : opened_).erase(id);
  if (shown != is_included(kind)) (shown ? opened_ : closed_).insert(id);
}

// A layout decides which panels outside the groups are shown; the tabs of a group are always all of them.
bool PanelArrangement::is_included(const PanelDescriptor& kind) const {
  if (stage_) return stage_->contains(kind.id);
  const bool in_layout = kind.group != PanelGroup::None || (kind.shown & layout_) != 0;
  return opened_.contains(kind.id) || (in_layout && has_content(kind.id, content_) && !closed_.contains(kind.id));
}

bool PanelArrangement::is_seen(const PanelDescriptor& kind) const {
  return (stage_ || kind.group == PanelGroup::None || kind.group == group_) && is_included(kind);
}

bool PanelArrangement::has_panels(PanelGroup group) const {
  return std::ranges::any_of(panel_kinds(),
                             [&](const PanelDescriptor& kind) { return kind.group == group && is_included(kind); });
}

void PanelArrangement::leave_empty_group() {
  for (const PanelGroup group : {PanelGroup::Model, PanelGroup::Memory, PanelGroup::Time, PanelGroup::Debug})
    if (!has_panels(group_) && has_panels(group)) group_ = group;
}

std::optional<PanelId> PanelArrangement::front() const {
  const auto chosen = front_of_group_.find(group_);
  return chosen == front_of_group_.end() ? std::nullopt : std::optional(chosen->second);
}

}  // namespace arenascope::app
