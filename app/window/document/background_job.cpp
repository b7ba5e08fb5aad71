// SPDX-License-Identifier: GPL-3.0-or-later
#include "background_job.h"

#include <QCoreApplication>
#include <QMetaObject>

namespace arenascope::app {

void BackgroundJob::close_async(std::unique_ptr<BackgroundJob> job) {
  BackgroundJob* gone = job.release();
  gone->disconnect();
  gone->setParent(QCoreApplication::instance());  // its destructor waits for unfinished jobs
  gone->retired_ = true;
  gone->stop();
  if (!gone->busy_) gone->deleteLater();
}

void BackgroundJob::stop() { thread_.request_stop(); }

void BackgroundJob::finish() { thread_ = {}; }

void BackgroundJob::start(std::function<void(const Part& part)> work) {
  finish();
  busy_ = true;
  since_.start();
  thread_ = std::jthread([number = ++number_, work = std::move(work)](std::stop_token stop) {
    work({number, std::move(stop)});
  });
  Q_EMIT changed();
}

void BackgroundJob::tell(const Part& part, std::function<void()> hear, bool last) {
  const auto heard = [this, number = part.number, hear = std::move(hear), last] {
    if (number != number_) return;
    hear();
    if (last) {
      busy_ = false;
      ended();
      if (retired_ && !busy_) return deleteLater();
    }
    Q_EMIT changed();
  };
  QMetaObject::invokeMethod(this, heard, Qt::QueuedConnection);
}

}  // namespace arenascope::app
