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
  // Busy: what a user waits for, without the time that the thread stood in line for a processor. Waited: of that,
  // neither worked nor stood in line, so it slept, for a lock, a process, a future or a file.
  double longest_busy_ms() const { return busy_; }
  double longest_wait_ms() const { return waited_; }

 private:
  void awake();
  void about_to_block();
  double queued_ms() const;

  QElapsedTimer since_;
  int account_ = -1;  // the system's, of the thread's time
  bool working_ = false;
  double cpu_begin_ = 0, queued_begin_ = 0;
  double longest_ = 0, cpu_ = 0, busy_ = 0, waited_ = 0;
};

// The overlay: frames a second of the drawn views, the longest of the last frames, the longest stretch of work.
class FrameOverlay : public QWidget {
  Q_OBJECT
 public:
  FrameOverlay(UiWatch* watch, QWidget* parent);
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
  UiWatch* watch_;
  QElapsedTimer clock_;
  std::deque<Frame> frames_;  // of the last second
  QTimer timer_;
  double blocked_ = 0;
};

}  // namespace arenascope::app
