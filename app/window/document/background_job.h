// SPDX-License-Identifier: GPL-3.0-or-later
// Work of a document on a background thread that reports partial results to the window.
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>

namespace arenascope::app {

class BackgroundJob : public QObject {
  Q_OBJECT
 public:
  // Stops without waiting; the object is deleted when its thread has ended, at the latest at program exit.
  static void close_async(std::unique_ptr<BackgroundJob> job);

  void stop();  // after the current computation
  bool busy() const { return busy_; }
  int number() const { return number_; }  // number of the running job: the number of jobs started so far
  // Completed share of the running job, negative if unknown, and its elapsed time.
  virtual double share() const { return -1; }
  double busy_seconds() const { return busy_ ? static_cast<double>(since_.elapsed()) / 1e3 : 0; }

 Q_SIGNALS:
  void changed();

 protected:
  struct Part {
    int number = 0;
    std::stop_token stop;
  };

  explicit BackgroundJob(QObject* parent) : QObject(parent) {}
  void finish();  // waits; call it in the destructor of the class whose members the job uses

  // Stops and waits for a running job first; its remaining reports are dropped.
  void start(std::function<void(const Part& part)> work);
  // On the worker thread: runs `hear` on the UI thread, then emits changed(). `last`: no further report of this part.
  void tell(const Part& part, std::function<void()> hear, bool last);
  virtual void ended() {}  // in the window, after the last of a part was heard; may start another

 private:
  bool busy_ = false, retired_ = false;
  QElapsedTimer since_;
  int number_ = 0;
  std::jthread thread_;
};

}  // namespace arenascope::app
