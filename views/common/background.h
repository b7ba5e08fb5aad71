// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a view's preparation on a worker thread, one job at a time. A pending request is replaced by a newer one; a
// running one is completed, so that a view that is panned continuously still gets updates. Results are immutable and
// are delivered on the UI thread.
#pragma once
#include <views/common/task.h>

namespace arenascope::views {

class Background : public QObject {
  Q_OBJECT
 public:
  using Result = std::shared_ptr<const void>;
  using Job = std::function<Result(std::stop_token)>;  // returns null if it was stopped

  // The destructor does not wait: the result of a job that still runs is discarded.
  explicit Background(QObject* parent = nullptr);
  // Lists running jobs as tasks that the user can cancel.
  void list_in(TaskList* list, const QString& title);

  void request(Job job);
  void cancel();
  bool busy() const { return task_.running(); }

 Q_SIGNALS:
  void done(std::shared_ptr<const void> result);
  void cancelled();  // by the user

 private:
  void start(Job job);
  void finished();

  Task task_;
  QString title_;
  Job next_;
  Result result_;
};

}  // namespace arenascope::views
