// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a view's preparation on a worker thread, one job at a time. A pending request is replaced by a newer one; a
// running one is completed, so that a view that is panned continuously still gets updates. Results are immutable and
// are delivered on the UI thread.
#pragma once
#include <QObject>
#include <functional>
#include <memory>
#include <stop_token>

class QThreadPool;

namespace arenascope::views {

// The thread pool for long jobs (searches, reading files), separate from the pool that renders views, which must
// respond within milliseconds. The program waits for its running jobs at exit.
QThreadPool* background_pool();

class Background : public QObject {
  Q_OBJECT
 public:
  using Result = std::shared_ptr<const void>;
  using Job = std::function<Result(std::stop_token)>;  // returns null if it was stopped

  explicit Background(QObject* parent = nullptr);
  ~Background() override;  // does not wait: the result of a job that still runs is discarded

  void request(Job job);
  void cancel();
  bool busy() const;

 Q_SIGNALS:
  void done(std::shared_ptr<const void> result);

 private:
  struct State;
  void start(Job job);
  void finished(int number, Result result);

  std::shared_ptr<State> state_;
  Job next_;
  std::stop_source stop_;
  int number_ = 0;  // number of the most recent job
  bool running_ = false;
};

}  // namespace arenascope::views
