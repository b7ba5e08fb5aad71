// SPDX-License-Identifier: GPL-3.0-or-later
// Searches the plan and run of one document for savings in the background, and keeps the findings.
#pragma once
#include <arenascope/schedule/findings.h>
#include <views/common/session_source.h>
#include <views/common/task.h>

#include <QObject>

#include <algorithm>

namespace arenascope::views {

class FindingsSearch : public QObject {
  Q_OBJECT
 public:
  // `tasks` lists a running search; null: not listed.
  explicit FindingsSearch(SessionSource* source, TaskList* tasks = nullptr);

  SessionSource* source() const { return source_; }
  const std::vector<Finding>& findings() const { return findings_; }
  const FindingsInput& about() const { return about_; }
  bool busy() const { return task_.running(); }
  double done() const { return std::max(task_.share(), 0.0); }  // progress of the running search, 0 to 1
  // True if the current graph, plan or run differs from the one searched.
  bool out_of_date() const;

 public Q_SLOTS:
  void start(double budget_seconds);  // restarts the search
  void stop() { task_.cancel(); }     // keeps the findings so far

 Q_SIGNALS:
  void changed();
  void found();  // the search has finished

 private:
  SessionSource* source_;
  std::vector<Finding> findings_;
  FindingsInput about_;
  Task task_;
  const void *searched_graph_ = nullptr, *searched_plan_ = nullptr;
  bool searched_ = false, searched_with_run_ = false;
};

}  // namespace arenascope::views
