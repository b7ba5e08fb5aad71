// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/background.h>

namespace arenascope::views {

Background::Background(QObject* parent) : QObject(parent) {
  connect(&task_, &Task::finished, this, &Background::finished);
  connect(&task_, &Task::cancelled, this, [this] {
    next_ = nullptr;
    Q_EMIT cancelled();
  });
}

void Background::list_in(TaskList* list, const QString& title) {
  cancel();
  title_ = title;
  task_.list_in(list);
}

void Background::request(Job job) {
  if (busy())
    next_ = std::move(job);
  else
    start(std::move(job));
}

void Background::cancel() {
  next_ = nullptr;
  result_ = nullptr;
  task_.discard();
}

void Background::start(Job job) {
  const auto work = [this, job = std::move(job)](const TaskRun& run) {
    Result result = run.stop().stop_requested() ? nullptr : job(run.stop());
    run.post([this, result = std::move(result)] { result_ = result; });
  };
  task_.start(title_, work, render_pool());
}

void Background::finished() {
  if (const Result result = std::exchange(result_, nullptr)) Q_EMIT done(result);
  if (next_ && !busy()) start(std::exchange(next_, nullptr));
}

}  // namespace arenascope::views
