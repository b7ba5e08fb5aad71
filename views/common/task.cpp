// SPDX-License-Identifier: GPL-3.0-or-later
#include <views/common/task.h>

#include <QCoreApplication>
#include <QMetaObject>
#include <QMutex>
#include <QPromise>
#include <QThreadPool>

#include <algorithm>

namespace arenascope::views {

QThreadPool* background_pool() {
  static QThreadPool* const pool = [] {
    auto* made = new QThreadPool(QCoreApplication::instance());
    made->setMaxThreadCount(std::max(4, made->maxThreadCount()));
    return made;
  }();
  return pool;
}

QThreadPool* render_pool() {
  static QThreadPool* const pool = new QThreadPool(QCoreApplication::instance());
  return pool;
}

struct TaskRun::State {
  State(Task* of, int execution) : task(of), number(execution) { promise.start(); }
  void finish() {
    const QMutexLocker lock(&mutex);
    if (!std::exchange(ended, true)) promise.finish();
  }

  QPromise<void> promise;
  std::stop_source stop;
  std::stop_token token = stop.get_token();
  const QPointer<Task> task;  // dereferenced on the UI thread only
  const int number;
  QMutex mutex;
  // Guarded by the mutex. Progress is coalesced: at most one report is pending.
  bool ended = false, reported = false;
  double share = -1;
  QString title;
};

const std::stop_token& TaskRun::stop() const { return state_->token; }

bool TaskRun::active() const {
  const QMutexLocker lock(&state_->mutex);
  return !state_->ended && !state_->promise.isCanceled();
}

void TaskRun::progress(double share, const QString& title) const {
  {
    const QMutexLocker lock(&state_->mutex);
    state_->share = share;
    if (!title.isEmpty()) state_->title = title;
    if (std::exchange(state_->reported, true)) return;
  }
  post([task = state_->task] { task->take_progress(); });
}

void TaskRun::post(std::function<void()> report) const {
  QMetaObject::invokeMethod(
      QCoreApplication::instance(),
      [task = state_->task, number = state_->number, report = std::move(report)] {
        if (task && task->run_ && task->number_ == number) report();
      },
      Qt::QueuedConnection);
}

void TaskRun::finish() const { state_->finish(); }

std::vector<Task*> TaskList::running() const {
  std::vector<Task*> out;
  std::copy_if(all_.begin(), all_.end(), std::back_inserter(out), [](const Task* task) { return task->running(); });
  return out;
}

Task::Task(TaskList* list, OnCancel on_cancel) : list_(list), on_cancel_(on_cancel) {
  if (list_) list_->all_.push_back(this);
  connect(&watcher_, &QFutureWatcherBase::finished, this, &Task::on_finished);
}

Task::~Task() {
  stop();
  if (list_) std::erase(list_->all_, this);
}

void Task::list_in(TaskList* list) {
  discard();
  if (list_) std::erase(list_->all_, this);
  list_ = list;
  if (list_) list_->all_.push_back(this);
}

TaskRun Task::begin(const QString& title) {
  if (run_) {
    stop();
    watcher_.cancel();
  }
  run_ = std::make_shared<TaskRun::State>(this, ++number_);
  title_ = title;
  share_ = -1;
  expected_ = 0;
  since_.start();
  watcher_.setFuture(run_->promise.future());
  // The end of the last copy of the run ends the execution at the latest, so that no task stays listed after its work.
  TaskRun run(std::shared_ptr<TaskRun::State>(run_.get(), [state = run_](TaskRun::State*) { state->finish(); }));
  notify();
  return run;
}

void Task::start(const QString& title, Work work, QThreadPool* pool) {
  pool->start([run = begin(title), work = std::move(work)]() mutable {
    work(run);
    work = nullptr;
    run.finish();
  });
}

void Task::stop() {
  if (run_) run_->stop.request_stop();
}

void Task::discard() {
  if (!run_) return;
  stop();
  watcher_.cancel();
  run_ = nullptr;
  notify();
}

void Task::cancel() {
  if (!run_) return;
  on_cancel_ == OnCancel::Keep ? stop() : discard();
  Q_EMIT cancelled();
}

void Task::wait() { watcher_.waitForFinished(); }

void Task::set_title(const QString& title) {
  title_ = title;
  notify();
}

double Task::share() const { return expected_ > 0 ? std::min(seconds() / expected_, 1.0) : share_; }

double Task::seconds() const { return running() ? static_cast<double>(since_.elapsed()) / 1e3 : 0; }

// Extrapolates the elapsed time to the remaining share.
double Task::seconds_left() const {
  const double elapsed = seconds();
  if (expected_ > 0) return std::max(expected_ - elapsed, 0.0);
  return share_ > 0.02 && share_ <= 1 && elapsed > 0.5 ? elapsed * (1 - share_) / share_ : -1;
}

void Task::notify() {
  Q_EMIT changed();
  if (list_) Q_EMIT list_->changed();
}

void Task::take_progress() {
  {
    const QMutexLocker lock(&run_->mutex);
    run_->reported = false;
    share_ = run_->share;
    if (!run_->title.isEmpty()) title_ = run_->title;
  }
  notify();
}

void Task::on_finished() {
  if (!run_ || watcher_.isCanceled()) return;
  run_ = nullptr;
  notify();
  Q_EMIT finished();
}

}  // namespace arenascope::views
