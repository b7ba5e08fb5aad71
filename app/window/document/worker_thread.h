// SPDX-License-Identifier: GPL-3.0-or-later
// The UI-thread side of the thread that opens, plans and runs a document's model: a job queue, the reported state,
// and asynchronous shutdown. RunChannel holds what the threads share.
#pragma once
#include <QObject>

#include <functional>
#include <memory>
#include <thread>

namespace arenascope::app {

class RunController;
class RunWorker;
struct RunChannel;

enum class RunState : uint8_t { Empty, Opening, Recording, Ready, Running, Paused };

class WorkerThread : public QObject {
  Q_OBJECT
 public:
  ~WorkerThread() override;  // waits until the thread has ended
  // Quits without waiting; the object is deleted when its thread has ended, at the latest at program exit.
  static void close_async(std::unique_ptr<RunController> controller);
  RunState state() const { return state_; }

 Q_SIGNALS:
  void state_changed();

 protected:
  WorkerThread(RunController* self, QObject* parent);

  using Job = std::function<void(RunWorker&)>;
  // `interrupt`: the job needs exclusive access to the runner; a paused run is resumed and aborted.
  void submit(Job job, bool interrupt);
  void leave_pause();  // must be called before anything that resumes the run
  void set_state(RunState state);
  int submitted_jobs() const { return submitted_jobs_; }  // number so far
  virtual void request_quit();                            // returns at once
  RunChannel& shared() const { return *shared_; }
  std::shared_ptr<RunChannel> shared_channel() const { return shared_; }

 private:
  void on_thread_finished();

  RunState state_ = RunState::Empty;
  int submitted_jobs_ = 0;
  bool retired_ = false;
  std::shared_ptr<RunChannel> shared_;
  std::thread thread_;
};

}  // namespace arenascope::app
