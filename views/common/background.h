// SPDX-License-Identifier: GPL-3.0-or-later
// Runs a view's preparation off the UI thread, one job at a time. A request that still waits is replaced by a newer
// one; one that runs goes on, so that a view that is panned all the time still gets pictures. Results are immutable
// and come back on the UI thread.
#pragma once
#include <QObject>
#include <functional>
#include <memory>
#include <stop_token>

class QThreadPool;

namespace arenascope::views {

// Where jobs of seconds run (searches, reading files), so that pictures, which want milliseconds, do not stand behind
// them. At the program's end what still runs there is waited for.
QThreadPool* long_jobs();

class Background : public QObject {
  Q_OBJECT
 public:
  using Result = std::shared_ptr<const void>;
  using Job = std::function<Result(std::stop_token)>;  // null: given up

  explicit Background(QObject* parent = nullptr);
  ~Background() override;  // waits for nobody: a job that still runs finishes into the void

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
  int number_ = 0;  // of the newest job
  bool running_ = false;
};

}  // namespace arenascope::views
