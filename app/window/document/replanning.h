// SPDX-License-Identifier: GPL-3.0-or-later
// Re-planning of a document: the running search, its status, the memory limit, and the plans that it adds to the
// session. It continues while another document is shown.
#pragma once
#include <arenascope/base/result.h>
#include <views/common/session_source.h>

#include "replanner.h"
#include "run_controller.h"

namespace arenascope::app {

class Replanning : public QObject {
  Q_OBJECT
 public:
  // All are owned by the document and outlive this object.
  Replanning(views::SessionSource* source, RunController* runner, views::TaskList* tasks);

  const views::Task& task() const { return replanner_.task(); }
  bool busy() const { return task().running(); }
  const QString& status() const { return status_; }  // status of the running or last search
  const views::SearchProgress& progress() const { return progress_; }
  // Request for the next search.
  const views::PlanRequest& request() const { return request_; }
  void set_request(const views::PlanRequest& request);
  void set_fit_under(Bytes bytes);
  void set_status(const QString& text);

  void plan(const views::PlanRequest& request);
  void plan_all();
  void stop() { replanner_.task().stop(); }      // uses the best plan so far
  void cancel() { replanner_.task().cancel(); }  // discards the result
  // Shows a plan computed elsewhere, over the plan in use.
  void show_plan(std::shared_ptr<const trace::PlanInfo> plan);
  // The shown plan and its graph; null: none.
  std::shared_ptr<const trace::PlanInfo> shown_plan() const;
  std::shared_ptr<const trace::GraphInfo> graph() const;

 Q_SIGNALS:
  void changed();  // status, progress or request
  void failed(const QString& message);
  void finished();

 private:
  void on_planned(const std::shared_ptr<const trace::PlanInfo>& plan, bool one_of_all);
  void finish();
  QString summary_of(const trace::PlanInfo& plan, const trace::PlanInfo* before) const;

  views::SessionSource* source_;
  RunController* runner_;
  Replanner replanner_;
  views::PlanRequest request_;
  views::SearchProgress progress_;
  QString status_;
  std::shared_ptr<const trace::PlanInfo> best_;  // best plan of all combinations
  QString advice_;                               // set if a plan exceeds the memory limit
  Bytes fit_under_ = 0;                          // limit of the running search
  int tried_ = 0;                                // finished combinations of plan_all()
};

}  // namespace arenascope::app
