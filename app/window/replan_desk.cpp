// SPDX-License-Identifier: GPL-3.0-or-later
#include "replan_desk.h"

namespace arenascope::app {

using namespace views;

ReplanDesk::ReplanDesk(OccupancyView* occupancy, ReplanPanel* panel, QObject* parent)
    : QObject(parent), occupancy_(occupancy), panel_(panel) {
  connect(panel_, &ReplanPanel::wish_changed, this, [this] { replanning_->set_wish(panel_->wish()); });
  connect(panel_, &ReplanPanel::plan_wanted, this, [this] { replanning_->plan(panel_->wish()); });
  connect(panel_, &ReplanPanel::all_wanted, this, [this] { replanning_->plan_all(); });
  connect(panel_, &ReplanPanel::stop_wanted, this, [this] { replanning_->stop(); });
  connect(occupancy_, &OccupancyView::fit_under_dragged, this,
          [this](Bytes bytes) { replanning_->set_fit_under(bytes); });
  connect(occupancy_, &OccupancyView::fit_under_dropped, this, [this](Bytes bytes) {
    replanning_->set_fit_under(bytes);
    replanning_->plan(replanning_->wish());  // what was dragged is to be met
  });
}

void ReplanDesk::set_replanning(Replanning* replanning, const ViewContext& context) {
  replanning_ = replanning;
  source_ = context.source;
  QObject* bond = bond_.renew();
  connect(replanning_, &Replanning::changed, bond, [this] { show(); });
  connect(source_, &SessionSource::changed, bond, [this] { update_can_plan(); });
  show();
  update_can_plan();
}

void ReplanDesk::update_can_plan() { panel_->set_can_plan(source_->graph() != nullptr); }

void ReplanDesk::show() {
  panel_->set_wish(replanning_->wish());
  panel_->set_busy(replanning_->busy());
  panel_->say(replanning_->said());
  panel_->curve()->show_progress(replanning_->progress());
  if (occupancy_->fit_under() != replanning_->wish().fit_under)
    occupancy_->set_fit_under(replanning_->wish().fit_under);
}

}  // namespace arenascope::app
