// SPDX-License-Identifier: GPL-3.0-or-later
#include "saver.h"

#include "user_message.h"

namespace arenascope::app {

Saver::Saver(QObject* parent) : BackgroundJob(parent) {}

Saver::~Saver() {
  finish();
  for (const Request& request : waiting_) (void)request.write([](double) { return true; });
}

void Saver::save(const QString& path, Write write, const QString& done, std::function<void()> written) {
  waiting_.push_back({path, std::move(write), done, std::move(written)});
  if (!busy()) begin_next();
}

void Saver::begin_next() {
  if (waiting_.empty()) return;
  Request request = std::move(waiting_.front());
  waiting_.pop_front();
  path_ = request.path;
  continue_ = true;
  share_ = -1;
  start([this, request = std::move(request)](const Part& part) {
    const Status written = request.write([this](double share) {
      share_ = share;
      return continue_.load();
    });
    const QString problem = written ? QString() : user_message(written.error());
    tell(
        part,
        [this, problem, done = request.done, path = request.path, then = request.written] {
          if (problem.isEmpty()) {  // cancelled too late counts as written
            if (then) then();
            Q_EMIT saved(done);
          } else if (!continue_) {
            Q_EMIT failed(tr("Saving %1 was cancelled.").arg(path));
          } else {
            Q_EMIT failed(problem);
          }
        },
        true);
  });
}

}  // namespace arenascope::app
