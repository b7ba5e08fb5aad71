// SPDX-License-Identifier: GPL-3.0-or-later
// Work of a document on a thread of its own, which tells the window what it has so far.
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
  // Ends it without waiting: it goes when its thread has ended, at the latest with the program.
  static void retire(std::unique_ptr<BackgroundJob> job);

  void stop();  // behind what is being computed
  bool busy() const { return busy_; }
  // Of what goes on: the part that is done, below nought where nobody knows, and how long it took so far.
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
  void finish();  // waits; for the destructor of the class whose members the work uses

  // What goes on is stopped and waited for first; what it still tells is not heard.
  void start(std::function<void(const Part& part)> work);
  // On the thread: `hear` runs in the window, and changed() follows. With `last` nothing more comes of this part.
  void tell(const Part& part, std::function<void()> hear, bool last);

 private:
  bool busy_ = false, retired_ = false;
  QElapsedTimer since_;
  int number_ = 0;
  std::jthread thread_;
};

}  // namespace arenascope::app
