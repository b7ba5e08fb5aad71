// SPDX-License-Identifier: GPL-3.0-or-later
#include "query_job.h"

#include <QElapsedTimer>

namespace arenascope::app {

namespace {

struct QueryOutcome {
  QueryResultPtr result;  // null: an error
  QString problem;
  int position = -1;
  bool was_stopped = false;
};

bool is_numeric(const query::Rows& rows, size_t column) {
  bool has_value = false;
  for (const auto& row : rows.rows) {
    if (std::holds_alternative<std::string>(row[column])) return false;
    has_value |= !std::holds_alternative<std::monostate>(row[column]);
  }
  return has_value;
}

QueryOutcome run_query(const QString& sql, const views::SnapshotPtr& snapshot, trace::GraphId graph,
                       const std::stop_token& stop) {
  QElapsedTimer timer;
  timer.start();
  auto database = query::Database::open(query::tables_of(snapshot));
  if (!database) return {nullptr, QString::fromStdString(database.error().message)};
  const std::string text = sql.toStdString();
  auto rows = (*database)->run(text, {stop, QueryJob::kMaxRows});
  if (stop.stop_requested()) return {.was_stopped = true};
  if (!rows) {
    const int offset = (*database)->error_offset();
    const int position =
        offset < 0 ? -1 : static_cast<int>(QString::fromUtf8(text.data(), static_cast<qsizetype>(offset)).size());
    return {nullptr, QString::fromStdString(rows.error().message), position};
  }
  auto result = std::make_shared<QueryResult>();
  result->sql = sql;
  result->snapshot = snapshot;
  result->targets = query::targets_of(*snapshot, *rows, graph);
  for (size_t c = 0; c < rows->columns.size(); ++c) result->numeric.push_back(is_numeric(*rows, c));
  result->rows = std::move(*rows);
  result->seconds = static_cast<double>(timer.nsecsElapsed()) / 1e9;
  return {std::move(result)};
}

}  // namespace

QueryJob::QueryJob(views::TaskList* tasks) : task_(tasks, views::Task::OnCancel::Keep) {
  connect(&task_, &views::Task::changed, this, &QueryJob::changed);
}

void QueryJob::begin(const QString& sql, views::SnapshotPtr snapshot, trace::GraphId graph) {
  sql_ = sql;
  task_.start(tr("Running a query…"), [this, sql, snapshot = std::move(snapshot), graph](const views::TaskRun& run) {
    run.post([this, outcome = run_query(sql, snapshot, graph, run.stop())] {
      problem_ = outcome.problem;
      position_ = outcome.position;
      was_stopped_ = outcome.was_stopped;
      if (outcome.result) result_ = outcome.result;
    });
  });
}

void QueryJob::forget() {
  task_.discard();
  result_ = nullptr;
  sql_.clear();
  problem_.clear();
  position_ = -1;
  was_stopped_ = false;
  Q_EMIT changed();
}

}  // namespace arenascope::app
