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
  void reset();
  double longest_ms() const;                         // since reset(), the stretch that goes on included
  double longest_cpu_ms() const;                     // of the thread's own work: a busy machine does not lengthen it
  void set_busy_loop(bool own) { own_loop_ = own; }  // processEvents() is called by hand: each call ends a stretch

 private:
  void awake();
  void about_to_block();
  static double cpu_ms();
  QElapsedTimer since_;
  bool working_ = false, own_loop_ = false;
  double cpu_begin_ = 0, longest_ = 0, longest_cpu_ = 0;
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
