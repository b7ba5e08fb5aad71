// SPDX-License-Identifier: GPL-3.0-or-later
#include "replan_presenter.h"

namespace arenascope::app {

using namespace views;

ReplanPresenter::ReplanPresenter(OccupancyView* occupancy, ReplanPanel* panel, QObject* parent)
    : QObject(parent), occupancy_(occupancy), panel_(panel) {
  connect(panel_, &ReplanPanel::request_changed, this, [this] { replanning_->set_request(panel_->request()); });
  connect(panel_, &ReplanPanel::plan_requested, this, [this] { replanning_->plan(panel_->request()); });
  connect(panel_, &ReplanPanel::all_requested, this, [this] { replanning_->plan_all(); });
  connect(panel_, &ReplanPanel::stop_requested, this, [this] { replanning_->stop(); });
  connect(occupancy_, &OccupancyView::fit_under_dragged, this,
          [this](Bytes bytes) { replanning_->set_fit_under(bytes); });
  connect(occupancy_, &OccupancyView::fit_under_set, this, [this](Bytes bytes) {
    replanning_->set_fit_under(bytes);
    replanning_->plan(replanning_->request());  // plan for the dragged limit
  });
}

void ReplanPresenter::set_replanning(Replanning* replanning, const ViewContext& context) {
  replanning_ = replanning;
  source_ = context.source;
  QObject* bond = bond_.reset();
  connect(replanning_, &Replanning::changed, bond, [this] { show(); });
  connect(source_, &SessionSource::changed, bond, [this] { update_can_plan(); });
  show();
  update_can_plan();
}

void ReplanPresenter::update_can_plan() { panel_->set_can_plan(source_->graph() != nullptr); }

void ReplanPresenter::show() {
  panel_->set_request(replanning_->request());
  panel_->set_busy(replanning_->busy());
  panel_->show_message(replanning_->status());
  panel_->curve()->show_progress(replanning_->progress());
  if (occupancy_->fit_under() != replanning_->request().fit_under)
    occupancy_->set_fit_under(replanning_->request().fit_under);
}

}  // namespace arenascope::app
