// SPDX-License-Identifier: GPL-3.0-or-later
#include "saver.h"

#include <QCoreApplication>
#include <QFileInfo>

#include "user_message.h"

namespace arenascope::app {

Saver::Saver(views::TaskList* tasks) : task_(tasks, views::Task::OnCancel::Keep) {
  connect(&task_, &views::Task::finished, this, &Saver::begin_next);
}

Saver::~Saver() {
  task_.wait();
  for (const Request& request : waiting_) (void)request.write([](double) { return true; });
}

void Saver::close_async(std::unique_ptr<Saver> saver) {
  Saver* discarded = saver.release();
  discarded->disconnect();
  discarded->setParent(QCoreApplication::instance());
  discarded->closed_ = true;
  if (!discarded->busy()) discarded->deleteLater();
}

void Saver::save(const QString& path, Write write, const QString& done, std::function<void()> written) {
  waiting_.push_back({path, std::move(write), done, std::move(written)});
  if (!busy()) begin_next();
}

void Saver::begin_next() {
  if (waiting_.empty()) {
    if (closed_) deleteLater();
    return;
  }
  Request request = std::move(waiting_.front());
  waiting_.pop_front();
  const QString title = tr("Saving %1…").arg(QFileInfo(request.path).fileName());
  task_.start(
      title,
      [this, request = std::move(request)](const views::TaskRun& run) {
        const Status status = request.write([&run](double share) {
          run.progress(share);
          return !run.stop().stop_requested();
        });
        const QString problem = status ? QString() : user_message(status.error());
        run.post([this, problem, ok = status.ok(), cancelled = run.stop().stop_requested(), done = request.done,
                  path = request.path, then = request.written] {
          if (ok) {  // cancelled too late counts as written
            if (then) then();
            Q_EMIT saved(done);
          } else {
            Q_EMIT failed(cancelled ? tr("Saving %1 was cancelled.").arg(path) : problem);
          }
        });
      },
      &pool_);
}

}  // namespace arenascope::app
