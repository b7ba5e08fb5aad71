// SPDX-License-Identifier: GPL-3.0-or-later
// Where the views get their data: the session at hand, its newest snapshot, and the run that is looked at. While a
// run goes on the session is polled at frame pace; a snapshot is immutable, so that views may hand it to workers.
#pragma once
#include <arenascope/trace/session.h>
#include <views/common/other.h>

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <memory>

namespace arenascope::views {

using SnapshotPtr = std::shared_ptr<const trace::Snapshot>;

class SessionSource : public QObject {
  Q_OBJECT
 public:
  explicit SessionSource(QObject* parent = nullptr);

  // Null is allowed: an empty session. Forgets the chosen run.
  void set_session(std::shared_ptr<const trace::Session> session);
  const std::shared_ptr<const trace::Session>& session() const { return session_; }
  // Never null.
  const SnapshotPtr& snapshot() const { return snapshot_; }

  // Live: refreshed by itself every `interval` milliseconds, if something changed.
  void set_live(bool live, int interval = 30);
  bool live() const { return timer_.isActive(); }

  // The run the step axis counts in. Unless one was chosen: the newest that has finished, or the one going on where
  // that takes longer than a moment (stepping, pausing).
  trace::RunId run() const { return run_; }
  void choose_run(trace::RunId run);  // none: choose by itself again
  // The run's graph and plan, or the newest ones where there is no run; null if there are none.
  const trace::GraphInfo* graph() const { return graph_; }
  const trace::PlanInfo* plan() const { return plan_; }
  // A plan that was never run, to look at in place of the run's (which becomes the ghost); null: the run's again.
  void show_plan(std::shared_ptr<const trace::PlanInfo> plan);
  // The plan that was in use before, to be drawn under the one at hand until another graph comes; null: none.
  void set_plan_before(std::shared_ptr<const trace::PlanInfo> plan);
  const trace::PlanInfo* ghost_plan() const { return ghost_; }
  std::shared_ptr<const trace::PlanInfo> plan_before() const { return before_; }
  std::shared_ptr<const trace::PlanInfo> shown_plan() const { return shown_; }
  // What is compared with, held against the graph and plan at hand; null: nothing.
  void compare_with(std::shared_ptr<const Other> other);
  const ComparisonPtr& comparison() const { return comparison_; }
  trace::GraphId graph_id() const { return graph_ ? graph_->id : trace::GraphId(); }
  trace::PlanId plan_id() const { return plan_ ? plan_->id : trace::PlanId(); }
  // The newest step that was reached in the run that goes on, else none.
  Step live_step() const { return live_step_; }

 public Q_SLOTS:
  void refresh();  // takes a snapshot now, or in a moment where another thread is just writing the session

 Q_SIGNALS:
  void session_replaced();    // before changed()
  void comparison_changed();  // another session to compare with, or none
  void changed();             // another snapshot, or another run
  void plan_shown();          // behind changed(): show_plan() was called

 private:
  bool is_old() const;
  void tick();
  void take(SnapshotPtr snapshot);
  trace::RunId default_run() const;
  trace::RunId first_part(trace::RunId run) const;

  std::shared_ptr<const trace::Session> session_;
  SnapshotPtr snapshot_;
  QTimer timer_;
  trace::RunId run_, chosen_, going_on_;
  QElapsedTimer going_on_for_;
  const trace::GraphInfo* graph_ = nullptr;  // in snapshot_
  const trace::PlanInfo* plan_ = nullptr;    // in snapshot_ or shown_
  const trace::PlanInfo* ghost_ = nullptr;   // in snapshot_
  std::shared_ptr<const trace::PlanInfo> shown_, before_;
  std::shared_ptr<const Other> other_;
  ComparisonPtr comparison_;
  const void *compared_graph_ = nullptr, *compared_plan_ = nullptr;  // what the comparison was made for
  Step live_step_;
  bool waiting_ = false;  // refresh() is to come again
};

}  // namespace arenascope::views
