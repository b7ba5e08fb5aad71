// SPDX-License-Identifier: GPL-3.0-or-later
// The window's end of the thread on which a document's model is opened, planned and run: one hand-over of jobs, the
// state that the worker tells, and an end that nobody waits for. See RunHandOver for what the two threads share.
#pragma once
#include <QObject>

#include <functional>
#include <memory>
#include <thread>

namespace arenascope::app {

class RunController;
class RunWorker;
struct RunHandOver;

enum class RunState : uint8_t { Empty, Opening, Recording, Ready, Running, Paused };

class RunLink : public QObject {
  Q_OBJECT
 public:
  ~RunLink() override;  // waits until what runs has ended
  // Ends it without waiting: it goes when its thread has ended, at the latest with the program.
  static void retire(std::unique_ptr<RunController> controller);
  RunState state() const { return state_; }

 Q_SIGNALS:
  void state_changed();

 protected:
  RunLink(RunController* self, QObject* parent);

  using Job = std::function<void(RunWorker&)>;
  // `interrupt`: the job wants the runner to itself. A run that is paused is left for it.
  void give(Job job, bool interrupt);
  void leave_pause();  // whatever lets the run go on says so first
  void set_state(RunState state);
  int asked() const { return asked_; }  // jobs, so far
  virtual void end();                   // asks the worker to; returns at once
  RunHandOver& shared() { return *shared_; }

 private:
  void take_end();

  RunState state_ = RunState::Empty;
  int asked_ = 0;
  bool retired_ = false;
  std::shared_ptr<RunHandOver> shared_;
  std::thread thread_;
};

}  // namespace arenascope::app
