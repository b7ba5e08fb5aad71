// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui_watch.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <QAbstractEventDispatcher>
#include <QEvent>
#include <QPainter>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace arenascope::app {

namespace {

constexpr double kNoticed = 0.5;  // ms of unaccounted time per stretch that are reported

double cpu_ms() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) / 1e6;
}

}  // namespace

// Qt signals when it is about to block and when it is awake, but with GLib's event loop both also enclose other work.
// Therefore the loop's own poll() call is intercepted, in which an idle thread waits. GLib is looked up by name,
// since only Qt links it.
class UiWatch::Poll {
 public:
  using Function = int (*)(void*, unsigned, int);  // GPollFunc
  static bool begin(UiWatch* watch) {
    const auto get = symbol<Function (*)(void*)>("g_main_context_get_poll_func");
    const auto set = symbol<void (*)(void*, Function)>("g_main_context_set_poll_func");
    const QAbstractEventDispatcher* dispatcher = QAbstractEventDispatcher::instance();
    if (get == nullptr || set == nullptr || dispatcher == nullptr ||
        !QByteArray(dispatcher->metaObject()->className()).contains("Glib"))
      return false;
    if (watches().empty()) {
      original() = get(nullptr);  // of the main thread's context
      set(nullptr, &Poll::poll);
    }
    watches().push_back(watch);
    return true;
  }
  static void end(UiWatch* watch) {
    if (std::erase(watches(), watch) == 0 || !watches().empty()) return;
    symbol<void (*)(void*, Function)>("g_main_context_set_poll_func")(nullptr, original());
  }

 private:
  static std::vector<UiWatch*>& watches() {
    static std::vector<UiWatch*> all;
    return all;
  }
  static Function& original() {
    static Function function = nullptr;
    return function;
  }
  template <class F>
  static F symbol(const char* name) {
    return reinterpret_cast<F>(::dlsym(RTLD_DEFAULT, name));
  }
  static int poll(void* files, unsigned count, int timeout) {
    for (UiWatch* watch : watches()) watch->about_to_block();
    const int ready = original()(files, count, timeout);
    for (UiWatch* watch : watches()) watch->awake();
    return ready;
  }
};

UiWatch::UiWatch(QObject* parent)
    : QObject(parent), schedstat_(::open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {
  if (Poll::begin(this)) return;
  if (QAbstractEventDispatcher* dispatcher = QAbstractEventDispatcher::instance()) {
    connect(dispatcher, &QAbstractEventDispatcher::awake, this, &UiWatch::awake);
    connect(dispatcher, &QAbstractEventDispatcher::aboutToBlock, this, &UiWatch::about_to_block);
  }
}

UiWatch::~UiWatch() {
  Poll::end(this);
  if (schedstat_ >= 0) ::close(schedstat_);
}

UiWatch::Account UiWatch::account() const {
  Account a;
  a.cpu_ms = cpu_ms();
  rusage usage{};
  if (getrusage(RUSAGE_THREAD, &usage) == 0) a.sleeps = usage.ru_nvcsw;
  char text[96];
  const ssize_t got = schedstat_ >= 0 ? ::pread(schedstat_, text, sizeof(text) - 1, 0) : 0;
  if (got <= 0) return a;  // no scheduling statistics available
  text[got] = 0;
  char* rest = nullptr;
  std::strtoull(text, &rest, 10);  // CPU time
  a.queued_ms = static_cast<double>(std::strtoull(rest, nullptr, 10)) / 1e6;
  return a;
}

// awake() precedes every round of events; a round without a wait before it starts a new stretch.
void UiWatch::awake() {
  about_to_block();
  working_ = true;
  begin_ = account();
  since_.start();
}

void UiWatch::about_to_block() {
  if (!working_) return;
  working_ = false;
  const double all = static_cast<double>(since_.nsecsElapsed()) / 1e6, worked = cpu_ms() - begin_.cpu_ms;
  double waited = 0;
  if (all - worked > kNoticed) {
    const Account now = account();
    if (now.sleeps != begin_.sleeps) waited = std::max(all - worked - (now.queued_ms - begin_.queued_ms), 0.0);
  }
  longest_ = std::max(longest_, all);
  cpu_ = std::max(cpu_, worked);
  busy_ = std::max(busy_, worked + waited);
  waited_ = std::max(waited_, waited);
}

void UiWatch::reset() {
  working_ = false;
  longest_ = cpu_ = busy_ = waited_ = 0;
}

double UiWatch::longest_ms() const {
  return working_ ? std::max(longest_, static_cast<double>(since_.nsecsElapsed()) / 1e6) : longest_;
}

FrameOverlay::FrameOverlay(QWidget* parent) : QWidget(parent) {
  setAttribute(Qt::WA_TransparentForMouseEvents);
  setFocusPolicy(Qt::NoFocus);
  clock_.start();
  parent->installEventFilter(this);
  connect(&timer_, &QTimer::timeout, this, [this] {
    blocked_ = watch_.longest_ms();
    watch_.reset();
    update();
  });
  timer_.start(500);
  update_position();
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

void FrameOverlay::update_position() {
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
  if (watched == parentWidget() && event->type() == QEvent::Resize) update_position();
  return QWidget::eventFilter(watched, event);
}

}  // namespace arenascope::app
