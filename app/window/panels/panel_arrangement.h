// SPDX-License-Identifier: GPL-3.0-or-later
// Which panels are included: by the layout, by the content of the document, by the user's changes, or by a lesson. A
// value without widgets; Panels shows what it states.
#pragma once
#include <map>
#include <optional>
#include <set>

#include "panel.h"
#include "panel_content.h"

namespace arenascope::app {

class PanelArrangement {
 public:
  // Changes of a layout by the user.
  struct Choices {
    std::set<PanelId> opened, closed;
    std::optional<PanelId> front;  // front panel of the current group
  };

  void set_layout(uint8_t layout, const Choices& choices);
  void set_content(const DocumentContent& content) { content_ = content; }
  // By the user; it stays so whatever the document has.
  void set_open(PanelId id, bool open);
  // A lesson shows only these panels, plus any that are opened later; nullopt: no lesson.
  void set_stage(std::optional<std::set<PanelId>> panels) { stage_ = std::move(panels); }
  bool has_stage() const { return stage_.has_value(); }
  // Takes over whether the panel is shown as a choice of the user, if it differs from the layout.
  void adopt(PanelId id, bool shown);
  void show_group(PanelGroup group) { group_ = group; }
  void set_front(PanelId id) { front_of_group_[panel_kind(id).group] = id; }
  void leave_empty_group();  // a group without panels gives way to one that has some

  bool is_included(const PanelDescriptor& kind) const;  // shown when its group is
  bool is_seen(const PanelDescriptor& kind) const;      // included, and its group is the current one
  bool has_panels(PanelGroup group) const;              // to show
  PanelGroup group() const { return group_; }
  std::optional<PanelId> front() const;  // the panel that was in front of the current group
  const std::set<PanelId>& opened() const { return opened_; }
  const std::set<PanelId>& closed() const { return closed_; }

 private:
  uint8_t layout_ = kEverything;
  DocumentContent content_;
  std::set<PanelId> opened_, closed_;       // by the user
  std::optional<std::set<PanelId>> stage_;  // panels of a lesson
  PanelGroup group_ = PanelGroup::None;
  std::map<PanelGroup, PanelId> front_of_group_;
};

}  // namespace arenascope::app
