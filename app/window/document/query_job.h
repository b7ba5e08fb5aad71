// SPDX-License-Identifier: GPL-3.0-or-later
// An SQL query over the session of a document, on a background thread.
#pragma once
#include <views/common/session_source.h>
#include <views/common/task.h>

#include <QString>

#include "app/query/row_target.h"

namespace arenascope::app {

// Immutable. Numbers of rows refer to the snapshot that was queried.
struct QueryResult {
  QString sql;
  views::SnapshotPtr snapshot;
  query::Rows rows;
  std::vector<query::Target> targets;  // see targets_of()
  std::vector<bool> numeric;           // by column: has values, and all of them are numbers
  double seconds = 0;
};
using QueryResultPtr = std::shared_ptr<const QueryResult>;

class QueryJob : public QObject {
  Q_OBJECT
 public:
  static constexpr size_t kMaxRows = 200'000;  // of a result

  explicit QueryJob(views::TaskList* tasks);

  // Discards a running query. `graph`: of nodes in rows that identify no graph.
  void begin(const QString& sql, views::SnapshotPtr snapshot, trace::GraphId graph);
  void stop() { task_.stop(); }
  void forget();  // discards the result, also of a running query

  const views::Task& task() const { return task_; }
  bool busy() const { return task_.running(); }

  const QueryResultPtr& result() const { return result_; }  // of the last query that succeeded; null: none
  const QString& sql() const { return sql_; }               // of the last query
  const QString& problem() const { return problem_; }       // error of the last query; empty: none
  int problem_position() const { return position_; }        // of its first wrong character; -1: unknown
  bool was_stopped() const { return was_stopped_; }

 Q_SIGNALS:
  void changed();

 private:
  views::Task task_;
  QueryResultPtr result_;
  QString sql_, problem_;
  int position_ = -1;
  bool was_stopped_ = false;
};

}  // namespace arenascope::app
