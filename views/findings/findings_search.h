// SPDX-License-Identifier: GPL-3.0-or-later
// Searches the plan and run of one document for savings in the background, and keeps the findings.
#pragma once
#include <arenascope/schedule/findings.h>
#include <views/common/background.h>
#include <views/common/session_source.h>

#include <QObject>
#include <stop_token>

namespace arenascope::views {

class FindingsSearch : public QObject {
  Q_OBJECT
 public:
  explicit FindingsSearch(SessionSource* source, QObject* parent = nullptr);
  ~FindingsSearch() override;  // does not wait for a running search

  SessionSource* source() const { return source_; }
  const std::vector<Finding>& findings() const { return findings_; }
  const FindingsInput& about() const { return about_; }
  bool busy() const { return busy_; }
  double done() const { return done_; }  // progress of the running search, 0 to 1
  // True if the current graph, plan or run differs from the one searched.
  bool out_of_date() const;

 public Q_SLOTS:
  void start(double budget_seconds);  // restarts the search
  void stop();                        // keeps the findings so far

 Q_SIGNALS:
  void changed();
  void found();  // the search has finished

 private:
  void receive(std::vector<Finding> findings, double done, int number);

  SessionSource* source_;
  std::vector<Finding> findings_;
  FindingsInput about_;
  std::stop_source stopping_;
  const void *searched_graph_ = nullptr, *searched_plan_ = nullptr;
  bool searched_ = false, searched_with_run_ = false, busy_ = false;
  double done_ = 0;
  int number_ = 0;
};

}  // namespace arenascope::views
