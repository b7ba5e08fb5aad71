// SPDX-License-Identifier: GPL-3.0-or-later
// Replanning in the window: the panel's wishes, the line in the occupancy, the search, and what is shown of its plans.
#pragma once
#include <arenascope/base/result.h>
#include <views/common/session_source.h>
#include <views/occupancy/occupancy_view.h>

#include "replanner.h"

namespace arenascope::app {

// The plan as JSON or CSV for another runtime, as the name ends. Errors: a file that cannot be written.
Status export_plan(const trace::PlanInfo& plan, const trace::GraphInfo* graph, const QString& path);

class ReplanDesk : public QObject {
  Q_OBJECT
 public:
  // Gives a plan to the session at hand, so that every table has it; null where there is no session.
  using Keep = std::function<std::shared_ptr<const trace::PlanInfo>(trace::PlanInfo)>;
  ReplanDesk(views::SessionSource* source, views::OccupancyView* occupancy, views::ReplanPanel* panel, Keep keep,
             QObject* parent);

  views::ReplanPanel* panel() const { return panel_; }
  Replanner* replanner() { return &replanner_; }
  void plan(const views::ReplanWish& wish);
  void plan_all();
  void set_fit_under(Bytes bytes);  // in the panel and in the occupancy
  // A plan that was made elsewhere, over the one in use.
  void show_plan(std::shared_ptr<const trace::PlanInfo> plan);
  // The plan that is shown and its graph; null where there is none.
  std::shared_ptr<const trace::PlanInfo> shown_plan() const;
  std::shared_ptr<const trace::GraphInfo> graph() const;

 Q_SIGNALS:
  void export_wanted();
  void failed(const QString& sentence);
  void finished();

 private:
  void warn_below_bound(Bytes bytes);
  void take(const std::shared_ptr<const trace::PlanInfo>& plan, bool one_of_all);

  views::SessionSource* source_;
  views::OccupancyView* occupancy_;
  views::ReplanPanel* panel_;
  Keep keep_;
  Replanner replanner_;
  std::shared_ptr<const trace::PlanInfo> best_;  // of all combinations
  Bytes wanted_ = 0;
  int tried_ = 0;
};

}  // namespace arenascope::app
