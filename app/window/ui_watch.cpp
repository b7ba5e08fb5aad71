// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui_watch.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <QAbstractEventDispatcher>
#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cstdlib>

namespace arenascope::app {

UiWatch::UiWatch(QObject* parent)
    : QObject(parent), account_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {
  if (QAbstractEventDispatcher* dispatcher = QAbstractEventDispatcher::instance()) {
    connect(dispatcher, &QAbstractEventDispatcher::awake, this, &UiWatch::awake);
    connect(dispatcher, &QAbstractEventDispatcher::aboutToBlock, this, &UiWatch::about_to_block);
  }
}

UiWatch::~UiWatch() {
  if (account_ >= 0) ::close(account_);
}

namespace {

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

}  // namespace

// How long the thread could have run and had no processor; 0 where nobody keeps an account of it.
double UiWatch::queued_ms() const {
  char text[96];
  const ssize_t got = account_ >= 0 ? ::pread(account_, text, sizeof(text) - 1, 0) : 0;
  if (got <= 0) return 0;
  text[got] = 0;
  char* rest = nullptr;
  std::strtoull(text, &rest, 10);  // that it ran
  return static_cast<double>(std::strtoull(rest, nullptr, 10)) / 1e6;
}

// Awake comes before every round of events; a round that did not wait before it is a stretch of its own.
void UiWatch::awake() {
  about_to_block();
  working_ = true;
  since_.start();
  cpu_begin_ = cpu_ms();
  queued_begin_ = queued_ms();
}

void UiWatch::about_to_block() {
  if (!working_) return;
  working_ = false;
  const double all = static_cast<double>(since_.nsecsElapsed()) / 1e6, worked = cpu_ms() - cpu_begin_;
  longest_ = std::max(longest_, all);
  cpu_ = std::max(cpu_, worked);
  const double queued = std::min(queued_ms() - queued_begin_, all - worked);
  busy_ = std::max(busy_, all - queued);
  waited_ = std::max(waited_, all - queued - worked);
}

void UiWatch::reset() {
  working_ = false;
  longest_ = cpu_ = busy_ = waited_ = 0;
}

double UiWatch::longest_ms() const {
  return working_ ? std::max(longest_, static_cast<double>(since_.nsecsElapsed()) / 1e6) : longest_;
}

FrameOverlay::FrameOverlay(UiWatch* watch, QWidget* parent) : QWidget(parent), watch_(watch) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  clock_.start();
  parent->installEventFilter(this);
  connect(&timer_, &QTimer::timeout, this, [this] {
    blocked_ = watch_->longest_ms();
    watch_->reset();
    update();
  });
  timer_.start(500);
  place();
  raise();
}

void FrameOverlay::frame(double ms) {
  const qint64 now = clock_.elapsed();
  frames_.push_back({now, ms});
  while (!frames_.empty() && frames_.front().at + 1000 < now) frames_.pop_front();
}

QString FrameOverlay::text() const {
  const qint64 now = clock_.elapsed();
  double longest = 0, sum = 0;
  int count = 0;
  for (const Frame& f : frames_) {
    if (f.at + 1000 < now) continue;
    longest = std::max(longest, f.ms);
    sum += f.ms;
    ++count;
  }
  return tr("%1 frames/s   mean %2 ms   longest %3 ms   UI thread at most %4 ms")
      .arg(count)
      .arg(count > 0 ? sum / count : 0.0, 0, 'f', 1)
      .arg(longest, 0, 'f', 1)
      .arg(blocked_, 0, 'f', 0);
}

void FrameOverlay::place() {
  const QFontMetrics metrics(font());
  const QSize size(metrics.horizontalAdvance(tr("%1 frames/s   mean %2 ms   longest %3 ms   UI thread at most %4 ms")
                                                 .arg(9999)
                                                 .arg(9999.9)
                                                 .arg(9999.9)
                                                 .arg(99999)) +
                       16,
                   metrics.height() + 8);
  resize(size);
  move(parentWidget()->width() - size.width() - 8, parentWidget()->height() - size.height() - 8);
}

void FrameOverlay::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.fillRect(rect(), QColor(0, 0, 0, 200));
  painter.setPen(Qt::white);
  painter.drawText(rect(), Qt::AlignCenter, text());
}

bool FrameOverlay::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parentWidget() && event->type() == QEvent::Resize) place();
  return QWidget::eventFilter(watched, event);
}

}  // namespace arenascope::app
