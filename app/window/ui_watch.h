// SPDX-License-Identifier: GPL-3.0-or-later
// How long the UI thread works between two waits for events: what a user feels as a stutter. Also counts the frames
// that views draw, for the overlay in a corner of the window.
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
  // Since reset(), each of the longest stretch of its own.
  double longest_ms() const;                      // the one that goes on included
  double longest_cpu_ms() const { return cpu_; }  // worked
  // Busy: it worked or waited; what a user waits for, without the time that the thread stood in line for a processor.
  // Waited: it slept, for a lock, a process, a future or a file. Time that is missing from a stretch in which it never
  // gave the processor away was taken by the machine's host, and is neither.
  double longest_busy_ms() const { return busy_; }
  double longest_wait_ms() const { return waited_; }

 private:
  // Of the thread, so far; reading it costs two microseconds.
  struct Account {
    double cpu_ms = 0, queued_ms = 0;  // it ran; it could have run and had no processor
    long sleeps = 0;                   // how often it gave the processor away
  };
  class Poll;
  void awake();
  void about_to_block();
  Account account() const;

  QElapsedTimer since_;
  int schedstat_ = -1;  // the system's file of how long the thread stood in line
  bool working_ = false;
  Account begin_;
  double longest_ = 0, cpu_ = 0, busy_ = 0, waited_ = 0;
};

// The overlay: frames a second of the drawn views, the longest of the last frames, the longest stretch of work.
class FrameOverlay : public QWidget {
  Q_OBJECT
 public:
  explicit FrameOverlay(QWidget* parent);
  void frame(double ms);  // a view was drawn in that time
  QString text() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void place();
  struct Frame {
    qint64 at;
    double ms;
  };
  UiWatch watch_;
  QElapsedTimer clock_;
  std::deque<Frame> frames_;  // of the last second
  QTimer timer_;
  double blocked_ = 0;
};

}  // namespace arenascope::app
