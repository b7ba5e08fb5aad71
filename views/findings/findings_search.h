// SPDX-License-Identifier: GPL-3.0-or-later
// Looks for what could be better in one document's plan and run, in the background, and keeps what it found.
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
  ~FindingsSearch() override;  // waits for nobody

  SessionSource* source() const { return source_; }
  const std::vector<Finding>& findings() const { return findings_; }
  const FindingsInput& about() const { return about_; }
  bool busy() const { return busy_; }
  double done() const { return done_; }  // of the search that goes on, 0 to 1
  // Whether the graph, plan or run at hand is another than the one that was looked through.
  bool out_of_date() const;

 public Q_SLOTS:
  void look(double budget_seconds);  // anew
  void stop();                       // what was found so far stays

 Q_SIGNALS:
  void changed();
  void found();  // the search has ended

 private:
  void take(std::vector<Finding> findings, double done, int number);

  SessionSource* source_;
  std::vector<Finding> findings_;
  FindingsInput about_;
  std::stop_source stopping_;
  const void *looked_graph_ = nullptr, *looked_plan_ = nullptr;
  bool looked_ = false, looked_with_run_ = false, busy_ = false;
  double done_ = 0;
  int number_ = 0;
};

}  // namespace arenascope::views
