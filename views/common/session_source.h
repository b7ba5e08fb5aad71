// SPDX-License-Identifier: GPL-3.0-or-later
// The data source of the views: the current session, its latest snapshot, and the current run. During a run the session
// is polled at frame rate, and a worker assembles the snapshots. A snapshot is immutable, so that views may pass it to
// workers.
#pragma once
#include <arenascope/trace/session.h>
#include <views/common/background.h>
#include <views/common/comparison.h>

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

  // Null means an empty session. Resets the chosen run.
  void set_session(std::shared_ptr<const trace::Session> session);
  const std::shared_ptr<const trace::Session>& session() const { return session_; }
  // Never null.
  const SnapshotPtr& snapshot() const { return snapshot_; }

  // Live mode: refreshes every `interval` milliseconds if something changed.
  void set_live(bool live, int interval = 30);
  bool live() const { return timer_.isActive(); }

  // The run that the step axis refers to. Defaults to the latest finished run, or to the unfinished one if it takes
  // longer than a moment (stepping, pausing).
  trace::RunId run() const { return run_; }
  void choose_run(trace::RunId run);  // invalid: back to the default
  // Shows a graph and its newest run. Invalid: back to the default. For files with several graphs, such as the methods of
  // a program; they may have no run.
  void choose_graph(trace::GraphId graph);
  // The graph and plan of the run. Without a run: the chosen graph, the first one with nodes of an imported file, or the
  // latest one; null if there are none.
  const trace::GraphInfo* graph() const { return graph_; }
  const trace::PlanInfo* plan() const { return plan_; }
  // Shows the nodes of the model's file instead of the graph of the run. Without effect if the session has no such graph
  // (GraphInfo::of_file), which is also shown if the other graph has no nodes.
  void show_file_graph(bool on);
  bool shows_file_graph() const { return graph_ && graph_->of_file; }
  // Shows a plan that was never run instead of the run's plan, which becomes the ghost. Null: back to the run's plan.
  void show_plan(std::shared_ptr<const trace::PlanInfo> plan);
  // The previous plan, drawn under the current one until the graph changes; null: none.
  void set_plan_before(std::shared_ptr<const trace::PlanInfo> plan);
  const trace::PlanInfo* ghost_plan() const { return ghost_; }
  std::shared_ptr<const trace::PlanInfo> plan_before() const { return before_; }
  std::shared_ptr<const trace::PlanInfo> shown_plan() const { return shown_; }
  // The other side of a comparison, matched against the current graph and plan; null: no comparison.
  void compare_with(std::shared_ptr<const ComparisonSide> other);
  const ComparisonPtr& comparison() const { return comparison_; }
  trace::GraphId graph_id() const { return graph_ ? graph_->id : trace::GraphId(); }
  trace::PlanId plan_id() const { return plan_ ? plan_->id : trace::PlanId(); }
  // The latest step reached in the unfinished run; invalid if none is running.
  Step live_step() const { return live_step_; }

 public Q_SLOTS:
  void refresh();  // takes a snapshot now, or shortly after if another thread is writing the session

 Q_SIGNALS:
  void session_replaced();    // emitted before changed()
  void comparison_changed();  // another comparison, or none
  void changed();             // another snapshot, or another run
  void plan_shown();          // emitted after changed(): show_plan() was called

 private:
  bool is_old() const;
  void tick();
  void take(SnapshotPtr snapshot);
  trace::RunId default_run() const;
  trace::RunId first_part(trace::RunId run) const;
  void select_graph(const trace::GraphInfo* chosen);

  std::shared_ptr<const trace::Session> session_;
  SnapshotPtr snapshot_;
  QTimer timer_;
  Background worker_;  // assembles snapshots of a live session
  trace::RunId run_, chosen_, going_on_;
  trace::GraphId chosen_graph_;  // without a run
  QElapsedTimer going_on_for_;
  const trace::GraphInfo* graph_ = nullptr;  // in snapshot_
  const trace::PlanInfo* plan_ = nullptr;    // in snapshot_ or shown_
  const trace::PlanInfo* ghost_ = nullptr;   // in snapshot_
  std::shared_ptr<const trace::PlanInfo> shown_, before_;
  std::shared_ptr<const ComparisonSide> other_;
  ComparisonPtr comparison_;
  const void *compared_graph_ = nullptr,
             *compared_plan_ = nullptr;  // the graph and plan that the comparison was made for
  Step live_step_;
  bool wants_file_graph_ = false;
  bool waiting_ = false;  // refresh() will be retried
};

}  // namespace arenascope::views
