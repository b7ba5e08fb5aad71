// SPDX-License-Identifier: GPL-3.0-or-later
// Connects the Planners panel and the memory limit in the occupancy view to the re-planning of the current document.
#pragma once
#include <views/common/view_context.h>
#include <views/occupancy/occupancy_view.h>
#include <views/planners/replan_panel.h>

#include "app/window/document/replanning.h"

namespace arenascope::app {

class ReplanPresenter : public QObject {
  Q_OBJECT
 public:
  ReplanPresenter(views::OccupancyView* occupancy, views::ReplanPanel* panel, QObject* parent);
  void set_replanning(Replanning* replanning, const views::ViewContext& context);
  views::ReplanPanel* panel() const { return panel_; }

 private:
  void show();
  void update_can_plan();

  views::OccupancyView* occupancy_;
  views::ReplanPanel* panel_;
  Replanning* replanning_ = nullptr;
  views::SessionSource* source_ = nullptr;
  views::ConnectionScope bond_;
};

}  // namespace arenascope::app
