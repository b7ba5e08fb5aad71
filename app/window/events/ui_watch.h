// SPDX-License-Identifier: GPL-3.0-or-later
// Measures how long the UI thread works between two waits for events, and counts drawn frames for the overlay.
#pragma once
#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <QWidget>

#include <deque>

namespace arenascope::app {

class UiWatch : public QObject {
  Q_OBJECT
 public:
  explicit UiWatch(QObject* parent = nullptr);
  ~UiWatch() override;
  void reset();
  // Maxima since reset(), each over all stretches of work.
  double longest_ms() const;                      // wall-clock, including the current stretch
  double longest_cpu_ms() const { return cpu_; }  // CPU time
  // Busy: CPU time plus sleep, without time waiting for a CPU. Waited: time asleep, such as for a lock, process,
  // future or file. Time lost to the hypervisor within a stretch without sleeps is counted as neither.
  double longest_busy_ms() const { return busy_; }
  double longest_wait_ms() const { return waited_; }

 private:
  // Counters of the thread; reading them takes two microseconds.
  struct Account {
    double cpu_ms = 0, queued_ms = 0;  // running; runnable without a CPU
    long sleeps = 0;                   // number of voluntary context switches
  };
  class Poll;
  void awake();
  void about_to_block();
  Account account() const;

  QElapsedTimer since_;
  int schedstat_ = -1;  // file descriptor of the scheduling statistics of the thread
  bool working_ = false;
  Account begin_;
  double longest_ = 0, cpu_ = 0, busy_ = 0, waited_ = 0;
};

// Overlay with frames per second, the longest recent frame and the longest stretch of work.
class FrameOverlay : public QWidget {
  Q_OBJECT
 public:
  explicit FrameOverlay(QWidget* parent);
  void frame(double ms);  // reports a drawn frame
  QString text() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void update_position();
  struct Frame {
    qint64 at;
    double ms;
  };
  UiWatch watch_;
  QElapsedTimer clock_;
  std::deque<Frame> frames_;  // frames of the last second
  QTimer timer_;
  double blocked_ = 0;
};

}  // namespace arenascope::app
