// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/background.h>

#include <QCoreApplication>
#include <QMetaObject>
#include <QMutex>
#include <QThreadPool>

namespace arenascope::views {

QThreadPool* background_pool() {
  static QThreadPool* const pool = [] {
    auto* made = new QThreadPool(QCoreApplication::instance());
    made->setMaxThreadCount(std::max(4, made->maxThreadCount()));
    return made;
  }();
  return pool;
}

namespace {

// Not Qt's global pool: painting uses it to fill large or shaded areas in parallel and waits for it.
QThreadPool* render_pool() {
  static QThreadPool* const pool = new QThreadPool(QCoreApplication::instance());
  return pool;
}

}  // namespace

// Shared by a running job and its view, to detect that the view is gone.
struct Background::State {
  QMutex mutex;
  Background* owner = nullptr;  // guarded by mutex; null after the view is destroyed
};

Background::Background(QObject* parent) : QObject(parent), state_(std::make_shared<State>()) { state_->owner = this; }

Background::~Background() {
  stop_.request_stop();
  const QMutexLocker lock(&state_->mutex);
  state_->owner = nullptr;
}

void Background::request(Job job) {
  if (running_) {
    next_ = std::move(job);
    return;
  }
  start(std::move(job));
}

void Background::cancel() {
  next_ = nullptr;
  stop_.request_stop();
  ++number_;
}

bool Background::busy() const { return running_; }

void Background::start(Job job) {
  running_ = true;
  stop_ = std::stop_source();
  const int number = ++number_;
  render_pool()->start([state = state_, job = std::move(job), number, token = stop_.get_token()]() mutable {
    Result result = token.stop_requested() ? nullptr : job(token);
    job = nullptr;
    const QMutexLocker lock(&state->mutex);
    if (!state->owner) return;
    QMetaObject::invokeMethod(
        state->owner, [owner = state->owner, number, result = std::move(result)] { owner->finished(number, result); },
        Qt::QueuedConnection);
  });
}

void Background::finished(int number, Result result) {
  running_ = false;
  if (number == number_ && result) Q_EMIT done(result);
  if (next_ && !running_) start(std::exchange(next_, nullptr));
}

}  // namespace arenascope::views
