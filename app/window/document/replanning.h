// SPDX-License-Identifier: GPL-3.0-or-later
// Replanning of a document: the search, what is told of it, the bytes to fit under, and the plans that it gives to the
// session. It goes on while another document is looked at.
#pragma once
#include <arenascope/base/result.h>
#include <views/common/session_source.h>

#include <QElapsedTimer>

#include "replanner.h"
#include "run_controller.h"

namespace arenascope::app {

// The plan as JSON or CSV for another runtime, as the name ends. Errors: a file that cannot be written.

class Replanning : public QObject {
  Q_OBJECT
 public:
  // Both are the document's, and outlive it.
  Replanning(views::SessionSource* source, RunController* runner);

  bool busy() const { return replanner_.busy(); }
  const QString& said() const { return said_; }  // of the search that goes on, or of what came of it
  const views::SearchProgress& progress() const { return progress_; }
  // How much of it is done, 0 to 1, and for how many seconds it goes on.
  std::pair<double, double> done() const;
  bool tries_all() const { return replanner_.busy() && tries_ > 0; }
  // What the next search is to look for.
  const views::ReplanWish& wish() const { return wish_; }
  void set_wish(const views::ReplanWish& wish);
  void set_fit_under(Bytes bytes);
  void say(const QString& text);

  void plan(const views::ReplanWish& wish);
  void plan_all();
  void stop() { replanner_.stop(); }  // takes what there is so far
  void cancel();                      // and takes nothing
  // A plan that was made elsewhere, over the one in use.
  void show_plan(std::shared_ptr<const trace::PlanInfo> plan);
  // The plan that is shown and its graph; null where there is none.
  std::shared_ptr<const trace::PlanInfo> shown_plan() const;
  std::shared_ptr<const trace::GraphInfo> graph() const;

 Q_SIGNALS:
  void changed();  // any of what is told
  void failed(const QString& sentence);
  void finished();

 private:
  void take(const std::shared_ptr<const trace::PlanInfo>& plan, bool one_of_all);
  void finish();
  void begin();
  QString summary_of(const trace::PlanInfo& plan, const trace::PlanInfo* before) const;

  views::SessionSource* source_;
  RunController* runner_;
  Replanner replanner_;
  views::ReplanWish wish_;
  views::SearchProgress progress_;
  QString said_;
  std::shared_ptr<const trace::PlanInfo> best_;  // of all combinations
  QString advice_;                               // where a plan misses the bytes to fit under
  Bytes wanted_ = 0;                             // of the search that goes on
  int tried_ = 0, trying_ = 0, tries_ = 0;       // plans of all combinations: made, begun, wanted
  QElapsedTimer since_;                          // the search began
};

}  // namespace arenascope::app
