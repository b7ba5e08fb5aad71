// SPDX-License-Identifier: GPL-3.0-or-later
#include "saver.h"

#include "user_message.h"

namespace arenascope::app {

Saver::Saver(QObject* parent) : BackgroundJob(parent) {}

Saver::~Saver() { finish(); }

void Saver::save(const QString& path, Write write, const QString& done) {
  if (busy()) {
    Q_EMIT failed(tr("%1 is still being saved.").arg(path_));
    return;
  }
  path_ = path;
  continue_ = true;
  share_ = -1;
  start([this, write = std::move(write), done, path](const Part& part) {
    const Status written = write([this](double share) {
      share_ = share;
      return continue_.load();
    });
    const QString problem = written ? QString() : user_message(written.error());
    tell(
        part,
        [this, problem, done, path] {
          if (!continue_)
            Q_EMIT failed(tr("Saving %1 was cancelled.").arg(path));
          else if (problem.isEmpty())
            Q_EMIT saved(done);
          else
            Q_EMIT failed(problem);
        },
        true);
  });
}

}  // namespace arenascope::app
